#include "berth/base/pattern.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "berth/base/printable.h"
#include "berth/base/text.h"

// An expression is read into a tree of parts, and these into the steps of an automaton that may be
// in several states at once (Thompson). TOPO-4 of docs/design/topology.md.

namespace berth {

namespace {

constexpr std::size_t kStepsMax = 4'000;
constexpr std::size_t kDepthMax = 100;
constexpr std::uint32_t kTimesMax = 1'000;  // as Go's
constexpr std::uint32_t kAnyTimes = std::numeric_limits<std::uint32_t>::max();

using Set = std::bitset<256>;

Set set_of(char c) {
  Set set;
  set.set(static_cast<unsigned char>(c));
  return set;
}

void add_range(Set& set, unsigned char least, unsigned char most) {
  for (std::size_t c = least; c <= most; ++c) set.set(c);
}

// "\d" and its like; none: the letter is no class.
bool add_class(char letter, Set& set) {
  Set found;
  const char small = lowered(std::string_view(&letter, 1)).front();
  if (small == 'd' || small == 'w') add_range(found, '0', '9');
  if (small == 'w') {
    add_range(found, 'a', 'z');
    add_range(found, 'A', 'Z');
    found |= set_of('_');
  }
  if (small == 's') {
    for (const char c : std::string_view("\t\n\f\r ")) found |= set_of(c);
  }
  if (found.none()) return false;
  set |= small == letter ? found : ~found;
  return true;
}

// The byte that an escaped letter stands for; none: it stands for nothing.
bool read_escape(char letter, char& byte) {
  constexpr std::string_view kLetters = "nrtfv";
  constexpr std::string_view kBytes = "\n\r\t\f\v";
  const std::size_t at = kLetters.find(letter);
  const bool is_sign = static_cast<unsigned char>(letter) < 128 &&
                       lowered(std::string_view(&letter, 1)) == std::string_view(&letter, 1) &&
                       !is_digit(letter) && (letter < 'a' || letter > 'z');
  if (at == std::string_view::npos && !is_sign) return false;
  byte = at == std::string_view::npos ? letter : kBytes[at];
  return true;
}

}  // namespace

class PatternReader {
 public:
  explicit PatternReader(std::string_view text) : text_(text) {}

  Result<Pattern> read() {
    const std::size_t whole = read_choice(0);
    if (fault_.empty() && at_ < text_.size()) fault_ = "a \")\" without \"(\"";
    if (fault_.empty()) {
      out_.steps_.emplace_back();  // the match
      out_.first_ = compile(whole, 0);
    }
    if (!fault_.empty()) {
      return Error{"\"" + shortened(text_, 80) + "\" is no regular expression: " + fault_, ""};
    }
    note_prefix(whole);
    return std::move(out_);
  }

 private:
  struct Part {
    enum class Kind : std::uint8_t { set, begin, end, row, choice, repetition };
    Kind kind = Kind::row;
    Set set = {};
    std::vector<std::size_t> parts = {};
    std::uint32_t least = 1;
    std::uint32_t most = 1;
  };
  using StepKind = Pattern::Step::Kind;

  std::size_t add(Part part) {
    parts_.push_back(std::move(part));
    return parts_.size() - 1;
  }
  bool is_at(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(char c) {
    if (!is_at(c)) return false;
    ++at_;
    return true;
  }
  std::size_t fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
    return 0;
  }

  std::size_t read_choice(std::size_t depth) {
    if (depth > kDepthMax) return fail("groups in groups, more than " + std::to_string(kDepthMax));
    Part choice{.kind = Part::Kind::choice};
    do {
      choice.parts.push_back(read_row(depth));
    } while (fault_.empty() && take('|'));
    return choice.parts.size() == 1 ? choice.parts.front() : add(std::move(choice));
  }

  std::size_t read_row(std::size_t depth) {
    Part row{.kind = Part::Kind::row};
    while (fault_.empty() && at_ < text_.size() && !is_at('|') && !is_at(')')) {
      row.parts.push_back(read_repeated(depth));
    }
    return add(std::move(row));
  }

  std::size_t read_repeated(std::size_t depth) {
    std::size_t part = read_one(depth);
    bool is_repeated = false;
    while (fault_.empty()) {
      Part repetition{.kind = Part::Kind::repetition, .parts = {part}, .least = 0, .most = 1};
      if (take('*')) {
        repetition.most = kAnyTimes;
      } else if (take('+')) {
        repetition.least = 1;
        repetition.most = kAnyTimes;
      } else if (!take('?') && !read_times(repetition)) {
        return part;
      }
      if (std::exchange(is_repeated, true)) return fail("a repetition of a repetition");
      take('?');  // the shortest match: whether there is one is the same question
      part = add(std::move(repetition));
    }
    return part;
  }

