#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/model/event.h"
#include "ports/object_writer.h"
#include "ports/plan_table.h"

namespace berth::reconcile {

// A pod of ours that is not bound.
struct ObservedPod {
  ports::ObjectRef ref;
  std::string group;
  bool is_gated = false;
  std::string nominated;
  std::uint32_t nominations_lost = 0;  // how often a nomination was cleared
  std::string lost_nomination;         // the last of these
  std::string planned;                 // our annotation
  std::string unschedulable;           // kube-scheduler's message, or ours
  std::string not_scheduled;           // PodObject::not_scheduled
  bool has_tolerations = false;
  LockTolerations tolerated;

  // kube-scheduler finds no node for it, and not because our extender refuses all.
  bool is_refused_by_others() const {
    return !unschedulable.empty() && unschedulable.find(ports::kOurRefusals) == std::string::npos;
  }
};

struct ObservedGroup {
  ports::ObjectRef ref;
  ports::GroupStatus status;
  bool is_made_by_berth = false;
  std::string queue;
};

struct ObservedQueue {
  ports::ObjectRef ref;
  WrittenQueueStatus status;
};

struct ObservedLock {
  ports::ObjectRef node;
  ports::NodeLock lock;
};

// Our part of the objects that we write, as the watches show it, also if an earlier leader wrote
// it. It knows neither the desired state nor writes under way. Session thread.
class ObservedState {
 public:
  explicit ObservedState(std::vector<std::string> managed_schedulers)
      : managed_schedulers_(std::move(managed_schedulers)) {}

  void observe(const ClusterEvent& event);

  // By uid.
  const std::unordered_map<std::string, ObservedPod>& pods() const { return pods_; }
  // Null: there is no such object.
  const ObservedPod* pod(const std::string& uid) const;
  const ObservedGroup* group(const std::string& full_name) const;
  const ObservedQueue* queue(const std::string& name) const;
  // By node: those that have a lock or a taint of ours.
  const std::map<std::string, ObservedLock>& locks() const { return locks_; }
  std::set<std::string> nodes_locked_for(const std::string& job_uid) const;
  // The annotations of a job, by its uid.
  const TargetMarks& marks_of(const std::string& job_uid) const;
  // Uids of pods with a nomination that is ours to clear.
  const std::set<std::string>& nominated() const { return nominated_; }

 private:
  void observe(const PodObject& pod);
  void observe(const PodGroupObject& group);
  void observe(const NodeObject& node);
  void forget_pod(const std::string& uid);
  void keep_marks(const std::string& uid, const TargetMarks& marks);

  std::vector<std::string> managed_schedulers_;
  std::unordered_map<std::string, ObservedPod> pods_;   // by uid
  std::map<std::string, ObservedGroup> groups_;         // by namespace/name
  std::map<std::string, ObservedQueue> queues_;         // by name
  std::map<std::string, ObservedLock> locks_;           // by node
  std::unordered_map<std::string, TargetMarks> marks_;  // by uid, where there are any
  std::set<std::string> nominated_;
};

}  // namespace berth::reconcile
