#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "berth/model/cluster.h"
#include "ports/guard_table.h"

namespace berth::daemon {

// Keeps the guard table in step with the cluster. A table shares all that has not changed with the
// one before it. So it costs the nodes that changed, and a look at each gang that runs. Session
// thread only.
class GuardKeeper {
 public:
  // Catches up with all that has changed since the last call.
  void follow(const Cluster& cluster);
  // After a session, with follow() right before it: all that it changed is undone again.
  void pass_over(const Cluster& cluster) { position_ = cluster.changes().position(); }
  // As of the last follow(). The same one while nothing has changed.
  std::shared_ptr<const ports::GuardTable> table();

 private:
  struct Known {
    JobId job;
    std::uint64_t version = 0;  // of the job when it was read; 0: not read yet
  };
  void read_all(const Cluster& cluster);
  void read_node(const Cluster& cluster, NodeId id);
  void read_gangs(const Cluster& cluster);

  ports::SharedArrayWriter<std::shared_ptr<const ports::GuardedMembers>> nodes_;
  ports::SharedArrayWriter<ports::GuardedGang> gangs_;  // by job id
  std::shared_ptr<const ports::ByText<std::uint32_t>> rows_;
  std::vector<Known> known_;            // jobs with members on nodes
  std::vector<bool> is_known_;          // by job id; such a job is of a PodGroup
  ports::GuardedMembers found_;         // scratch space
  std::vector<std::uint64_t> read_at_;  // by node: the round in which it was read last
  std::uint64_t round_ = 0;
  std::uint64_t position_ = 0;
  std::shared_ptr<const ports::GuardTable> table_;  // null: out of date
};

}  // namespace berth::daemon
