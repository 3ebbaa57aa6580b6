#pragma once

#include <functional>
#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "reconcile/event_log.h"
#include "reconcile/eviction_events.h"
#include "reconcile/pod_events.h"
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
        pods_(events_),
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
  // The starts that are forecast. Returns the jobs of which a status may be another now.
  std::vector<JobId> take_starts(std::shared_ptr<const views::StartTable> table,
                                 const Cluster& cluster, TimePoint now) {
    return waiting_.take_starts(std::move(table), cluster, now);
  }
  // START-3. A promised start does not hold any more.
  void announce_broken_promise(const Job& job, const std::string& message, TimePoint now);
  void announce_queues(const views::QueueTable& table) { queues_.log_changes(table); }
  // A PodGroup's status changes from one to the other.
  void announce_status(const Job& job, const ports::GroupStatus& before,
                       const ports::GroupStatus& after, TimePoint now);
  // A queue's condition NodesReserved changes from one to the other.
  void announce_reserved(const ports::ObjectRef& queue, const WrittenCondition& before,
                         const WrittenCondition& after, TimePoint now);
  // A job without a PodGroup waits, or waits no longer: its pods alone can say so.
  void note_pods(JobId id, const Job& job, TimePoint now) {
    pods_.note(id, job, volcano_reason(waiting_.of(id).code), false, now);
  }
  // Whether a session, from what it has refused, is to work out the order of jobs.
  std::function<bool(const Plan&)> order_wish(const Cluster& cluster, TimePoint now) const {
    return [this, &cluster, now](const Plan& p) { return waiting_.wants_order(p, cluster, now); };
  }
  // A pod in no group may not name itself a target: there is no status to say so.
  void announce_refused_name(const Job& job, TimePoint now);
  void forget_pod(const std::string& uid) { refused_names_.erase(uid); }
  void stop_leading() {
    waiting_.stop_leading();
    pods_.stop_leading();
    targets_.stop_leading();
    evictions_.stop_leading();
  }

  const WaitingJobs& waiting() const { return waiting_; }
  const TargetEvents& targets() const { return targets_; }
  EvictionEvents& evictions() { return evictions_; }
  PodEvents& pods() { return pods_; }
  EventLog& events() { return events_; }

 private:
  void announce_notes(const std::vector<std::string>& notes);
  void announce_placed(const Plan& plan, const Cluster& cluster);
  void announce_ended_claims(const Plan& plan, const Cluster& cluster);

  EventLog events_;
  WaitingJobs waiting_;
  TargetEvents targets_;
  EvictionEvents evictions_;
  PodEvents pods_;
  QueueLines queues_;
  UnclaimedGroups unclaimed_;
  std::vector<std::string> notes_;                    // on the configuration, of the last plan
  std::map<std::string, std::string> refused_names_;  // of pods, by uid: the last one announced
};

}  // namespace berth::reconcile
