#pragma once

#include <memory>
#include <string>

#include "daemon/configuration.h"
#include "daemon/core.h"
#include "daemon/environment.h"
#include "daemon/page_maker.h"
#include "daemon/servers.h"
#include "daemon/view.h"
#include "telemetry/metrics.h"

namespace berth::daemon {

// The endpoints for people and probes: /healthz /livez /readyz /metrics /queues /reservations
// /evictions /starts /snapshot /configz /version. Everything must outlive the servers.
class Endpoints {
 public:
  Endpoints(const Configuration& configuration, telemetry::Metrics& metrics, Core& core,
            Environment& environment, const std::unique_ptr<View>& view)
      : environment_(environment),
        view_(view),
        configuration_(configuration),
        metrics_(metrics),
        core_(core) {}

  // The maker makes the pages, and must end before the servers.
  void add_routes(Servers& servers, PageMaker& maker);

 private:
  http::Response liveness() const;
  http::Response readiness() const;
  bool has_tables() const;
  http::Response starts() const;
  void answer_snapshot(PageMaker& maker, http::Responder responder);
  http::Response exposition(const Servers& servers) const;
  std::string writes_exposition() const;

  Environment& environment_;
  const std::unique_ptr<View>& view_;  // null in mode `nominate`
  const Configuration& configuration_;
  telemetry::Metrics& metrics_;
  Core& core_;
};

}  // namespace berth::daemon
