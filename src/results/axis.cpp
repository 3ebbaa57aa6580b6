#include "results/axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "results/number_text.h"
#include "results/units.h"

namespace berth::results {

namespace {

constexpr int kSteps = 6;  // at most about as many as there is room for labels

// 1, 2 or 5 times a power of ten, so that about kSteps of it reach `length`.
double round_step(double length) {
  const double least = length / kSteps;
  const double power = std::pow(10, std::floor(std::log10(least)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= least) return factor * power;
  }
  return 10 * power;
}

double duration_step(double length) {
  constexpr std::array<std::int64_t, 20> kRound{
      1,       2,           5,           10,           30,
      kMinute, 2 * kMinute, 5 * kMinute, 10 * kMinute, 30 * kMinute,
      kHour,   2 * kHour,   3 * kHour,   6 * kHour,    12 * kHour,
      kDay,    2 * kDay,    3 * kDay,    5 * kDay,     7 * kDay};
  const double least = length / kSteps;
  if (least <= 1) return round_step(length);
  for (const std::int64_t step : kRound) {
    if (static_cast<double>(step) >= least) return static_cast<double>(step);
  }
  return round_step(length / kDay) * kDay;
}

}  // namespace

double Axis::part(double value) const {
  const double given = std::clamp(value, from, to);
  if (is_logarithmic) return std::log(given / from) / std::log(to / from);
  return (given - from) / (to - from);
}

Axis linear_axis(double most, std::string title) {
  const double step = round_step(std::max(most, 1.0));
  const double steps = std::max(1.0, std::ceil(most / step - 1e-9));
  Axis axis{.from = 0, .to = steps * step, .title = std::move(title)};
  for (double i = 0; i <= steps; ++i) axis.ticks.push_back({i * step, number_text(i * step)});
  return axis;
}

Axis percent_axis(std::string title) {
  Axis axis{.title = std::move(title)};
  for (const char* label : {"0 %", "25 %", "50 %", "75 %", "100 %"}) {
    axis.ticks.push_back({0.25 * static_cast<double>(axis.ticks.size()), label});
  }
  return axis;
}

Axis duration_axis(double most, std::string title) {
  const double step = duration_step(std::max(most, 1.0));
  return time_axis(0, std::max(1.0, std::ceil(most / step - 1e-9)) * step, std::move(title));
}

Axis time_axis(double from, double to, std::string title) {
  const double length = std::max(to - from, 1.0);
  const double step = duration_step(length);
  const double steps = std::floor(length / step + 1e-9);
  Axis axis{.from = from, .to = from + length, .title = std::move(title)};
  for (double i = 0; i <= steps; ++i) {
    axis.ticks.push_back({from + i * step, i == 0 ? "0" : duration_text(i * step)});
  }
  return axis;
}

Axis logarithmic_axis(double most, std::string title) {
  Axis axis{.from = 1, .to = 10, .is_logarithmic = true, .title = std::move(title)};
  while (axis.to < most) axis.to *= 10;
  const bool is_short = axis.to <= 100;
  for (double power = 1; power <= axis.to; power *= 10) {
    axis.ticks.push_back({power, number_text(power)});
    if (!is_short || power >= axis.to) continue;
    for (const double factor : {2.0, 5.0}) {
      axis.ticks.push_back({factor * power, number_text(factor * power)});
    }
  }
  // Of many powers, every second or third is labelled.
  const auto most_labels = static_cast<std::size_t>(kSteps + 2);
  const std::size_t each = axis.ticks.size() / most_labels + 1;
  for (std::size_t i = 0; i < axis.ticks.size(); ++i) {
    if (i % each != 0) axis.ticks[i].label.clear();
  }
  return axis;
}

}  // namespace berth::results
