#pragma once

#include <compare>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "actions/eviction/candidates.h"
#include "actions/eviction/fewest_victims.h"
#include "actions/eviction/offer.h"
#include "actions/eviction/offer_heap.h"
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
  struct Manner {
    bool takes_whole_jobs = false;  // surplus alone does not do
    bool is_strict = false;         // no queue loses any of what it deserves
    VictimOrder order = VictimOrder::given;
    FewestVictims::Bounds* bounds = nullptr;  // of order `any`
  };

  Solver(engine::Session& session, const EvictionPolicy& policy, Candidates& candidates,
         engine::Statement& statement, JobId claimant, const Manner& manner);

  // Places these tasks.
  bool place(const std::vector<TaskId>& tasks);

  // The most members that could be placed, as far as is known.
  std::int32_t most() const { return most_; }
  // The pods that a protection has kept, by its reason.
  const std::vector<Spared>& refused() const { return refused_; }
  // Even if all left, there would be no room.
  bool is_hopeless() const { return is_hopeless_; }
  // No candidate was asked, so that the order in which they would be does not count.
  bool has_asked_nobody() const;
  // False if nobody had to leave.
  bool evicts() const { return !evicted_.empty(); }
  // The pods that leave. Less is better, as in VICTIM-5 and VICTIM-13.
  struct Cost {
    bool takes_whole_jobs = false;
    std::size_t pods = 0;
    std::uint32_t grade = 0;
    std::int64_t work = 0;
    std::uint32_t last_lot = 0;
    auto operator<=>(const Cost&) const = default;
  };
  Cost cost() const;

 private:
  struct Evicted {
    std::uint32_t lot = 0;
    std::vector<TaskId> tasks;
    std::uint32_t turn = 0;  // in which it left
  };
  struct Solution {
    std::vector<Evicted> evicted;
    std::vector<Placement> placed;
  };

  enum class Taken { some, lots_stay, refused, queue_has_too_much, queue_holds_back };

  bool place_shape(const std::vector<TaskId>& tasks, OfferSearch::Terms terms);
  bool place_by_offers(std::span<const TaskId> tasks, OfferSearch::Terms terms,
                       OfferSearch& search);
  Taken take(const Offer& offer, std::span<const TaskId>& tasks, const OfferSearch::Terms& terms,
             const OfferSearch& search);
  bool could_place(const OfferSearch::Terms& terms, OfferSearch& search);
  std::int64_t most_by_number(const OfferSearch::Terms& terms,
                              const std::vector<std::uint8_t>& passing) const;
  bool order_candidates();
  void ban_own();
  std::vector<NodeId> vacated_by(const Offer& offer) const;
  // `passing`: the nodes that pass the predicates.
  bool is_open(NodeId node, ShapeId shape, const std::vector<std::uint8_t>& passing) const;
  void forget_evicted_after(std::size_t count);
  bool place_without_evicting(TaskId task);
  bool place_on(TaskId task, NodeId node);
  bool make_room(const Offer& offer, const OfferSearch::Terms& terms, const OfferSearch& search);
  bool evict(std::uint32_t lot, const engine::Claimant& claimant, engine::Statement& statement);
  bool may_leave(const Candidates::Lot& lot) const;
  void note_refused(const Candidates::Lot& lot, const engine::Verdict& verdict);
  bool may_have(TaskId task);
  engine::Verdict is_allowed(TaskId task) const;
  void credit(const std::vector<TaskId>& tasks, int sign);
  void spare_the_unneeded();
  bool keeps_any_away(const Evicted& evicted) const;
  bool is_unneeded(const Evicted& evicted);
  std::vector<Placement> withdraw_last(const std::vector<TaskId>& tasks);
  Placement withdraw_one();
  bool settle();
  bool is_replay_too_long() const;
  bool do_without_each();
  bool place_with(const Solution& solution);
  void look_for_fewer();
  bool look_for_any(const std::vector<std::vector<TaskId>>& groups);
  void try_sets(std::vector<Placement> members, const FewestVictims::Cost& least,
                FewestVictims::Bounds& bounds);
  bool are_few(const std::vector<Dimension>& asked, const std::map<ShapeId, std::int32_t>& members,
               FewestVictims::Problem& problem, std::vector<std::uint32_t>& number_of_node) const;
  void add_lots(const std::vector<Dimension>& asked,
                const std::vector<std::uint32_t>& number_of_node,
                FewestVictims::Problem& problem) const;
  bool leave_instead(std::vector<std::uint32_t> lots, const std::vector<Placement>& members);
  bool evict_all(const std::vector<std::uint32_t>& lots, const std::vector<Placement>& members);
  bool could_be_room_for(const std::vector<Placement>& placed);
  bool restore(const Solution& solution);
  bool evict_again(std::vector<Evicted> evicted);
  bool place_again(std::vector<Placement> waiting,
                   const std::function<bool(const Placement&)>& place);

  // In is_banned_: it is the claimant's.
  static constexpr std::uint8_t kOwn = 2;
  static constexpr std::uint8_t kNotNow = 3;  // VictimOrder::whole_jobs

  engine::Session& session_;
  const Cluster& cluster_;
  const EvictionPolicy& policy_;
  Candidates& candidates_;
  engine::Statement& statement_;
  JobId claimant_;
  Manner manner_;
  bool is_hopeless_ = false;
  bool do_others_count_ = false;  // where a member may go depends on other pods
  bool is_lost_ = false;          // what was found could not be restored
  std::uint32_t turns_ = 0;
  std::vector<std::uint8_t> is_banned_;  // by lot: it may not leave, or has left
  engine::Statement::Checkpoint begin_;
  std::vector<Evicted> evicted_;
  std::vector<Placement> placed_;
  Resources credit_;  // what has left, less what is placed
  std::vector<Spared> refused_;
  std::map<JobId, std::int32_t> refused_of_;  // pods of surplus, by job
  std::set<std::uint32_t> kept_;              // lots that the guarantee of their queue keeps
  std::int32_t most_ = 0;
};

}  // namespace berth::actions
