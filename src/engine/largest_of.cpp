#include "berth/engine/largest_of.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace berth::engine {

std::uint32_t LargestOf::larger(std::uint32_t left, std::uint32_t right) const {
  if (left == kNone || right == kNone) return left == kNone ? right : left;
  if (amounts_[left] != amounts_[right]) return amounts_[left] > amounts_[right] ? left : right;
  return std::min(left, right);
}

void LargestOf::make(std::vector<std::int64_t> amounts) {
  amounts_ = std::move(amounts);
  const std::size_t leaves = std::bit_ceil(amounts_.size());
  tree_.assign(2 * leaves, kNone);
  for (std::size_t i = 0; i < amounts_.size(); ++i) {
    if (amounts_[i] > 0) tree_[leaves + i] = static_cast<std::uint32_t>(i);
  }
  for (std::size_t i = leaves; i-- > 1;) tree_[i] = larger(tree_[2 * i], tree_[2 * i + 1]);
  changed_.clear();
  is_changed_.assign(amounts_.size(), 0);
}

void LargestOf::set(std::uint32_t at, std::int64_t amount) {
  amounts_[at] = amount;
  if (std::exchange(is_changed_[at], 1) == 0) changed_.push_back(at);
}

void LargestOf::follow_changes() {
  const auto leaves = static_cast<std::uint32_t>(tree_.size() / 2);
  for (const std::uint32_t at : changed_) {
    is_changed_[at] = 0;
    std::uint32_t i = leaves + at;
    tree_[i] = amounts_[at] > 0 ? at : kNone;
    while ((i /= 2) > 0) tree_[i] = larger(tree_[2 * i], tree_[2 * i + 1]);
  }
  changed_.clear();
}

std::uint32_t LargestOf::largest_of(std::uint32_t begin, std::uint32_t end) const {
  const auto leaves = static_cast<std::uint32_t>(tree_.size() / 2);
  std::uint32_t largest = kNone;
  for (begin += leaves, end += leaves; begin < end; begin /= 2, end /= 2) {
    if (begin % 2 == 1) largest = larger(largest, tree_[begin++]);
    if (end % 2 == 1) largest = larger(largest, tree_[--end]);
  }
  return largest;
}

std::vector<std::uint32_t> LargestOf::within(std::uint32_t begin, std::uint32_t end,
                                             std::uint32_t skip, std::size_t most) {
  follow_changes();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranges{{begin, end}};
  const auto split = [&](std::size_t range, std::uint32_t at) {
    ranges.emplace_back(at + 1, ranges[range].second);
    ranges[range].second = at;
  };
  if (skip >= begin && skip < end) split(0, skip);
  std::vector<std::uint32_t> found;
  while (found.size() < most) {
    std::uint32_t largest = kNone;
    std::size_t in = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      const std::uint32_t here = larger(largest, largest_of(ranges[i].first, ranges[i].second));
      if (std::exchange(largest, here) != here) in = i;
    }
    if (largest == kNone) break;
    found.push_back(largest);
    split(in, largest);
  }
  return found;
}

}  // namespace berth::engine
