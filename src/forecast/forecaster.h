#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "forecast/accuracy.h"
#include "forecast/intervals.h"
#include "forecast/planner.h"
#include "forecast/promises.h"
#include "forecast/run_times.h"
#include "forecast/runs.h"
#include "views/start_table.h"

namespace berth::forecast {

// A state, and the starts that were planned from it.
struct Planned {
  State state;
  Starts starts;
  std::vector<TimePoint> latest;  // of targets, by the place in State::waiting
  Duration took{};
};
// Any thread.
Planned planned(State state, const Clock& real_clock, const std::function<bool()>& is_cancelled);

// Learns from the jobs of a cluster, and says when those that wait will start. Session thread only.
class Forecaster {
 public:
  struct Observer {
    std::function<void(Accuracy::Outcome, Duration error)> compared;
  };

  explicit Forecaster(Observer observer = {});

  void set_rules(const Rules& rules) {
    rules_ = rules;
    runs_.set_trust(rules.trust);
  }
  // After each session: jobs that may have changed since the last call.
  void look_at(const std::vector<JobId>& changed, const Cluster& cluster, TimePoint now);
  State state(engine::Session& session);
  // Makes another table. Returns the promises that do not hold any more.
  std::vector<Promises::Broken> take(const Planned& planned, const Cluster& cluster, TimePoint now);
  // An earlier leader has promised it.
  void promised_before(const Job& job, TimePoint start, const Cluster& cluster) {
    promises_.restore(job, start, cluster);
  }
  // Another leads: nothing of what is planned or promised is true any more.
  void forget_plans();
  // Null: nothing has been planned.
  const std::shared_ptr<const views::StartTable>& table() const { return table_; }

  bool knows_anything() const { return run_times_.size() > 0; }
  // The table says something that is not true any more, or lacks a start that was compared.
  bool is_outdated() const { return has_news_ || (table_ != nullptr && !table_->rows.empty()); }
  // For the next start of berthd. A bad text is an Error, and learning begins anew.
  std::string save() const;
  Status restore(const std::string& text);

 private:
  struct Open {
    std::string uid;
    TimePoint made;
    Duration planned{};
    Interval likely;
    int plans_for_now = 0;  // in a row
  };
  struct Expected {
    std::string uid;
    TimePoint until;  // it holds
    std::optional<Duration> run;
  };

  void note_start(const Job& job, TimePoint at);
  std::optional<Duration> expected(const Job& job, const Cluster& cluster, TimePoint now,
                                   Duration elapsed);
  TimePoint believed(const WaitingJob& job, TimePoint planned, TimePoint made);
  WrittenStart written(const WaitingJob& job, TimePoint planned, TimePoint made);

  const Observer observer_;
  Rules rules_;
  RunTimes run_times_;
  Intervals intervals_;
  Accuracy accuracy_;
  Promises promises_;
  Runs runs_;
  std::unordered_map<JobId, Open> open_;          // the first forecast of each job; look-up only
  std::unordered_map<JobId, Expected> expected_;  // of jobs that run; look-up only
  std::vector<Promises::Broken> late_;            // started later, since the last plan
  bool has_news_ = false;                         // a start was compared since the last plan
  std::shared_ptr<const views::StartTable> table_;
};

}  // namespace berth::forecast
