#include "daemon/session_loop.h"

#include <algorithm>
#include <utility>

#include "daemon/publish.h"

namespace berth::daemon {

namespace {

std::int64_t steady_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

SessionLoop::SessionLoop(Parts parts, Settings settings, engine::Scheduler scheduler)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      scheduler_(std::move(scheduler)),
      mirror_(settings_.mirror),
      dispatcher_(parts_.status, parts_.evictor, parts_.tell),
      stale_plans_(settings_.patience),
      unclaimed_plans_(settings_.patience * 3),
      last_round_ns_(steady_ns()) {}

SessionLoop::~SessionLoop() { stop(); }

void SessionLoop::start() {
  thread_ = std::thread([this] { run(); });
}

void SessionLoop::stop() {
  stopping_ = true;
  parts_.events.close();
  if (thread_.joinable()) thread_.join();
}

void SessionLoop::replace(engine::Scheduler scheduler, Duration period) {
  {
    const std::lock_guard lock(mutex_);
    replacement_.emplace(std::move(scheduler), period);
  }
  parts_.events.nudge();
}

SessionLoop::Standing SessionLoop::standing() const {
  const std::lock_guard lock(mutex_);
  return standing_;
}

Duration SessionLoop::since_last_round() const {
  return Duration(steady_ns() - last_round_ns_.load());
}

void SessionLoop::run() {
  auto due = std::chrono::steady_clock::now();  // the next session, if nothing happens before
  while (!stopping_) {
    // Comes round now and then, whatever the period, so that the liveness probe means something.
    constexpr Duration kRound = std::chrono::seconds(10);
    constexpr Duration kUntilSynced = std::chrono::milliseconds(50);
    // Asked before taking: what was posted before the source said so is then among what is taken.
    const bool synced = parts_.source.is_synced();
    const auto now = std::chrono::steady_clock::now();
    const auto deadline = synced ? std::min(due, now + kRound) : now + kUntilSynced;
    const std::vector<ClusterEvent> events = parts_.events.take(deadline);
    last_round_ns_ = steady_ns();
    const bool is_changed = adopt_replacement();
    for (const ClusterEvent& event : events) mirror_.apply(event);
    const bool is_due = std::chrono::steady_clock::now() >= due;
    if (!synced || stopping_ || (events.empty() && !is_changed && !is_due)) continue;
    session(events);
    due = std::chrono::steady_clock::now() + settings_.period;
  }
}

bool SessionLoop::adopt_replacement() {
  const std::lock_guard lock(mutex_);
  if (!replacement_) return false;
  scheduler_ = std::move(replacement_->first);
  settings_.period = replacement_->second;
  replacement_.reset();
  return true;
}

void SessionLoop::session(const std::vector<ClusterEvent>& events) {
  const auto begin = std::chrono::steady_clock::now();
  mirror_.settle();
  const Plan plan =
      scheduler_.run(mirror_.cluster_for_session(), parts_.clock.now(), &parts_.metrics);
  const auto took = std::chrono::steady_clock::now() - begin;

  // Published before anybody is woken: who is nominated finds its plan.
  mirror_.assume(plan);
  drop_stale(plan);
  mirror_.settle();
  publish(plan);
  clear_nominations(events);
  dispatcher_.carry_out(plan, mirror_);
  dispatcher_.report_phases(mirror_.take_phase_changes(), mirror_);

  telemetry::SessionCounts counts;
  counts.took = took;
  counts.events = events.size();
  counts.binds = plan.binds.size();
  counts.pipelined = plan.pipelined.size();
  counts.evictions = plan.evictions.size();
  counts.admitted = plan.admitted.size();
  for (const Refusal& refusal : plan.refusals) ++counts.waiting[code(refusal.reason)];
  parts_.metrics.session_done(counts);
  note_standing(plan);
}

void SessionLoop::publish(const Plan& plan) {
  const std::uint64_t stamp = mirror_.cluster().stamp();
  if (stamp == published_stamp_ && plan.pipelined == published_claims_) return;
  published_stamp_ = stamp;
  published_claims_ = plan.pipelined;
  parts_.published.store(make_plan_table(mirror_.cluster(), settings_.mirror.managed_schedulers,
                                         ++epoch_, plan.pipelined, scheduler_.has_plugin("gang")));
  parts_.on_published();
}

void SessionLoop::drop_stale(const Plan& plan) {
  const TimePoint now = parts_.clock.now();
  std::vector<PlacementDropped> drops = unclaimed_plans_.due(mirror_.cluster(), now);
  if (scheduler_.has_plugin("gang")) {
    const auto stale = stale_plans_.due(plan, mirror_.cluster(), now);
    drops.insert(drops.end(), stale.begin(), stale.end());
  }
  for (const PlacementDropped& dropped : drops) {
    mirror_.apply(dropped);
    parts_.status.nominate(dropped.pod_uid, "");
  }
}

// A nomination outlives its plan in kube-scheduler, which keeps the room for it: who was dropped
// and has no other place gives it up there too.
void SessionLoop::clear_nominations(const std::vector<ClusterEvent>& events) {
  for (const ClusterEvent& event : events) {
    const auto* dropped = std::get_if<PlacementDropped>(&event);
    if (dropped == nullptr) continue;
    const TaskId task = mirror_.find_task(dropped->pod_uid);
    if (!task.is_valid() || mirror_.cluster().task(task).status != TaskStatus::pending) continue;
    parts_.status.nominate(dropped->pod_uid, "");
  }
}

void SessionLoop::note_standing(const Plan& plan) {
  const Cluster& cluster = mirror_.cluster();
  Standing standing;
  standing.jobs_waiting = plan.refusals.size();
  standing.pods_planned = static_cast<std::size_t>(cluster.binding_task_count());
  for (const JobId id : cluster.open_jobs()) {
    standing.pods_pending += static_cast<std::size_t>(cluster.job(id).count(TaskStatus::pending));
  }
  const std::lock_guard lock(mutex_);
  standing.sessions = standing_.sessions + 1;
  standing_ = standing;
}

}  // namespace berth::daemon
