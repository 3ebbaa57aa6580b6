#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace berth::support {

// Texts as no honest peer sends them, by chance from a seed: cut, with other bytes, and with
// tokens of JSON or YAML that are left out, doubled, exchanged, of other types or deeply nested.
class Damage {
 public:
  explicit Damage(std::uint64_t seed) : random_(seed) {}

  // With one to four wounds.
  std::string of(std::string text);
  std::size_t below(std::size_t most) { return most == 0 ? 0 : random_() % most; }

 private:
  struct Token {
    std::size_t begin = 0;
    std::size_t size = 0;
  };

  void wound(std::string& text);
  void wound_bytes(std::string& text);
  // A string, a word or number, or one mark. The whole text if it has none.
  Token token_of(std::string_view text);
  std::string odd_value();

  std::mt19937_64 random_;
};

}  // namespace berth::support
