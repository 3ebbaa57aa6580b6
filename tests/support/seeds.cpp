#include "support/seeds.h"

#include <cstdlib>

namespace berth::support {

std::vector<std::uint64_t> seeds(std::uint64_t most) {
  if (const char* one = std::getenv("BERTH_SEED")) return {std::strtoull(one, nullptr, 10)};
  if (const char* many = std::getenv("BERTH_LAWS")) most = std::strtoull(many, nullptr, 10);
  std::vector<std::uint64_t> all;
  for (std::uint64_t seed = 1; seed <= most; ++seed) all.push_back(seed);
  return all;
}

std::vector<std::uint64_t> seeds_where_long(std::uint64_t most) {
  std::vector<std::uint64_t> all = seeds(most);
#ifdef BERTH_SANITIZED
  if (std::getenv("BERTH_LAWS") == nullptr && all.size() > 1) all.resize((all.size() + 2) / 3);
#endif
  return all;
}

}  // namespace berth::support
