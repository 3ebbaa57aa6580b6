#include "parity/stepped_daemon.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "berth/base/check.h"
#include "simulation/trial.h"

namespace berth::parity {

namespace {

daemon::SessionLoop::Settings settings_of(const conf::Config& config) {
  return {.mirror = simulation::mirror_options(config),
          .period = config.schedule_period,
          .patience = config.barrier.timeout,
          .steering = steering::Mode::view,
          .veto_memory = config.steering.veto_memory,
          .retry_limit = config.steering.retry_limit};
}

engine::Scheduler scheduler_of(const conf::Config& config) {
  return engine::Scheduler::create(config.session).value();
}

TimePoint creation_of(const ClusterEvent& event) {
  return std::visit(
      [](const auto& object) {
        if constexpr (requires { object.created; }) return object.created;
        return TimePoint();
      },
      event);
}

}  // namespace

std::chrono::steady_clock::time_point SteppedDaemon::PacedManualClock::steady(TimePoint) const {
  return std::chrono::steady_clock::now() + std::chrono::hours(24);
}

void SteppedDaemon::Writer::write(const ports::Write& write,
                                  std::function<void(ports::WriteOutcome)> done) {
  if (const auto* const eviction = std::get_if<ports::Eviction>(&write.content)) {
    evictions.push_back(write.object.full_name() + " " + eviction->reason);
  }
  cluster_.write(write, std::move(done));
}

SteppedDaemon::SteppedDaemon(const conf::Config& config, std::vector<ClusterEvent> objects,
                             TimePoint start)
    : clock_(start), loop_(parts(), settings_of(config), scheduler_of(config)) {
  for (ClusterEvent& object : objects) to_come_.emplace(creation_of(object), std::move(object));
  create_due(start);
  BERTH_CHECK(cluster_.start(events_).has_value());
  cluster_.catch_up();
  loop_.start_leading(1);
}

daemon::SessionLoop::Parts SteppedDaemon::parts() {
  daemon::SessionLoop::Parts parts{
      clock_,  cluster_,     events_, plans_,   [] {},
      shown_,  [] {},        writer_, metrics_, [](const std::string&) {},
      queues_, reservations_};
  parts.real_clock = &real_clock_;
  return parts;
}

SteppedDaemon::~SteppedDaemon() { cluster_.stop(); }

void SteppedDaemon::create_due(TimePoint now) {
  std::vector<ClusterEvent> due;
  const auto later = to_come_.upper_bound(now);
  for (auto each = to_come_.begin(); each != later; ++each) due.push_back(std::move(each->second));
  to_come_.erase(to_come_.begin(), later);
  cluster_.apply(std::move(due));
}

daemon::EventQueue::Batch SteppedDaemon::take_events() {
  cluster_.catch_up();
  daemon::EventQueue::Batch batch = events_.take({});
  seen_.insert(seen_.end(), std::make_move_iterator(batch.events.begin()),
               std::make_move_iterator(batch.events.end()));
  batch.events.clear();
  return batch;
}

// A gang may be shown once something is written, so answers are taken in meanwhile. Of events the
// next session knows.
Decisions SteppedDaemon::step(TimePoint now) {
  clock_.set(now);
  cluster_.catch_up();
  create_due(now);
  daemon::EventQueue::Batch batch = take_events();
  batch.events = std::exchange(seen_, {});
  real_clock_.advance(std::chrono::hours(1));  // a session is due
  loop_.step(batch, cluster_.is_synced());
  Decisions decisions;
  for (batch = take_events(); !batch.answers.empty(); batch = take_events()) {
    loop_.step(batch, true);
  }
  bind_shown(decisions);
  decisions.evictions = std::exchange(writer_.evictions, {});
  std::sort(decisions.binds.begin(), decisions.binds.end());
  std::sort(decisions.evictions.begin(), decisions.evictions.end());
  return decisions;
}

void SteppedDaemon::bind_shown(Decisions& decisions) {
  const auto shown = shown_.load();
  for (const ports::ShownPod& pod : shown->pods) {
    const ports::Binding binding{pod.name_space, pod.name, pod.uid, pod.node, 1};
    bool is_bound = false;
    cluster_.bind(binding, [&](const ports::BindOutcome& outcome) { is_bound = outcome.bound; });
    BERTH_CHECK(is_bound);
    decisions.binds.push_back(pod.name_space + "/" + pod.name + " on " + pod.node);
  }
}

}  // namespace berth::parity
