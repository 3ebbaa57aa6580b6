#pragma once

#include <prometheus/metric_family.h>

#include <string>
#include <utility>
#include <vector>

// Metric families that are built on request.

namespace berth::telemetry {

using prometheus::MetricFamily;
using Families = std::vector<MetricFamily>;
using Labels = std::vector<std::pair<std::string, std::string>>;

MetricFamily gauge_family(const char* name, const char* help);
MetricFamily counter_family(const char* name, const char* help);

// A series of the family, by its type.
void add_series(MetricFamily& family, const Labels& labels, double value);

// As Prometheus' text exposition.
std::string exposition_of(const Families& families);

// Converts an amount in the units of D4 to cores, bytes or pieces.
double in_base_unit(const std::string& resource, double amount);

}  // namespace berth::telemetry
