#include "results/markup.h"

#include <fmt/format.h>

#include <cmath>

#include "berth/base/printable.h"
#include "results/job_times.h"

namespace berth::results {

namespace {

constexpr std::size_t kColours = 8;  // of the style

std::string caption(const std::string& title, const std::string& text) {
  std::string caption = "<figcaption><h3>" + title + "</h3>";
  if (!text.empty()) caption += "<p>" + text + "</p>";
  return caption + "</figcaption>";
}

}  // namespace

std::string escaped(std::string_view text, std::size_t most) {
  std::string markup;
  for (const char c : shortened(printable(text), most)) {
    switch (c) {
      case '&':
        markup += "&amp;";
        break;
      case '<':
        markup += "&lt;";
        break;
      case '>':
        markup += "&gt;";
        break;
      case '"':
        markup += "&quot;";
        break;
      case '\'':
        markup += "&#39;";
        break;
      default:
        markup += c;
    }
  }
  return markup;
}

std::string coordinate(double number) {
  const auto tenths = std::llround(bounded(number) * 10);
  std::string text = tenths < 0 ? "-" : "";
  text += fmt::format("{}", std::abs(tenths) / 10);
  if (tenths % 10 != 0) text += fmt::format(".{}", std::abs(tenths) % 10);
  return text;
}

std::string colour_class(std::size_t run) {
  return fmt::format("r{}{}", run % kColours, run < kColours ? "" : " again");
}

std::string legend(std::span<const JudgedRun> runs) {
  if (runs.size() < 2) return "";
  std::string list = "<ul class=\"legend\">";
  for (std::size_t i = 0; i < runs.size(); ++i) {
    list += "<li class=\"" + colour_class(i) + "\">" + escaped(runs[i].result.name) + "</li>";
  }
  return list + "</ul>";
}

std::string figure(const Heading& heading, const std::string& legend, double width, double height,
                   const std::string& drawing) {
  return "<figure>" + caption(heading.title, heading.text) + legend +
         fmt::format(
             "<div class=\"chart\"><svg viewBox=\"0 0 {} {}\" role=\"img\" "
             "aria-label=\"{}\" style=\"min-width:{}px\">",
             coordinate(width), coordinate(height), escaped(heading.description, 1'000),
             coordinate(width * 0.6)) +
         drawing + "</svg></div></figure>\n";
}

std::string figure_without_chart(const std::string& title, const std::string& text) {
  return "<figure>" + caption(title, text) + "</figure>\n";
}

}  // namespace berth::results
