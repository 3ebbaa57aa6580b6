#include "forecast/forecaster.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "document/cursor.h"
#include "document/readers.h"

namespace berth::forecast {

namespace {

constexpr std::size_t kSavedMost = 600'000;  // bytes of run times

TimePoint whole_seconds(TimePoint time) { return std::chrono::ceil<std::chrono::seconds>(time); }

}  // namespace

Planned planned(State state, const Clock& real_clock, const std::function<bool()>& is_cancelled) {
  const TimePoint begun = real_clock.now();
  Planned planned;
  planned.latest = latest_starts(state, is_cancelled);
  planned.starts = plan_starts(state, is_cancelled);
  planned.state = std::move(state);
  planned.took = real_clock.now() - begun;
  return planned;
}

Forecaster::Forecaster(Observer observer)
    : observer_(std::move(observer)),
      runs_([this](const Job& job, TimePoint at) { note_start(job, at); },
            [this](const Job& job, std::optional<Duration> limit, Duration run) {
              run_times_.learn(keys_of(job, limit), run);
            }) {}

void Forecaster::look_at(const std::vector<JobId>& changed, const Cluster& cluster, TimePoint now) {
  runs_.look_at(changed, cluster, now);
  for (const JobId id : changed) {
    const Job& job = cluster.job(id);
    const auto is_gone = [&](const std::string& uid) { return !job.exists || job.uid != uid; };
    const auto open = open_.find(id);
    if (open != open_.end() && is_gone(open->second.uid)) open_.erase(open);
    const auto expected = expected_.find(id);
    if (expected != expected_.end() && is_gone(expected->second.uid)) expected_.erase(expected);
  }
}

void Forecaster::note_start(const Job& job, TimePoint at) {
  if (auto late = promises_.started(job, at)) late_.push_back(std::move(*late));
  const auto found = open_.find(job.id);
  if (found == open_.end() || found->second.uid != job.uid) return;
  const Open& open = found->second;
  const Duration came = std::max(Duration(), at - open.made);
  const Accuracy::Outcome outcome = accuracy_.add(open.planned, open.likely, came);
  intervals_.learn(open.planned, open.likely, came);
  if (observer_.compared) {
    observer_.compared(outcome, came > open.planned ? came - open.planned : open.planned - came);
  }
  open_.erase(found);
  has_news_ = true;
}

// Of a job that runs, it is worked out now and then: a cluster may have 100,000 of them.
std::optional<Duration> Forecaster::expected(const Job& job, const Cluster& cluster, TimePoint now,
                                             Duration elapsed) {
  constexpr Duration kHolds = std::chrono::minutes(10);
  const bool runs = elapsed > Duration();
  if (runs) {
    const auto known = expected_.find(job.id);
    const bool holds = known != expected_.end() && now < known->second.until;
    if (holds && known->second.uid == job.uid) return known->second.run;
  }
  const std::optional<Duration> limit = limit_of(job, cluster, rules_.trust);
  const auto run = expected_run(run_times_, keys_of(job, limit), limit, elapsed);
  if (!runs) return run;
  const Duration left = run ? std::max(Duration(1), *run - elapsed) : kHolds;
  expected_[job.id] = {job.uid, now + std::min(kHolds, left), run};
  return run;
}

State Forecaster::state(engine::Session& session) {
  return state_of(session, rules_, [&](const Job& job, const Cluster& cluster, Duration elapsed) {
    return expected(job, cluster, session.now(), elapsed);
  });
}

// START-1, LIKELY-5. A promise bounds what is likely.
WrittenStart Forecaster::written(const WaitingJob& job, TimePoint planned, TimePoint made) {
  WrittenStart start;
  if (const auto promised = promises_.of(job.uid)) start.starts_by = whole_seconds(*promised);
  if (planned == TimePoint::max()) return start;
  const Interval likely = intervals_.around(planned - made);
  const auto entry = open_.try_emplace(job.id, Open{job.uid, made, planned - made, likely}).first;
  if (entry->second.uid != job.uid) entry->second = {job.uid, made, planned - made, likely};
  start.likely_from = whole_seconds(made + likely.earliest);
  start.likely_to = whole_seconds(made + likely.latest);
  if (!start.starts_by) return start;
  start.likely_from = std::min(*start.likely_from, *start.starts_by);
  start.likely_to = std::min(*start.likely_to, *start.starts_by);
  return start;
}

// LIKELY-6. A job that is to start now, by several plans, and waits still: sessions know why.
TimePoint Forecaster::believed(const WaitingJob& job, TimePoint planned, TimePoint made) {
  constexpr int kPlansMost = 3;
  const auto open = open_.find(job.id);
  if (open == open_.end() || open->second.uid != job.uid) return planned;
  open->second.plans_for_now = planned <= made ? open->second.plans_for_now + 1 : 0;
  return open->second.plans_for_now > kPlansMost ? TimePoint::max() : planned;
}

std::vector<Promises::Broken> Forecaster::take(const Planned& planned, const Cluster& cluster,
                                               TimePoint now) {
  const State& state = planned.state;
  std::vector<Promises::Latest> latest;
  for (std::size_t i = 0; i < state.waiting.size(); ++i) {
    const WaitingJob& job = state.waiting[i];
    if (job.target_since || job.promised) latest.push_back({job.id, job.uid, planned.latest[i]});
  }
  auto broken = promises_.take(latest, cluster, now, rules_.trust);
  broken.insert(broken.end(), late_.begin(), late_.end());
  late_.clear();
  auto table = std::make_shared<views::StartTable>();
  table->made_at = state.now;
  table->planned_for = planned.took;
  for (std::size_t i = 0; i < state.waiting.size(); ++i) {
    const WaitingJob& waiting = state.waiting[i];
    const Job& job = cluster.job(waiting.id);
    if (!job.exists || job.uid != waiting.uid || job.placed_count() >= job.min_available) continue;
    const TimePoint at = believed(waiting, planned.starts.at[i], state.now);
    const auto start = at == TimePoint::max() ? std::nullopt : std::optional(whole_seconds(at));
    table->rows.push_back(
        {waiting.name, waiting.uid, job.queue_name, written(waiting, at, state.now), start});
  }
  std::sort(table->rows.begin(), table->rows.end(),
            [](const auto& left, const auto& right) { return left.uid < right.uid; });
  table->learned_keys = static_cast<std::int64_t>(run_times_.size());
  table->accuracy = accuracy_.figures();
  table->accuracy.promises = promises_.made();
  table->accuracy.broken = promises_.broken();
  table_ = std::move(table);
  has_news_ = false;
  return broken;
}

void Forecaster::forget_plans() {
  promises_ = {};
  open_.clear();
  late_.clear();
  table_ = nullptr;
}

std::string Forecaster::save() const {
  using Json = nlohmann::ordered_json;
  const Json document{{"runTimes", run_times_.save(kSavedMost)}, {"intervals", intervals_.save()}};
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Status Forecaster::restore(const std::string& text) {
  constexpr const char* kSource = "forecasts";
  const Result<document::Value> value = document::parse_json(text, kSource);
  if (!value) return value.error();
  document::Reading reading(*value, kSource);
  const std::string run_times = reading.root().required_text("runTimes");
  const std::string intervals = reading.root().required_text("intervals");
  if (reading.failed()) return reading.error();
  if (const Status restored = run_times_.restore(run_times); !restored) return restored;
  return intervals_.restore(intervals);
}

}  // namespace berth::forecast
