#include <algorithm>
#include <set>
#include <utility>

#include "actions/eviction/solver.h"
#include "engine/fit/keeps_away.h"

// Which victims the solver spares in the end.

namespace berth::actions {

using namespace engine;

// VICTIM-8. Pods that left for one member may have made enough room for another: those that are not
// needed stay, the last in the order of victims first.
void Solver::spare_the_unneeded() {
  std::sort(evicted_.begin(), evicted_.end(),
            [](const Evicted& left, const Evicted& right) { return left.lot > right.lot; });
  std::erase_if(evicted_, [&](const Evicted& each) { return !is_lost_ && is_unneeded(each); });
}

// VICTIM-9
bool Solver::keeps_any_away(const Evicted& evicted) const {
  return std::any_of(placed_.begin(), placed_.end(), [&](const Placement& placed) {
    const Shape& shape = cluster_.shape_of(placed.task);
    return std::any_of(evicted.tasks.begin(), evicted.tasks.end(), [&](TaskId task) {
      return engine::keeps_away(cluster_, task, shape, placed.node);
    });
  });
}

bool Solver::is_unneeded(const Evicted& evicted) {
  const Candidates::Lot& lot = candidates_.lots()[evicted.lot];
  const StatusCounts& counts = cluster_.job(lot.job).counts;
  const bool is_gone = ready_count(counts) == count_of(counts, TaskStatus::succeeded);
  if (!lot.is_whole && is_gone) return false;  // its job leaves whole
  if (keeps_any_away(evicted)) return false;
  std::vector<std::pair<NodeId, Resources>> taken;  // again
  for (const TaskId id : evicted.tasks) {
    const NodeId node = cluster_.task(id).node;
    const auto found = std::find_if(taken.begin(), taken.end(),
                                    [&](const auto& each) { return each.first == node; });
    auto& sum = (found == taken.end() ? taken.emplace_back(node, Resources()) : *found).second;
    sum += cluster_.shape_of(id).request;
  }
  for (const auto& [node, sum] : taken) {
    for (std::size_t d = 0; d < sum.extent(); ++d) {
      if (sum[Dimension(d)] > 0 && cluster_.future_idle(node, Dimension(d)) < sum[Dimension(d)]) {
        return false;
      }
    }
  }
  statement_.spare(evicted.tasks);
  credit(evicted.tasks, -1);
  if (placed_.empty()) return true;
  // It may have left for its queue's share.
  const std::vector<Placement> last = withdraw_last(evicted.tasks);
  std::size_t again = 0;
  for (; again < last.size(); ++again) {
    if (!is_allowed(last[again].task) || !place_on(last[again].task, last[again].node)) break;
  }
  if (again == last.size()) return true;
  while (again-- > 0) withdraw_one();
  credit(evicted.tasks, +1);
  is_lost_ = !statement_.evict({lot.job, evicted.tasks}, {claimant_, policy_.action, lot.as}) ||
             !std::all_of(last.begin(), last.end(),
                          [&](const Placement& each) { return place_on(each.task, each.node); });
  return false;
}

// The last that are placed, in their order: of each resource of these tasks, one that asks for it.
std::vector<Placement> Solver::withdraw_last(const std::vector<TaskId>& tasks) {
  std::set<Dimension> open;
  for (const TaskId id : tasks) {
    for (const auto& [dimension, amount] : cluster_.shape_of(id).requested) open.insert(dimension);
  }
  const auto asks = [&](Dimension d) {
    return std::any_of(placed_.begin(), placed_.end(), [&](const Placement& each) {
      return cluster_.shape_of(each.task).request[d] > 0;
    });
  };
  std::erase_if(open, [&](Dimension d) { return !asks(d); });
  std::vector<Placement> last;
  do {
    last.push_back(withdraw_one());
    const Resources& request = cluster_.shape_of(last.back().task).request;
    std::erase_if(open, [&](Dimension d) { return request[d] > 0; });
  } while (!open.empty());
  std::reverse(last.begin(), last.end());
  return last;
}

Placement Solver::withdraw_one() {
  const Placement last = placed_.back();
  statement_.withdraw(last.task);
  credit({last.task}, +1);
  placed_.pop_back();
  return last;
}

}  // namespace berth::actions
