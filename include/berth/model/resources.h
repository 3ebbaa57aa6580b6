#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/base/strong_id.h"

namespace berth {

// Resource dimensions are interned. The first five are fixed; extended resources follow in the
// order in which nodes and queues bring them. No decision may depend on the order of dimensions.
inline constexpr Dimension kCpu{0};               // milli-cpu
inline constexpr Dimension kMemory{1};            // bytes
inline constexpr Dimension kEphemeralStorage{2};  // bytes
inline constexpr Dimension kPods{3};              // pods
// DIMENSION-1. All that neither a node nor a queue names, together: every node has 0 of it.
inline constexpr Dimension kUnknown{4};
inline constexpr std::size_t kFixedDimensions = 5;

class DimensionTable {
 public:
  DimensionTable();

  Dimension intern(std::string_view name);
  // Dimension(size()) if the name is unknown.
  Dimension find(std::string_view name) const;
  const std::string& name(Dimension dimension) const { return names_[dimension.index()]; }
  std::size_t size() const { return names_.size(); }

  // DIMENSION-4. A name that DeviceClasses offer, and that no dimension has.
  bool is_of_classes(const std::string& name) const {
    return of_classes_.contains(name) && !by_name_.contains(name);
  }
  void set_of_classes(std::set<std::string> names) { of_classes_ = std::move(names); }
  const std::set<std::string>& of_classes() const { return of_classes_; }

 private:
  std::set<std::string> of_classes_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, Dimension> by_name_;  // look-up only
};

// A vector of integer amounts (D4). A missing dimension is 0. Sums saturate at the ends of int64,
// so user input cannot wrap. Differences may go negative if the caller allows it.
class Resources {
 public:
  Resources() = default;
  Resources(std::initializer_list<std::pair<Dimension, std::int64_t>> amounts);

  std::int64_t operator[](Dimension dimension) const {
    return dimension.index() < amounts_.size() ? amounts_[dimension.index()] : 0;
  }
  void set(Dimension dimension, std::int64_t amount);
  void add(Dimension dimension, std::int64_t amount) {
    std::int64_t sum = 0;
    const std::size_t d = dimension.index();
    if (d >= amounts_.size() || __builtin_add_overflow(amounts_[d], amount, &sum)) {
      return add_slowly(dimension, amount);
    }
    amounts_[d] = sum;
  }

  Resources& operator+=(const Resources& other);
  Resources& operator-=(const Resources& other);

  // True if this >= other in every dimension.
  bool covers(const Resources& other) const;
  bool is_zero() const;
  // True for a best-effort request: no amount except pods.
  bool is_empty_but_pods() const;

  // One past the highest dimension that may be non-zero.
  std::size_t extent() const { return amounts_.size(); }

  bool operator==(const Resources& other) const;

 private:
  void grow_to(std::size_t extent);
  void add_slowly(Dimension dimension, std::int64_t amount);  // grows or saturates

  std::vector<std::int64_t> amounts_;
};

// The sum, or the end of int64 that it would pass.
inline std::int64_t saturated_sum(std::int64_t left, std::int64_t right) {
  std::int64_t sum = 0;
  if (!__builtin_add_overflow(left, right, &sum)) return sum;
  return left > 0 ? std::numeric_limits<std::int64_t>::max()
                  : std::numeric_limits<std::int64_t>::min();
}

// Of an amount that is not negative, so many times; at the end of int64, the end.
inline std::int64_t saturated_product(std::int64_t amount, std::int64_t times) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(amount, times, &product)) return product;
  return std::numeric_limits<std::int64_t>::max();
}

// a - b where positive, else 0, per dimension.
Resources positive_difference(const Resources& left, const Resources& right);

// Upper bounds. A missing one is unlimited (a queue's capability).
class ResourceLimits {
 public:
  void set(Dimension dimension, std::int64_t amount);
  const std::vector<std::pair<Dimension, std::int64_t>>& entries() const { return limits_; }

 private:
  std::vector<std::pair<Dimension, std::int64_t>> limits_;
};

}  // namespace berth
