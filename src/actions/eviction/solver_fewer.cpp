#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "actions/eviction/solver.h"
#include "berth/base/look_up.h"
#include "berth/engine/surplus.h"
#include "berth/model/room.h"

// Fewer victims than the search by offers has found.

namespace berth::actions {

using namespace engine;

namespace {

// The problems in which all sets are tried.
constexpr std::size_t kNodesMost = 32;
constexpr std::size_t kLotsMost = 256;
constexpr std::size_t kMembersMost = 64;
constexpr std::int32_t kPodsMost = 24;

// The resources that the members ask for, each once.
std::vector<Dimension> asked_by(const Cluster& cluster, const std::vector<Placement>& members) {
  std::vector<Dimension> asked;
  for (const Placement& each : members) {
    for (const auto& [d, amount] : cluster.shape_of(each.task).requested) asked.push_back(d);
  }
  sort_once(asked);
  return asked;
}

FewestVictims::Amounts amounts_of(const Resources& request, const std::vector<Dimension>& asked) {
  FewestVictims::Amounts amounts;
  for (const Dimension d : asked) amounts.push_back(request[d]);
  return amounts;
}

}  // namespace

// VICTIM-14. As things were before anybody left.
void Solver::look_for_fewer() {
  const Cost so_far = cost();
  if (evicted_.empty() || placed_.empty() || so_far.pods > std::size_t{kPodsMost}) return;
  FewestVictims::Bounds bounds;
  try_sets(placed_,
           {static_cast<std::int32_t>(so_far.pods), so_far.grade, so_far.work, so_far.last_lot},
           bounds);
}

// VICTIM-16. True if some do.
bool Solver::look_for_any(const std::vector<std::vector<TaskId>>& groups) {
  std::vector<Placement> members;
  for (const std::vector<TaskId>& group : groups) {
    for (const TaskId id : group) members.push_back({id, NodeId()});
  }
  constexpr std::uint32_t kAnyLot = std::numeric_limits<std::uint32_t>::max();
  try_sets(members, {kPodsMost, kAnyLot, std::numeric_limits<std::int64_t>::max(), kAnyLot},
           *manner_.bounds);
  return !is_lost_ && !evicted_.empty() && do_without_each();
}

// Sets of candidates that cost less than this. The best that does takes the place of what was
// found.
void Solver::try_sets(std::vector<Placement> members, const FewestVictims::Cost& least,
                      FewestVictims::Bounds& bounds) {
  if (members.size() > kMembersMost || candidates_.lots().size() > kLotsMost) return;
  if (policy_.may_vacate || cluster_.locks().for_queues() > 0) return;  // NODES-16 counts more
  const std::vector<Dimension> asked = asked_by(cluster_, members);
  FewestVictims::Problem problem;
  const Solution found{evicted_, placed_};
  if (!evict_again({})) return;
  std::map<ShapeId, std::int32_t> shapes;
  for (const Placement& each : members) ++shapes[cluster_.task(each.task).shape];
  for (const auto& [shape, count] : shapes) {
    problem.members.push_back({amounts_of(cluster_.shape(shape).request, asked), count});
  }
  std::vector<std::uint32_t> number_of_node;
  const bool is_small = are_few(asked, shapes, problem, number_of_node);
  if (is_small) add_lots(asked, number_of_node, problem);
  if (!restore(found)) {
    is_lost_ = true;
    return;
  }
  if (!is_small) return;
  FewestVictims(std::move(problem), least, bounds)
      .search([&](const std::vector<std::uint32_t>& lots) {
        return !is_lost_ && leave_instead(lots, members);
      });
}

// The nodes that could take a member if all candidates left.
bool Solver::are_few(const std::vector<Dimension>& asked,
                     const std::map<ShapeId, std::int32_t>& members,
                     FewestVictims::Problem& problem,
                     std::vector<std::uint32_t>& number_of_node) const {
  number_of_node.assign(cluster_.node_count(), FewestVictims::kNone);
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    const NodeId node(n);
    const auto could_take = [&](const auto& each) {
      return is_open(node, each.first, session_.passing(each.first)) &&
             candidates_.could_take(node, cluster_.shape(each.first).requested, true);
    };
    const auto open = std::count_if(members.begin(), members.end(), could_take);
    if (open == 0) continue;
    // Each of the nodes is to be open to all.
    if (open < static_cast<std::ptrdiff_t>(members.size()) || problem.rooms.size() == kNodesMost) {
      return false;
    }
    number_of_node[n] = static_cast<std::uint32_t>(problem.rooms.size());
    FewestVictims::Amounts room;
    for (const Dimension d : asked) room.push_back(cluster_.future_idle(node, d));
    problem.rooms.push_back(std::move(room));
  }
  return true;
}

