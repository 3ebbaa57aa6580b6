#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "results/measures.h"

// Parts of the page that are text: all names are those of others.

namespace berth::results {

// RESULT-12: for content and for attributes in double quotes; of a long text, the first bytes.
std::string escaped(std::string_view text, std::size_t most = 120);

// A coordinate, to a tenth: "12.5", "12".
std::string coordinate(double number);

// The classes of a run's colour: "r2", "r2 again" for the ninth and later ones.
std::string colour_class(std::size_t run);

// The colours of all runs; empty for one run.
std::string legend(std::span<const JudgedRun> runs);

struct Heading {
  std::string title;
  std::string text;         // below it; may be empty
  std::string description;  // of the chart, for those who do not see it
};

// A figure of this size with a heading and a drawing. Neither the heading nor the drawing needs to
// be escaped any more, but the description does.
std::string figure(const Heading& heading, const std::string& legend, double width, double height,
                   const std::string& drawing);

// For a chart that has nothing to show: a sentence instead.
std::string figure_without_chart(const std::string& title, const std::string& text);

}  // namespace berth::results
