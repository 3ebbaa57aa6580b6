#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "daemon/dispatcher.h"
#include "daemon/event_queue.h"
#include "daemon/reservation_keeper.h"
#include "daemon/stale_plans.h"
#include "engine/scheduler.h"
#include "mirror/mirror.h"
#include "ports/cluster_source.h"
#include "ports/plan_table.h"
#include "ports/published.h"
#include "steering/steering.h"
#include "telemetry/metrics.h"

namespace berth::daemon {

// One thread that owns mirror and sessions: take in what happened, run a session, publish what it
// decided, hand its intents to the ports. It waits for nothing but its queue; requests wait for
// nothing of it.
class SessionLoop {
 public:
  struct Parts {
    const Clock& clock;  // the cluster's time
    const ports::ClusterSource& source;
    EventQueue& events;
    ports::Published<ports::PlanTable>& published;
    std::function<void()> on_published;  // on the session thread; must not wait
    ports::PodWriter& pods;
    ports::StatusSink& status;
    ports::Evictor& evictor;
    telemetry::Metrics& metrics;
    Dispatcher::Tell tell;
    ports::Published<views::QueueTable>& queues;              // null while another leads
    ports::Published<views::ReservationTable>& reservations;  // likewise
  };
  struct Settings {
    mirror::Options mirror;
    Duration period = std::chrono::seconds(1);     // of real time, between sessions without news
    Duration patience = std::chrono::seconds(10);  // of the cluster's time, see StalePlans
    steering::Mode steering = steering::Mode::nominate;
    Duration veto_memory = std::chrono::minutes(1);  // of the cluster's time
    bool locks_are_taints = false;                   // besides their labels
  };
  // Where the last session left the cluster.
  struct Standing {
    std::uint64_t sessions = 0;
    std::size_t jobs_waiting = 0;
    std::size_t pods_planned = 0;  // and not yet seen bound
    std::size_t pods_pending = 0;  // of ours, without a place
  };

  SessionLoop(Parts parts, Settings settings, engine::Scheduler scheduler);
  ~SessionLoop();  // stop()

  void start();
  // Returns when the session under way has ended. Idempotent.
  void stop();
  // Sessions run, and anything is written, only between start_leading() and stop_leading(). The
  // epoch tells this leader from all before; above 0. Any thread.
  void start_leading(std::uint64_t epoch);
  // Returns when nothing more will be decided under the epoch of before. Not from the loop's
  // thread.
  void stop_leading();
  // kube-scheduler has another leader. Any thread.
  void kube_scheduler_changed();
  // Takes effect with the next session. Any thread.
  void replace(engine::Scheduler scheduler, Duration period);
  // Any thread.
  Standing standing() const;
  // How long ago the loop last came round, in real time: the liveness probe. Any thread.
  Duration since_last_round() const;

 private:
  void run();
  bool adopt_replacement();
  bool adopt_leadership(bool is_synced);
  void take_in(const ClusterEvent& event);
  void session(const std::vector<ClusterEvent>& events);
  void drop(const std::vector<PlacementDropped>& drops);
  void drop_stale(const Plan& plan);
  void follow_up();
  void give_up(const std::vector<PlacementDropped>& drops);
  void publish();
  void publish_queues(const std::shared_ptr<const views::QueueTable>& queues);
  void publish_unready();
  void note_standing(const Plan& plan);

  Parts parts_;
  Settings settings_;
  engine::Scheduler scheduler_;
  mirror::Mirror mirror_;
  Dispatcher dispatcher_;
  steering::Steering steering_;
  const steering::FindTask find_ = [this](const std::string& uid) {
    return mirror_.find_task(uid);
  };
  StalePlans stale_plans_;
  UnclaimedPlans unclaimed_plans_;
  BrokenGangs broken_gangs_;
  ReservationKeeper reservation_keeper_;
  std::uint64_t published_stamp_ = 0;
  std::uint64_t published_count_ = 0;
  std::shared_ptr<const views::QueueTable> published_queues_;
  std::uint64_t epoch_ = 0;    // under which we lead; 0: another does
  bool owes_session_ = false;  // something happened since the last one

  std::atomic<bool> stopping_ = false;
  std::atomic<std::int64_t> last_round_ns_ = 0;  // on the steady clock
  mutable std::mutex mutex_;                     // guards all below
  std::optional<std::pair<engine::Scheduler, Duration>> replacement_;
  Standing standing_;
  std::uint64_t wanted_epoch_ = 0;
  bool is_kube_scheduler_new_ = false;
  bool has_stopped_leading_ = true;
  std::condition_variable stopped_leading_;
  std::thread thread_;
};

}  // namespace berth::daemon
