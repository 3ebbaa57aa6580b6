#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace berth {

// Ends a vector that has an entry for each of another table, after that was shortened.
template <class Entry>
void shorten(std::vector<Entry>& table, std::size_t size) {
  if (table.size() <= size) return;
  table.erase(table.begin() + static_cast<std::ptrdiff_t>(size), table.end());
  table.shrink_to_fit();
}

// The ids of a table whose entries are gone, to be given again. The lowest comes first, so that the
// end of a table becomes free and can be given back.
template <class Id>
class FreeIds {
 public:
  void add(Id id) {
    ids_.push_back(id);
    std::push_heap(ids_.begin(), ids_.end(), std::greater<>());
  }
  bool are_none() const { return ids_.empty(); }
  // One for an entry of this table. If there is none, the table gets a new entry at its end.
  template <class Entry>
  Id take_in(std::vector<Entry>& table) {
    if (!are_none()) return take();
    table.emplace_back();
    return Id(table.size() - 1);
  }
  Id take() {
    std::pop_heap(ids_.begin(), ids_.end(), std::greater<>());
    const Id id = ids_.back();
    ids_.pop_back();
    return id;
  }
  // Ends the table where its last entry is that is not free, if most of it is free. References into
  // the table end.
  template <class Entry, class IsFree>
  void trim(std::vector<Entry>& table, IsFree is_free) {
    constexpr std::size_t kWorthIt = 64;
    if (ids_.size() < kWorthIt || ids_.size() * 2 < table.size()) return;
    if (!is_free(table.back())) return;
    while (!table.empty() && is_free(table.back())) table.pop_back();
    std::erase_if(ids_, [&](Id id) { return id.index() >= table.size(); });
    std::make_heap(ids_.begin(), ids_.end(), std::greater<>());
    table.shrink_to_fit();
    ids_.shrink_to_fit();
  }

 private:
  std::vector<Id> ids_;  // a heap
};

}  // namespace berth
