#include "results/json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "results/job_times.h"

namespace berth::results {

namespace {

using Json = nlohmann::ordered_json;

std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json number(double value) {
  constexpr double kExact = 9007199254740992;  // 2^53: whole numbers up to it are exact
  const double finite = bounded(value);
  if (std::trunc(finite) == finite && std::abs(finite) <= kExact) {
    return static_cast<std::int64_t>(finite);
  }
  return finite;
}

Json number(const std::optional<double>& value) { return value ? number(*value) : Json(nullptr); }

Json json_of(const Distribution& distribution) {
  return {{"count", distribution.count},           {"mean", number(distribution.mean)},
          {"median", number(distribution.median)}, {"p90", number(distribution.p90)},
          {"p99", number(distribution.p99)},       {"max", number(distribution.max)}};
}

Json json_of(const Shares& shares) {
  return {{"count", shares.owners},
          {"largestDeviation", number(shares.largest_deviation)},
          {"deviating", shares.deviating},
          {"largestShortfall", number(shares.largest_shortfall)},
          {"shortOf", shares.short_of}};
}

Json json_of(const std::vector<ClassMeasures>& classes) {
  Json list = Json::array();
  for (const ClassMeasures& each : classes) {
    list.push_back({{"above", number(each.above)},
                    {"upTo", number(each.up_to)},
                    {"wait", json_of(each.wait)},
                    {"boundedSlowdown", json_of(each.bounded_slowdown)}});
  }
  return list;
}

Json json_of(const Measures& measures) {
  return {{"jobs", measures.jobs},
          {"started", measures.started},
          {"ended", measures.ended},
          {"neverStarted", measures.never_started},
          {"cancelled", measures.cancelled},
          {"wait", json_of(measures.wait)},
          {"turnaround", json_of(measures.turnaround)},
          {"boundedSlowdown", json_of(measures.bounded_slowdown)},
          {"makespan", number(measures.makespan)},
          {"utilisation", number(measures.utilisation)},
          {"utilisationOfMiddle", number(measures.utilisation_of_middle)},
          {"meanWaitingJobs", number(measures.mean_waiting_jobs)},
          {"mostWaitingJobs", measures.most_waiting_jobs},
          {"lossOfCapacity", number(measures.loss_of_capacity)},
          {"idleReserved", number(measures.idle_reserved)},
          {"workNodeSeconds", number(measures.work)},
          {"lostNodeSeconds", number(measures.lost_work)},
          {"lostShare", number(measures.lost_share)},
          {"evictions", measures.evictions},
          {"evictedJobs", measures.evicted_jobs},
          {"passed", measures.passed},
          {"passedShare", number(measures.passed_share)},
          {"users", json_of(measures.users)},
          {"queues", json_of(measures.queues)},
          {"bySize", json_of(measures.by_size)},
          {"byRunTime", json_of(measures.by_run_time)}};
}

Json json_of(const ForecastErrors& errors) {
  return {{"known", errors.known},
          {"medianError", number(errors.median)},
          {"p90Error", number(errors.largest_of_nine)},
          {"later", errors.later}};
}

Json json_of(const Forecasts& forecasts) {
  return {{"waited", forecasts.waited},
          {"byLimits", json_of(forecasts.by_limits)},
          {"byLearned", json_of(forecasts.by_learned)},
          {"insideLikely", forecasts.inside},
          {"medianWidth", number(forecasts.width_median)},
          {"promises", forecasts.promises},
          {"brokenPromises", forecasts.broken}};
}

Json places_of(const JobResult& job, const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const auto& [node, share] : job.nodes) {
    const bool is_named = node >= 0 && static_cast<std::size_t>(node) < names.size();
    const Json name = is_named ? Json(names[static_cast<std::size_t>(node)]) : Json(node);
    list.push_back({{"node", name}, {"share", number(share)}});
  }
  return list;
}

Json runs_in_vain(const JobResult& job) {
  Json list = Json::array();
  for (const auto& [start, end] : job.earlier_runs) {
    list.push_back({{"start", number(start)}, {"end", number(end)}});
  }
  return list;
}

Json json_of(const JobResult& job, const std::vector<std::string>& names) {
  Json json{{"id", job.id},
            {"user", job.user},
            {"queue", job.queue},
            {"submit", number(job.submit)},
            {"start", number(job.start)},
            {"end", number(job.end)},
            {"run", number(job.run)},
            {"limit", number(job.limit)},
            {"pods", job.pods},
            {"size", number(job.size)},
            {"evictions", job.evictions},
            {"lostNodeSeconds", number(job.lost)},
            {"cancelled", job.was_cancelled}};
  if (!job.nodes.empty()) json["nodes"] = places_of(job, names);
  if (!job.earlier_runs.empty()) json["earlierRuns"] = runs_in_vain(job);
  return json;
}

// The jobs are written one by one: a tree of all of them would take a gigabyte for a large trace.
void append(const JudgedRun& run, std::string& text) {
  const RunResult& result = run.result;
  Json head{{"config", result.name},
            {"nodes", number(result.nodes)},
            {"simulatedUntil", number(result.simulated_until)},
            {"secondsOfComputing", number(result.seconds_of_computing)},
            {"sessions", result.sessions},
            {"measures", json_of(run.measures)}};
  if (result.forecasts) head["forecasts"] = json_of(*result.forecasts);
  text += text_of(head);
  text.pop_back();  // the brace
  text += ",\n\"jobs\":[";
  const char* separator = "\n";
  for (const JobResult& job : result.jobs) {
    text += separator + text_of(json_of(job, result.node_names));
    separator = ",\n";
  }
  text += "]}";
}

}  // namespace

std::string json_text(std::span<const JudgedRun> runs) {
  std::string text = R"({"apiVersion":"berth.dev/v1","kind":"Simulation","runs":[)";
  const char* separator = "\n";
  for (const JudgedRun& run : runs) {
    text += separator;
    append(run, text);
    separator = ",\n";
  }
  return text + "]}\n";
}

}  // namespace berth::results
