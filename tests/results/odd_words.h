#pragma once

#include <cctype>
#include <string>

namespace berth::results {

// The first word of the text that is printed for a number that is not finite; empty: none.
inline std::string odd_word_in(const std::string& text) {
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const auto letter = i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
    if (std::isalnum(letter) != 0) {
      word += static_cast<char>(std::tolower(letter));
      continue;
    }
    if (word == "nan" || word == "inf" || word == "infinity") return word;
    word.clear();
  }
  return "";
}

}  // namespace berth::results
