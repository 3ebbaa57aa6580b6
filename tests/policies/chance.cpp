#include "policies/chance.h"

#include <cmath>

namespace berth::policies {

namespace {

constexpr int kBits = 48;  // after the point

}  // namespace

double exp2_of(double x) {
  const double whole = std::floor(x);
  double rest = x - whole;
  double result = 1;
  double root = 2;
  for (int bit = 0; bit < kBits; ++bit) {
    root = std::sqrt(root);
    rest *= 2;
    if (rest < 1) continue;
    rest -= 1;
    result *= root;
  }
  return std::ldexp(result, static_cast<int>(whole));
}

double log2_of(double x) {
  int whole = 0;
  double rest = std::frexp(x, &whole) * 2;  // from 1 to 2
  double bit = 1;
  double result = whole - 1;
  for (int i = 0; i < kBits; ++i) {
    bit /= 2;
    rest *= rest;
    if (rest < 2) continue;
    rest /= 2;
    result += bit;
  }
  return result;
}

double Chance::unit() { return std::ldexp(static_cast<double>((random_() >> 11) + 1), -53); }

// A sum of exponential variates for the whole part of alpha. The rest is Johnk's: an exponential
// times a beta variate. The logarithms are of base 2 until the end.
double Chance::gamma(double alpha, double beta) {
  const double whole = std::floor(alpha);
  const double rest = alpha - whole;
  double sum = 0;
  for (double i = 0; i < whole; i += 1) sum -= log2_of(unit());
  if (rest > 0) {
    double x = 0;
    double y = 0;
    do {
      x = exp2_of(log2_of(unit()) / rest);
      y = exp2_of(log2_of(unit()) / (1 - rest));
    } while (x + y > 1 || x <= 0);
    sum -= log2_of(unit()) / (1 + y / x);
  }
  return sum * (beta * kLogOf2);
}

}  // namespace berth::policies
