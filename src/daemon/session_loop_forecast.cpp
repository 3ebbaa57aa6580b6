#include "berth/base/text.h"
#include "daemon/session_loop.h"

// The starts that are forecast (docs/design/forecast.md).

namespace berth::daemon {

namespace {

std::string text_of(TimePoint time) {
  return format_time(std::chrono::ceil<std::chrono::seconds>(time));
}

// START-3
std::string text_of(const forecast::Promises::Broken& broken) {
  const std::string is = broken.is ? "now it is to start by " + text_of(*broken.is)
                                   : std::string("now nobody knows when it starts");
  return "was to start by " + text_of(broken.was) + "; " + is + ": " + broken.by;
}

}  // namespace

// PROMISE-4. Promises of an earlier leader hold. Without forecasts, nothing of them is true any
// more.
void SessionLoop::begin_to_forecast(TimePoint now) {
  const Cluster& cluster = mirror_.cluster();
  if (parts_.forecasts == nullptr) {
    announcer_.take_starts(std::make_shared<const views::StartTable>(), cluster, now);
    return;
  }
  for (const JobId id : cluster.targets()) {
    const Job& job = cluster.job(id);
    const reconcile::ObservedGroup* const observed = observed_.group(job.name);
    if (observed == nullptr) continue;
    const auto& promised = observed->status.waiting.start.starts_by;
    if (promised && *promised > now) {
      parts_.forecasts->forecaster().promised_before(job, *promised, cluster);
    }
  }
}

// RUNS-4. One that stood by may know more than an earlier leader has written.
void SessionLoop::learn_runs() {
  learned_.add(
      "run-times", [this](TimePoint) { return parts_.forecasts->forecaster().save(); },
      [this](const std::string& text, TimePoint) -> Status {
        forecast::Forecaster& forecaster = parts_.forecasts->forecaster();
        return forecaster.knows_anything() ? Status(Done{}) : forecaster.restore(text);
      });
}

void SessionLoop::take_forecast(TimePoint now) {
  if (parts_.forecasts == nullptr) return;
  const Cluster& cluster = mirror_.cluster();
  const auto broken = parts_.forecasts->take(cluster, now);
  if (!broken) return;
  look_at(announcer_.take_starts(parts_.forecasts->table(), cluster, now));
  for (const forecast::Promises::Broken& each : *broken) {
    announcer_.announce_broken_promise(cluster.job(each.job), text_of(each), now);
  }
}

// The session that is opened decides nothing, and leaves the cluster as it was.
void SessionLoop::begin_forecast(const Plan& plan, TimePoint now) {
  if (parts_.forecasts == nullptr || !parts_.forecasts->is_due()) return;
  if (plan.refusals.empty() && !parts_.forecasts->forecaster().is_outdated()) return;
  mirror_.settle(now);
  const bool is_published = mirror_.cluster().stamp() == published_stamp_;
  guard_.follow(mirror_.cluster());
  scheduler_.inspect(mirror_.cluster_for_session(), now,
                     [this](engine::Session& session) { parts_.forecasts->begin(session); });
  guard_.pass_over(mirror_.cluster());
  if (is_published) published_stamp_ = mirror_.cluster().stamp();
}

}  // namespace berth::daemon
