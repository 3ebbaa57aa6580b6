#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "apiview/pod_interceptor.h"
#include "conf/config.h"
#include "daemon/environment.h"
#include "daemon/event_queue.h"
#include "daemon/forecasts.h"
#include "daemon/page_feed.h"
#include "daemon/session_loop.h"
#include "daemon/snapshots.h"
#include "engine/scheduler.h"
#include "extender/service.h"
#include "telemetry/metrics.h"

namespace berth::daemon {

steering::Mode mode_of(const conf::Config& config);

// All of berthd that decides: sessions, the verbs, the gang barrier, and the pods that
// kube-scheduler may see. It has no sockets, and no thread before loop.start(): App moves it by
// threads, the simulation of tests/world by a clock of its own.
class Core {
 public:
  struct Parts {  // all must outlive the core
    const conf::Config& config;
    Environment& environment;
    const Clock& real_clock;  // calls of kube-scheduler wait by it
    telemetry::Metrics& metrics;
    extender::CallObserver* observer = nullptr;
    std::function<void()> on_shown;  // another table of shown pods; on the session thread
    reconcile::Log log;
    std::size_t queue_capacity = EventQueue::kCapacity;
    history::Recorder* recorder = nullptr;  // null: nothing is recorded
    bool forecasts = false;                 // on a thread of its own
    bool page = false;                      // its feed, if the configuration has it
  };

  Core(Parts parts, engine::Scheduler scheduler);

  // Of the view that stands on this core.
  apiview::PodInterceptor::Parts view_parts(std::function<void(const std::string&)> complain);

 private:
  std::unique_ptr<Forecasts> forecasts_of(const Parts& parts);
  std::unique_ptr<PageFeed> page_feed_of(const Parts& parts);
  SessionLoop::Parts loop_parts(const Parts& parts);

 public:  // in the order in which they depend on each other
  EventQueue events;
  ports::Published<ports::PlanTable> published{std::make_shared<const ports::PlanTable>()};
  ports::Published<views::QueueTable> queues{nullptr};
  ports::Published<views::ReservationTable> reservations{nullptr};
  ports::Published<views::EvictedJobs> evicted_jobs{nullptr};
  ports::Published<views::StartTable> starts{nullptr};
  ports::Published<ports::ShownPods> shown{std::make_shared<const ports::ShownPods>()};
  extender::Moves moves;
  extender::GangBarrier barrier;
  extender::AttemptLog attempts;
  extender::Service service;
  std::unique_ptr<Forecasts> forecasts;  // null: there are none
  std::unique_ptr<PageFeed> page_feed;   // likewise
  Snapshots snapshots{[this] { events.wake(); }};
  SessionLoop loop;

 private:
  const conf::Config& config_;
  Environment& environment_;
};

}  // namespace berth::daemon
