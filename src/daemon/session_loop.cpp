#include "daemon/session_loop.h"

#include <algorithm>
#include <utility>

#include "daemon/publish.h"
#include "daemon/thread_priority.h"

namespace berth::daemon {

namespace {

std::int64_t steady_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

}  // namespace

SessionLoop::SessionLoop(Parts parts, Settings settings, engine::Scheduler scheduler)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      scheduler_(std::move(scheduler)),
      mirror_(settings_.mirror),
      dispatcher_(parts_.status, parts_.evictor, parts_.events, parts_.tell),
      steering_(
          {parts_.pods, parts_.status, [&events = parts_.events] { events.wake(); }, parts_.tell},
          {.mode = settings_.steering,
           .managed_schedulers = settings_.mirror.managed_schedulers,
           .locks_are_taints = settings_.locks_are_taints}),
      stale_plans_(settings_.patience),
      unclaimed_plans_(settings_.patience * 3),
      broken_gangs_(settings_.patience * 6),
      last_round_ns_(steady_ns()) {
  dispatcher_.set_leading(false);
  mirror_.follow_api_phases(true);
}

SessionLoop::~SessionLoop() { stop(); }

void SessionLoop::start() {
  thread_ = std::thread([this] { run(); });
}

void SessionLoop::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    stopped_leading_.notify_all();
  }
  parts_.events.close();
  if (thread_.joinable()) thread_.join();
}

void SessionLoop::start_leading(std::uint64_t epoch) {
  {
    const std::lock_guard lock(mutex_);
    wanted_epoch_ = epoch;
    has_stopped_leading_ = false;
  }
  parts_.events.wake();
}

void SessionLoop::stop_leading() {
  std::unique_lock lock(mutex_);
  wanted_epoch_ = 0;
  parts_.events.wake();
  stopped_leading_.wait(
      lock, [this] { return has_stopped_leading_ || stopping_ || !thread_.joinable(); });
}

void SessionLoop::kube_scheduler_changed() {
  {
    const std::lock_guard lock(mutex_);
    is_kube_scheduler_new_ = true;
  }
  parts_.events.wake();
}

void SessionLoop::replace(engine::Scheduler scheduler, Duration period) {
  {
    const std::lock_guard lock(mutex_);
    replacement_.emplace(std::move(scheduler), period);
  }
  parts_.events.wake();
}

SessionLoop::Standing SessionLoop::standing() const {
  const std::lock_guard lock(mutex_);
  return standing_;
}

Duration SessionLoop::since_last_round() const {
  return Duration(steady_ns() - last_round_ns_.load());
}

void SessionLoop::run() {
  lower_thread_priority();
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
    const bool is_news = std::chrono::steady_clock::now() < deadline;
    last_round_ns_ = steady_ns();
    const bool is_changed = adopt_replacement();
    for (const ClusterEvent& event : events) take_in(event);
    const bool leads = adopt_leadership(synced);
    const bool is_due = std::chrono::steady_clock::now() >= due;
    owes_session_ = owes_session_ || !events.empty() || is_changed || is_due;
    if (!synced || stopping_) continue;
    if (!std::exchange(owes_session_, false)) {  // at most the outcome of a write is there
      if (leads && is_news) follow_up();
      continue;
    }
    if (leads) {
      session(events);
    } else {
      mirror_.settle(parts_.clock.now());
      dispatcher_.stand_by(mirror_);
    }
    due = std::chrono::steady_clock::now() + settings_.period;
  }
  const std::lock_guard lock(mutex_);
  has_stopped_leading_ = true;
  stopped_leading_.notify_all();
}

bool SessionLoop::adopt_replacement() {
  const std::lock_guard lock(mutex_);
  if (!replacement_) return false;
  scheduler_ = std::move(replacement_->first);
  settings_.period = replacement_->second;
  replacement_.reset();
  return true;
}

// The epoch to work under, if there is one. What the leader of before left under way is assumed
// before the first session.
bool SessionLoop::adopt_leadership(bool is_synced) {
  std::unique_lock lock(mutex_);
  if (std::exchange(is_kube_scheduler_new_, false)) steering_.kube_scheduler_changed();
  const std::uint64_t wanted = is_synced ? wanted_epoch_ : 0;
  if (wanted == epoch_) {
    has_stopped_leading_ = epoch_ == 0 && wanted_epoch_ == 0;
    if (has_stopped_leading_) stopped_leading_.notify_all();
    return epoch_ != 0;
  }
  lock.unlock();
  epoch_ = wanted;
  owes_session_ = true;
  dispatcher_.set_leading(epoch_ != 0);
  mirror_.follow_api_phases(epoch_ == 0);
  if (epoch_ == 0) {
    steering_.stop_leading();
    mirror_.forget_plans();  // the next leader's pods will say where they go
    publish_unready();
  } else {
    const TimePoint now = parts_.clock.now();
    mirror_.settle(now);
    const Plan left = steering_.start_leading(epoch_, mirror_.cluster(), find_);
    mirror_.assume(left, now);
    mirror_.restore_claims(now);
    parts_.tell("leading with epoch " + std::to_string(epoch_) + "; " +
                std::to_string(left.binds.size()) + " pods were under way");
  }
  lock.lock();
  has_stopped_leading_ = epoch_ == 0 && wanted_epoch_ == 0;
  stopped_leading_.notify_all();
  return epoch_ != 0;
}

