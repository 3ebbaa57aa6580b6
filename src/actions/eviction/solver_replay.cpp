#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "actions/eviction/solver.h"
#include "actions/passes.h"
#include "berth/model/room.h"

namespace berth::actions {

using namespace engine;

namespace {

// Evictions and placements that are tried again, at most: some milliseconds.
constexpr std::size_t kReplayMost = 20'000;

}  // namespace

// VICTIM-10. The place of a member may depend on a victim. So all are placed again with all
// evictions in force; where they are, else anywhere.
bool Solver::settle() {
  const Solution found{evicted_, placed_};
  if (!restore(found) && !place_with(found)) return false;
  const Solution settled{evicted_, placed_};
  if (is_replay_too_long()) {
    spare_the_unneeded();
    return restore({evicted_, placed_}) || restore(settled);
  }
  return do_without_each();
}

bool Solver::is_replay_too_long() const {
  return evicted_.size() * (evicted_.size() + placed_.size()) > kReplayMost;
}

// VICTIM-8. The room that one lot leaves may serve others, if members are placed otherwise. Whole
// jobs are tried first, then the most pods, then the last in the order.
bool Solver::do_without_each() {
  Solution best{evicted_, placed_};
  std::vector<Evicted> in_turn = evicted_;
  std::sort(in_turn.begin(), in_turn.end(), [&](const Evicted& left, const Evicted& right) {
    const auto key = [&](const Evicted& each) {
      return std::tuple(candidates_.lots()[each.lot].is_whole, each.tasks.size(), each.lot);
    };
    return key(left) > key(right);
  });
  for (const Evicted& each : in_turn) {
    const Candidates::Lot& lot = candidates_.lots()[each.lot];
    const auto is_rest_of_its_job = [&](const Evicted& other) {
      const Candidates::Lot& of_other = candidates_.lots()[other.lot];
      return of_other.is_whole && of_other.job == lot.job;
    };
    const auto& left = best.evicted;
    if (!lot.is_whole && std::any_of(left.begin(), left.end(), is_rest_of_its_job)) continue;
    Solution without = best;
    std::erase_if(without.evicted, [&](const Evicted& other) { return other.lot == each.lot; });
    if (place_with(without)) best = {evicted_, placed_};
  }
  return restore(best);
}

// The members of the solution, wherever there is room, if just its pods leave.
bool Solver::place_with(const Solution& solution) {
  return evict_again(solution.evicted) && could_be_room_for(solution.placed) &&
         place_again(solution.placed,
                     [&](const Placement& each) { return place_without_evicting(each.task); });
}

// Is there room for the members of each shape, if the others were not there?
bool Solver::could_be_room_for(const std::vector<Placement>& placed) {
  std::map<ShapeId, std::int64_t> lacking;
  for (const Placement& each : placed) ++lacking[cluster_.task(each.task).shape];
  return std::all_of(lacking.begin(), lacking.end(), [&](const auto& each) {
    const auto& requested = cluster_.shape(each.first).requested;
    const std::vector<std::uint8_t>& passing = session_.passing(each.first);
    std::int64_t left = each.second;
    for (std::size_t n = 0; n < cluster_.node_count() && left > 0; ++n) {
      if (passing[n] == 0) continue;
      left -=
          times_covered(requested, [&](Dimension d) { return cluster_.future_idle(NodeId(n), d); });
    }
    return left <= 0;
  });
}

// False: one of them is refused.
bool Solver::restore(const Solution& solution) {
  return evict_again(solution.evicted) && place_again(solution.placed, [&](const Placement& each) {
           return place_on(each.task, each.node);
         });
}

// Just these, in the order in which they left: each was allowed to leave after those before it.
bool Solver::evict_again(std::vector<Evicted> evicted) {
  statement_.roll_back(begin_);
  evicted_.clear();
  placed_.clear();
  credit_ = Resources();
  std::sort(evicted.begin(), evicted.end(),
            [](const Evicted& left, const Evicted& right) { return left.turn < right.turn; });
  return std::all_of(evicted.begin(), evicted.end(), [&](const Evicted& each) {
    const Candidates::Lot& lot = candidates_.lots()[each.lot];
    if (!statement_.evict({lot.job, each.tasks}, {claimant_, policy_.action, lot.as})) {
      return false;
    }
    credit(each.tasks, +1);
    evicted_.push_back(each);
    return true;
  });
}

// In their order. Those that need others near them, or elsewhere, wait for these.
bool Solver::place_again(std::vector<Placement> waiting,
                         const std::function<bool(const Placement&)>& place) {
  if (!do_others_count_) return std::all_of(waiting.begin(), waiting.end(), place);
  return try_in_passes(std::move(waiting), place).empty();
}

}  // namespace berth::actions
