#pragma once

#include <atomic>
#include <cstdint>

namespace berth {

// A count that any thread changes and reads. A copy has its value of that moment; several of them
// have no order.
class Counter {
 public:
  Counter(std::uint64_t value = 0) : value_(value) {}  // NOLINT: implicit
  Counter(const Counter& other) : Counter(std::uint64_t{other}) {}
  Counter& operator=(const Counter& other) {
    value_.store(other, std::memory_order_relaxed);
    return *this;
  }

  operator std::uint64_t() const { return value_.load(std::memory_order_relaxed); }  // NOLINT
  void operator++() { *this += 1; }
  void operator--() { value_.fetch_sub(1, std::memory_order_relaxed); }
  void operator+=(std::uint64_t more) { value_.fetch_add(more, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_;
};

}  // namespace berth
