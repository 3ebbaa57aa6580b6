#pragma once

#include <map>
#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "reconcile/event_log.h"
#include "reconcile/eviction_events.h"
#include "reconcile/queue_lines.h"
#include "reconcile/target_events.h"
#include "reconcile/unclaimed_groups.h"
#include "reconcile/waiting_jobs.h"

namespace berth::reconcile {

// Publishes each transition once, as Kubernetes Events and lines in the log. Session thread.
class Announcer {
 public:
  Announcer(const ObservedState& observed, Writes& writes, Log log)
      : events_(writes, std::move(log)),
        waiting_(events_),
        targets_(observed, events_),
        evictions_(events_),
        queues_(events_),
        unclaimed_(events_) {}

  // After each session, when its plan was assumed. Returns the jobs of which a status may be
  // another now.
  std::vector<JobId> announce(const Plan& plan, const Cluster& cluster, TimePoint now);
  void announce_phases(const std::vector<JobId>& changed, const Cluster& cluster);
  void announce_unclaimed(const std::vector<JobId>& changed, const Cluster& cluster,
                          TimePoint now) {
    unclaimed_.report(changed, cluster, now);
  }
  void announce_queues(const views::QueueTable& table) { queues_.log_changes(table); }
  // A PodGroup's status changes from one to the other.
  void announce_status(const Job& job, const ports::GroupStatus& before,
                       const ports::GroupStatus& after, TimePoint now);
  // A queue's condition NodesReserved changes from one to the other.
  void announce_reserved(const ports::ObjectRef& queue, const WrittenCondition& before,
                         const WrittenCondition& after, TimePoint now);
  // A pod in no group waits, or waits no longer: there is no status to say so.
  void announce_pod(const Job& job, const Waiting& waiting, TimePoint now);
  void forget_pod(const std::string& uid) { reasons_of_pods_.erase(uid); }
  void stop_leading() {
    targets_.stop_leading();
    evictions_.stop_leading();
  }

  const WaitingJobs& waiting() const { return waiting_; }
  const TargetEvents& targets() const { return targets_; }
  EvictionEvents& evictions() { return evictions_; }
  EventLog& events() { return events_; }

 private:
  void announce_notes(const std::vector<std::string>& notes);
  void announce_placed(const Plan& plan, const Cluster& cluster);
  void announce_ended_claims(const Plan& plan, const Cluster& cluster);

  EventLog events_;
  WaitingJobs waiting_;
  TargetEvents targets_;
  EvictionEvents evictions_;
  QueueLines queues_;
  UnclaimedGroups unclaimed_;
  std::vector<std::string> notes_;                      // on the configuration, of the last plan
  std::map<std::string, std::string> reasons_of_pods_;  // by uid: the last one announced
};

}  // namespace berth::reconcile
