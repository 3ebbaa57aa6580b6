#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "berth/base/clock.h"
#include "berth/model/written_status.h"
#include "engine/scheduler.h"
#include "views/queue_table.h"
#include "views/reservation_table.h"

namespace berth::telemetry {

// The counts of one session.
struct SessionCounts {
  std::chrono::nanoseconds took{};
  std::size_t events = 0;
  std::size_t binds = 0;
  std::size_t pipelined = 0;
  std::size_t admitted = 0;
  std::map<std::string_view, std::size_t> waiting;  // jobs by reason code
  // Pods of which something is left out, by the reason code of such a pod that waits (BOUND-8).
  std::map<std::string_view, std::size_t> beyond_bounds;
  // Pods by action and by what they are evicted as; jobs by action and reason code.
  using ByTwo = std::map<std::pair<std::string_view, std::string_view>, std::size_t>;
  ByTwo evictions;
  ByTwo in_vain;
};

// All metrics of the daemon, with the prefix berth_, in seconds and totals; docs/metrics.md lists
// them. Labels are bounded: actions, reason codes, kinds of evictions, verbs, outcomes, resources
// of the cluster, and a fixed number of queues. Any thread.
class Metrics final : public engine::SessionObserver {
 public:
  Metrics();
  ~Metrics() override;

  void action_done(std::string_view action, std::chrono::nanoseconds took) override;
  void session_done(const SessionCounts& counts);
  // There is no last session any more: what is of it is 0.
  void stop_leading();
  // An eviction is carried out. `room`: of the pod, which had its node for so long.
  void pod_evicted(const NamedAmounts& room, Duration age);
  void eviction_refused(std::string_view reason);
  void attempt_failed();
  void call_done(std::string_view verb, std::string_view outcome, Duration took);
  void full_nodes_seen();
  void config_load_failed();
  void event_queue_stalled();
  void history_written(std::uint64_t entries);
  void history_dropped(std::uint64_t entries);
  // A job has started: how that compares with its forecast.
  void start_compared(std::string_view outcome, Duration error);
  void starts_planned(Duration took);
  void promise_broken();

  // Set for each request of /metrics.
  struct Gauges {
    std::size_t planned_pods = 0;
    std::size_t held_binds = 0;
    std::uint64_t connections = 0;
    std::uint64_t connections_displaced = 0;
    std::uint64_t connections_refused = 0;
    std::uint64_t malformed_requests = 0;
    std::size_t queued_events = 0;
    bool is_ready = false;
    std::size_t jobs_evicted_repeatedly = 0;
    std::shared_ptr<const views::QueueTable> queues = {};              // null: none is known
    std::shared_ptr<const views::ReservationTable> reservations = {};  // null: none is known
  };
  // Prometheus' text exposition.
  std::string expose(const Gauges& gauges);

 private:
  void set_last(const SessionCounts& counts);
  void set_in_vain(const SessionCounts::ByTwo& in_vain);

  struct Families;
  std::unique_ptr<Families> families_;
};

}  // namespace berth::telemetry
