#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "berth/engine/feasibility.h"
#include "berth/engine/open_nodes.h"
#include "berth/engine/opinion.h"
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

// Tallies for votes on admission: the requests of admitted jobs that are not placed yet, and what
// running jobs could give. They are kept for the whole cluster and for each queue with all below
// it. Positions are those of the QueueTree. Rules TALLY-1 to TALLY-6 of docs/design/enqueue.md;
// source: S1, S4.
class Admissions {
 public:
  // A session begins: what it keeps while only phases change is known no more.
  void begin_session() { parts_position_ = kUnknown; }
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
  // TALLY-4, TALLY-5. Of what is used and in queue, what is not in the way of this job: jobs of its
  // queue with a lower priority have it. Without TALLY-2.
  std::int64_t behind(const Session& session, const Job& job, Dimension d);
  // TALLY-6. Could its queue reclaim all of this for it, with what is in queue there before it?
  bool is_entitled(const Session& session, const Job& job, const Resources& asked);
  // TALLY-3. The use of queues, placed or admitted, and the rest of their guarantees.
  const UnmetGuarantees& unmet() const { return unmet_; }

 private:
  template <class AmountOf>
  void add(const QueueTree& tree, const Job& job, std::vector<std::int64_t>& sums,
           const AmountOf& amount_of) const;
  void count_reclaimable(const Cluster& cluster, const QueueTree& tree);
  std::int64_t could_get(const Session& session, std::uint32_t at, Dimension d);
  void find_parts(const Cluster& cluster);
  std::int64_t waiting_behind(const Job& job, Dimension d) const;
  const Resources& could_leave(const Session& session, const Job& job);

  std::uint64_t stamp_ = 0;  // of the counted cluster; 0: none
  std::uint64_t tree_version_ = 0;
  std::uint64_t surplus_stamp_ = 0;
  std::size_t dimensions_ = 0;
  std::vector<std::int64_t> in_queue_;  // by position and dimension
  std::vector<std::int64_t> surplus_;
  Resources reclaimable_;  // what queues have that lend more than surplus
  OpenNodes open_;
  struct OfTarget {
    JobId job;
    std::vector<std::size_t> positions;  // its queue's, and upwards
    Resources in_queue;
  };
  void note_waiting(const Job& job);
  void note_target(const QueueTree& tree, const Job& job, const Resources& freed);
  std::vector<OfTarget> targets_;
  // Priority, and whether the job lacks its minimum.
  using Turn = std::pair<std::int32_t, bool>;
  static Turn turn_of(const Job& job);
  std::map<QueueId, std::map<Turn, Resources>> waiting_;  // in queue
  // Parts do not depend on phases: they are those of a stamp, and, in one session, of a position in
  // the journal of nodes.
  static constexpr std::uint64_t kUnknown = static_cast<std::uint64_t>(-1);
  std::uint64_t parts_stamp_ = 0;
  std::uint64_t parts_position_ = kUnknown;
  std::map<QueueId, PartSet> parts_;                                   // of running jobs
  std::map<std::pair<QueueId, std::int32_t>, Resources> could_leave_;  // by priority of a claimant
  UnmetGuarantees unmet_;
};

}  // namespace berth::engine
