#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/event.h"

namespace berth::daemon {

// kube-scheduler refuses a place, or has not come to bind it in time.
struct SchedulerRefusal {
  std::string pod_uid;
  std::string node;
  std::string why;
  bool is_late = false;        // the gang was not bound in time
  bool is_everywhere = false;  // it refuses all nodes, and not because of us
};

struct FailedAttempt {
  JobId job;
  std::string why;
  std::vector<std::string> nodes;       // that refused it; none: all
  std::vector<PlacementDropped> drops;  // the places that it gives back
};

// When has an attempt of a job failed? A place that kube-scheduler refuses is answered by another
// one in the same attempt. The attempt has failed when there is none, when too many were refused,
// or when the gang was late (docs/design/hints.md, HINT-2, HINT-3). Session thread only.
class Attempts {
 public:
  // While the task still has the place.
  void take(const SchedulerRefusal& refusal, const Cluster& cluster, TaskId task);

  // Those that have failed by now, whatever a session decides. `gangs_are_whole`: the others of a
  // gang that has lost its minimum give their places back.
  std::vector<FailedAttempt> failed(const Cluster& cluster, bool gangs_are_whole);
  // The same after a session, whose plan has been assumed: also those of which a member has found
  // no other place.
  std::vector<FailedAttempt> failed_after_session(const Cluster& cluster, bool gangs_are_whole);

  void clear() { open_.clear(); }

 private:
  // Of a job, since a place of it was first refused.
  struct Open {
    std::string uid;  // of the job: ids are used again
    std::int32_t refusals = 0;
    std::set<std::string> refused;  // uids of pods that have lost their place
    std::set<std::string> nodes;
    std::string why;
    bool is_everywhere = false;
    bool has_failed = false;
  };

  void forget_what_is_over(const Cluster& cluster);

  std::map<JobId, Open> open_;
};

}  // namespace berth::daemon
