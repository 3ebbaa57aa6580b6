#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "actions/eviction/policy.h"

namespace berth::actions {

// The pods that may leave for a claimant, in the order in which they should, and by node. Rules
// VICTIM-2 and VICTIM-3 of docs/design/victims.md.
class Candidates {
 public:
  // Tasks that leave together: one of surplus, or all that a job has.
  struct Lot {
    JobId job;
    EvictedAs as = EvictedAs::surplus;
    bool is_whole = false;
    std::vector<TaskId> tasks;
    std::int32_t pods = 0;  // of a whole job, without surplus that is a lot of its own
  };
  // The tasks of a lot on one node. Of a whole job, without its surplus, if that is a lot of its
  // own.
  struct Share {
    std::uint32_t lot = 0;
    std::vector<TaskId> tasks;
  };

  Candidates(engine::Session& session, const EvictionPolicy& policy, const Job& claimant);

  // The first to leave comes first. Surplus comes before whole jobs.
  const std::vector<Lot>& lots() const { return lots_; }
  const std::vector<Share>& on(NodeId node) const { return by_node_[node.index()]; }
  // Without those of this job.
  std::int32_t pods_without(JobId job) const {
    const auto found = pods_of_job_.find(job);
    return pods_ - (found == pods_of_job_.end() ? 0 : found->second);
  }
  const std::vector<Spared>& spared() const { return spared_; }

 private:
  void add_surplus(const Job& job, EvictedAs as);
  void add_whole(const Job& job, EvictedAs as);
  void add(Lot lot);
  void spare(Reason reason, std::size_t pods);

  engine::Session& session_;
  std::vector<Lot> lots_;
  std::vector<std::vector<Share>> by_node_;
  std::vector<Spared> spared_;
  std::vector<std::uint8_t> is_surplus_;  // by task: it is a lot of its own
  std::int32_t pods_ = 0;
  std::map<JobId, std::int32_t> pods_of_job_;
};

// Of these, the tasks that still run.
std::vector<TaskId> still_running(const Cluster& cluster, std::span<const TaskId> tasks);

}  // namespace berth::actions
