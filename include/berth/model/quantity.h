#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "berth/base/result.h"

// Kubernetes resource quantities, exactly and in integers (DESIGN D4): "250m", "1.5", "4Gi", "2e3".

namespace berth {

// The largest amount of a node or pod. Sums of a million of these fit into int64 or saturate, and
// every JSON reader can hold it.
inline constexpr std::int64_t kAmountMax = std::int64_t{1} << 53;

enum class Scale : std::uint8_t { one, milli };

// The unit for amounts of a resource: milli for "cpu", else one.
Scale scale_of(std::string_view resource);

// In units of `scale`, rounded up as Kubernetes does (Value(), MilliValue()). "1E" is exa, "1E3"
// and "1e3" are exponents. Negative amounts and more than `most` are refused.
Result<std::int64_t> parse_quantity(std::string_view text, Scale scale,
                                    std::int64_t most = kAmountMax);

// The same, but more than `most` counts as `most`.
Result<std::int64_t> parse_quantity_up_to(std::string_view text, Scale scale, std::int64_t most);

// Canonical: cpu 1500 -> "1500m", 2000 -> "2"; memory, ephemeral-storage and huge pages with the
// largest binary suffix that is exact, "4Gi"; others plain. Negative amounts get a minus sign.
std::string format_quantity(std::string_view resource, std::int64_t amount);

}  // namespace berth
