#pragma once

#include <string>
#include <vector>

namespace berth::results {

struct Tick {
  double value = 0;
  std::string label = {};
};

// Values of an axis. It begins at `from` and ends at `to`, which lies above it.
struct Axis {
  double from = 0;
  double to = 1;
  bool is_logarithmic = false;
  std::string title = {};
  std::vector<Tick> ticks = {};

  // The part of the axis up to a value, from 0 to 1.
  double part(double value) const;
};

// From 0 to at least `most`, in steps of 1, 2 or 5 times a power of ten.
Axis linear_axis(double most, std::string title);
// From 0 to 100 %, for shares.
Axis percent_axis(std::string title);
// From 0 to at least `most` seconds, in steps of whole units.
Axis duration_axis(double most, std::string title);
// From one time to another; the labels count from the first.
Axis time_axis(double from, double to, std::string title);
// From 1 to a power of ten.
Axis logarithmic_axis(double most, std::string title);

}  // namespace berth::results