// The candidates, as far as the claimant is not their job.
void Solver::add_lots(const std::vector<Dimension>& asked,
                      const std::vector<std::uint32_t>& number_of_node,
                      FewestVictims::Problem& problem) const {
  std::map<TaskId, std::size_t> pod_of;
  std::map<JobId, std::uint32_t> job_of;
  for (std::uint32_t number = 0; number < candidates_.lots().size(); ++number) {
    const Candidates::Lot& lot = candidates_.lots()[number];
    if (is_banned_[number] == kOwn || (lot.is_whole && !manner_.takes_whole_jobs)) continue;
    const Job& job = cluster_.job(lot.job);
    const auto [its, is_new] =
        job_of.try_emplace(job.id, static_cast<std::uint32_t>(problem.jobs.size()));
    if (is_new) {
      problem.jobs.push_back({surplus_count(job)});
      for (const Role& role : job.roles) {
        if (job.roles_bind()) problem.jobs.back().of_role.push_back(spare_of(role));
      }
    }
    const std::vector<TaskId> tasks = still_running(cluster_, lot.tasks);
    const bool is_alone = tasks.size() == 1;
    // All that it has, and not surplus.
    if (lot.is_whole && is_alone) problem.jobs[its->second].surplus = 1;
    const auto of_lot = static_cast<std::uint32_t>(problem.lots.size());
    problem.lots.push_back({number, lot.grade, lot.work});
    for (const TaskId id : tasks) {
      const auto [known, is_first] = pod_of.try_emplace(id, problem.pods.size());
      if (is_first) {
        const Task& task = cluster_.task(id);
        FewestVictims::Pod pod;
        pod.node = number_of_node[task.node.index()];
        pod.request = amounts_of(cluster_.shape(task.shape).request, asked);
        pod.job = its->second;
        if (!lot.is_whole && task.role < problem.jobs[pod.job].of_role.size()) pod.role = task.role;
        // Of surplus, who leaves counts for the others of the job.
        pod.like = lot.is_whole
                       ? static_cast<std::uint32_t>(job.queue.index())
                       : static_cast<std::uint32_t>(cluster_.queue_slots() + job.id.index());
        problem.pods.push_back(std::move(pod));
      }
      FewestVictims::Pod& pod = problem.pods[known->second];
      (lot.is_whole && !is_alone ? pod.whole : pod.alone) = of_lot;
    }
  }
}

// True: these lots do, and have taken the place of what was found.
bool Solver::leave_instead(std::vector<std::uint32_t> lots, const std::vector<Placement>& members) {
  const Solution found{evicted_, placed_};
  const std::vector<std::uint8_t> is_banned = is_banned_;
  const std::vector<Spared> refused = refused_;
  const std::map<JobId, std::int32_t> refused_of = refused_of_;
  std::sort(lots.begin(), lots.end());
  const bool do_they = evict_again({}) && evict_all(lots, members) &&
                       place_again(members, [&](const Placement& each) {
                         return place_without_evicting(each.task);
                       });
  is_banned_ = is_banned;
  refused_ = refused;
  refused_of_ = refused_of;
  if (do_they) return true;
  is_lost_ = !restore(found);
  return false;
}

// Each for what its node is short of for one member more. Nobody has a place yet, so queues are
// asked about all members together.
bool Solver::evict_all(const std::vector<std::uint32_t>& lots,
                       const std::vector<Placement>& members) {
  Resources all;
  std::set<ShapeId> shapes;
  for (const Placement& each : members) {
    all += cluster_.shape_of(each.task).request;
    shapes.insert(cluster_.task(each.task).shape);
  }
  return std::all_of(lots.begin(), lots.end(), [&](std::uint32_t number) {
    const NodeId node = cluster_.task(candidates_.lots()[number].tasks.front()).node;
    std::map<Dimension, std::int64_t> lacks;
    for (const ShapeId shape : shapes) {
      const std::int32_t fit = times_covered(cluster_.shape(shape).requested, [&](Dimension d) {
        return cluster_.future_idle(node, d);
      });
      for (const auto& [d, amount] : shortage_on(cluster_, node, {claimant_, shape, 1}, fit + 1)) {
        lacks[d] = all[d];
      }
    }
    const std::vector<std::pair<Dimension, std::int64_t>> asked(lacks.begin(), lacks.end());
    return evict(number, {claimant_, asked, manner_.is_strict}, statement_);
  });
}

}  // namespace berth::actions
