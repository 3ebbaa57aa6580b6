#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/base/strong_id.h"

namespace berth {

// Labels of one object, sorted by key; keys differ.
using Labels = std::vector<std::pair<std::string, std::string>>;

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
  // Sets and labels in use.
  std::size_t set_count() const { return set_by_hash_.size(); }
  std::size_t label_count() const { return label_by_hash_.size(); }

 private:
  using LabelIndex = std::uint32_t;
  using Index = std::unordered_multimap<std::size_t, std::uint32_t>;  // look-up only
  struct Label {
    std::string key;
    std::string value;
    std::uint32_t uses = 0;
  };
  struct Set {
    std::vector<LabelIndex> labels;  // by key
    std::uint32_t uses = 0;
  };

  LabelIndex take_label(const std::string& key, const std::string& value);
  void give_back_label(LabelIndex index);

  std::vector<Label> labels_;
  std::vector<LabelIndex> free_labels_;
  Index label_by_hash_;
  std::vector<Set> sets_;
  std::vector<LabelSetId> free_sets_;
  Index set_by_hash_;
};

}  // namespace berth
