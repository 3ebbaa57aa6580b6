#include "berth/model/resources.h"

#include <algorithm>
#include <limits>

#include "berth/base/check.h"
#include "berth/base/look_up.h"

namespace berth {

namespace {

std::int64_t saturating_subtract(std::int64_t left, std::int64_t right) {
  std::int64_t difference = 0;
  if (!__builtin_sub_overflow(left, right, &difference)) return difference;
  return right < 0 ? std::numeric_limits<std::int64_t>::max()
                   : std::numeric_limits<std::int64_t>::min();
}

}  // namespace

DimensionTable::DimensionTable() {
  for (const char* fixed : {"cpu", "memory", "ephemeral-storage", "pods", "unknown resources"}) {
    intern(fixed);
  }
  BERTH_CHECK(names_.size() == kFixedDimensions);
}

Dimension DimensionTable::find(std::string_view name) const {
  return value_or(by_name_, std::string(name), Dimension(names_.size()));
}

Dimension DimensionTable::intern(std::string_view name) {
  const auto [entry, is_new] = by_name_.try_emplace(std::string(name), Dimension(names_.size()));
  if (is_new) names_.emplace_back(name);
  return entry->second;
}

Resources::Resources(std::initializer_list<std::pair<Dimension, std::int64_t>> amounts) {
  for (const auto& [dimension, amount] : amounts) add(dimension, amount);
}

void Resources::grow_to(std::size_t extent) {
  if (amounts_.size() < extent) amounts_.resize(extent, 0);
}

void Resources::set(Dimension dimension, std::int64_t amount) {
  if (amount == 0 && dimension.index() >= amounts_.size()) return;
  grow_to(dimension.index() + 1);
  amounts_[dimension.index()] = amount;
}

void Resources::add_slowly(Dimension dimension, std::int64_t amount) {
  set(dimension, saturated_sum((*this)[dimension], amount));
}

Resources& Resources::operator+=(const Resources& other) {
  grow_to(other.amounts_.size());
  for (std::size_t d = 0; d < other.amounts_.size(); ++d) {
    amounts_[d] = saturated_sum(amounts_[d], other.amounts_[d]);
  }
  return *this;
}

Resources& Resources::operator-=(const Resources& other) {
  grow_to(other.amounts_.size());
  for (std::size_t d = 0; d < other.amounts_.size(); ++d) {
    amounts_[d] = saturating_subtract(amounts_[d], other.amounts_[d]);
  }
  return *this;
}

bool Resources::covers(const Resources& other) const {
  const std::size_t extent = std::max(amounts_.size(), other.amounts_.size());
  for (std::size_t d = 0; d < extent; ++d) {
    if ((*this)[Dimension(d)] < other[Dimension(d)]) return false;
  }
  return true;
}

bool Resources::is_zero() const {
  return std::all_of(amounts_.begin(), amounts_.end(), [](std::int64_t a) { return a == 0; });
}

bool Resources::is_empty_but_pods() const {
  for (std::size_t d = 0; d < amounts_.size(); ++d) {
    if (Dimension(d) != kPods && amounts_[d] != 0) return false;
  }
  return true;
}

bool Resources::operator==(const Resources& other) const {
  const std::size_t extent = std::max(amounts_.size(), other.amounts_.size());
  for (std::size_t d = 0; d < extent; ++d) {
    if ((*this)[Dimension(d)] != other[Dimension(d)]) return false;
  }
  return true;
}

Resources positive_difference(const Resources& left, const Resources& right) {
  Resources difference;
  for (std::size_t d = 0; d < left.extent(); ++d) {
    const Dimension dimension(d);
    const std::int64_t rest = saturating_subtract(left[dimension], right[dimension]);
    if (rest > 0) difference.set(dimension, rest);
  }
  return difference;
}

void ResourceLimits::set(Dimension dimension, std::int64_t amount) {
  for (auto& [limited, limit] : limits_) {
    if (limited == dimension) {
      limit = amount;
      return;
    }
  }
  limits_.emplace_back(dimension, amount);
}

}  // namespace berth
