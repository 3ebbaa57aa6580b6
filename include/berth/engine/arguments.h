#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "berth/model/written_status.h"

namespace berth::engine {

// The arguments of one plugin or action in the configuration. Each getter marks its key as known.
// Unknown keys and unreadable values are errors (errors()). A getter returns the fallback for an
// absent or wrong value, so a constructor reads on.
class Arguments {
 public:
  struct Entry {
    std::string text;
    bool quoted = false;  // a quoted scalar is always a string
    std::string where;    // "file:line:column"
  };

  Arguments() = default;
  explicit Arguments(std::map<std::string, Entry> entries) : entries_(std::move(entries)) {}

  // A whole number in [least, most].
  std::int64_t integer(const std::string& key, std::int64_t fallback, std::int64_t least,
                       std::int64_t most);
  // A decimal such as 1.2 or 5 in thousandths (1200, 5000); at most three decimals; in
  // [least, most], given in thousandths too.
  std::int64_t thousandths(const std::string& key, std::int64_t fallback, std::int64_t least,
                           std::int64_t most);
  // A duration such as "90s" (base/text.h).
  Duration duration(const std::string& key, Duration fallback, Duration least, Duration most);
  // One of the allowed words.
  std::string word(const std::string& key, const std::string& fallback,
                   const std::vector<std::string>& allowed);
  bool boolean(const std::string& key, bool fallback);
  // "5" or "20%".
  struct Count {
    std::int64_t number = 0;
    bool is_percent = false;  // then 0 to 100
  };
  Count count(const std::string& key, Count fallback, std::int64_t most);
  // "cpu=64,nvidia.com/gpu=8" as quantities, without keys of quotas; empty: none.
  NamedAmounts amounts(const std::string& key);
  std::string text(const std::string& key, const std::string& fallback);
  bool has(const std::string& key) const { return entries_.contains(key); }
  // Moves an argument from another section here, unless it is here already.
  void take_from(Arguments& other, const std::string& key);

  // The complaints of the getters so far, then the unknown keys ("did you mean" among the known
  // ones).
  std::vector<Error> errors() const;

 private:
  const Entry* look_up(const std::string& key);
  void complain(const Entry& entry, const std::string& key, const std::string& expected);

  std::map<std::string, Entry> entries_;
  std::set<std::string> known_;
  std::vector<Error> complaints_;
};

}  // namespace berth::engine
