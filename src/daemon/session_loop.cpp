#include "daemon/session_loop.h"

#include <algorithm>
#include <utility>

#include "berth/base/thread_name.h"
#include "daemon/publish.h"
#include "daemon/session_counts.h"
#include "daemon/thread_priority.h"

namespace berth::daemon {

namespace {

// Events that come one by one, such as bound pods of a gang, are taken in together after a session.
// The first event after a quiet time waits for nothing.
constexpr Duration kGathering = std::chrono::milliseconds(10);

}  // namespace

const Clock& SessionLoop::steady_clock() {
  static const SteadyClock clock;
  return clock;
}

SessionLoop::SessionLoop(Parts parts, Settings settings, engine::Scheduler scheduler)
    : parts_(std::move(parts)),
      settings_(std::move(settings)),
      scheduler_(std::move(scheduler)),
      mirror_(settings_.mirror),
      observed_(settings_.mirror.managed_schedulers),
      writes_(
          {parts_.writer,
           [&events = parts_.events](ports::WriteAnswer answer) { events.post(std::move(answer)); },
           parts_.log, [&source = parts_.source] { source.doubt_silence({}); }}),
      announcer_(observed_, writes_, parts_.log),
      evictions_(announcer_.events()),
      evicted_work_(parts_.metrics),
      reconciler_(observed_, writes_, announcer_),
      gangs_(settings_.mirror, observed_, writes_, announcer_.events(),
             [this](const ClusterEvent& event) { hand_on(event); }),
      steering_(observed_, writes_,
                {.mode = settings_.steering,
                 .locks_are_taints = settings_.locks_are_taints,
                 .has_come =
                     [this](const std::string& pod_uid) {
                       return parts_.stage_of(pod_uid) != ports::Attempts::Stage::none;
                     }}),
      catch_up_({parts_.starting_pods, [&events = parts_.events] { events.wake(); }, parts_.log,
                 [&source = parts_.source](Duration within) { return source.behind(within); },
                 [&source = parts_.source](Duration within) { source.doubt_silence(within); }}),
      stale_plans_(settings_.patience),
      unclaimed_plans_(settings_.patience * 3),
      broken_gangs_(settings_.patience * 6),
      views_(parts_.queues, parts_.reservations),
      learned_({parts_.learned, [&events = parts_.events] { events.wake(); }, parts_.log}),
      last_turn_(parts_.real_clock->now()) {
  mirror_.follow_api_phases(true);
  reconciler_.set_options(reconciler_options());
  learn_use();
  if (parts_.forecasts != nullptr) learn_runs();
  if (parts_.take_exchanges && settings_.steering != steering::Mode::view) {
    order_of_ = [this](TaskId id) {
      return steering_.order_of(id, mirror_.cluster().task(id).uid);
    };
  }
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

SessionLoop::LastSession SessionLoop::last_session() const {
  const std::lock_guard lock(mutex_);
  return last_session_;
}

Duration SessionLoop::since_last_turn() const {
  return parts_.real_clock->now() - last_turn_.load();
}

void SessionLoop::run() {
  name_thread("session");
  lower_thread_priority();
  const auto steady = [](TimePoint time) {
    return std::chrono::steady_clock::time_point(time.time_since_epoch());
  };
  Pause pause;
  while (!stopping_) {
    const bool is_synced = parts_.source.is_synced();
    pause = step(parts_.events.take(steady(pause.until), steady(pause.gathers_until)), is_synced);
  }
  if (parts_.recorder != nullptr) {
    parts_.recorder->finish(mirror_.cluster(), parts_.clock.now());
  }
  if (parts_.snapshots != nullptr) parts_.snapshots->end();
  if (parts_.page != nullptr) parts_.page->end();
  const std::lock_guard lock(mutex_);
  has_stopped_leading_ = true;
  stopped_leading_.notify_all();
}

void SessionLoop::answer_snapshots(bool is_synced) {
  if (parts_.snapshots == nullptr) return;
  const TimePoint now = parts_.clock.now();
  parts_.snapshots->answer(is_synced ? &mirror_.cluster() : nullptr,
                           settings_.mirror.managed_schedulers.front(), now);
}

void SessionLoop::record(const std::vector<JobId>& changed, TimePoint now) {
  if (parts_.recorder != nullptr) parts_.recorder->look_at(changed, mirror_.cluster(), now);
  if (parts_.forecasts != nullptr) parts_.forecasts->look_at(changed, mirror_.cluster(), now);
}

SessionLoop::Pause SessionLoop::step(const EventQueue::Batch& batch, bool is_synced) {
  // A turn now and then, whatever the period: failed writes are repeated, and the liveness probe
  // sees that the loop goes round.
  constexpr Duration kTurn = std::chrono::seconds(10);
  constexpr Duration kUntilSynced = std::chrono::milliseconds(50);  // or caught up
  const bool has_run = turn(batch, is_synced, parts_.real_clock->now() >= due_);
  answer_snapshots(is_synced);
  answer_page();
  const TimePoint now = parts_.real_clock->now();
  if (has_run) {
    gathers_until_ = now + kGathering;
    due_ = now + std::min(settings_.period, until_a_time_comes());
  }
  const bool waits = !is_synced || catch_up_.is_open() || learned_.is_ending(parts_.clock.now());
  return {waits ? now + kUntilSynced : std::min(due_, now + std::min(kTurn, until_held_writes())),
          gathers_until_};
}

Duration SessionLoop::until_held_writes() const {
  const std::optional<TimePoint> until = reconciler_.held_until();
  return until ? std::max(Duration(), *until - parts_.clock.now()) : Duration::max();
}

// No event says that a plan has waited for long enough, or that a pause or a veto is over.
Duration SessionLoop::until_a_time_comes() const {
  constexpr Duration kLeast = std::chrono::seconds(1);
  if (epoch_ == 0) return Duration::max();
  const bool awaits_a_time = mirror_.cluster().binding_task_count() > 0 ||
                             mirror_.awaits_a_time() || broken_gangs_.awaits_a_time();
  if (awaits_a_time) return kLeast;
  if (plan_holds_until_ == TimePoint::max()) return Duration::max();
  return std::max(kLeast, plan_holds_until_ - parts_.clock.now());
}

bool SessionLoop::turn(const EventQueue::Batch& batch, bool is_synced, bool is_due) {
  last_turn_ = parts_.real_clock->now();
  const bool is_changed = adopt_replacement();
  take_exchanges();  // before a pod is seen bound where it came to by one
  for (const ports::WriteAnswer& answer : batch.answers) take_in(answer);
  for (const ClusterEvent& event : batch.events) take_in(event);
  const bool leads = adopt_leadership(is_synced);
  learned_.follow_up(parts_.clock.now());
  is_session_due_ = is_session_due_ || !batch.events.empty() || is_changed || is_due;
  if (!is_synced || stopping_) return false;
  if (!std::exchange(is_session_due_, false)) {
    if (leads) follow_up();
    return false;
  }
  if (leads) {
    session(batch.events);
  } else {
    stand_by();
  }
  return true;
}

bool SessionLoop::adopt_replacement() {
  const std::lock_guard lock(mutex_);
  if (!replacement_) return false;
  scheduler_ = std::move(replacement_->first);
  settings_.period = replacement_->second;
  replacement_.reset();
  return true;
}

// --- taking in --------------------------------------------------------------------------------

void SessionLoop::take_in(const ClusterEvent& event) { gangs_.take(event, parts_.clock.now()); }

void SessionLoop::hand_on(const ClusterEvent& event) {
  if (concerns_one_being_bound(event)) return;
  observed_.observe(event);
  steering_.observe(event);
  reconciler_.observe(event);
  gangs_.observe(event);
  if (parts_.recorder != nullptr) parts_.recorder->observe(event);
  if (parts_.snapshots != nullptr) parts_.snapshots->observe(event);
  if (const auto* dropped = std::get_if<PlacementDropped>(&event)) {
    note_refusal(*dropped, parts_.clock.now());
  } else if (const auto* moved = std::get_if<PlacementMoved>(&event)) {
    note_refusal({moved->pod_uid, moved->from, "", true}, parts_.clock.now());
  }
  mirror_.apply(event);
}

void SessionLoop::take_in(const ports::WriteAnswer& answer) {
  const TimePoint now = parts_.clock.now();
  const std::optional<reconcile::Ended> ended = writes_.take(answer, now);
  if (!ended) return;
  const reconcile::Aspect aspect = reconcile::aspect_of(ended->write.content);
  if (aspect == reconcile::Aspect::steering) {
    steering_.take(*ended, now);
  } else if (aspect == reconcile::Aspect::group_spec) {
    gangs_.take(*ended, now);
    has_answers_ = true;
  } else {
    reconciler_.take(*ended);
    evictions_.take(*ended, now);
    evicted_work_.take(*ended, now);
    if (parts_.page != nullptr) parts_.page->take(*ended, now);
    has_answers_ = true;
    const auto refused = reconcile::refused_eviction(*ended);
    if (!refused) return;
    parts_.metrics.eviction_refused(to_string(ended->outcome.result));
    take_in(*refused);
    is_session_due_ = true;
  }
}

// --- a session --------------------------------------------------------------------------------

void SessionLoop::session(const std::vector<ClusterEvent>& events) {
  const TimePoint begin = parts_.real_clock->now();
  const TimePoint now = parts_.clock.now();
  mirror_.forget_vetoes(now);
  fail(attempts_.failed(mirror_.cluster(), scheduler_.has_plugin("gang")), now);
  gangs_.settle(now);
  settle_and_ask(now);
  guard_.follow(mirror_.cluster());
  const Plan plan = scheduler_.run(mirror_.cluster_for_session(), now, &observer(),
                                   announcer_.order_wish(mirror_.cluster(), now));
  guard_.pass_over(mirror_.cluster());
  const Duration took = parts_.real_clock->now() - begin;
  log_left_out(now);
  if (!term().holds()) return;  // LEASE-3

  plan_holds_until_ = plan.holds_until;
  mirror_.assume(plan, now);
  mirror_.assume_reservations(plan, now);
  steering_.keep_order(plan, mirror_.cluster());
  drop_stale(plan, now);
  publish_plan();  // before a pod is committed: its filter call finds the plan
  steering_.set_gangs_are_whole(scheduler_.has_plugin("gang"));
  give_up(steering_.steer(mirror_.cluster(), find_, now));
  publish_shown();
  evict(plan, now);
  announce(plan, now);
  reconcile(now);
  report(plan, events.size(), took);
  if (parts_.page != nullptr) {
    parts_.page->session_done(plan, mirror_.cluster(), events.size(), took, now);
  }
  begin_forecast(plan, now);
}

// Answers to writes are there, a bind call has come, or a failed write is due again. For that
// nothing needs to be decided.
void SessionLoop::follow_up() {
  const TimePoint now = parts_.clock.now();
  give_up(steering_.follow_up(mirror_.cluster(), find_, now));
  take_forecast(now);
  publish_shown();
  const bool is_due =
      now - reconciled_at_ >= std::chrono::seconds(1) || until_held_writes() == Duration();
  if (std::exchange(has_answers_, false) || is_due) {
    reconcile(now);
  }
}

void SessionLoop::evict(const Plan& plan, TimePoint now) {
  for (const PlannedEviction& eviction : plan.evictions) {
    note_eviction(eviction.task);
    if (parts_.page != nullptr) parts_.page->begun(eviction, mirror_.cluster());
    reconciler_.evict(eviction, mirror_.cluster(), now);
  }
}

void SessionLoop::note_eviction(TaskId task) {
  const Task& victim = mirror_.cluster().task(task);
  evictions_.begun(victim, mirror_.cluster().job(victim.job), gangs_.controller_of(victim.uid));
  evicted_work_.begun(victim, mirror_.cluster());
}

void SessionLoop::publish_evicted(std::shared_ptr<const views::EvictedJobs> jobs) {
  if (parts_.evicted_jobs != nullptr) parts_.evicted_jobs->store(std::move(jobs));
}

void SessionLoop::announce(const Plan& plan, TimePoint now) {
  const Cluster& cluster = mirror_.cluster();
  const std::vector<JobId> changed = mirror_.take_changes();
  record(changed, now);
  announcer_.announce_phases(mirror_.take_phase_changes(), cluster);
  announcer_.announce_unclaimed(changed, cluster, now);
  reconciler_.look_at(changed);
  look_at(announcer_.announce(plan, cluster, now));
  take_forecast(now);
  if (views_.refresh(plan, cluster, now)) announcer_.announce_queues(*views_.queues());
  reconciler_.set_options(reconciler_options());
  gangs_.advise(plan, cluster, changed, now);
}

reconcile::Reconciler::Options SessionLoop::reconciler_options() const {
  return {.locks_are_taints = settings_.locks_are_taints,
          .keeps_waiting = scheduler_.has_plugin("reservation"),
          .autoscaling = settings_.autoscaling};
}

void SessionLoop::reconcile(TimePoint now) {
  reconciled_at_ = now;
  gangs_.reconcile(now);
  reconciler_.reconcile(mirror_.cluster(), views_.queues(), now);
  if (auto news = evictions_.take_news(now)) publish_evicted(std::move(news));
}

void SessionLoop::publish_plan() {
  if (!term().holds()) return;  // LEASE-3
  mirror_.settle(parts_.clock.now());
  const std::uint64_t stamp = mirror_.cluster().stamp();
  if (stamp == published_stamp_ && exchanges_ == published_exchanges_) return;
  published_stamp_ = stamp;
  published_exchanges_ = exchanges_;
  guard_.follow(mirror_.cluster());
  parts_.published.store(make_plan_table(
      mirror_.cluster(),
      {settings_.mirror.managed_schedulers, ++published_count_,
       settings_.steering == steering::Mode::nominate, settings_.steering == steering::Mode::view,
       scheduler_.has_plugin("gang"), guard_.table(), order_of_, exchanges_,
       settings_.locks_are_taints, term(), settings_.scheduled_events}));
  parts_.on_published();
}

// BOUND-8. Users may bring such pods again and again.
void SessionLoop::log_left_out(TimePoint now) {
  constexpr Duration kPause = std::chrono::minutes(1);
  if (now - logged_left_out_at_ < kPause) return;
  const std::vector<std::string> lines = mirror_.take_left_out();
  for (const std::string& line : lines) parts_.log(line);
  if (!lines.empty()) logged_left_out_at_ = now;
}

// After the plan table: a pod that is shown is tried at once.
void SessionLoop::publish_shown() {
  auto shown = steering_.take_shown(term());
  if (shown == nullptr) return;
  parts_.shown.store(std::move(shown));
  parts_.on_shown();
}

void SessionLoop::report(const Plan& plan, std::size_t events, Duration took) {
  const Cluster& cluster = mirror_.cluster();
  parts_.metrics.session_done(counts_of(plan, cluster, events, took));
  LastSession last;
  last.jobs_waiting = plan.refusals.size();
  last.pods_planned = static_cast<std::size_t>(cluster.binding_task_count());
  for (const JobId id : cluster.open_jobs()) {
    last.pods_pending += static_cast<std::size_t>(cluster.job(id).count(TaskStatus::pending));
  }
  const std::lock_guard lock(mutex_);
  last.sessions = last_session_.sessions + 1;
  last_session_ = last;
}

}  // namespace berth::daemon
