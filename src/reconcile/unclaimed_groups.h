#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "reconcile/event_log.h"

namespace berth::reconcile {

// Logs once of each unclaimed pod group that it is left alone, when it has been unclaimed for a
// while. An operator beside us needs a moment to create the first pod.
class UnclaimedGroups {
 public:
  explicit UnclaimedGroups(EventLog& events) : events_(events) {}

  // `changed`: jobs of which anything may have changed.
  void report(const std::vector<JobId>& changed, const Cluster& cluster, TimePoint now);

 private:
  void note(JobId id, const Job& job, TimePoint now);

  struct Known {
    std::string uid;
    TimePoint since;
    bool is_logged = false;
  };

  EventLog& events_;
  std::map<JobId, Known> known_;
};

}  // namespace berth::reconcile
