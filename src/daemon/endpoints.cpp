#include "daemon/endpoints.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "berth/base/text.h"
#include "daemon/page_access.h"
#include "telemetry/families.h"
#include "views/document_head.h"
#include "views/queue_document.h"
#include "views/reservation_document.h"
#include "views/start_document.h"

namespace berth::daemon {

namespace {

// A session over the largest cluster takes well under a second.
constexpr Duration kStuckAfter = std::chrono::seconds(60);

// For what only a session or the leader knows.
http::Response published_page(const auto& table, const auto& write) {
  if (table == nullptr) {
    return http::text_response(503, "no session has run, or not the leader");
  }
  return {200, "application/json", write(*table)};
}

}  // namespace

void Endpoints::add_routes(Servers& servers, PageMaker& maker) {
  const auto get = [&router = servers.pages()](const char* path, auto respond) {
    router.add("GET", path, [respond](const http::Request&, http::Responder responder) {
      responder.answer(respond());
    });
  };
  const auto made = [&maker](const char* path, PageMaker::Make make) -> http::Handler {
    return [&maker, path, make](const http::Request&, http::Responder responder) {
      maker.answer(path, make, std::move(responder));
    };
  };
  ports::Callers* const callers = environment_.callers();
  const auto get_names = [&made, callers, &router = servers.pages()](const char* path,
                                                                     PageMaker::Make make) {
    router.add("GET", path, for_trusted(made(path, std::move(make)), callers));
  };
  get("/healthz", [this] { return liveness(); });
  get("/livez", [this] { return liveness(); });
  get("/readyz", [this] { return readiness(); });
  servers.pages().add("GET", "/metrics",
                      made("/metrics", [this, &servers] { return exposition(servers); }));
  get_names("/queues",
            [this] { return published_page(core_.queues.load(), views::write_queue_table); });
  get_names("/reservations", [this] {
    return published_page(core_.reservations.load(), views::write_reservation_table);
  });
  get_names("/evictions", [this] {
    return published_page(core_.evicted_jobs.load(), views::write_evicted_jobs);
  });
  get_names("/starts", [this] { return starts(); });
  servers.pages().add("GET", "/snapshot",
                      for_trusted(
                          [this, &maker](const http::Request&, http::Responder responder) {
                            answer_snapshot(maker, std::move(responder));
                          },
                          callers));
  get_names("/configz", [this] {
    return http::Response{200, "application/json", configuration_.describe()};
  });
  get("/version", [] {
    using Json = nlohmann::ordered_json;
    Json version = views::document_of_kind("Version");
    version["name"] = "berthd";
    version["version"] = BERTH_VERSION;
    std::string text = version.dump(-1, ' ', false, Json::error_handler_t::replace);
    return http::Response{200, "application/json", std::move(text)};
  });
}

http::Response Endpoints::liveness() const {
  const Duration since = core_.loop.since_last_turn();
  if (since < kStuckAfter) return http::text_response(200, "ok");
  return http::text_response(
      503, "the session loop has not come round for " +
               format_duration(std::chrono::duration_cast<std::chrono::seconds>(since)));
}

http::Response Endpoints::readiness() const {
  const std::string account_fault = environment_.account_fault();
  if (!account_fault.empty()) return http::text_response(503, account_fault);
  const std::string api_fault = environment_.api_fault();  // API-34
  if (!api_fault.empty()) return http::text_response(503, api_fault);
  if (core_.published.load()->is_in_force() && has_tables()) {
    const std::string limitation = environment_.limitation();
    return http::text_response(200, limitation.empty() ? "ok" : "ok; " + limitation);
  }
  // VIEW-10. A replica that does not lead is ready to.
  if (view_ != nullptr && environment_.source().is_synced()) return http::text_response(200, "ok");
  const std::string waits_for = environment_.not_ready();
  if (!waits_for.empty()) return http::text_response(503, waits_for);
  return http::text_response(503, "not synced with the cluster yet, or not the leader");
}

// The first session publishes its plan before the tables of its pages, the evictions' last.
bool Endpoints::has_tables() const {
  return core_.queues.load() != nullptr && core_.reservations.load() != nullptr &&
         core_.evicted_jobs.load() != nullptr;
}

http::Response Endpoints::starts() const {
  if (core_.forecasts == nullptr) return http::text_response(503, "forecast.period is 0s");
  return published_page(core_.starts.load(), views::write_start_table);
}

// The session thread copies, and the maker's writes.
void Endpoints::answer_snapshot(PageMaker& maker, http::Responder responder) {
  const auto waiting = std::make_shared<http::Responder>(std::move(responder));
  core_.snapshots.ask([&maker, waiting](std::shared_ptr<const Snapshot> snapshot) {
    if (snapshot == nullptr) {
      return waiting->answer(http::text_response(
          503, "not synced with the cluster yet, or too many ask at once; ask again"));
    }
    maker.answer(
        "/snapshot",
        [snapshot] {
          return http::Response{200, "application/json", snapshot_json(*snapshot)};
        },
        std::move(*waiting));
  });
}

http::Response Endpoints::exposition(const Servers& servers) const {
  const http::ServerCounts counts = servers.counts();
  const auto plan = core_.published.load();
  telemetry::Metrics::Gauges gauges;
  gauges.planned_pods = plan->pods.size();
  gauges.held_binds = core_.barrier.held();
  gauges.connections = counts.connections_open;
  gauges.connections_displaced = counts.connections_displaced;
  gauges.connections_refused = counts.connections_refused;
  gauges.malformed_requests = counts.malformed;
  gauges.queued_events = core_.events.size();
  gauges.is_ready = readiness().status == 200;  // also one that stands by
  gauges.queues = core_.queues.load();
  gauges.reservations = core_.reservations.load();
  const auto evicted = core_.evicted_jobs.load();
  gauges.jobs_evicted_repeatedly = evicted == nullptr ? 0 : evicted->repeatedly;
  return {200, "text/plain; version=0.0.4; charset=utf-8",
          metrics_.expose(gauges) + writes_exposition() + servers.exposition() +
              environment_.exposition() + (view_ == nullptr ? "" : view_->exposition())};
}

std::string Endpoints::writes_exposition() const {
  using Counters = reconcile::Writes::Counters;
  constexpr const char* kKinds[] = {"status", "event", "eviction", "steering"};
  telemetry::Families families;
  const auto by_kind = [&](telemetry::MetricFamily family, std::uint64_t Counters::*member) {
    for (std::size_t kind = 0; kind < reconcile::Writes::kKinds; ++kind) {
      const Counters counters =
          core_.loop.write_counters(static_cast<reconcile::Writes::Kind>(kind));
      telemetry::add_series(family, {{"kind", kKinds[kind]}},
                            static_cast<double>(counters.*member));
    }
    families.push_back(std::move(family));
  };
  using telemetry::counter_family;
  by_kind(counter_family("berth_api_write_failures_total", "Attempts to write that failed"),
          &Counters::failures);
  by_kind(counter_family("berth_api_writes_given_up_total", "Writes that are not tried again"),
          &Counters::given_up);
  by_kind(
      telemetry::gauge_family("berth_api_writes_pending", "Writes under way, or to be tried again"),
      &Counters::pending);
  return telemetry::exposition_of(families);
}

}  // namespace berth::daemon
