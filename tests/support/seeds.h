#pragma once

#include <cstdint>
#include <vector>

namespace berth::support {

// Seeds to try: BERTH_SEED alone if set, else 1 to BERTH_LAWS or `most`.
std::vector<std::uint64_t> seeds(std::uint64_t most);

// The same, for what computes long: with a sanitizer the first third of them.
std::vector<std::uint64_t> seeds_where_long(std::uint64_t most);

}  // namespace berth::support
