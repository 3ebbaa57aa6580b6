#pragma once

#include <memory>
#include <string>

#include "daemon/configuration.h"
#include "daemon/environment.h"
#include "daemon/event_queue.h"
#include "daemon/page_maker.h"
#include "daemon/servers.h"
#include "daemon/session_loop.h"
#include "daemon/view.h"
#include "extender/barrier.h"
#include "telemetry/metrics.h"

namespace berth::daemon {

// The endpoints for people and probes: /healthz /livez /readyz /metrics /queues /reservations
// /evictions /configz /version. Everything must outlive the servers.
class Endpoints {
 public:
  Endpoints(const Configuration& configuration, telemetry::Metrics& metrics,
            const SessionLoop& loop, const ports::Published<ports::PlanTable>& published,
            const ports::Published<views::QueueTable>& queues,
            const ports::Published<views::ReservationTable>& reservations,
            const ports::Published<views::EvictedJobs>& evicted,
            const extender::GangBarrier& barrier, const EventQueue& events,
            Environment& environment, const std::unique_ptr<View>& view)
      : environment_(environment),
        view_(view),
        configuration_(configuration),
        metrics_(metrics),
        loop_(loop),
        published_(published),
        queues_(queues),
        reservations_(reservations),
        evicted_(evicted),
        barrier_(barrier),
        events_(events) {}

  // The maker makes the pages, and must end before the servers.
  void add_routes(Servers& servers, PageMaker& maker);

 private:
  http::Response liveness() const;
  http::Response readiness() const;
  bool has_tables() const;
  http::Response queues() const;
  http::Response reservations() const;
  http::Response evictions() const;
  http::Response exposition(const Servers& servers) const;
  std::string writes_exposition() const;

  Environment& environment_;
  const std::unique_ptr<View>& view_;  // null in mode `nominate`
  const Configuration& configuration_;
  telemetry::Metrics& metrics_;
  const SessionLoop& loop_;
  const ports::Published<ports::PlanTable>& published_;
  const ports::Published<views::QueueTable>& queues_;
  const ports::Published<views::ReservationTable>& reservations_;
  const ports::Published<views::EvictedJobs>& evicted_;
  const extender::GangBarrier& barrier_;
  const EventQueue& events_;
};

}  // namespace berth::daemon
