#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"

namespace berth::daemon {

// Says of pod groups that are unclaimed that they are left alone: once of each, when it has been so
// for a while. An operator beside us needs a moment to create the first pod.
class UnclaimedGroups {
 public:
  using Tell = std::function<void(const std::string& line)>;

  explicit UnclaimedGroups(Tell tell) : tell_(std::move(tell)) {}

  // To be looked at with the next report().
  void owe(JobId id) { owed_.insert(id); }
  // `changed`: jobs of which anything may have changed.
  void report(const std::vector<JobId>& changed, const Cluster& cluster, TimePoint now);

 private:
  void note(JobId id, const Job& job, TimePoint now);

  struct Known {
    std::string uid;
    TimePoint since;
    bool is_told = false;
  };

  Tell tell_;
  std::map<JobId, Known> known_;
  std::set<JobId> owed_;
};

}  // namespace berth::daemon