  // "{2}", "{2,}", "{2,5}". Braces of another form are bytes, as in Go.
  bool read_times(Part& repetition) {
    if (!is_at('{')) return false;
    std::size_t at = at_ + 1;
    const auto read_number = [&](std::uint32_t& number) {
      const std::size_t begin = at;
      std::uint64_t value = 0;
      while (at < text_.size() && is_digit(text_[at])) {
        value = std::min<std::uint64_t>(value * 10 + static_cast<std::uint64_t>(text_[at] - '0'),
                                        kTimesMax + 1);
        ++at;
      }
      number = static_cast<std::uint32_t>(value);
      return at > begin;
    };
    if (!read_number(repetition.least)) return false;
    repetition.most = repetition.least;
    if (at < text_.size() && text_[at] == ',') {
      ++at;
      if (!read_number(repetition.most)) repetition.most = kAnyTimes;
    }
    if (at >= text_.size() || text_[at] != '}') return false;
    at_ = at + 1;
    const bool is_too_many = repetition.least > kTimesMax ||
                             (repetition.most != kAnyTimes && repetition.most > kTimesMax);
    if (is_too_many) fail("more than " + std::to_string(kTimesMax) + " repetitions");
    if (repetition.most < repetition.least) fail("a repetition with less at most than at least");
    return true;
  }

  std::size_t read_one(std::size_t depth) {
    const char c = text_[at_++];
    switch (c) {
      case '^':
        return add({.kind = Part::Kind::begin});
      case '$':
        return add({.kind = Part::Kind::end});
      case '.':
        return add({.kind = Part::Kind::set, .set = ~set_of('\n')});
      case '(':
        return read_group(depth);
      case '[':
        return read_set();
      case '\\':
        return read_escaped();
      case '*':
      case '+':
      case '?':
        return fail("a repetition of nothing");
      default:
        return add({.kind = Part::Kind::set, .set = set_of(c)});
    }
  }

  std::size_t read_group(std::size_t depth) {
    if (take('?') && !take(':')) {
      const std::size_t name = text_.find('>', at_);
      const bool is_named = text_.substr(at_).starts_with("P<") || is_at('<');
      if (!is_named || name == text_.npos) return fail("flags in a group, which are not read here");
      at_ = name + 1;
    }
    const std::size_t part = read_choice(depth + 1);
    if (!take(')')) return fail("a \"(\" without \")\"");
    return part;
  }

  std::size_t read_escaped() {
    if (at_ >= text_.size()) return fail("a \"\\\" at its end");
    const char letter = text_[at_++];
    if (letter == 'A') return add({.kind = Part::Kind::begin});
    if (letter == 'z') return add({.kind = Part::Kind::end});
    Part part{.kind = Part::Kind::set};
    if (add_class(letter, part.set)) return add(std::move(part));
    char byte = 0;
    if (!read_escape(letter, byte)) return fail(no_escape(letter));
    return add({.kind = Part::Kind::set, .set = set_of(byte)});
  }

  static std::string no_escape(char letter) {
    const bool is_ascii = static_cast<unsigned char>(letter) < 128;
    return (is_ascii ? std::string("\"\\") + letter + "\"" : "a \"\\\" with another letter") +
           ", which is not read here";
  }

  // After "[".
  std::size_t read_set() {
    Part part{.kind = Part::Kind::set};
    const bool is_not = take('^');
    bool is_first = true;
    while (at_ < text_.size() && (is_first || !is_at(']'))) {
      is_first = false;
      if (text_.substr(at_).starts_with("[:")) return fail("\"[:\" in a class, not read here");
      char least = text_[at_++];
      if (least == '\\') {
        if (at_ >= text_.size()) break;
        const char letter = text_[at_++];
        if (add_class(letter, part.set)) continue;
        if (!read_escape(letter, least)) return fail(no_escape(letter));
      }
      char most = least;
      if (is_at('-') && at_ + 1 < text_.size() && text_[at_ + 1] != ']') {
        most = text_[at_ + 1];
        at_ += 2;
        if (most == '\\') {
          if (at_ >= text_.size()) break;
          const char letter = text_[at_++];
          if (!read_escape(letter, most)) return fail(no_escape(letter));
        }
      }
      if (static_cast<unsigned char>(most) < static_cast<unsigned char>(least)) {
        return fail("a range of a class that ends before it begins");
      }
      add_range(part.set, static_cast<unsigned char>(least), static_cast<unsigned char>(most));
    }
    if (!take(']')) return fail("a \"[\" without \"]\"");
    if (is_not) part.set = ~part.set;
    return add(std::move(part));
  }

