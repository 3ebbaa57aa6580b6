#include <algorithm>
#include <map>
#include <tuple>

#include "actions/eviction/solver.h"
#include "berth/base/check.h"
#include "berth/model/room.h"

namespace berth::actions {

using namespace engine;

namespace {

// Evictions and placements that are tried again, at most: some milliseconds.
constexpr std::size_t kReplayMost = 20'000;

}  // namespace

// VICTIM-8. The room that one lot leaves may serve others, if members are placed otherwise. Whole
// jobs are tried first, then the most pods, then the last in the order.
void Solver::do_without_each() {
  const std::size_t cost = evicted_.size() * (evicted_.size() + placed_.size());
  if (evicted_.size() < 2 || cost > kReplayMost) return;
  std::vector<TaskId> tasks;
  for (const Placement& each : placed_) tasks.push_back(each.task);
  // Each was allowed to leave after those before it.
  std::sort(evicted_.begin(), evicted_.end(),
            [](const Evicted& left, const Evicted& right) { return left.turn < right.turn; });
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
    std::vector<Evicted> others = best.evicted;
    std::erase_if(others, [&](const Evicted& other) { return other.lot == each.lot; });
    if (place_with(others, tasks)) best = {evicted_, placed_};
  }
  restore(best);
}

// All members, if just these leave.
bool Solver::place_with(const std::vector<Evicted>& evicted, const std::vector<TaskId>& tasks) {
  restore({});
  return std::all_of(evicted.begin(), evicted.end(),
                     [&](const Evicted& each) { return evict_again(each); }) &&
         could_be_room_for(tasks) && std::all_of(tasks.begin(), tasks.end(), [&](TaskId id) {
           return place_without_evicting(id);
         });
}

// Is there room for the members of each shape, if the others were not there?
bool Solver::could_be_room_for(const std::vector<TaskId>& tasks) {
  std::map<ShapeId, std::int64_t> lacking;
  for (const TaskId id : tasks) ++lacking[cluster_.task(id).shape];
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

void Solver::restore(const Solution& solution) {
  statement_.roll_back(begin_);
  evicted_.clear();
  placed_.clear();
  credit_ = Resources();
  for (const Evicted& each : solution.evicted) BERTH_CHECK(evict_again(each));
  for (const auto& [task, node] : solution.placed) BERTH_CHECK(place_on(task, node));
}

bool Solver::evict_again(const Evicted& evicted) {
  const Candidates::Lot& lot = candidates_.lots()[evicted.lot];
  if (!statement_.evict({lot.job, evicted.tasks}, {claimant_, policy_.action, lot.as})) {
    return false;
  }
  credit(evicted.tasks, +1);
  evicted_.push_back(evicted);
  return true;
}

}  // namespace berth::actions
