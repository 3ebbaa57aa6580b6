#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"

namespace berth::forecast {

// From a moment on, a job is likely to start between these.
struct Interval {
  Duration earliest{}, latest{};
  bool holds(Duration start) const { return earliest <= start && start <= latest; }
  bool operator==(const Interval&) const = default;
};

// LIKELY-1 to LIKELY-4. How far planned starts were off, and the intervals that follow: four of
// five starts are to be within. Conformal prediction, with a level that follows what came (Gibbs
// and Candès, 2021). Bounded. Not thread-safe.
class Intervals {
 public:
  static constexpr double kCoverage = 0.8;
  static constexpr std::size_t kErrorsMost = 256;  // of each class

  // Of a start that is planned so long from now.
  Interval around(Duration planned) const;
  // A job was planned to start so long after a moment, and `interval` was given; it came so.
  void learn(Duration planned, const Interval& given, Duration came);

  std::string save() const;
  Status restore(const std::string& text);

 private:
  static constexpr std::size_t kClasses = 24;  // by the planned time, in powers of two
  struct Class {
    std::vector<double> errors;   // logarithms of came over planned, the oldest first
    double miss = 1 - kCoverage;  // the part of `errors` beyond both ends
  };

  static std::size_t class_of(Duration planned);
  std::vector<double> errors_near(std::size_t index) const;

  std::array<Class, kClasses> classes_;
};

}  // namespace berth::forecast
