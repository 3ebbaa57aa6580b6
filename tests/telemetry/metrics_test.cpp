#include "telemetry/metrics.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "berth/model/reason.h"
#include "support/checkout.h"
#include "telemetry/exposition_lines.h"

namespace berth::telemetry {
namespace {

std::set<std::string> matches(const std::string& text, const std::string& pattern) {
  const std::regex regex(pattern);
  std::set<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), regex), end; match != end; ++match) {
    found.insert((*match)[1].str());
  }
  return found;
}

std::shared_ptr<const views::QueueTable> some_queues() {
  views::QueueTable table;
  table.is_divided = true;
  table.resources = {"cpu"};
  table.rows.resize(1);
  table.rows[0].name = "research";
  table.rows[0].reservation.emplace().amounts = {{"cpu", 1000, 0, 0, 0, 1000}};
  table.clear_amounts();
  table.total = {1000};
  table.idle = {{"nvidia.com/gpu", {8, 3}}};
  return std::make_shared<const views::QueueTable>(std::move(table));
}

std::shared_ptr<const views::ReservationTable> some_reservations() {
  views::ReservationTable table;
  table.total = {{"cpu", 1000}};
  table.rows.resize(1);
  return std::make_shared<const views::ReservationTable>(std::move(table));
}

// One of everything.
std::string full_exposition(Metrics& metrics) {
  metrics.action_done("allocate", std::chrono::milliseconds(2));
  SessionCounts counts;
  counts.took = std::chrono::milliseconds(3);
  counts.events = 5;
  counts.binds = 7;
  counts.waiting["gang_incomplete"] = 2;
  counts.evictions[{"preempt", "surplus"}] = 3;
  counts.evictions[{"reclaim", "whole_job"}] = 4;
  counts.in_vain[{"preempt", "nobody_may_leave"}] = 1;
  metrics.session_done(counts);
  metrics.eviction_refused("refused");
  metrics.pod_evicted({{"cpu", 1500}, {"memory", 1024}}, std::chrono::seconds(40));
  metrics.attempt_failed();
  metrics.call_done("filter", "planned", std::chrono::microseconds(200));
  metrics.full_nodes_seen();
  metrics.config_load_failed();
  metrics.event_queue_stalled();
  metrics.history_written(1);
  metrics.start_compared("inside", std::chrono::seconds(5));
  return metrics.expose({.planned_pods = 4,
                         .held_binds = 3,
                         .connections = 5,
                         .connections_displaced = 6,
                         .connections_refused = 7,
                         .malformed_requests = 8,
                         .is_ready = true,
                         .queues = some_queues(),
                         .reservations = some_reservations()});
}

// Series that are of the last session, and not 0.
constexpr const char* kOfLastSession =
    "(berth_(?:jobs_waiting|evictions_in_vain|pods_beyond_bounds))\\{[^}]*\\} [1-9]";

TEST(Metrics, TheDocumentListsThoseThereAreAndNoOthers) {
  Metrics metrics;
  const auto exposed = matches(full_exposition(metrics), "# TYPE (berth_[a-z_]+) ");
  std::ifstream stream(support::source_file("docs/metrics.md"));
  const std::string document{std::istreambuf_iterator<char>(stream), {}};
  // Those of the API client, the lease, the view and certificates are exposed by the daemon.
  EXPECT_EQ(matches(document, "\\| `(berth_(?!api_|lease_|view_|certificate_)[a-z_]+)"), exposed);
}

TEST(Metrics, TheDocumentListsEachPartOfTheState) {
  Metrics metrics;
  std::ifstream stream(support::source_file("docs/metrics.md"));
  const std::string document{std::istreambuf_iterator<char>(stream), {}};
  const auto cells = matches(document, "\\| `berth_state` \\| `what`: ([a-z_, ]+) \\|");
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(matches(*cells.begin(), "([a-z_]+)"),
            matches(metrics.expose({}), "berth_state\\{what=\"([a-z_]+)\"\\}"));
}

TEST(Metrics, CountsWhatSessionsDecide) {
  Metrics metrics;
  full_exposition(metrics);
  const std::string text = full_exposition(metrics);
  EXPECT_TRUE(has_line(text, "berth_decisions_total{kind=\"bind\"} 14")) << text;
  EXPECT_TRUE(has_line(text, "berth_cluster_events_total 10"));
  EXPECT_TRUE(has_line(text, "berth_session_duration_seconds_count 2"));
  EXPECT_TRUE(has_line(text, "berth_session_duration_seconds_bucket{le=\"0.003\"} 2"));
  EXPECT_TRUE(has_line(text, "berth_action_duration_seconds_count{action=\"allocate\"} 2"));
  EXPECT_TRUE(has_line(text, "berth_jobs_waiting{reason=\"gang_incomplete\"} 2"));
}

TEST(Metrics, AReasonThatNoJobHasAnyMoreIsZero) {
  Metrics metrics;
  full_exposition(metrics);
  metrics.session_done({});
  EXPECT_TRUE(has_line(metrics.expose({}), "berth_jobs_waiting{reason=\"gang_incomplete\"} 0"));
}

TEST(Metrics, WithoutALeadThereIsNoLastSession) {
  Metrics metrics;
  const auto above_zero = matches(full_exposition(metrics), kOfLastSession);
  EXPECT_FALSE(above_zero.empty());
  metrics.stop_leading();
  const std::string text = metrics.expose({});
  EXPECT_TRUE(matches(text, kOfLastSession).empty()) << text;
  EXPECT_TRUE(has_line(text, "berth_decisions_total{kind=\"bind\"} 7"));
}

