#include "results/charts.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::results {

namespace {

constexpr double kWidth = 560;
constexpr double kHeight = 270;
constexpr Box kBox{58, 12, kWidth - 16, kHeight - 44};

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"{}\">{}</text>", coordinate(x),
                     coordinate(y), anchor, escaped(text));
}

std::string line(double x1, double y1, double x2, double y2) {
  return fmt::format("<path class=\"grid\" d=\"M{} {}L{} {}\"/>", coordinate(x1), coordinate(y1),
                     coordinate(x2), coordinate(y2));
}

std::string drawn_y_axis(const Axis& axis, const Box& box) {
  std::string drawing;
  for (const Tick& tick : axis.ticks) {
    const double y = box.y(axis, tick.value);
    drawing += line(box.left, y, box.right, y);
    drawing += text_at(box.left - 6, y + 4, "end", tick.label);
  }
  return drawing;
}

std::string title_below(const std::string& title, const Box& box) {
  return text_at((box.left + box.right) / 2, box.bottom + 36, "middle", title);
}

std::string drawn_line(const StepLine& steps, const Axis& x, const Axis& y, const Box& box) {
  std::string path;
  std::string last_y;
  for (const auto& [value_x, value_y] : steps.points) {
    const std::string at_x = coordinate(box.x(x, value_x));
    const std::string at_y = coordinate(box.y(y, value_y));
    if (path.empty()) {
      path = "M" + at_x + " " + at_y;
    } else if (at_y != last_y) {
      path += "H" + at_x + "V" + at_y;
    }
    last_y = at_y;
  }
  if (path.empty()) return "";
  path += "H" + coordinate(box.x(x, steps.points.back().first));
  return "<path class=\"line " + colour_class(steps.run) + "\" d=\"" + path + "\"/>";
}

std::string drawn_bar(const Bar& bar, double x, double y, double width, double height) {
  return fmt::format(
      "<rect class=\"bar {}\" x=\"{}\" y=\"{}\" width=\"{}\" "
      "height=\"{}\"><title>{}</title></rect>",
      colour_class(bar.run), coordinate(x), coordinate(y), coordinate(width), coordinate(height),
      escaped(bar.text, 200));
}

}  // namespace

std::string drawn_x_axis(const Axis& axis, const Box& box) {
  std::string drawing;
  for (const Tick& tick : axis.ticks) {
    const double x = box.x(axis, tick.value);
    drawing += line(x, box.top, x, box.bottom);
    if (tick.label.empty()) continue;
    const bool is_last = x > box.right - 8;  // its label may not reach beyond the picture
    drawing += is_last ? text_at(box.right + 10, box.bottom + 17, "end", tick.label)
                       : text_at(x, box.bottom + 17, "middle", tick.label);
  }
  return drawing + title_below(axis.title, box);
}

std::string step_chart(const Heading& heading, const std::string& legend, const Axis& x,
                       const Axis& y, const std::vector<StepLine>& lines) {
  std::string drawing = drawn_x_axis(x, kBox) + drawn_y_axis(y, kBox);
  for (const StepLine& each : lines) drawing += drawn_line(each, x, y, kBox);
  return figure(heading, legend, kWidth, kHeight, drawing);
}

std::string bar_chart(const Heading& heading, const std::string& legend, const std::string& x_title,
                      const Axis& y, const std::vector<BarGroup>& groups, std::size_t runs) {
  constexpr double kGroupGap = 0.2;  // of a group, beside its bars
  constexpr double kWidestBar = 40;
  constexpr std::size_t kLabels = 14;  // as many as there is room for
  std::string drawing = drawn_y_axis(y, kBox);
  const double group = (kBox.right - kBox.left) / static_cast<double>(groups.size());
  const double width = std::min(
      kWidestBar, group * (1 - kGroupGap) / static_cast<double>(std::max<std::size_t>(1, runs)));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const double middle = kBox.left + group * (static_cast<double>(i) + 0.5);
    const double first = middle - width * static_cast<double>(runs) / 2;
    for (const Bar& bar : groups[i].bars) {
      const double top = kBox.y(y, bar.value);
      drawing += drawn_bar(bar, first + width * static_cast<double>(bar.run), top, width,
                           kBox.bottom - top);
    }
    if (i % (groups.size() / kLabels + 1) == 0) {
      drawing += text_at(middle, kBox.bottom + 17, "middle", groups[i].label);
    }
  }
  return figure(heading, legend, kWidth, kHeight, drawing + title_below(x_title, kBox));
}

std::string named_bar_chart(const Heading& heading, const Axis& x,
                            const std::vector<NamedBar>& bars) {
  constexpr double kRow = 40;
  constexpr double kThickness = 14;
  Box box{16, 8, kWidth - 24, 0};
  box.bottom = box.top + kRow * static_cast<double>(bars.size());
  std::string drawing = drawn_x_axis(x, box);
  double y = box.top;
  for (const NamedBar& each : bars) {
    const double right = box.x(x, each.bar.value);
    drawing += text_at(box.left, y + 14, "start", each.name);
    drawing += drawn_bar(each.bar, box.left, y + 19, right - box.left, kThickness);
    y += kRow;
  }
  return figure(heading, "", kWidth, box.bottom + 44, drawing);
}

}  // namespace berth::results
