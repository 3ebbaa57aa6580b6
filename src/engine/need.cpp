#include "berth/engine/need.h"

#include <algorithm>

#include "berth/engine/fit.h"
#include "berth/engine/session.h"
#include "engine/bins.h"
#include "engine/near_sets.h"
#include "engine/seeker.h"

namespace berth::engine {

void lacking_roles_first(const Cluster& cluster, const Job& job, std::vector<TaskId>& tasks) {
  if (job.role_minimum_total == 0) return;
  std::vector<std::int32_t> lacking;
  for (const Role& role : job.roles) lacking.push_back(role.minimum - ready_count(role.counts));
  std::vector<TaskId> others;
  std::erase_if(tasks, [&](TaskId task) {
    const std::uint16_t role = cluster.task(task).role;
    if (role != kNoRole && lacking[role]-- > 0) return false;
    others.push_back(task);
    return true;
  });
  tasks.insert(tasks.end(), others.begin(), others.end());
}

void add_member(std::vector<Need::Part>& parts, ShapeId shape, TaskId task) {
  auto part = std::find_if(parts.begin(), parts.end(),
                           [&](const Need::Part& each) { return each.shape == shape; });
  if (part == parts.end()) part = parts.insert(part, {shape, task, 0});
  ++part->count;
}

// CLAIMANT-2
bool never_preempts(const Cluster& cluster, const Job& job, const std::vector<TaskId>& tasks) {
  return job.never_preempts || std::any_of(tasks.begin(), tasks.end(), [&](TaskId id) {
           return cluster.task(id).never_preempts;
         });
}

bool has_minimum(const Session& session, const Job& job) {
  return job.placed_count() >= job.min_available && session.ask(points::job_ready, job);
}

Resources asked_for_admission(const Cluster& cluster, const Job& job) {
  Resources has = job.allocated;
  if (job.count(TaskStatus::succeeded) > 0) {
    for (const TaskId id : job.tasks) {
      if (cluster.task(id).status == TaskStatus::succeeded) has += cluster.shape_of(id).request;
    }
  }
  return positive_difference(*job.min_resources, has);
}

namespace {

std::int32_t lacking_count(const Job& job) {
  std::int32_t lacking_in_roles = 0;
  if (job.roles_bind()) {
    for (const Role& role : job.roles) {
      lacking_in_roles += std::max(0, role.minimum - ready_count(role.counts));
    }
  }
  const std::int32_t has = job.placed_count() + job.count(TaskStatus::pipelined);
  return std::max({0, job.min_available - has, lacking_in_roles});
}

}  // namespace

std::vector<TaskId> lacking_members(const Session& session, const Job& job) {
  std::vector<TaskId> tasks = session.unplaced_in_order(job);
  lacking_roles_first(session.cluster(), job, tasks);
  leaders_first(session.cluster(), tasks);
  const auto lacks = static_cast<std::size_t>(lacking_count(job));
  tasks.resize(whole_parts_first(session.cluster(), job, tasks, lacks));
  return tasks;
}

std::int64_t part_of_cluster(const Cluster& cluster, Dimension d, std::int64_t amount) {
  const std::int64_t total = std::max<std::int64_t>(1, cluster.total_allocatable()[d]);
  const __int128 part = static_cast<__int128>(amount) * 1'000'000'000 / total;
  return static_cast<std::int64_t>(std::min<__int128>(part, 1'000'000'000));
}

std::int64_t part_of_cluster(const Cluster& cluster, const Shape& shape) {
  std::int64_t most = 0;
  for (const auto& [d, amount] : shape.requested) {
    most = std::max(most, part_of_cluster(cluster, d, amount));
  }
  return most;
}

bool smallest_first(const Session& session, const Job& job, std::vector<TaskId>& tasks,
                    std::size_t from) {
  const Cluster& cluster = session.cluster();
  const auto lacks = static_cast<std::size_t>(lacking_count(job));
  if (tasks.size() - std::min(from, tasks.size()) <= lacks) return false;
  std::vector<TaskId> sorted(tasks.begin() + static_cast<std::ptrdiff_t>(from), tasks.end());
  std::stable_sort(sorted.begin(), sorted.end(), [&](TaskId left, TaskId right) {
    return part_of_cluster(cluster, cluster.shape_of(left)) <
           part_of_cluster(cluster, cluster.shape_of(right));
  });
  lacking_roles_first(cluster, job, sorted);
  if (std::equal(sorted.begin(), sorted.end(), tasks.begin() + static_cast<std::ptrdiff_t>(from))) {
    return false;
  }
  std::copy(sorted.begin(), sorted.end(), tasks.begin() + static_cast<std::ptrdiff_t>(from));
  return true;
}

std::vector<TaskId> smallest_members(const Session& session, const Job& job) {
  std::vector<TaskId> tasks = session.unplaced_in_order(job);
  lacking_roles_first(session.cluster(), job, tasks);
  if (!smallest_first(session, job, tasks, 0)) return {};
  leaders_first(session.cluster(), tasks);
  const auto lacks = static_cast<std::size_t>(lacking_count(job));
  tasks.resize(whole_parts_first(session.cluster(), job, tasks, lacks));
  return tasks;
}

Need need_of(const Session& session, const Job& job) {
  return need_of(session, job, lacking_members(session, job));
}

Need need_of(const Session& session, const Job& job, const std::vector<TaskId>& lacking) {
  const Cluster& cluster = session.cluster();
  Need need;
  for (const TaskId id : lacking) {
    const ShapeId shape = cluster.task(id).shape;
    add_member(need.parts, shape, id);
    ++need.members;
    need.request += cluster.shape(shape).request;
  }
  const bool are_all_there = need.members >= lacking_count(job);
  if (are_all_there || !job.min_resources) return need;
  for (std::size_t d = 0; d < job.min_resources->extent(); ++d) {
    const Dimension dimension(d);
    const std::int64_t rest =
        (*job.min_resources)[dimension] - job.allocated[dimension] - need.request[dimension];
    if (rest <= 0) continue;
    need.rest.set(dimension, rest);
    need.request.add(dimension, rest);
  }
  return need;
}

namespace {

std::vector<NodeId> all_nodes(const Cluster& cluster) {
  std::vector<NodeId> nodes;
  nodes.reserve(cluster.node_count());
  for (std::size_t n = 0; n < cluster.node_count(); ++n) nodes.emplace_back(n);
  return nodes;
}

// Of several resources, the one whose name comes first.
Verdict is_within_cluster(const Cluster& cluster, const Need& need,
                          const ReachableCapacity& reachable) {
  Verdict shortage = pass();
  for (std::size_t d = 0; d < need.request.extent(); ++d) {
    const Dimension dimension(d);
    const std::int64_t needed = need.request[dimension];
    if (needed <= 0) continue;
    std::int64_t have = 0;
    for (std::size_t n = 0; n < cluster.node_count() && have < needed; ++n) {
      have += std::max<std::int64_t>(0, reachable.at(NodeId(n), dimension));
    }
    const std::string& name = cluster.dimensions().name(dimension);
    if (have >= needed || (!shortage && shortage.what < name)) continue;
    shortage = reject(Reason::larger_than_cluster, have, needed, name);
  }
  return shortage;
}

}  // namespace

bool could_take_any(Session& session, const Need& need, NodeId node,
                    const ReachableCapacity& reachable) {
  const Cluster& cluster = session.cluster();
  if (need.parts.empty()) return !cluster.node(node).is_unschedulable;
  return std::any_of(need.parts.begin(), need.parts.end(), [&](const Need::Part& part) {
    const Shape& shape = cluster.shape(part.shape);
    return session.passing_but_for_vetoes(part.shape)[node.index()] != 0 &&
           has_room(reachable, shape, node) &&
           check_occupants({cluster, shape, cluster.node(node), Occupants::staying});
  });
}

Verdict could_start(Session& session, const Job& job, const Need& need,
                    ReachableCapacity& reachable) {
  const Cluster& cluster = session.cluster();
  reachable.take_in(job);
  if (const Verdict verdict = is_within_cluster(cluster, need, reachable); !verdict) {
    return verdict;
  }
  for (const Need::Part& part : need.parts) {
    const Need one{{part}, part.count, {}, {}};
    std::size_t n = 0;
    while (n < cluster.node_count() && !could_take_any(session, one, NodeId(n), reachable)) ++n;
    if (n == cluster.node_count()) {
      return reject(Reason::fits_no_node, 0, 0, cluster.task(part.first).name);
    }
  }
  Need left = need;
  Bins bins(session, all_nodes(cluster), reachable);
  const Bins::Filling filling = bins.fill(left);
  if (filling.is_whole) return pass();
  Verdict verdict = reject(Reason::not_packable, filling.members, need.members);
  verdict.detail = session.keep(bins.why_left(left));
  return verdict;
}

}  // namespace berth::engine
