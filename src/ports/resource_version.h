#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "berth/base/number.h"

namespace berth::ports {

// Resource versions are growing numbers (Kubernetes 1.35 promises it). None: of another form, whose
// order is unknown.
inline std::optional<std::uint64_t> version_number(std::string_view version) {
  return parse_number<std::uint64_t>(version);
}

}  // namespace berth::ports
