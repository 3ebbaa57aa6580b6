#include "telemetry/metrics.h"

#include <mutex>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "berth/model/reason.h"
#include "telemetry/families.h"
#include "telemetry/heap.h"
#include "telemetry/queue_metrics.h"
#include "telemetry/reservation_metrics.h"
#include "views/lost_work.h"

namespace berth::telemetry {

namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
using prometheus::Histogram;

const Histogram::BucketBoundaries kSessionSeconds{0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03,
                                                  0.1,    0.3,    1,     3,     10};
const Histogram::BucketBoundaries kErrorSeconds{10, 60, 300, 900, 3600, 14400, 86400};
const Histogram::BucketBoundaries kCallSeconds{0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03,
                                               0.1,    0.3,    1,     3,     10,   30};

Histogram::BucketBoundaries evicted_age_bounds() {
  Histogram::BucketBoundaries bounds;
  for (const std::chrono::seconds age : views::kEvictedAges) {
    bounds.push_back(static_cast<double>(age.count()));
  }
  return bounds;
}

double seconds(std::chrono::nanoseconds duration) {
  return std::chrono::duration<double>(duration).count();
}

}  // namespace

struct Metrics::Families {
  prometheus::Registry registry;

  Family<Counter>& counter(const char* name, const char* help) {
    return BuildCounter().Name(name).Help(help).Register(registry);
  }
  Family<Gauge>& gauge(const char* name, const char* help) {
    return BuildGauge().Name(name).Help(help).Register(registry);
  }
  Family<Histogram>& histogram(const char* name, const char* help) {
    return BuildHistogram().Name(name).Help(help).Register(registry);
  }

  Family<Histogram>& session_seconds =
      histogram("berth_session_duration_seconds", "Time of a whole session");
  Family<Histogram>& action_seconds =
      histogram("berth_action_duration_seconds", "Time of one action of a session");
  Family<Counter>& decisions = counter("berth_decisions_total", "Decisions of sessions, by kind");
  Family<Counter>& events = counter("berth_cluster_events_total", "Cluster events taken in");
  Family<Gauge>& waiting =
      gauge("berth_jobs_waiting", "Jobs that wait after the last session, by reason");
  Family<Counter>& evictions =
      counter("berth_evictions_total", "Evictions that sessions decided, by action and kind");
  Family<Counter>& refused =
      counter("berth_evictions_refused_total", "Evictions that the API server did not carry out");
  Family<Counter>& lost_work = counter("berth_lost_work_seconds_total",
                                       "Room of evicted pods, times the seconds that they had it");
  Family<Histogram>& evicted_ages =
      histogram("berth_evicted_pod_age_seconds", "How long evicted pods had their nodes");
  Family<Counter>& attempts =
      counter("berth_failed_attempts_total", "Attempts to start jobs that kube-scheduler refused");
  Family<Gauge>& in_vain =
      gauge("berth_evictions_in_vain", "Jobs for which the last session evicted nobody, by reason");
  Family<Gauge>& repeated =
      gauge("berth_jobs_evicted_repeatedly",
            "Jobs that were evicted at least five times within the last hour");
  Family<Histogram>& call_seconds = histogram("berth_extender_call_duration_seconds",
                                              "Time of an extender call; for a bind with its wait");
  Family<Counter>& calls =
      counter("berth_extender_calls_total", "Extender calls by verb and outcome");
  Family<Counter>& faults =
      counter("berth_faults_total", "Faults that an operator should look at, by kind");
  Family<Counter>& history =
      counter("berth_history_entries_total", "Entries of the history, by what became of them");
  Family<Counter>& compared =
      counter("berth_forecast_starts_total", "Jobs that started, by when their start was likely");
  Family<Histogram>& errors =
      histogram("berth_forecast_error_seconds", "Time between a start and its first forecast");
  Family<Histogram>& planning = histogram("berth_forecast_planning_seconds",
                                          "Time of planning the starts of all jobs that wait");
  Family<Counter>& broken =
      counter("berth_forecast_promises_broken_total", "Promised starts that did not hold");
  Family<Gauge>& beyond_bounds =
      gauge("berth_pods_beyond_bounds", "Pods of which something is left out");
  Family<Gauge>& state = gauge("berth_state", "The daemon's present state");

  Histogram& session = session_seconds.Add({}, kSessionSeconds);
  Counter& all_events = events.Add({});
  Counter& failed_attempts = attempts.Add({});
  Counter& broken_promises = broken.Add({});
  Histogram& error = errors.Add({}, kErrorSeconds);
  Histogram& planned = planning.Add({}, kSessionSeconds);
  Histogram& evicted_age = evicted_ages.Add({}, evicted_age_bounds());

  std::mutex mutex;                                                      // guards in_vain_series
  std::map<std::pair<std::string, std::string>, Gauge*> in_vain_series;  // by action and reason
};

// The increase that makes a series is missed by alerts and panels.
Metrics::Metrics() : families_(std::make_unique<Families>()) {
  for (const char* kind : {"full_nodes", "config_load_failed", "event_queue_full"}) {
    families_->faults.Add({{"kind", kind}});
  }
  for (const char* reason : {"refused", "forbidden", "failed"}) {
    families_->refused.Add({{"reason", reason}});
  }
  for (const char* outcome : {"earlier", "inside", "later"}) {
    families_->compared.Add({{"outcome", outcome}});
  }
}

Metrics::~Metrics() = default;

void Metrics::action_done(std::string_view action, std::chrono::nanoseconds took) {
  families_->action_seconds.Add({{"action", std::string(action)}}, kSessionSeconds)
      .Observe(seconds(took));
}

