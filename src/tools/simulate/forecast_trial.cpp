#include "tools/simulate/forecast_trial.h"

#include <cmath>

#include "results/measures.h"
#include "tools/simulate/values.h"

namespace berth::tools {

ForecastTrial::ForecastTrial(const Workload& workload, const conf::Config& config)
    : workload_(workload), rules_(forecast::rules_of(config)) {
  for (std::size_t i = 0; i < workload.jobs.size(); ++i) {
    index_.emplace(workload.jobs[i].name_space + "/" + workload.jobs[i].name, i);
  }
}

void ForecastTrial::Errors::add(Duration planned, Duration came) {
  seconds.push_back(std::abs(in_seconds(came - planned)));
  later += came > planned + std::chrono::minutes(1) ? 1 : 0;
}

results::ForecastErrors ForecastTrial::Errors::measured() const {
  const results::Distribution errors = results::distribution_of(seconds);
  return {static_cast<std::int64_t>(errors.count), errors.median, errors.p90, later};
}

// A trace does not name templates: its user's jobs of one size and limit are the closest.
forecast::RunKeys ForecastTrial::keys_of(std::size_t job) const {
  const simulation::StreamJob& asks = workload_.jobs[job];
  const results::JobResult& known = workload_.known[job];
  const auto limit = asks.limit.value_or(Duration()).count();
  return {known.user + "/" + std::to_string(asks.pods) + "/" + std::to_string(limit),
          "user " + known.user, "queue " + known.queue};
}

forecast::State ForecastTrial::state(engine::Session& session, bool learns) const {
  return forecast::state_of(
      session, rules_,
      [&](const Job& job, const Cluster& cluster, Duration elapsed) -> std::optional<Duration> {
        const auto limit = forecast::limit_of(job, cluster, rules_.trust);
        const auto index = index_.find(job.name);
        if (!learns || index == index_.end()) return limit;
        return forecast::expected_run(run_times_, keys_of(index->second), limit, elapsed);
      });
}

void ForecastTrial::note_promises(const forecast::State& state) {
  const std::vector<TimePoint> latest = forecast::latest_starts(state);
  for (std::size_t i = 0; i < latest.size(); ++i) {
    if (latest[i] == TimePoint::max()) continue;
    const bool is_new = promised_.emplace(index_.at(state.waiting[i].name), latest[i]).second;
    promises_ += is_new ? 1 : 0;
  }
}

void ForecastTrial::waits(const std::vector<std::size_t>& jobs, const Inspect& inspect) {
  forecast::State by_limits, by_learned;
  inspect([&](engine::Session& session) {
    by_limits = state(session, false);
    by_learned = state(session, true);
  });
  note_promises(by_limits);
  const auto limited = forecast::plan_starts(by_limits).at;
  const auto learned = forecast::plan_starts(by_learned).at;
  std::unordered_map<std::size_t, std::size_t> places;
  for (std::size_t i = 0; i < by_learned.waiting.size(); ++i) {
    places.emplace(index_.at(by_learned.waiting[i].name), i);
  }
  for (const std::size_t job : jobs) {
    const auto place = places.find(job);
    if (place == places.end()) continue;
    const TimePoint now = by_learned.now;
    const auto known = [&](TimePoint at) -> std::optional<Duration> {
      if (at == TimePoint::max()) return std::nullopt;
      return at - now;
    };
    Open open{now, known(limited[place->second]), known(learned[place->second]), {}};
    if (open.by_learned) open.likely = intervals_.around(*open.by_learned);
    open_.emplace(job, open);
  }
}

void ForecastTrial::starts(std::size_t job, TimePoint now) {
  if (const auto promised = promised_.find(job); promised != promised_.end()) {
    broken_ += now > promised->second + std::chrono::seconds(1) ? 1 : 0;
    promised_.erase(promised);
  }
  const auto found = open_.find(job);
  if (found == open_.end()) return;
  const Open& open = found->second;
  const Duration came = now - open.made;
  ++waited_;
  if (open.by_limits) by_limits_.add(*open.by_limits, came);
  if (open.by_learned) {
    by_learned_.add(*open.by_learned, came);
    inside_ += open.likely->holds(came) ? 1 : 0;
    widths_.push_back(in_seconds(open.likely->latest - open.likely->earliest));
    intervals_.learn(*open.by_learned, *open.likely, came);
  }
  open_.erase(found);
}

void ForecastTrial::ends(std::size_t job, Duration run) { run_times_.learn(keys_of(job), run); }

results::Forecasts ForecastTrial::measured() const {
  results::Forecasts forecasts;
  forecasts.waited = waited_;
  forecasts.by_limits = by_limits_.measured();
  forecasts.by_learned = by_learned_.measured();
  forecasts.inside = inside_;
  forecasts.width_median = results::distribution_of(widths_).median;
  forecasts.promises = promises_;
  forecasts.broken = broken_;
  return forecasts;
}

}  // namespace berth::tools
