#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "berth/model/event.h"
#include "berth/model/plan.h"

namespace berth::daemon {

// A Binding of the pod is under way, or has succeeded and is not shown yet.
using IsBeingBound = std::function<bool(const Task& task)>;

// The places of a job's pods that are planned and not bound.
void drop_planned(const Cluster& cluster, const Job& job, const char* why,
                  std::vector<PlacementDropped>& drops);

// A gang that was planned whole may lose members before any is bound: one is vetoed or deleted, and
// no other place is found. The rest of its plan keeps its room for a while, for the next
// session may complete it; a gang that stays incomplete for longer gives the room back. Session
// thread only.
class StalePlans {
 public:
  explicit StalePlans(Duration patience) : patience_(patience) {}

  // The placements to drop now. `plan` is the session's, and has been assumed in `cluster`.
  std::vector<PlacementDropped> due(const Plan& plan, const Cluster& cluster, TimePoint now);
  // The patience of the next term begins anew.
  void stop_leading() { incomplete_since_.clear(); }

 private:
  Duration patience_;
  std::map<std::pair<JobId, std::string>, TimePoint> incomplete_since_;  // and the job's uid
};

// STEER-15. Placements that hold no longer although their pod is not bound: the PodGroup is gone,
// the node was cordoned, tainted or made smaller, others took its room, or the pod was resized.
// kube-scheduler may have decided already, and does not look again while the barrier holds its
// call.
std::vector<PlacementDropped> lost_places(const Cluster& cluster,
                                          const IsBeingBound& is_being_bound);

// How far a job has come, and since when.
struct JobProgress {
  std::string uid;  // of the job: ids are used again
  TimePoint since;
  std::int32_t planned = 0;
  std::int32_t bound = 0;
};

// A planned pod that nobody comes to bind: kube-scheduler finds it infeasible for a reason that we
// do not model, or never saw it. A job whose planned pods have made no progress for `patience`, and
// a second for each hundred pods that are planned and not bound, gives their room back and is
// planned anew. Session thread only.
class UnclaimedPlans {
 public:
  explicit UnclaimedPlans(Duration patience) : patience_(patience) {}

  // When the last write for a pod of the job was done: it cannot be bound before.
  using WrittenAt = std::function<TimePoint(const Job& job)>;
  // Would the watch of pods have shown a binding by now? Asked only if a plan is due.
  using AreShown = std::function<bool()>;

  // Where pods are being bound, it takes twice as long: the watch may never show the Bindings of an
  // API server that was restored from a backup.
  std::vector<PlacementDropped> due(const Cluster& cluster, TimePoint now,
                                    const WrittenAt& written_at, const IsBeingBound& is_being_bound,
                                    const AreShown& are_bindings_shown);
  void stop_leading() { progress_.clear(); }

 private:
  Duration patience_;
  std::map<JobId, JobProgress> progress_;
};

// A gang of which some were bound and the others cannot be: a Binding was refused for good, and
// there is no other room. One that was never whole gives up what it has, when no member was bound,
// planned or promised room for `patience`, or when none was bound for five times as long and none
// is planned. Session thread only.
class BrokenGangs {
 public:
  explicit BrokenGangs(Duration patience) : patience_(patience) {}

  // Of jobs that have changed, while another berthd leads: when their members were bound.
  void stand_by(const Cluster& cluster, const std::vector<JobId>& changed, TimePoint now);
  // The members to evict now.
  std::vector<TaskId> due(const Cluster& cluster, TimePoint now);
  // As of the last due(): of a gang that is not due yet.
  bool awaits_a_time() const;

 private:
  struct InPart {
    std::string uid;        // of the job: ids are used again
    TimePoint bound_at;     // the last of its members
    TimePoint hopeless_at;  // since then, no member was bound, planned or promised room
    std::int32_t bound = 0;
    bool has_hope = false;
  };

  void look(const Cluster& cluster, JobId id, TimePoint now);
  bool is_due(const Job& job, const InPart& in_part, TimePoint now) const;

  Duration patience_;
  TimePoint looked_at_;
  std::map<JobId, InPart> in_part_;
};

}  // namespace berth::daemon
