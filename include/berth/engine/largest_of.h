#pragma once

#include <cstdint>
#include <vector>

namespace berth::engine {

// The largest of many amounts within any range of them, the first of equal ones. Both a question
// and a change cost the logarithm of their number; changes are only noted until somebody asks.
class LargestOf {
 public:
  void clear() { amounts_.clear(); }
  // Until then changes are not followed.
  bool is_made() const { return !amounts_.empty(); }
  void make(std::vector<std::int64_t> amounts);
  void set(std::uint32_t at, std::int64_t amount);
  // The largest of this range without `skip`, no more than `most` of them, that are above 0.
  std::vector<std::uint32_t> within(std::uint32_t begin, std::uint32_t end, std::uint32_t skip,
                                    std::size_t most);

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void follow_changes();
  std::uint32_t largest_of(std::uint32_t begin, std::uint32_t end) const;
  std::uint32_t larger(std::uint32_t left, std::uint32_t right) const;

  std::vector<std::int64_t> amounts_;
  std::vector<std::uint32_t> tree_;  // the largest of both below; leaves are the second half
  std::vector<std::uint32_t> changed_;
  std::vector<std::uint8_t> is_changed_;
};

}  // namespace berth::engine
