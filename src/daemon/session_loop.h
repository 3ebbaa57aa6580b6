#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "daemon/attempts.h"
#include "daemon/catch_up.h"
#include "daemon/event_queue.h"
#include "daemon/evicted_work.h"
#include "daemon/forecasts.h"
#include "daemon/gang_keeper.h"
#include "daemon/guard_keeper.h"
#include "daemon/learned.h"
#include "daemon/page_feed.h"
#include "daemon/published_views.h"
#include "daemon/snapshots.h"
#include "daemon/stale_plans.h"
#include "engine/scheduler.h"
#include "history/recorder.h"
#include "mirror/mirror.h"
#include "ports/access.h"
#include "ports/attempts.h"
#include "ports/cluster_source.h"
#include "ports/exchange.h"
#include "ports/plan_table.h"
#include "ports/published.h"
#include "ports/shown_pods.h"
#include "reconcile/reconciler.h"
#include "reconcile/repeated_evictions.h"
#include "steering/steering.h"
#include "telemetry/metrics.h"

namespace berth::daemon {

// One thread that owns mirror, sessions and writes. Again and again: take in events and answers,
// run a session, assume its plan, publish it, reconcile the API with it. It waits for nothing but
// its queue; requests of others wait for nothing of it.
class SessionLoop {
 public:
  static const Clock& steady_clock();

  struct Parts {
    const Clock& clock;  // the cluster's time
    ports::ClusterSource& source;
    EventQueue& events;
    ports::Published<ports::PlanTable>& published;
    std::function<void()> on_published;         // on the session thread; must not wait
    ports::Published<ports::ShownPods>& shown;  // empty except in steering mode `view`
    std::function<void()> on_shown;             // as on_published
    ports::ObjectWriter& writer;
    telemetry::Metrics& metrics;
    reconcile::Log log;
    ports::Published<views::QueueTable>& queues;              // null while another leads
    ports::Published<views::ReservationTable>& reservations;  // likewise
    ports::Access* access = nullptr;                          // not null where naming_check asks
    // How far kube-scheduler's calls for a pod are.
    std::function<ports::Attempts::Stage(const std::string& pod_uid)> stage_of =
        [](const std::string&) { return ports::Attempts::Stage::none; };
    // Since the last call, in order. None: no places are exchanged (STEER-16).
    std::function<std::vector<ports::Exchange>()> take_exchanges = {};
    ports::Published<views::EvictedJobs>* evicted_jobs = nullptr;  // null while another leads
    const ports::Leadership* leadership = nullptr;  // null: terms end by stop_leading() alone
    ports::StartingPods* starting_pods = nullptr;   // null: no other may have led (LEASE-9)
    const Clock* real_clock = &steady_clock();      // the loop's pauses go by it
    history::Recorder* recorder = nullptr;          // null: nothing is recorded
    Forecasts* forecasts = nullptr;                 // null: no starts are forecast
    Snapshots* snapshots = nullptr;                 // null: nobody may ask for one
    ports::LearnedStore* learned = nullptr;         // null: nothing outlives this process
    PageFeed* page = nullptr;                       // null: there is no page
  };
  struct Settings {
    mirror::Options mirror;
    // Of real time, between sessions without events; a second at most while something that ends by
    // the clock alone is under way.
    Duration period = std::chrono::seconds(1);
    Duration patience = std::chrono::seconds(10);  // of the cluster's time, see StalePlans
    steering::Mode steering = steering::Mode::nominate;
    Duration veto_memory = std::chrono::minutes(1);  // of the cluster's time
    Duration retry_limit = std::chrono::minutes(1);  // of the cluster's time, see HINT-4
    bool locks_are_taints = false;                   // besides their labels
    bool autoscaling = false;                        // pods that wait for nodes get a condition
    std::int32_t scheduled_events = std::numeric_limits<std::int32_t>::max();  // VIEW-20
  };
  // How the last session left the cluster.
  struct LastSession {
    std::uint64_t sessions = 0;  // so far
    std::size_t jobs_waiting = 0;
    std::size_t pods_planned = 0;  // and not yet seen bound
    std::size_t pods_pending = 0;  // of ours, without a place
  };

  SessionLoop(Parts parts, Settings settings, engine::Scheduler scheduler);
  ~SessionLoop();  // stop()

  void start();
  // Returns when the session under way has ended. Idempotent.
  void stop();
  // By the real clock: step() is to be called again at `until`, and before once something has come,
  // but not for that before `gathers_until`.
  struct Pause {
    TimePoint until;
    TimePoint gathers_until;
  };
  // The work of the thread, for callers without it. Takes all this in; then, once the source is
  // synced, runs a session if it is time for one. `is_synced`: asked before `batch` was taken, so
  // that the events before the sync are in it.
  Pause step(const EventQueue::Batch& batch, bool is_synced);
  // Sessions run, and anything is written, only between start_leading() and stop_leading(). The
  // epoch distinguishes this leader from all before; above 0. Any thread.
  void start_leading(std::uint64_t epoch);
  // Returns when nothing more will be decided under the earlier epoch. Not from the loop's thread.
  void stop_leading();
  // kube-scheduler has another leader. Any thread.
  void kube_scheduler_changed();
  // Takes effect with the next session. Any thread.
  void replace(engine::Scheduler scheduler, Duration period);
  // Any thread.
  LastSession last_session() const;
  reconcile::Writes::Counters write_counters(reconcile::Writes::Kind kind) const {
    return writes_.counters(kind);
  }
  // Real time since the loop last went round: for the liveness probe. Any thread.
  Duration since_last_turn() const;

