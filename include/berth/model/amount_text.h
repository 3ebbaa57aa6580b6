#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace berth {

// An amount of a resource in the units of D4 as a canonical Kubernetes quantity: cpu 1500 is
// "1500m", memory 4294967296 is "4Gi". Exact: parsing it back gives the amount.
std::string format_amount(std::string_view resource, std::int64_t amount);

// Memory, ephemeral storage, huge pages.
bool counts_bytes(std::string_view resource);

}  // namespace berth
