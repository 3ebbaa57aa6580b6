#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "actions/eviction/policy.h"
#include "berth/base/look_up.h"
#include "berth/model/room.h"

namespace berth::actions {

// The pods that may leave for a claimant, in the order in which they should, and by node. Rules
// VICTIM-2 and VICTIM-3 of docs/design/victims.md. Of a job's surplus any pod may leave, but not
// all may: may_be_surplus() says whether one more may.
//
// Most claimants cannot be helped, and sums by node show it. So the order, which costs more, is
// made later.
class Candidates {
 public:
  using Requested = decltype(Shape::requested);
  // Tasks that leave together: one of surplus, or all that a job has.
  struct Lot {
    JobId job;
    EvictedAs as = EvictedAs::surplus;
    bool is_whole = false;
    std::span<const TaskId> tasks;
    std::int32_t pods = 0;    // of a whole job, without its surplus, if that may leave by itself
    std::uint32_t grade = 0;  // the same for lots that are equal in kind, queue and priority
    std::int64_t work = 0;    // of its tasks
  };
  // The tasks of a lot on one node.
  struct Share {
    std::uint32_t lot = 0;
    std::span<const TaskId> tasks;
  };

  Candidates(engine::Session& session, const EvictionPolicy& policy, const Job& claimant);

  // Without those of this job.
  std::int32_t pods_without(JobId job) const { return pods_ - value_or(pods_of_job_, job); }
  // Pods of its surplus that may leave, beyond the number that may leave together.
  std::int32_t others_of(JobId job) const { return value_or(others_of_job_, job); }
  const std::vector<Spared>& spared() const { return spared_; }
  std::int64_t asked() const { return static_cast<std::int64_t>(parts_.size()); }  // parts of jobs
  // The amount that a node would gain if all left, or all surplus.
  std::int64_t freed_on(NodeId node, Dimension d, bool with_whole_jobs) const {
    return (with_whole_jobs ? freed_by_all_ : freed_by_surplus_).at(node, d);
  }
  // False if its room would not do then, or on no node. Room that is used since does not count.
  bool could_take(NodeId node, const Requested& requested, bool with_whole_jobs) const {
    const AmountTable& room = with_whole_jobs ? room_by_all_ : room_by_surplus_;
    return is_covered(requested, [&](Dimension d) { return room.at(node, d); });
  }
  bool could_any_take(const Requested& requested, bool with_whole_jobs) const {
    const Resources& most = with_whole_jobs ? most_room_by_all_ : most_room_by_surplus_;
    return is_covered(requested, [&](Dimension d) { return most[d]; });
  }
  // So many members more than on idle room have room if all surplus leaves, at most: by the number
  // that each job may lose.
  std::int64_t most_by_surplus(const Requested& requested) const;
  // The work that is lost if the task leaves: the seconds since it got its node, times its share of
  // the cluster in parts per billion. VICTIM-13.
  std::int64_t work_of(TaskId task) const;

  // Makes lots() and on(). The cluster must be as it was when the candidates were counted.
  void put_in_order();
  bool are_in_order() const { return are_in_order_; }
  // The first to leave comes first. Surplus comes before whole jobs.
  const std::vector<Lot>& lots() const { return lots_; }
  std::span<const Share> on(NodeId node) const {
    const std::size_t begin = first_share_[node.index()];
    return {shares_.data() + begin, first_share_[node.index() + 1] - begin};
  }

 private:
  struct Part {
    engine::JobPart part;
    std::size_t begin = 0;  // of its tasks
    std::size_t end = 0;
  };
  // A job's surplus.
  struct Limited {
    std::int32_t pods = 0;  // that may leave
    Resources largest;      // of each resource
  };

  void count_surplus(Part& part, bool leaves_whole);
  std::int32_t most_of_surplus(const Job& job, std::span<const TaskId> tasks) const;
  void note_surplus(std::span<const TaskId> tasks, std::int32_t most, bool leaves_whole);
  bool count_whole(Part& part, bool has_surplus);
  void note_room();
  void sort_parts();
  std::vector<std::uint32_t> ranks_of_tasks() const;
  void divide_by_node();

  engine::Session& session_;
  EvictedAs as_surplus_;
  EvictedAs as_whole_;
  std::vector<Part> parts_;
  std::vector<TaskId> tasks_;
  std::vector<Limited> limited_;
  AmountTable freed_by_surplus_;
  AmountTable freed_by_all_;
  AmountTable room_by_surplus_;  // with what is idle
  AmountTable room_by_all_;
  Resources most_room_by_surplus_;  // of a node
  Resources most_room_by_all_;
  std::vector<Spared> spared_;
  std::int32_t pods_ = 0;
  std::map<JobId, std::int32_t> pods_of_job_;
  std::map<JobId, std::int32_t> others_of_job_;

  bool are_in_order_ = false;
  std::vector<Lot> lots_;
  std::vector<Share> shares_;             // by node
  std::vector<std::size_t> first_share_;  // of a node
  std::vector<TaskId> by_node_;
};

// Is it on its node, and not asked to leave?
bool runs(const Task& task);
// Of these, the tasks that still run.
std::vector<TaskId> still_running(const Cluster& cluster, std::span<const TaskId> tasks);

}  // namespace berth::actions
