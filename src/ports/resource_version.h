#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace berth::ports {

// Resource versions are growing numbers (Kubernetes 1.35 promises it). None: of another form, whose
// order is unknown.
inline std::optional<std::uint64_t> version_number(std::string_view version) {
  std::uint64_t number = 0;
  const char* const end = version.data() + version.size();
  const auto read = std::from_chars(version.data(), end, number);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

}  // namespace berth::ports
