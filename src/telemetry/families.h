#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

// Metric families that are built on request.

namespace berth::telemetry {

using Labels = std::vector<std::pair<std::string, std::string>>;

prometheus::MetricFamily gauge_family(const char* name, const char* help);
prometheus::MetricFamily counter_family(const char* name, const char* help);

// A series of the family, by its type.
void add_series(prometheus::MetricFamily& family, const Labels& labels, double value);

// Converts an amount in the units of D4 to cores, bytes or pieces.
double in_base_unit(const std::string& resource, double amount);

}  // namespace berth::telemetry
