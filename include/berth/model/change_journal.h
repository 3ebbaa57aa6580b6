#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "berth/base/strong_id.h"

namespace berth {

// The changed nodes, in order. A reader keeps its position and catches up from there. If the
// journal no longer has that position, the reader starts again from the beginning.
class ChangeJournal {
 public:
  std::uint64_t position() const { return base_ + entries_.size(); }

  void note(NodeId node) {
    if (entries_.size() == kEntriesMax) forget();
    entries_.push_back(node);
  }
  // Makes every reader start again.
  void forget() {
    base_ += entries_.size() + 1;
    entries_.clear();
  }
  bool has_since(std::uint64_t position) const { return position >= base_; }
  std::span<const NodeId> since(std::uint64_t position) const {
    return std::span(entries_).subspan(position - base_);
  }

 private:
  static constexpr std::size_t kEntriesMax = std::size_t{1} << 20;
  std::uint64_t base_ = 1;
  std::vector<NodeId> entries_;
};

}  // namespace berth
