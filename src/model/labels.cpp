#include "berth/model/labels.h"

#include "berth/base/check.h"

namespace berth {

namespace {

void mix(std::size_t& hash, std::size_t more) {
  constexpr std::size_t kSpread = 0x9e3779b97f4a7c15;
  hash ^= more + kSpread + (hash << 6U) + (hash >> 2U);
}

std::size_t hash_of(std::string_view key, std::string_view value) {
  std::size_t hash = std::hash<std::string_view>{}(key);
  mix(hash, std::hash<std::string_view>{}(value));
  return hash;
}

std::size_t hash_of(const std::vector<std::uint32_t>& labels) {
  std::size_t hash = labels.size();
  for (const std::uint32_t label : labels) mix(hash, label);
  return hash;
}

template <class Index>
void forget(Index& index, std::size_t hash, std::uint32_t entry) {
  const auto [first, last] = index.equal_range(hash);
  for (auto each = first; each != last; ++each) {
    if (each->second == entry) return void(index.erase(each));
  }
}

}  // namespace

LabelTable::LabelIndex LabelTable::take_label(const std::string& key, const std::string& value) {
  const std::size_t hash = hash_of(key, value);
  const auto [first, last] = label_by_hash_.equal_range(hash);
  for (auto each = first; each != last; ++each) {
    Label& label = labels_[each->second];
    if (label.key != key || label.value != value) continue;
    ++label.uses;
    return each->second;
  }
  auto index = static_cast<LabelIndex>(labels_.size());
  if (free_labels_.empty()) {
    labels_.emplace_back();
  } else {
    index = free_labels_.back();
    free_labels_.pop_back();
  }
  labels_[index] = {key, value, 1};
  label_by_hash_.emplace(hash, index);
  return index;
}

void LabelTable::give_back_label(LabelIndex index) {
  Label& label = labels_[index];
  if (--label.uses > 0) return;
  forget(label_by_hash_, hash_of(label.key, label.value), index);
  label = Label();
  free_labels_.push_back(index);
}

LabelSetId LabelTable::take(const Labels& labels) {
  std::vector<LabelIndex> wanted;
  wanted.reserve(labels.size());
  for (const auto& [key, value] : labels) wanted.push_back(take_label(key, value));
  const std::size_t hash = hash_of(wanted);
  const auto [first, last] = set_by_hash_.equal_range(hash);
  for (auto each = first; each != last; ++each) {
    Set& set = sets_[each->second];
    if (set.labels != wanted) continue;
    for (const LabelIndex label : wanted) give_back_label(label);  // the set has them
    ++set.uses;
    return LabelSetId(each->second);
  }
  LabelSetId id(sets_.size());
  if (free_sets_.empty()) {
    sets_.emplace_back();
  } else {
    id = free_sets_.back();
    free_sets_.pop_back();
  }
  sets_[id.index()] = {std::move(wanted), 1};
  set_by_hash_.emplace(hash, static_cast<std::uint32_t>(id.index()));
  return id;
}

void LabelTable::give_back(LabelSetId id) {
  if (!id.is_valid()) return;
  Set& set = sets_[id.index()];
  BERTH_CHECK(set.uses > 0);
  if (--set.uses > 0) return;
  forget(set_by_hash_, hash_of(set.labels), static_cast<std::uint32_t>(id.index()));
  for (const LabelIndex label : set.labels) give_back_label(label);
  set = Set();
  free_sets_.push_back(id);
}

const std::string* LabelTable::find(LabelSetId id, std::string_view key) const {
  if (!id.is_valid()) return nullptr;
  for (const LabelIndex index : sets_[id.index()].labels) {
    if (labels_[index].key == key) return &labels_[index].value;
  }
  return nullptr;
}

}  // namespace berth
