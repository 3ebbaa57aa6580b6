#include "parity/stepped_daemon.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

#include "berth/base/check.h"

namespace berth::parity {

namespace {

conf::Config in_view(conf::Config config) {
  config.steering.mode = "view";
  return config;
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

Status SteppedDaemon::InMemory::open(Hooks) {
  leadership_.begin(1, ports::Leadership::kForever);
  return Done{};
}

void SteppedDaemon::InMemory::write(const ports::Write& write,
                                    std::function<void(ports::WriteOutcome)> done) {
  if (const auto* const eviction = std::get_if<ports::Eviction>(&write.content)) {
    evictions.push_back(write.object.full_name() + " " + eviction->reason);
  }
  done(owner_.server_.write(write));
}

SteppedDaemon::SteppedDaemon(conf::Config config, std::vector<ClusterEvent> objects,
                             TimePoint start)
    : config_(in_view(std::move(config))),
      agenda_(start),
      core_({.config = config_,
             .environment = environment_,
             .real_clock = real_clock_,
             .metrics = metrics_,
             .on_shown = [] {},
             .log = [](const std::string&) {},
             .queue_capacity = std::size_t{1} << 20},  // this thread takes, too
            engine::Scheduler::create(config_.session).value()) {
  for (ClusterEvent& object : objects) to_come_.emplace(creation_of(object), std::move(object));
  server_.follow(
      [this](const embedded::ApiServer::Change& each) { core_.events.post(each.event); });
  create_due(start);
  BERTH_CHECK(environment_.open({}).has_value());
  core_.loop.start_leading(1);
}

void SteppedDaemon::create_due(TimePoint now) {
  std::vector<ClusterEvent> due;
  const auto later = to_come_.upper_bound(now);
  for (auto each = to_come_.begin(); each != later; ++each) due.push_back(std::move(each->second));
  to_come_.erase(to_come_.begin(), later);
  server_.apply(due);
}

daemon::EventQueue::Batch SteppedDaemon::take_events() {
  agenda_.run_for({});
  daemon::EventQueue::Batch batch = core_.events.take({});
  seen_.insert(seen_.end(), std::make_move_iterator(batch.events.begin()),
               std::make_move_iterator(batch.events.end()));
  batch.events.clear();
  return batch;
}

// A gang may be shown once something is written, so answers are taken in meanwhile. Of events the
// next session knows.
Decisions SteppedDaemon::step(TimePoint now) {
  agenda_.run_until(now);
  create_due(now);
  daemon::EventQueue::Batch batch = take_events();
  batch.events = std::exchange(seen_, {});
  real_clock_.advance(std::chrono::hours(1));  // a session is due
  core_.loop.step(batch, true);
  Decisions decisions;
  for (batch = take_events(); !batch.answers.empty(); batch = take_events()) {
    core_.loop.step(batch, true);
  }
  bind_shown(decisions);
  decisions.evictions = std::exchange(environment_.evictions, {});
  std::sort(decisions.binds.begin(), decisions.binds.end());
  std::sort(decisions.evictions.begin(), decisions.evictions.end());
  return decisions;
}

void SteppedDaemon::bind_shown(Decisions& decisions) {
  const auto shown = core_.shown.load();
  for (const ports::ShownPod& pod : shown->pods) {
    const ports::Binding binding{pod.name_space, pod.name, pod.uid, pod.node, 1};
    BERTH_CHECK(server_.bind(binding).bound);
    decisions.binds.push_back(pod.name_space + "/" + pod.name + " on " + pod.node);
  }
}

}  // namespace berth::parity
