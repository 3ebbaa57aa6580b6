#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "conf/config.h"
#include "daemon/event_queue.h"
#include "daemon/session_loop.h"
#include "embedded/embedded_cluster.h"
#include "ports/plan_table.h"
#include "ports/shown_pods.h"
#include "telemetry/metrics.h"

namespace berth::parity {

// The decisions of one session: "ml/g1-0 on n2", and "ml/g2-3 by preempt for ml/g1: ...". Sorted.
struct Decisions {
  std::vector<std::string> binds;
  std::vector<std::string> evictions;
  bool operator==(const Decisions&) const = default;
};

// The session loop of berthd on the embedded cluster, a session at a time. The clock stands between
// the sessions, and kube-scheduler binds each pod as soon as it is shown.
class SteppedDaemon {
 public:
  // Objects with a later creation time come at that time.
  SteppedDaemon(const conf::Config& config, std::vector<ClusterEvent> objects, TimePoint start);
  ~SteppedDaemon();

  // All that is due by `now` happens, then a session runs, and its plan is carried out.
  Decisions step(TimePoint now);

 private:
  // It stands until it is set.
  class PacedManualClock final : public embedded::PacedClock {
   public:
    explicit PacedManualClock(TimePoint now) { set(now); }
    TimePoint now() const override { return TimePoint(Duration(now_.load())); }
    std::chrono::steady_clock::time_point steady(TimePoint time) const override;
    void set(TimePoint now) { now_ = now.time_since_epoch().count(); }

   private:
    std::atomic<std::int64_t> now_ = 0;
  };

  // Notes what is evicted.
  class Writer final : public ports::ObjectWriter {
   public:
    explicit Writer(embedded::EmbeddedCluster& cluster) : cluster_(cluster) {}
    void write(const ports::Write& write, std::function<void(ports::WriteOutcome)> done) override;

    std::vector<std::string> evictions;

   private:
    embedded::EmbeddedCluster& cluster_;
  };

  daemon::SessionLoop::Parts parts();
  void create_due(TimePoint now);
  void bind_shown(Decisions& decisions);
  daemon::EventQueue::Batch take_events();

  PacedManualClock clock_;
  ManualClock real_clock_;
  embedded::EmbeddedCluster cluster_{clock_};
  Writer writer_{cluster_};
  daemon::EventQueue events_{std::size_t{1} << 20};  // this thread takes, too
  ports::Published<ports::PlanTable> plans_{std::make_shared<const ports::PlanTable>()};
  ports::Published<ports::ShownPods> shown_{std::make_shared<const ports::ShownPods>()};
  ports::Published<views::QueueTable> queues_{nullptr};
  ports::Published<views::ReservationTable> reservations_{nullptr};
  telemetry::Metrics metrics_;
  std::multimap<TimePoint, ClusterEvent> to_come_;  // by creation
  std::vector<ClusterEvent> seen_;                  // since the last session
  daemon::SessionLoop loop_;
};

}  // namespace berth::parity
