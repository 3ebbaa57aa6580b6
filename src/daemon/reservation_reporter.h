#pragma once

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "berth/model/event.h"
#include "ports/status_sink.h"

namespace berth::daemon {

// Keeps in the API what must outlive us about targets: locks on nodes, marks on jobs. After each
// session it compares what the API says with how the cluster should be, and writes the differences;
// so it does not matter who died when, or who meddled. What does not come to be so within a while
// is written again. Session thread only.
class ReservationReporter {
 public:
  explicit ReservationReporter(ports::StatusSink& sink) : sink_(sink) {}

  struct Options {
    bool has_taints = false;     // locks are enforced by taints, too
    bool keeps_waiting = false;  // since when jobs wait is to be remembered
  };
  void set_options(const Options& options) { options_ = options; }

  // Learns what the API says; whoever wrote it.
  void observe(const ClusterEvent& event);
  // Another leads from now on: what is under way may never come to be.
  void stop_leading();
  // To be looked at with the next report().
  void owe(JobId id) { owed_.insert(id); }
  // When the plan was assumed and the mirror settled. `changed`: jobs of which anything may have
  // changed.
  void report(const std::vector<JobId>& changed, const Cluster& cluster, TimePoint now);

  // What the API says of a job, by its uid.
  const TargetMarks& marks_of(const std::string& uid) const;
  // The nodes whose labels are for this job; sorted.
  std::set<std::string> nodes_locked_for(const std::string& job_uid) const;

 private:
  template <class Write>
  struct Pending {
    Write write;
    TimePoint at;
  };

  void note_lock(const NodeObject& node);
  void note_marks(const std::string& uid, const TargetMarks& marks);
  void report_locks(const Cluster& cluster, TimePoint now);
  void report_lock(const ports::NodeLock& wanted, TimePoint now);
  bool report_marks(JobId id, const Job& job, const Cluster& cluster, TimePoint now);
  // True if it was not written lately. Remembers that it is now.
  template <class Write>
  bool is_due(std::map<std::string, Pending<Write>>& pending, const std::string& key,
              const Write& write, TimePoint now);

  ports::StatusSink& sink_;
  Options options_;
  // What the API says, as far as there is something to say.
  std::map<std::string, ports::NodeLock> locks_;         // by node; others' are not among them
  std::unordered_map<std::string, TargetMarks> marks_;   // by uid
  std::unordered_map<std::string, std::string> groups_;  // uids by namespace/name
  std::set<JobId> owed_;
  std::set<std::pair<TimePoint, JobId>> young_;  // to be looked at then, should they still wait
  // Written, and not seen yet.
  std::map<std::string, Pending<ports::NodeLock>> pending_locks_;  // by node
  std::map<std::string, Pending<ports::JobMarks>> pending_marks_;  // by uid
};

}  // namespace berth::daemon