void Metrics::session_done(const SessionCounts& counts) {
  families_->session.Observe(seconds(counts.took));
  families_->all_events.Increment(static_cast<double>(counts.events));
  const auto decided = [&](const char* kind, std::size_t number) {
    families_->decisions.Add({{"kind", kind}}).Increment(static_cast<double>(number));
  };
  decided("bind", counts.binds);
  decided("pipeline", counts.pipelined);
  std::size_t evicted = 0;
  for (const auto& [labels, pods] : counts.evictions) {
    evicted += pods;
    families_->evictions
        .Add({{"action", std::string(labels.first)}, {"as", std::string(labels.second)}})
        .Increment(static_cast<double>(pods));
  }
  decided("evict", evicted);
  decided("admit", counts.admitted);
  set_last(counts);
}

void Metrics::stop_leading() { set_last({}); }

void Metrics::set_last(const SessionCounts& counts) {
  set_in_vain(counts.in_vain);
  for (std::size_t reason = 1; reason < kReasonCount; ++reason) {
    const std::string_view name = code(static_cast<Reason>(reason));
    const auto found = counts.waiting.find(name);
    const std::size_t jobs = found == counts.waiting.end() ? 0 : found->second;
    families_->waiting.Add({{"reason", std::string(name)}}).Set(static_cast<double>(jobs));
  }
  for (const Reason reason : {Reason::object_too_large, Reason::namespace_too_large}) {
    const auto found = counts.beyond_bounds.find(code(reason));
    const std::size_t pods = found == counts.beyond_bounds.end() ? 0 : found->second;
    families_->beyond_bounds.Add({{"reason", std::string(code(reason))}})
        .Set(static_cast<double>(pods));
  }
}

// A series that there was stays, at 0.
void Metrics::set_in_vain(const SessionCounts::ByTwo& in_vain) {
  const std::lock_guard lock(families_->mutex);
  for (auto& [labels, gauge] : families_->in_vain_series) gauge->Set(0);
  for (const auto& [labels, jobs] : in_vain) {
    const auto [series, is_new] = families_->in_vain_series.try_emplace(
        {std::string(labels.first), std::string(labels.second)});
    if (is_new) {
      series->second = &families_->in_vain.Add(
          {{"action", series->first.first}, {"reason", series->first.second}});
    }
    series->second->Set(static_cast<double>(jobs));
  }
}

void Metrics::attempt_failed() { families_->failed_attempts.Increment(); }

void Metrics::pod_evicted(const NamedAmounts& room, Duration age) {
  const double age_seconds = seconds(age);
  families_->evicted_age.Observe(age_seconds);
  for (const auto& [resource, amount] : room) {
    families_->lost_work.Add({{"resource", resource}})
        .Increment(in_base_unit(resource, static_cast<double>(amount)) * age_seconds);
  }
}

void Metrics::eviction_refused(std::string_view reason) {
  families_->refused.Add({{"reason", std::string(reason)}}).Increment();
}

void Metrics::call_done(std::string_view verb, std::string_view outcome, Duration took) {
  families_->calls.Add({{"verb", std::string(verb)}, {"outcome", std::string(outcome)}})
      .Increment();
  families_->call_seconds.Add({{"verb", std::string(verb)}}, kCallSeconds).Observe(seconds(took));
}

void Metrics::full_nodes_seen() { families_->faults.Add({{"kind", "full_nodes"}}).Increment(); }

void Metrics::config_load_failed() {
  families_->faults.Add({{"kind", "config_load_failed"}}).Increment();
}

void Metrics::event_queue_stalled() {
  families_->faults.Add({{"kind", "event_queue_full"}}).Increment();
}

void Metrics::history_written(std::uint64_t entries) {
  families_->history.Add({{"outcome", "written"}}).Increment(static_cast<double>(entries));
}

void Metrics::history_dropped(std::uint64_t entries) {
  families_->history.Add({{"outcome", "dropped"}}).Increment(static_cast<double>(entries));
}

void Metrics::start_compared(std::string_view outcome, Duration error) {
  families_->compared.Add({{"outcome", std::string(outcome)}}).Increment();
  families_->error.Observe(seconds(error));
}

void Metrics::starts_planned(Duration took) { families_->planned.Observe(seconds(took)); }

void Metrics::promise_broken() { families_->broken_promises.Increment(); }

std::string Metrics::expose(const Gauges& gauges) {
  const auto set = [&](const char* what, double value) {
    families_->state.Add({{"what", what}}).Set(value);
  };
  set("planned_pods", static_cast<double>(gauges.planned_pods));
  set("held_binds", static_cast<double>(gauges.held_binds));
  set("http_connections", static_cast<double>(gauges.connections));
  set("http_connections_displaced", static_cast<double>(gauges.connections_displaced));
  set("http_connections_refused", static_cast<double>(gauges.connections_refused));
  set("http_malformed_requests", static_cast<double>(gauges.malformed_requests));
  set("queued_events", static_cast<double>(gauges.queued_events));
  set("ready", gauges.is_ready ? 1 : 0);
  families_->repeated.Add({}).Set(static_cast<double>(gauges.jobs_evicted_repeatedly));
  set("heap_bytes", static_cast<double>(heap_bytes()));
  if (gauges.queues != nullptr) {  // each series begins at 0
    for (std::size_t r = 0; r < gauges.queues->resources.size(); ++r) {
      if (gauges.queues->total[r] == 0) continue;
      families_->lost_work.Add({{"resource", gauges.queues->resources[r]}});
    }
  }
  std::string text = exposition_of(families_->registry.Collect());
  if (gauges.queues != nullptr) text += queue_exposition(*gauges.queues);
  if (gauges.reservations != nullptr) text += reservation_exposition(*gauges.reservations);
  return text;
}

}  // namespace berth::telemetry
