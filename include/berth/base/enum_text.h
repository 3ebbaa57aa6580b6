#pragma once

#include <array>
#include <cstddef>

namespace berth {

// The text of an enum's value, of one text for each value from 0 to `last`. `otherwise`: of a value
// that the enum does not have.
template <auto last, class... Texts>
constexpr const char* enum_text(decltype(last) value, const char* otherwise, Texts... texts) {
  constexpr std::size_t kCount = static_cast<std::size_t>(last) + 1;
  static_assert(sizeof...(texts) == kCount, "a text for each value");
  const std::array<const char*, kCount> all{texts...};
  const auto at = static_cast<std::size_t>(value);
  return at < kCount ? all[at] : otherwise;
}

}  // namespace berth
