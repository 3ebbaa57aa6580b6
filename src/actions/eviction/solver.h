#pragma once

#include <optional>
#include <vector>

#include "actions/eviction/candidates.h"
#include "actions/eviction/offer.h"
#include "berth/engine/need.h"
#include "berth/engine/statement.h"

namespace berth::actions {

// Finds a place for all that a job's minimum lacks, and the pods that have to leave for it: few, in
// their order, and none without need. The one solver of all evicting actions. Rules VICTIM-1 to
// VICTIM-8 of docs/design/victims.md; the idea is KAI-Scheduler's.
//
// It works inside the statement, in which everything is found afterwards if it succeeds. If it does
// not, the caller ends the statement, and nothing has happened.
class Solver {
 public:
  Solver(engine::Session& session, const EvictionPolicy& policy, const Candidates& candidates,
         engine::Statement& statement, JobId claimant, bool is_strict);

  // Places these tasks. `takes_whole_jobs`: surplus alone does not do.
  bool place(const std::vector<TaskId>& tasks, bool takes_whole_jobs);

  std::int32_t placed_count() const { return static_cast<std::int32_t>(placed_.size()); }
  // False if nobody had to leave.
  bool evicts() const { return !evicted_.empty(); }

 private:
  struct Evicted {
    std::uint32_t lot = 0;
    std::vector<TaskId> tasks;
  };

  bool place_shape(const std::vector<TaskId>& tasks, OfferSearch::Terms terms);
  bool could_place(const OfferSearch::Terms& terms, OfferSearch& search);
  // `passing`: the nodes that pass the predicates.
  std::vector<Offer> offers(const OfferSearch::Terms& terms, OfferSearch& search,
                            const std::vector<std::uint8_t>& passing);
  bool may_use(NodeId node, ShapeId shape);  // of those
  bool place_without_evicting(TaskId task);
  bool place_on(TaskId task, NodeId node);
  bool make_room(const Offer& offer, const OfferSearch::Terms& terms);
  bool evict(std::uint32_t lot, const engine::Claimant& claimant, engine::Statement& statement);
  bool may_have(TaskId task, bool takes_whole_jobs);
  void spare_the_unneeded();
  bool is_unneeded(const Evicted& evicted);

  engine::Session& session_;
  const Cluster& cluster_;
  const EvictionPolicy& policy_;
  const Candidates& candidates_;
  engine::Statement& statement_;
  JobId claimant_;
  bool is_strict_;
  std::vector<std::uint8_t> is_banned_;  // by lot: it may not leave, or has left
  std::vector<Evicted> evicted_;
  std::vector<TaskId> placed_;
};

}  // namespace berth::actions
