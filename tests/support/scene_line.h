#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/objects.h"

namespace berth::support {

// One line of a scenario: words, of which some are `key=value` or `key`. A comment starts with '#'.
class SceneLine {
 public:
  SceneLine(std::string text, std::string where);

  bool is_empty() const { return words_.empty(); }
  const std::string& where() const { return where_; }
  const std::string& text() const { return text_; }
  const std::vector<std::string>& words() const { return words_; }
  // Empty after the last word.
  std::string word(std::size_t index) const { return index < words_.size() ? words_[index] : ""; }

  // Options are read by name and marked. An unread option is an error of the line.
  bool flag(const std::string& key);
  std::string text_of(const std::string& key, std::string_view fallback = "");
  std::vector<std::string> list_of(const std::string& key, char separator = ',');
  std::int64_t number_of(const std::string& key, std::int64_t fallback);
  // "cpu=2 mem=4Gi gpu=1 pods=10 res.example.com/x=3"
  NamedAmounts amounts();
  // The same as the value of one option: "guarantee=cpu:2,mem:4Gi".
  NamedAmounts amounts_of(const std::string& key);
  bool has(const std::string& key) const;
  // The first unread option; empty if there is none.
  std::string unread() const;
  // The first error in an option; empty if there is none.
  const std::string& fault() const { return fault_; }
  void accuse(const std::string& fault) {
    if (fault_.empty()) fault_ = fault;
  }

 private:
  void read_amount(const std::string& key, const std::string& text, NamedAmounts& amounts);

  std::string text_;
  std::string where_;
  std::vector<std::string> words_;  // those before the first option
  std::map<std::string, std::string> options_;
  std::map<std::string, bool> read_;
  std::string fault_;
};

// "2", "500m", "4Gi", "1.5" in units of a thousandth (`milli`) or of one.
Result<std::int64_t> parse_amount(std::string_view text, bool milli);

// "j1/0..2" -> {"j1", 0, 2}; "j1/3" -> {"j1", 3, 3}; no slash: {"j1", 0, -1}.
struct NameRange {
  std::string name;
  std::int64_t first = 0;
  std::int64_t last = -1;
};
Result<NameRange> parse_range(std::string_view text);

}  // namespace berth::support
