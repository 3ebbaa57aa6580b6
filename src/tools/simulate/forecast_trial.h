#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "conf/config.h"
#include "forecast/intervals.h"
#include "forecast/planner.h"
#include "forecast/run_times.h"
#include "forecast/runs.h"
#include "results/run.h"
#include "simulation/job_stream.h"
#include "tools/simulate/machine.h"

namespace berth::tools {

// Forecasts the start of each job of a stream that waits when it comes, as berthd would, and
// compares with what comes.
class ForecastTrial final : public simulation::StreamObserver {
 public:
  ForecastTrial(const Workload& workload, const conf::Config& config);

  void waits(const std::vector<std::size_t>& jobs, const Inspect& inspect) override;
  void starts(std::size_t job, TimePoint now) override;
  void ends(std::size_t job, Duration run) override;

  results::Forecasts measured() const;

 private:
  struct Open {
    TimePoint made;
    std::optional<Duration> by_limits, by_learned;  // none: nobody knows
    std::optional<forecast::Interval> likely;
  };
  struct Errors {
    std::vector<double> seconds;
    std::int64_t later = 0;
    void add(Duration planned, Duration came);
    results::ForecastErrors measured() const;
  };

  forecast::RunKeys keys_of(std::size_t job) const;
  forecast::State state(engine::Session& session, bool learns) const;
  void note_promises(const forecast::State& state);

  const Workload& workload_;
  const forecast::Rules rules_;
  std::unordered_map<std::string, std::size_t> index_;  // by the name in the cluster; look-up only
  forecast::RunTimes run_times_;
  forecast::Intervals intervals_;
  std::unordered_map<std::size_t, Open> open_;           // look-up only
  std::unordered_map<std::size_t, TimePoint> promised_;  // likewise
  Errors by_limits_, by_learned_;
  std::vector<double> widths_;
  std::int64_t waited_ = 0, inside_ = 0, promises_ = 0, broken_ = 0;
};

}  // namespace berth::tools
