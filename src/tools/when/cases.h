#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "history/recording.h"
#include "simulation/node_time.h"
#include "tools/planning.h"
#include "tools/what_if/flags.h"
#include "tools/when/forecast.h"

// One cluster, as it is and as it would be.

namespace berth::tools {

struct CasesOptions {
  std::optional<TimePoint> now;      // none: the latest time in the input
  std::optional<Duration> run_time;  // of jobs that wait and say none
};

class Cases {
 public:
  Cases(const ClusterInput& input, CasesOptions options, OnForecast on_progress)
      : input_(input), options_(std::move(options)), on_progress_(std::move(on_progress)) {}

  Result<Forecast> as_it_is();  // with the reasons why jobs wait
  // `until`: it goes on for so long at most.
  Result<Forecast> with(const WhatIf& changes, std::optional<Duration> until = {});
  // Does the job start by then? Simulates no longer than that.
  Result<bool> starts_by(const WhatIf& changes, const std::string& job, Duration by);

  // The cluster with these changes, as it is simulated.
  Result<history::Recording> recording_of(const WhatIf& changes);
  const std::vector<ClusterEvent>& objects() const { return input_.objects; }
  std::size_t simulations() const { return simulations_; }

 private:
  // A cluster, and nodes of it that come or go later.
  struct Case {
    WhatIf nodes;  // the changes of its nodes, and settings
    conf::Config config;
    history::Recording dump;
    std::vector<simulation::NodeTime> later;
  };

  Result<Case> nodes_changed(const WhatIf& changes);
  Result<Case> case_of(const WhatIf& changes);
  Status explain(Forecast& forecast) const;

  const ClusterInput& input_;
  CasesOptions options_;
  OnForecast on_progress_;
  std::optional<Case> last_;  // many cases differ in their jobs alone
  std::size_t simulations_ = 0;
};

}  // namespace berth::tools
