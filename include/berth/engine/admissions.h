#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "berth/engine/feasibility.h"
#include "berth/engine/queue_tree.h"
#include "berth/engine/unmet_guarantees.h"
#include "berth/model/cluster.h"

namespace berth::engine {

class Session;

// The amount that is kept for a target.
struct TargetPart {
  JobId target;
  std::int64_t amount = 0;
};

// Tallies for votes on admission: the requests of admitted jobs that are not placed yet, and the
// surplus of running jobs. They are kept for the whole cluster and for each queue with all below
// it. Positions are those of the QueueTree. Rules TALLY-1 to TALLY-3 of docs/design/enqueue.md;
// source: S1, S4.
class Admissions {
 public:
  // Counts again, unless admitted() is the only change.
  void refresh(const Cluster& cluster, const QueueTree& tree, const Feasibility& feasibility);
  // Adds a job that has just been admitted; before that, the cluster had this stamp.
  void admitted(const Cluster& cluster, const QueueTree& tree, const Job& job,
                std::uint64_t stamp_before);

  // TALLY-1. The room that admitted jobs still need.
  std::int64_t in_queue(std::size_t position, Dimension d) const {
    return in_queue_[position * dimensions_ + d.index()];
  }
  // The part of TALLY-1 that targets other than this job still need.
  std::vector<TargetPart> of_targets(JobId job, std::size_t position, Dimension d) const;
  // TALLY-2. The room of lent surplus (surplus.h). Computed on first use.
  std::int64_t surplus(const Session& session, std::size_t position, Dimension d);
  // TALLY-3. The use of queues, placed or admitted, and the rest of their guarantees.
  const UnmetGuarantees& unmet() const { return unmet_; }

 private:
  template <class AmountOf>
  void add(const QueueTree& tree, const Job& job, std::vector<std::int64_t>& sums,
           const AmountOf& amount_of) const;
  std::uint64_t stamp_ = 0;  // of the counted cluster; 0: none
  std::uint64_t tree_version_ = 0;
  std::uint64_t surplus_stamp_ = 0;
  std::size_t dimensions_ = 0;
  std::vector<std::int64_t> in_queue_;  // by position and dimension
  std::vector<std::int64_t> surplus_;
  struct OfTarget {
    JobId job;
    std::vector<std::size_t> positions;  // its queue's, and upwards
    Resources in_queue;
  };
  void note_target(const QueueTree& tree, const Job& job, const Resources& freed);
  std::vector<OfTarget> targets_;
  UnmetGuarantees unmet_;
};

}  // namespace berth::engine
