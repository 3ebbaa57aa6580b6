#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/base/free_ids.h"
#include "berth/base/strong_id.h"

namespace berth {

// Labels of one object, sorted by key; keys differ.
using Labels = std::vector<std::pair<std::string, std::string>>;

// The key under which a pod's label set has its namespace. No label has it.
inline constexpr const char* kNamespaceOfSet = "";

// The label sets of pods. Pods with the same labels share one set, and sets share their labels. A
// set is kept while it is in use.
class LabelTable {
 public:
  // The set of these labels, which is now in use once more.
  LabelSetId take(const Labels& labels);
  // Once for each take(). An invalid id is ignored.
  void give_back(LabelSetId id);

  // The value of the label; null: the set has none of that key. Valid until the next change.
  const std::string* find(LabelSetId id, std::string_view key) const;
  // Calls do_this(key, value) for each label of the set.
  template <class DoThis>
  void each_label(LabelSetId id, DoThis do_this) const {
    for (const Entry& each : sets_[id.index()].labels) {
      do_this(labels_[each.label].key, labels_[each.label].value);
    }
  }
  // The sets that have the label, in no order. Valid until the next change.
  std::span<const LabelSetId> sets_with(const std::string& key, const std::string& value) const;
  std::size_t set_slots() const { return sets_.size(); }  // ids are below
  // Sets and labels in use.
  std::size_t set_count() const { return set_by_hash_.size(); }
  std::size_t label_count() const { return label_by_hash_.size(); }
  static std::size_t hash_of(std::string_view key, std::string_view value);
  // Gives back the room of sets and labels that are gone (BOUND-7).
  void trim();

 private:
  using LabelIndex = std::uint32_t;
  static constexpr LabelIndex kNoLabel = 0xffffffff;
  using FreeLabel = StrongId<struct LabelTag>;
  using Index = std::unordered_multimap<std::size_t, std::uint32_t>;  // look-up only
  struct Label {
    std::string key;
    std::string value;
    std::uint32_t uses = 0;
    std::vector<LabelSetId> sets;
  };
  struct Entry {
    LabelIndex label = 0;
    std::uint32_t place = 0;  // in Label::sets
  };
  struct Set {
    std::vector<Entry> labels;  // by key
    std::uint32_t uses = 0;
  };

  LabelIndex find_label(const std::string& key, const std::string& value) const;
  // The set's entry of that key; null: there is none.
  const Entry* entry_of(const Set& set, std::string_view key) const;
  LabelIndex take_label(const std::string& key, const std::string& value);
  void join(LabelSetId id);
  void leave(LabelSetId id);
  void give_back_label(LabelIndex index);

  std::vector<Label> labels_;
  FreeIds<FreeLabel> free_labels_;
  Index label_by_hash_;
  std::vector<Set> sets_;
  FreeIds<LabelSetId> free_sets_;
  Index set_by_hash_;
};

}  // namespace berth
