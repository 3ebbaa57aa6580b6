#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth {

// The first value and the factor of FNV-1a with 64 bits.
inline constexpr std::uint64_t kFnvOffset = 14695981039346656037U;
inline constexpr std::uint64_t kFnvPrime = 1099511628211U;

// FNV-1a: the same in all builds, so names may be made of it. `hash` is that of the text before.
constexpr std::uint64_t fnv1a(std::string_view text, std::uint64_t hash = kFnvOffset) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * kFnvPrime;
  return hash;
}

// Five letters and digits, as Kubernetes' controllers append them to names.
inline std::string name_suffix(std::uint64_t number) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  std::string suffix;
  for (int i = 0; i < 5; ++i) {
    suffix += kLetters[number % kLetters.size()];
    number /= kLetters.size();
  }
  return suffix;
}

}  // namespace berth
