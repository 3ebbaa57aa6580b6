#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/event.h"
#include "reconcile/observed_state.h"
#include "reconcile/waiting_jobs.h"
#include "reconcile/writes.h"

namespace berth::reconcile {

// Writes the conditions of pods that wait (docs/design/autoscaling.md), at a bounded rate. Session
// thread.
class ConditionWrites {
 public:
  ConditionWrites(const ObservedState& observed, Writes& writes, const WaitingJobs& waiting)
      : observed_(observed), writes_(writes), waiting_(waiting) {}

  // After the observed state has taken it.
  void observe(const ClusterEvent& event);
  void take(const Ended& ended);
  void stop_leading();
  // Jobs whose pods or reason may have changed; looked at with the next reconcile().
  void look_at(const std::vector<JobId>& jobs) { changed_.insert(jobs.begin(), jobs.end()); }
  void reconcile(const Cluster& cluster, TimePoint now);

 private:
  // A job that was refused.
  struct Refused {
    std::string job_uid;  // ids are used again for other jobs
    bool is_for_nodes = false;
    TimePoint since;
  };
  struct Written {
    std::string reason;
    JobId job;
  };

  void note(JobId id, const Cluster& cluster, TimePoint now);
  void write_conditions(JobId id, const Job& job, const Cluster& cluster, TimePoint now);

  const ObservedState& observed_;
  Writes& writes_;
  const WaitingJobs& waiting_;
  std::set<JobId> changed_;
  std::map<JobId, Refused> refused_;
  std::set<std::pair<TimePoint, JobId>> due_;  // when a job's pods are looked at
  std::unordered_map<std::string, Written>
      written_;  // by the pod's uid: believed until it is bound
  TimePoint second_began_;
  std::int32_t left_ = 0;  // writes of this second
};

}  // namespace berth::reconcile
