#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "berth/model/cluster.h"
#include "page/parts.h"
#include "reconcile/group_status.h"

namespace berth::page {

// The resources of the page: cpu, memory, and the first extended ones that nodes have.
std::vector<Dimension> shown_resources(const Cluster& cluster);

// Collects the parts of the cluster that have changed since it last did. Session thread only.
class Collector {
 public:
  // Why jobs wait, by the last session.
  struct Reasons {
    std::function<std::string(JobId)> code;  // empty: it does not wait
    std::function<reconcile::Waiting(JobId)> waiting;
  };

  // The reasons or the starts of these jobs may be others.
  void note(const std::vector<JobId>& jobs);
  void note_order(const std::vector<JobId>& order) { order_ = order; }
  // The next batch is whole.
  void forget() { is_known_ = false; }

  Batch collect(const Cluster& cluster, const Reasons& reasons, TimePoint now);

 private:
  struct Seen {
    std::uint64_t version = 0;  // of the job; 0: it is not on the page
    std::string code;
    TimePoint copied_at;  // when its message was last copied
  };
  // Room of a node that is being vacated, or kept, for a task.
  struct Claimed {
    NodeId node;
    JobId job;
    TaskId task;
    auto operator<=>(const Claimed&) const = default;
  };

  bool choose_resources(const Cluster& cluster);
  bool choose_topology(const Cluster& cluster);
  std::vector<Claimed> claims_of(const Cluster& cluster) const;
  std::vector<NodeId> changed_nodes(const Cluster& cluster, std::vector<Claimed> claims);
  NodePart part_of(const Cluster& cluster, const Node& node) const;
  void add_group(NodePart& part, JobId job, PodState state, const Shape& shape) const;
  std::vector<std::int64_t> row_of(const AmountTable& table, NodeId node) const;
  void collect_jobs(const Cluster& cluster, const Reasons& reasons, TimePoint now, Batch& batch);
  void add_reason(const Job& job, const Reasons& reasons, TimePoint now, Seen& seen,
                  JobPart& part) const;
  void add_order(const Cluster& cluster, Batch& batch) const;

  bool is_known_ = false;
  std::vector<Dimension> dimensions_;  // of the resources
  std::vector<std::string> resources_;
  const TopologyTree* tree_ = nullptr;  // null: there is none
  std::uint64_t topology_version_ = 0;
  std::uint64_t position_ = 0;  // in the journal of nodes
  std::vector<Claimed> claims_;
  std::vector<Seen> seen_;           // by job
  std::vector<std::uint8_t> noted_;  // by job
  std::vector<JobId> order_;
};

}  // namespace berth::page
