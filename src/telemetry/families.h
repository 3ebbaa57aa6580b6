#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

// Families of series that are made when they are asked for.

namespace berth::telemetry {

using Labels = std::vector<std::pair<std::string, std::string>>;

prometheus::MetricFamily gauge_family(const char* name, const char* help);
prometheus::MetricFamily counter_family(const char* name, const char* help);

// A series of the family, by its type.
void add_series(prometheus::MetricFamily& family, const Labels& labels, double value);

// An amount in the units of D4, in cores, bytes or pieces.
double in_base_unit(const std::string& resource, double amount);

}  // namespace berth::telemetry
