#include "daemon/core.h"

#include <string>
#include <utility>

namespace berth::daemon {
namespace {

bool is_reviewed(Environment& environment, const std::string& word) {
  return environment.access() != nullptr && word == "review";
}

NamingCheck naming_check(const conf::Config& config, Environment& environment) {
  const std::string& word = config.reservation.authorization;
  if (environment.access() == nullptr || word == "none") return NamingCheck::none;
  if (word == "auto") return NamingCheck::automatic;
  return word == "policy" ? NamingCheck::policy : NamingCheck::review;
}

// AUTOSCALE-5
SessionLoop::Settings loop_settings(const conf::Config& config, Environment& environment) {
  const steering::Mode mode = mode_of(config);
  return {.mirror = {.managed_schedulers = config.scheduler_names,
                     .default_queue = config.default_queue,
                     .default_queue_is_fifo = config.default_queue_is_fifo,
                     .naming_check = naming_check(config, environment),
                     .checks_classes = is_reviewed(environment, config.permissions.group_class),
                     .checks_protection = is_reviewed(environment, config.permissions.protection),
                     .gangs = config.jobs.gang,
                     .owners = config.jobs.owners,
                     .default_spreads = config.constraints.default_spreads,
                     .topology_levels = config.topology.levels,
                     .usage_half_life = config.fair_share.half_life},
          .period = config.schedule_period,
          .patience = config.barrier.timeout,
          .steering = mode,
          .veto_memory = config.steering.veto_memory,
          .retry_limit = config.steering.retry_limit,
          .locks_are_taints = config.reservation.enforce == "taint",
          .autoscaling = mode == steering::Mode::view && config.view.autoscaling,
          .scheduled_events = config.view.scheduled_events};
}

}  // namespace

steering::Mode mode_of(const conf::Config& config) {
  return config.steering.mode == "view" ? steering::Mode::view : steering::Mode::nominate;
}

Core::Core(Parts parts, engine::Scheduler scheduler)
    : events(parts.queue_capacity, [&metrics = parts.metrics] { metrics.event_queue_stalled(); }),
      barrier({parts.config.barrier.timeout, parts.config.barrier.max_timeout}, published, moves,
              parts.environment.binder(), events, [this] { events.wake(); }),
      attempts(barrier, parts.real_clock),
      service(published, barrier, events, parts.real_clock, moves, attempts, parts.observer),
      forecasts(forecasts_of(parts)),
      page_feed(page_feed_of(parts)),
      loop(loop_parts(parts), loop_settings(parts.config, parts.environment), std::move(scheduler)),
      config_(parts.config),
      environment_(parts.environment) {}

SessionLoop::Parts Core::loop_parts(const Parts& parts) {
  Environment& environment = parts.environment;
  return {environment.clock(),
          environment.source(),
          events,
          published,
          [this] { barrier.plan_changed(); },
          shown,
          parts.on_shown,
          environment.writer(),
          parts.metrics,
          parts.log,
          queues,
          reservations,
          environment.access(),
          [this](const std::string& pod_uid) { return barrier.stage_of(pod_uid); },
          [this] { return moves.take_exchanges(); },
          &evicted_jobs,
          &environment.leadership(),
          environment.starting_pods(),
          &parts.real_clock,
          parts.recorder,
          forecasts.get(),
          &snapshots,
          environment.learned_store(),
          page_feed.get()};
}

std::unique_ptr<Forecasts> Core::forecasts_of(const Parts& parts) {
  const Duration period = parts.config.forecast.period;
  if (!parts.forecasts || period == Duration()) return nullptr;
  return std::make_unique<Forecasts>(
      Forecasts::Parts{parts.real_clock, parts.metrics, starts, [this] { events.wake(); }, period},
      forecast::rules_of(parts.config));
}

std::unique_ptr<PageFeed> Core::page_feed_of(const Parts& parts) {
  if (!parts.page || !parts.config.page.enabled) return nullptr;
  return std::make_unique<PageFeed>([this] { events.wake(); }, parts.metrics);
}

apiview::PodInterceptor::Parts Core::view_parts(std::function<void(const std::string&)> complain) {
  apiview::PodInterceptor::Parts parts{
      config_.scheduler_names,
      shown,
      attempts,
      events,
      [this](const std::string& pod_uid) { attempts.ended(pod_uid); },
      std::move(complain)};
  parts.leadership = &environment_.leadership();
  parts.window = environment_.pod_window();
  return parts;
}

}  // namespace berth::daemon
