#pragma once

#include <cstdint>
#include <random>

namespace berth::policies {

inline constexpr double kLogOf2 = 0.69314718055994530942;

// 2^x and log2(x > 0). Each step is one exact or correctly rounded operation, and none is a product
// with a sum, which some compilers fuse: so they are the same on every platform, unlike std::exp2.
double exp2_of(double x);
double log2_of(double x);

// Random numbers from a seed, the same on every platform, unlike the distributions of std.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : random_(seed * 0x9e3779b97f4a7c15u + 11) {}

  // From `least` to `most`.
  std::int64_t between(std::int64_t least, std::int64_t most) {
    const auto count = static_cast<std::uint64_t>(most - least) + 1;
    return least + static_cast<std::int64_t>(random_() % count);
  }
  bool percent(std::int64_t share) { return between(1, 100) <= share; }
  // More than 0, and 1 at most.
  double unit();
  double gamma(double alpha, double beta);

 private:
  std::mt19937_64 random_;
};

}  // namespace berth::policies
