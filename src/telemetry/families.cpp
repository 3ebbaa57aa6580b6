#include "telemetry/families.h"

#include <prometheus/text_serializer.h>

namespace berth::telemetry {

using prometheus::MetricType;

MetricFamily gauge_family(const char* name, const char* help) {
  return {name, help, MetricType::Gauge, {}};
}

MetricFamily counter_family(const char* name, const char* help) {
  return {name, help, MetricType::Counter, {}};
}

void add_series(MetricFamily& family, const Labels& labels, double value) {
  prometheus::ClientMetric metric;
  for (const auto& [name, text] : labels) metric.label.push_back({name, text});
  (family.type == MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
  family.metric.push_back(std::move(metric));
}

std::string exposition_of(const Families& families) {
  return prometheus::TextSerializer().Serialize(families);
}

double in_base_unit(const std::string& resource, double amount) {
  constexpr double kMilli = 1000;
  return resource == "cpu" ? amount / kMilli : amount;
}

}  // namespace berth::telemetry
