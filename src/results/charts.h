#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "results/axis.h"
#include "results/markup.h"

namespace berth::results {

// One run as a line of steps: each point holds up to the next one.
struct StepLine {
  std::size_t run = 0;
  std::vector<std::pair<double, double>> points;  // by the first
};

std::string step_chart(const Heading& heading, const std::string& legend, const Axis& x,
                       const Axis& y, const std::vector<StepLine>& lines);

struct Bar {
  std::size_t run = 0;
  double value = 0;
  std::string text;  // shown by a pointer on it; not escaped yet
};

struct BarGroup {
  std::string label;  // below it
  std::vector<Bar> bars;
};

// Groups of upright bars, each group with room for `runs` of them.
std::string bar_chart(const Heading& heading, const std::string& legend, const std::string& x_title,
                      const Axis& y, const std::vector<BarGroup>& groups, std::size_t runs);

// A line of text with a bar below it.
struct NamedBar {
  Bar bar;
  std::string name;  // not escaped yet
};

std::string named_bar_chart(const Heading& heading, const Axis& x,
                            const std::vector<NamedBar>& bars);

// The lines and labels of an axis along the bottom of this box.
struct Box {
  double left = 0;
  double top = 0;
  double right = 0;
  double bottom = 0;

  double x(const Axis& axis, double value) const {
    return left + (right - left) * axis.part(value);
  }
  double y(const Axis& axis, double value) const {
    return bottom - (bottom - top) * axis.part(value);
  }
};

std::string drawn_x_axis(const Axis& axis, const Box& box);

}  // namespace berth::results
