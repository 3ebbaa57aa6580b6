#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"

namespace berth {

// A regular expression in the syntax of Go's package regexp, as names of nodes need it: bytes,
// classes, groups, alternatives and repetitions. Left out, and refused by parse(): flags, word
// borders, Unicode's classes. A look at a text takes at most time in proportion to both lengths, so
// that no expression of others holds a session up.
class Pattern {
 public:
  static Result<Pattern> parse(std::string_view text);

  // Does it match somewhere in the text?
  bool is_in(std::string_view text) const;

 private:
  friend class PatternReader;
  using Set = std::bitset<256>;
  struct Step {
    enum class Kind : std::uint8_t { set, fork, begin, end, match };
    Kind kind = Kind::match;
    std::uint32_t set = 0;    // of sets_
    std::uint32_t next = 0;   // step
    std::uint32_t other = 0;  // of a fork
  };

  std::vector<Step> steps_;
  std::vector<Set> sets_;
  std::uint32_t first_ = 0;
  std::string prefix_;  // all texts that it matches begin with this; empty: any
};

}  // namespace berth
