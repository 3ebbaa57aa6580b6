#include "telemetry/families.h"

#include <gtest/gtest.h>

namespace berth::telemetry {
namespace {

TEST(Families, AreExposedWithTheirTypes) {
  MetricFamily lists = counter_family("berth_api_lists_total", "Lists of objects");
  add_series(lists, {{"kind", "pods"}}, 3);
  MetricFamily queued = gauge_family("berth_api_requests_queued", "Requests that wait");
  add_series(queued, {}, 0);
  EXPECT_EQ(exposition_of({lists, queued}),
            "# HELP berth_api_lists_total Lists of objects\n"
            "# TYPE berth_api_lists_total counter\n"
            "berth_api_lists_total{kind=\"pods\"} 3\n"
            "# HELP berth_api_requests_queued Requests that wait\n"
            "# TYPE berth_api_requests_queued gauge\n"
            "berth_api_requests_queued 0\n");
}

}  // namespace
}  // namespace berth::telemetry