 private:
  void run();
  bool turn(const EventQueue::Batch& batch, bool is_synced, bool is_due);
  Duration until_held_writes() const;
  Duration until_a_time_comes() const;
  bool adopt_replacement();
  std::uint64_t wanted_epoch(bool is_synced);
  bool adopt_leadership(bool is_synced);
  bool has_caught_up(std::uint64_t epoch);
  ports::Term term() const { return {parts_.leadership, epoch_}; }
  void begin_to_lead();
  void learn_use();
  void learn_runs();
  void cease_to_lead();
  void take_exchanges();
  void take_in(const ClusterEvent& event);
  void hand_on(const ClusterEvent& event);
  bool concerns_one_being_bound(const ClusterEvent& event) const;
  void take_in(const ports::WriteAnswer& answer);
  void session(const std::vector<ClusterEvent>& events);
  void stand_by();
  void settle_and_ask(TimePoint now) {
    mirror_.settle(now);
    for (const RightQuestion& each : mirror_.take_right_questions(now)) {
      parts_.access->ask(each);
    }
  }
  void follow_up();
  void note_refusal(const PlacementDropped& dropped, TimePoint now);
  void fail(const std::vector<FailedAttempt>& failed, TimePoint now);
  bool are_bindings_shown(TimePoint now);
  void drop_stale(const Plan& plan, TimePoint now);
  void evict(const Plan& plan, TimePoint now);
  void note_eviction(TaskId task);
  void publish_evicted(std::shared_ptr<const views::EvictedJobs> jobs);
  void announce(const Plan& plan, TimePoint now);
  void record(const std::vector<JobId>& changed, TimePoint now);
  void begin_to_forecast(TimePoint now);
  void take_forecast(TimePoint now);
  void begin_forecast(const Plan& plan, TimePoint now);
  void answer_snapshots(bool is_synced);
  void answer_page();
  engine::SessionObserver& observer();
  void look_at(const std::vector<JobId>& waiting);  // their reasons or starts are others
  void reconcile(TimePoint now);
  void give_up(std::vector<PlacementDropped> drops);
  void drop(const std::vector<PlacementDropped>& drops);
  bool is_being_bound(const std::string& pod_uid) const;
  std::vector<PlacementDropped> without_those_being_bound(
      std::vector<PlacementDropped> drops) const;
  void publish_plan();
  void publish_shown();
  void log_left_out(TimePoint now);
  reconcile::Reconciler::Options reconciler_options() const;
  void report(const Plan& plan, std::size_t events, Duration took);

  Parts parts_;
  Settings settings_;
  engine::Scheduler scheduler_;
  mirror::Mirror mirror_;
  reconcile::ObservedState observed_;
  reconcile::Writes writes_;
  reconcile::Announcer announcer_;
  reconcile::RepeatedEvictions evictions_;
  EvictedWork evicted_work_;
  reconcile::Reconciler reconciler_;
  GangKeeper gangs_;
  steering::Steering steering_;
  const steering::FindTask find_ = [this](const std::string& uid) {
    return mirror_.find_task(uid);
  };
  std::function<std::uint64_t(TaskId)> order_of_;  // none: no places are exchanged
  Attempts attempts_;
  CatchUp catch_up_;
  StalePlans stale_plans_;
  UnclaimedPlans unclaimed_plans_;
  TimePoint doubt_bindings_at_;  // again
  BrokenGangs broken_gangs_;
  PublishedViews views_;
  GuardKeeper guard_;
  Learned learned_;
  std::set<JobId> changed_while_standing_by_;
  std::uint64_t exchanges_ = 0;  // that were taken
  std::uint64_t published_stamp_ = 0;
  std::uint64_t published_exchanges_ = 0;
  std::uint64_t published_count_ = 0;
  std::uint64_t epoch_ = 0;      // under which we lead; 0: another does
  bool is_session_due_ = false;  // something happened since the last one
  bool has_answers_ = false;     // to the reconciler's writes, since it last compared
  TimePoint reconciled_at_, logged_left_out_at_;
  TimePoint due_, gathers_until_;                  // by the real clock, as Pause
  TimePoint plan_holds_until_ = TimePoint::max();  // Plan::holds_until, of the last session

  std::atomic<bool> stopping_ = false;
  std::atomic<TimePoint> last_turn_;  // by the real clock
  mutable std::mutex mutex_;          // guards all below
  std::optional<std::pair<engine::Scheduler, Duration>> replacement_;
  LastSession last_session_;
  std::uint64_t wanted_epoch_ = 0;
  bool is_kube_scheduler_new_ = false;
  bool has_stopped_leading_ = true;
  std::condition_variable stopped_leading_;
  std::thread thread_;
};

}  // namespace berth::daemon
