#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/when/forecast.h"
#include "tools/when/forecast_difference.h"
#include "tools/when/search.h"
#include "views/text_table.h"

namespace berth::tools {

struct ForecastDocument {
  Forecast forecast;
  std::vector<std::string> changes;                // as the user gave them
  std::optional<Forecast> changed;                 // with them
  std::optional<ForecastDifference> difference{};  // of all jobs
  std::optional<SearchResult> search{};            // for small changes that help one job
};

// Only jobs of the namespace, and of the queue; empty: of all.
void keep_rows(const std::string& name_space, const std::string& queue, ForecastDocument& document);

// Kind Forecast, docs/when.md.
std::string forecast_json(const ForecastDocument& document);
std::string forecast_table(const ForecastDocument& document, views::TextStyle style);

}  // namespace berth::tools
