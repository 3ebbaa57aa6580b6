#pragma once

#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/model/cluster.h"
#include "forecast/run_times.h"

namespace berth::forecast {

// RUNS-1. The name without what a controller adds to make it distinct: "etl-28391820" and
// "etl-x7k2p" are "etl".
std::string template_of(const std::string& name);

// The longest of its pods, without grace periods. None: one may run for ever.
std::optional<Duration> limit_of(const Job& job, const Cluster& cluster, LimitTrust trust);

// By its namespace and template, its namespace, size and limit, its queue.
RunKeys keys_of(const Job& job, std::optional<Duration> limit);

// RUNS-2. Follows the jobs of a cluster, from the start of their minimum to the success of all
// their pods. Session thread only.
class Runs {
 public:
  using OnStart = std::function<void(const Job& job, TimePoint at)>;
  using OnEnd = std::function<void(const Job& job, std::optional<Duration> limit, Duration run)>;

  Runs(OnStart on_start, OnEnd on_end)
      : on_start_(std::move(on_start)), on_end_(std::move(on_end)) {}

  void set_trust(LimitTrust trust) { trust_ = trust; }
  // Jobs that may have changed since the last call.
  void look_at(const std::vector<JobId>& changed, const Cluster& cluster, TimePoint now);

 private:
  struct Run {
    std::string uid;
    TimePoint start;
    std::optional<Duration> limit;
  };

  void look_at(JobId id, const Cluster& cluster, TimePoint now);

  const OnStart on_start_;
  const OnEnd on_end_;
  LimitTrust trust_ = LimitTrust::stated;
  std::unordered_map<JobId, Run> runs_;  // look-up only
};

}  // namespace berth::forecast
