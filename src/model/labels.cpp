#include "berth/model/labels.h"

#include <algorithm>

#include "berth/base/check.h"
#include "berth/base/look_up.h"

namespace berth {

namespace {

void mix(std::size_t& hash, std::size_t more) {
  constexpr std::size_t kSpread = 0x9e3779b97f4a7c15;
  hash ^= more + kSpread + (hash << 6U) + (hash >> 2U);
}

std::size_t hash_of(const std::vector<std::uint32_t>& labels) {
  std::size_t hash = labels.size();
  for (const std::uint32_t label : labels) mix(hash, label);
  return hash;
}

}  // namespace

std::size_t LabelTable::hash_of(std::string_view key, std::string_view value) {
  std::size_t hash = std::hash<std::string_view>{}(key);
  mix(hash, std::hash<std::string_view>{}(value));
  return hash;
}

LabelTable::LabelIndex LabelTable::find_label(const std::string& key,
                                              const std::string& value) const {
  const auto [first, last] = label_by_hash_.equal_range(hash_of(key, value));
  for (auto each = first; each != last; ++each) {
    const Label& label = labels_[each->second];
    if (label.key == key && label.value == value) return each->second;
  }
  return kNoLabel;
}

std::span<const LabelSetId> LabelTable::sets_with(const std::string& key,
                                                  const std::string& value) const {
  const LabelIndex found = find_label(key, value);
  return found == kNoLabel ? std::span<const LabelSetId>() : labels_[found].sets;
}

LabelTable::LabelIndex LabelTable::take_label(const std::string& key, const std::string& value) {
  const std::size_t hash = hash_of(key, value);
  if (const LabelIndex known = find_label(key, value); known != kNoLabel) {
    ++labels_[known].uses;
    return known;
  }
  const auto index = static_cast<LabelIndex>(free_labels_.take_in(labels_).index());
  labels_[index] = {key, value, 1, {}};
  label_by_hash_.emplace(hash, index);
  return index;
}

void LabelTable::give_back_label(LabelIndex index) {
  Label& label = labels_[index];
  if (--label.uses > 0) return;
  erase_entry(label_by_hash_, hash_of(label.key, label.value), index);
  label = Label();
  free_labels_.add(FreeLabel(index));
}

// Enters the set into the lists of its labels.
void LabelTable::join(LabelSetId id) {
  for (Entry& each : sets_[id.index()].labels) {
    std::vector<LabelSetId>& with_it = labels_[each.label].sets;
    each.place = static_cast<std::uint32_t>(with_it.size());
    with_it.push_back(id);
  }
}

// The last of a list takes the place of the one that leaves.
void LabelTable::leave(LabelSetId id) {
  for (const Entry& each : sets_[id.index()].labels) {
    std::vector<LabelSetId>& with_it = labels_[each.label].sets;
    const LabelSetId last = with_it.back();
    with_it[each.place] = last;
    with_it.pop_back();
    if (last == id) continue;
    const Set& moved = sets_[last.index()];
    const auto at = entry_of(moved, labels_[each.label].key) - moved.labels.data();
    sets_[last.index()].labels[static_cast<std::size_t>(at)].place = each.place;
  }
}

LabelSetId LabelTable::take(const Labels& labels) {
  std::vector<LabelIndex> wanted;
  wanted.reserve(labels.size());
  for (const auto& [key, value] : labels) wanted.push_back(take_label(key, value));
  const std::size_t hash = berth::hash_of(wanted);
  const auto [first, last] = set_by_hash_.equal_range(hash);
  for (auto each = first; each != last; ++each) {
    Set& set = sets_[each->second];
    const bool is_it =
        std::equal(set.labels.begin(), set.labels.end(), wanted.begin(), wanted.end(),
                   [](const Entry& has, LabelIndex label) { return has.label == label; });
    if (!is_it) continue;
    for (const LabelIndex label : wanted) give_back_label(label);  // the set has them
    ++set.uses;
    return LabelSetId(each->second);
  }
  const LabelSetId id = free_sets_.take_in(sets_);
  Set& set = sets_[id.index()];
  set.uses = 1;
  for (const LabelIndex label : wanted) set.labels.push_back({label, 0});
  join(id);
  set_by_hash_.emplace(hash, static_cast<std::uint32_t>(id.index()));
  return id;
}

void LabelTable::give_back(LabelSetId id) {
  if (!id.is_valid()) return;
  Set& set = sets_[id.index()];
  BERTH_CHECK(set.uses > 0);
  if (--set.uses > 0) return;
  leave(id);
  std::vector<LabelIndex> had;
  for (const Entry& each : set.labels) had.push_back(each.label);
  erase_entry(set_by_hash_, berth::hash_of(had), id.index());
  for (const LabelIndex label : had) give_back_label(label);
  set = Set();
  free_sets_.add(id);
}

void LabelTable::trim() {
  free_sets_.trim(sets_, [](const Set& set) { return set.uses == 0; });
  free_labels_.trim(labels_, [](const Label& label) { return label.uses == 0; });
}

const LabelTable::Entry* LabelTable::entry_of(const Set& set, std::string_view key) const {
  const auto found = std::lower_bound(
      set.labels.begin(), set.labels.end(), key,
      [this](const Entry& entry, std::string_view k) { return labels_[entry.label].key < k; });
  const bool is_there = found != set.labels.end() && labels_[found->label].key == key;
  return is_there ? &*found : nullptr;
}

const std::string* LabelTable::find(LabelSetId id, std::string_view key) const {
  if (!id.is_valid()) return nullptr;
  const Entry* const entry = entry_of(sets_[id.index()], key);
  return entry == nullptr ? nullptr : &labels_[entry->label].value;
}

}  // namespace berth
