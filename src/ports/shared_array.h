#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <vector>

namespace berth::ports {

// An immutable array in blocks. Arrays of one writer share the blocks that are equal, so the next
// one costs what has changed, and a pointer for each block. Any thread.
template <class T>
class SharedArray {
 public:
  static constexpr std::size_t kBlock = 64;
  using Block = std::array<T, kBlock>;

  SharedArray() = default;
  explicit SharedArray(std::vector<std::shared_ptr<const Block>> blocks)
      : blocks_(std::move(blocks)) {}

  std::size_t size() const { return blocks_.size() * kBlock; }
  const T& operator[](std::size_t i) const { return (*blocks_[i / kBlock])[i % kBlock]; }

 private:
  std::vector<std::shared_ptr<const Block>> blocks_;
};

// Makes one SharedArray after the other. One thread.
template <class T>
class SharedArrayWriter {
 public:
  // Grows to hold `size` values at least; new ones are T().
  void grow(std::size_t size) {
    while (blocks_.size() * kBlock < size) {
      blocks_.push_back(std::make_shared<Block>());
      is_shared_.push_back(false);
    }
  }
  const T& operator[](std::size_t i) const { return (*blocks_[i / kBlock])[i % kBlock]; }
  // Valid until the next share().
  T& change(std::size_t i) {
    const std::size_t b = i / kBlock;
    if (is_shared_[b]) {
      blocks_[b] = std::make_shared<Block>(*blocks_[b]);
      is_shared_[b] = false;
    }
    return (*blocks_[b])[i % kBlock];
  }
  SharedArray<T> share() {
    is_shared_.assign(blocks_.size(), true);
    return SharedArray<T>({blocks_.begin(), blocks_.end()});
  }

 private:
  static constexpr std::size_t kBlock = SharedArray<T>::kBlock;
  using Block = typename SharedArray<T>::Block;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::vector<bool> is_shared_;  // by block: an array has it, so it must stay
};

}  // namespace berth::ports
