#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"

namespace berth::reconcile {

// The order in which statuses are written of which only texts differ: messages and positions. They
// change with every pod that comes or goes, so they share a few writes a second (STATUS-6). Session
// thread.
class TextTurns {
 public:
  static constexpr std::int32_t kWritesASecond = 5;

  // The job is looked at then. An earlier turn of it stays.
  void want(JobId job, TimePoint at);
  // The job that is due for the longest time; none once the writes of this second are spent.
  std::optional<JobId> next(TimePoint now);
  void spend() { --left_; }

 private:
  std::set<std::pair<TimePoint, JobId>> due_;
  std::map<JobId, TimePoint> turns_;  // the same
  TimePoint second_began_;
  std::int32_t left_ = 0;  // writes of this second
};

}  // namespace berth::reconcile