  std::uint32_t emit(Pattern::Step step) {
    if (out_.steps_.size() >= kStepsMax) {
      fail("it is too long");
      return 0;
    }
    out_.steps_.push_back(step);
    return static_cast<std::uint32_t>(out_.steps_.size() - 1);
  }

  // The first step of the part; `next` comes behind it.
  std::uint32_t compile(std::size_t index, std::uint32_t next) {
    if (++parts_compiled_ > kStepsMax * 10) fail("it is too long");
    if (!fault_.empty()) return 0;
    const Part& part = parts_[index];
    switch (part.kind) {
      case Part::Kind::set:
        out_.sets_.push_back(part.set);
        return emit({StepKind::set, static_cast<std::uint32_t>(out_.sets_.size() - 1), next, 0});
      case Part::Kind::begin:
        return emit({StepKind::begin, 0, next, 0});
      case Part::Kind::end:
        return emit({StepKind::end, 0, next, 0});
      case Part::Kind::row: {
        std::uint32_t first = next;
        for (auto at = part.parts.rbegin(); at != part.parts.rend(); ++at) {
          first = compile(*at, first);
        }
        return first;
      }
      case Part::Kind::choice: {
        std::uint32_t first = compile(part.parts.back(), next);
        for (auto at = part.parts.rbegin() + 1; at != part.parts.rend(); ++at) {
          first = emit({StepKind::fork, 0, compile(*at, next), first});
        }
        return first;
      }
      case Part::Kind::repetition:
        return compile_repetition(part, next);
    }
    return next;
  }

  std::uint32_t compile_repetition(const Part& part, std::uint32_t next) {
    const std::size_t what = part.parts.front();
    std::uint32_t first = next;
    if (part.most == kAnyTimes) {
      first = emit({StepKind::fork, 0, 0, next});
      const std::uint32_t again = compile(what, first);
      out_.steps_[first].next = again;
    } else {
      for (std::uint32_t i = part.least; i < part.most && fault_.empty(); ++i) {
        first = emit({StepKind::fork, 0, compile(what, first), next});
      }
    }
    for (std::uint32_t i = 0; i < part.least && fault_.empty(); ++i) first = compile(what, first);
    return first;
  }

  // Of "^rack-7-", the bytes "rack-7-".
  void note_prefix(std::size_t whole) {
    const Part& row = parts_[whole];
    if (row.kind != Part::Kind::row || row.parts.empty()) return;
    if (parts_[row.parts.front()].kind != Part::Kind::begin) return;
    for (std::size_t i = 1; i < row.parts.size(); ++i) {
      const Part& part = parts_[row.parts[i]];
      if (part.kind != Part::Kind::set || part.set.count() != 1) return;
      out_.prefix_ += static_cast<char>(part.set._Find_first());
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string fault_;
  std::vector<Part> parts_;
  std::size_t parts_compiled_ = 0;  // "((){1000}){1000}" makes no steps
  Pattern out_;
};

Result<Pattern> Pattern::parse(std::string_view text) { return PatternReader(text).read(); }

namespace {

// The steps of an automaton that it is in.
struct States {
  explicit States(std::size_t steps) : is_in(steps, false) {}
  void clear() {
    for (const std::uint32_t each : all) is_in[each] = false;
    all.clear();
  }
  std::vector<std::uint32_t> all;
  std::vector<bool> is_in;
};

}  // namespace

bool Pattern::is_in(std::string_view text) const {
  if (!text.starts_with(prefix_)) return false;
  States now(steps_.size());
  States then(steps_.size());
  std::vector<std::uint32_t> open;
  bool is_found = false;
  const auto enter = [&](States& states, std::uint32_t step, std::size_t at) {
    open.push_back(step);
    while (!open.empty()) {
      const std::uint32_t each = open.back();
      open.pop_back();
      if (states.is_in[each]) continue;
      states.is_in[each] = true;
      states.all.push_back(each);
      const Step& what = steps_[each];
      is_found = is_found || what.kind == Step::Kind::match;
      const bool goes_on = what.kind == Step::Kind::fork ||
                           (what.kind == Step::Kind::begin && at == 0) ||
                           (what.kind == Step::Kind::end && at == text.size());
      if (goes_on) open.push_back(what.next);
      if (what.kind == Step::Kind::fork) open.push_back(what.other);
    }
  };
  for (std::size_t at = 0; !is_found; ++at) {
    enter(now, first_, at);
    if (is_found || at == text.size()) break;
    for (const std::uint32_t each : now.all) {
      const Step& what = steps_[each];
      const auto byte = static_cast<unsigned char>(text[at]);
      if (what.kind == Step::Kind::set && sets_[what.set].test(byte))
        enter(then, what.next, at + 1);
    }
    now.clear();
    std::swap(now, then);
  }
  return is_found;
}

}  // namespace berth