void SessionLoop::take_in(const ClusterEvent& event) {
  steering_.observe(event);
  dispatcher_.observe(event);
  const TimePoint now = parts_.clock.now();
  if (const auto* dropped = std::get_if<PlacementDropped>(&event); dropped && dropped->is_vetoed) {
    mirror_.veto(dropped->pod_uid, dropped->node, now, settings_.veto_memory);
  } else if (const auto* moved = std::get_if<PlacementMoved>(&event)) {
    mirror_.veto(moved->pod_uid, moved->from, now, settings_.veto_memory);
  }
  mirror_.apply(event);
}

void SessionLoop::session(const std::vector<ClusterEvent>& events) {
  const auto begin = std::chrono::steady_clock::now();
  const TimePoint now = parts_.clock.now();
  mirror_.forget_vetoes(now);
  mirror_.settle(now);
  const Plan plan = scheduler_.run(mirror_.cluster_for_session(), now, &parts_.metrics);
  const auto took = std::chrono::steady_clock::now() - begin;

  mirror_.assume(plan, now);
  mirror_.assume_reservations(plan, now);
  drop_stale(plan);
  publish();  // before anybody is woken: who is committed finds its plan
  steering_.set_gangs_are_whole(scheduler_.has_plugin("gang"));
  give_up(steering_.round(mirror_.cluster(), find_, now));
  dispatcher_.set_reservations({settings_.locks_are_taints, scheduler_.has_plugin("reservation")});
  dispatcher_.carry_out(plan, mirror_, parts_.clock.now());
  publish_queues(dispatcher_.queues());
  reservation_keeper_.note(plan, mirror_.cluster(), now);
  parts_.reservations.store(reservation_keeper_.table());

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

// A write is done: what waits for it goes on. For that nothing needs to be decided anew.
void SessionLoop::follow_up() {
  give_up(steering_.follow_up(mirror_.cluster(), find_, parts_.clock.now()));
}

void SessionLoop::publish() {
  mirror_.settle(parts_.clock.now());
  const std::uint64_t stamp = mirror_.cluster().stamp();
  if (stamp == published_stamp_) return;
  published_stamp_ = stamp;
  parts_.published.store(make_plan_table(
      mirror_.cluster(),
      {settings_.mirror.managed_schedulers, ++published_count_,
       settings_.steering == steering::Mode::nominate, scheduler_.has_plugin("gang")}));
  parts_.on_published();
}

void SessionLoop::publish_queues(const std::shared_ptr<const views::QueueTable>& queues) {
  if (queues == published_queues_) return;
  published_queues_ = queues;
  parts_.queues.store(queues);
}

void SessionLoop::publish_unready() {
  published_stamp_ = 0;
  parts_.published.store(std::make_shared<const ports::PlanTable>());
  publish_queues(nullptr);
  reservation_keeper_.stop_leading(parts_.clock.now());
  parts_.reservations.store(nullptr);
  parts_.on_published();
}

void SessionLoop::drop(const std::vector<PlacementDropped>& drops) {
  for (const PlacementDropped& dropped : drops) {
    parts_.tell("pod " + dropped.pod_uid + " loses its place on " + dropped.node + ": " +
                dropped.reason);
    take_in(dropped);
  }
}

void SessionLoop::drop_stale(const Plan& plan) {
  const TimePoint now = parts_.clock.now();
  std::vector<PlacementDropped> unclaimed = unclaimed_plans_.due(
      mirror_.cluster(), now, [this](const Job& job) { return steering_.progressed_at(job); });
  // Why nobody came may be that kube-scheduler finds no node for it, and had said so before.
  for (PlacementDropped& each : unclaimed) {
    each.is_vetoed = steering_.is_unschedulable(each.pod_uid);
  }
  drop(unclaimed);
  for (const TaskId task : broken_gangs_.due(mirror_.cluster(), now)) {
    dispatcher_.evict(task, "its gang could not be completed", mirror_.cluster());
    mirror_.assume_eviction(task, now);
  }
  if (scheduler_.has_plugin("gang")) drop(stale_plans_.due(plan, mirror_.cluster(), now));
}

// Placements that cannot be carried out any more.
void SessionLoop::give_up(const std::vector<PlacementDropped>& drops) {
  if (drops.empty()) return;
  drop(drops);
  publish();
  owes_session_ = true;  // they are to be planned anew
  parts_.events.wake();
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
