#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth {

// An amount of a resource in the units of D4 as a canonical Kubernetes quantity: cpu 1500 is
// "1500m", memory 4294967296 is "4Gi". Exact: parsing it back gives the amount.
std::string format_amount(std::string_view resource, std::int64_t amount);

enum class Rounding : std::uint8_t { down, up };

// The same for people: cpu 862500 is "862.5", memory 71725953843 is "66.7Gi" rounded down. An
// amount that is whole in a decimal or binary unit is written in that unit ("70G", "64Gi"). Other
// amounts have at least one decimal, in the largest unit that fits.
std::string readable_amount(std::string_view resource, std::int64_t amount, Rounding rounding);

// "862.5 cpu".
std::string amount_of(std::string_view resource, std::int64_t amount, Rounding rounding);

// Memory, ephemeral storage, huge pages.
bool counts_bytes(std::string_view resource);

}  // namespace berth