TEST(Metrics, CountsEvictionsByActionAndKind) {
  Metrics metrics;
  full_exposition(metrics);
  const std::string text = full_exposition(metrics);
  EXPECT_TRUE(has_line(text, "berth_evictions_total{action=\"preempt\",as=\"surplus\"} 6")) << text;
  EXPECT_TRUE(has_line(text, "berth_evictions_total{action=\"reclaim\",as=\"whole_job\"} 8"));
  EXPECT_TRUE(has_line(text, "berth_decisions_total{kind=\"evict\"} 14"));
  EXPECT_TRUE(has_line(text, "berth_evictions_refused_total{reason=\"refused\"} 2"));
  EXPECT_TRUE(has_line(text, "berth_failed_attempts_total 2"));
}

TEST(Metrics, CountsTheWorkThatEvictionsLoseAndTheAgesOfPods) {
  Metrics metrics;
  full_exposition(metrics);
  const std::string text = full_exposition(metrics);
  EXPECT_TRUE(has_line(text, "berth_lost_work_seconds_total{resource=\"cpu\"} 120")) << text;
  EXPECT_TRUE(has_line(text, "berth_lost_work_seconds_total{resource=\"memory\"} 81920"));
  EXPECT_TRUE(has_line(text, "berth_evicted_pod_age_seconds_bucket{le=\"10\"} 0"));
  EXPECT_TRUE(has_line(text, "berth_evicted_pod_age_seconds_bucket{le=\"60\"} 2"));
  EXPECT_TRUE(has_line(text, "berth_evicted_pod_age_seconds_sum 80"));
}

// A rate misses what a series has when it appears.
TEST(Metrics, LostWorkOfEachResourceBeginsAtZero) {
  Metrics metrics;
  EXPECT_TRUE(has_line(metrics.expose({.queues = some_queues()}),
                       "berth_lost_work_seconds_total{resource=\"cpu\"} 0"));
}

TEST(Metrics, JobsThatNoEvictionHelpsAreThoseOfTheLastSession) {
  const std::string series =
      "berth_evictions_in_vain{action=\"preempt\",reason=\"nobody_may_leave\"} ";
  Metrics metrics;
  full_exposition(metrics);
  EXPECT_TRUE(has_line(full_exposition(metrics), series + "1"));
  SessionCounts counts;
  counts.in_vain[{"preempt", "not_enough_leave"}] = 5;
  metrics.session_done(counts);
  const std::string text = metrics.expose({});
  EXPECT_TRUE(has_line(text, series + "0")) << text;
  EXPECT_TRUE(
      has_line(text, "berth_evictions_in_vain{action=\"preempt\",reason=\"not_enough_leave\"} 5"));
}

TEST(Metrics, CountsCallsAndFaults) {
  Metrics metrics;
  const std::string text = full_exposition(metrics);
  EXPECT_NE(text.find("berth_extender_calls_total{"), std::string::npos);
  EXPECT_TRUE(has_line(text, "berth_extender_call_duration_seconds_count{verb=\"filter\"} 1"));
  for (const char* kind : {"full_nodes", "config_load_failed", "event_queue_full"}) {
    EXPECT_TRUE(has_line(text, std::string("berth_faults_total{kind=\"") + kind + "\"} 1")) << kind;
  }
}

TEST(Metrics, HasSeriesOfWhatHasNotHappenedYet) {
  const std::string text = Metrics().expose({});
  for (const char* outcome : {"earlier", "inside", "later"}) {
    const std::string series =
        std::string("berth_forecast_starts_total{outcome=\"") + outcome + "\"} 0";
    EXPECT_TRUE(has_line(text, series)) << text;
  }
}

TEST(Metrics, ShowsThePresentState) {
  Metrics metrics;
  const std::string text = full_exposition(metrics);
  EXPECT_TRUE(has_line(text, "berth_state{what=\"planned_pods\"} 4")) << text;
  EXPECT_TRUE(has_line(text, "berth_state{what=\"held_binds\"} 3"));
  EXPECT_TRUE(has_line(text, "berth_state{what=\"http_connections\"} 5"));
  EXPECT_TRUE(has_line(text, "berth_state{what=\"http_connections_displaced\"} 6"));
  EXPECT_TRUE(has_line(text, "berth_state{what=\"http_connections_refused\"} 7"));
  EXPECT_TRUE(has_line(text, "berth_state{what=\"http_malformed_requests\"} 8"));
  EXPECT_TRUE(has_line(text, "berth_state{what=\"ready\"} 1"));
  EXPECT_TRUE(has_line(metrics.expose({}), "berth_state{what=\"ready\"} 0"));
}

TEST(Metrics, SeriesOfAQueueThatIsGoneAreGone) {
  Metrics metrics;
  EXPECT_NE(full_exposition(metrics).find("queue=\"research\""), std::string::npos);
  EXPECT_EQ(metrics.expose({}).find("queue=\"research\""), std::string::npos);
}

TEST(Metrics, LabelsAreBounded) {
  Metrics metrics;
  const std::string text = full_exposition(metrics);
  EXPECT_EQ(matches(text, "berth_jobs_waiting\\{reason=\"([a-z_]+)\"").size(), kReasonCount - 1);
}

}  // namespace
}  // namespace berth::telemetry
