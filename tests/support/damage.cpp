#include "support/damage.h"

#include <algorithm>
#include <array>

namespace berth::support {

namespace {

using std::string_view_literals::operator""sv;

constexpr std::string_view kMarks = "{}[]\",:\\-0e.ntu*&!#>|%@ \n\0\x7f\x80\xff\xc3\xed"sv;

constexpr std::array<std::string_view, 24> kOddValues{"nul",
                                                      "null",
                                                      "tru",
                                                      "true",
                                                      "7",
                                                      "-1",
                                                      "0",
                                                      "-",
                                                      "01",
                                                      "1.5e",
                                                      "1e999",
                                                      "2147483648",
                                                      "9223372036854775808",
                                                      "-99999999999999999999999",
                                                      "{}",
                                                      "[]",
                                                      "[null]",
                                                      "[[]]",
                                                      "\"\"",
                                                      "\"\\ud800\"",
                                                      "\"\\u0000\"",
                                                      "\"\xff\xfe\"",
                                                      "{\"a\":",
                                                      "]"};

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '.' || c == '_' || c == '/';
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

std::size_t end_of_string(std::string_view text, std::size_t begin) {
  std::size_t at = begin + 1;
  while (at < text.size() && text[at] != '"') at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

std::string repeated(std::string_view text, std::size_t times) {
  std::string all;
  for (std::size_t i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

std::string Damage::of(std::string text) {
  const std::size_t wounds = below(2) == 0 ? 1 : 1 + below(4);
  for (std::size_t i = 0; i < wounds; ++i) wound(text);
  return text;
}

Damage::Token Damage::token_of(std::string_view text) {
  const std::size_t from = below(text.size());
  // Where a token begins is known after blanks and marks only.
  std::size_t at = std::min(text.find_first_of(" \n,:[{", from), text.size());
  while (at < text.size() && (is_blank(text[at]) || text[at] == ',' || text[at] == ':')) ++at;
  if (at == text.size()) return {0, text.size()};
  std::size_t end = at + 1;
  if (text[at] == '"') end = end_of_string(text, at);
  while (is_word(text[at]) && end < text.size() && is_word(text[end])) ++end;
  return {at, end - at};
}

std::string Damage::odd_value() {
  constexpr std::size_t kDeepest = 3'000;
  const std::size_t choice = below(kOddValues.size() + 2);
  if (choice < kOddValues.size()) return std::string(kOddValues[choice]);
  const std::size_t depth = below(8) == 0 ? below(kDeepest) : below(130);
  return choice == kOddValues.size() ? repeated("[", depth) + repeated("]", depth)
                                     : repeated("{\"a\":", depth) + "1" + repeated("}", depth);
}

void Damage::wound_bytes(std::string& text) {
  const std::size_t at = below(text.size());
  switch (below(5)) {
    case 0:
      return text.resize(at);
    case 1:
      text.erase(at, 1 + below(20));
      return;
    case 2:
      text.insert(at, 1, kMarks[below(kMarks.size())]);
      return;
    case 3:
      text.insert(at, text.substr(below(text.size()), below(200)));
      return;
    default:
      text[at] = below(2) == 0 ? static_cast<char>(random_()) : kMarks[below(kMarks.size())];
  }
}

void Damage::wound(std::string& text) {
  if (text.empty()) return;
  const std::size_t choice = below(8);
  if (choice < 3) return wound_bytes(text);
  const Token token = token_of(text);
  const std::string own = text.substr(token.begin, token.size);
  switch (choice) {
    case 3:
      text.erase(token.begin, token.size);
      return;
    case 4:
      text.insert(token.begin, own + (below(2) == 0 ? "," : " "));
      return;
    case 5: {
      const Token other = token_of(text);
      const std::string others = text.substr(other.begin, other.size);
      text.replace(token.begin, token.size, others);
      return;
    }
    default:
      text.replace(token.begin, token.size, odd_value());
  }
}

}  // namespace berth::support
