#include "engine/seeker.h"

#include "berth/base/look_up.h"

namespace berth::engine {

namespace {

// Invalid: it wants nobody near, or somebody is there or has a domain.
TermId undecided_term(const Cluster& cluster, const Shape& shape,
                      const std::vector<Start>& decided) {
  const auto is_wanted = [&](const Start& start) { return wants_near(shape, start.term); };
  if (std::any_of(decided.begin(), decided.end(), is_wanted)) return TermId();
  return term_to_start_with(cluster, shape);
}

}  // namespace

std::optional<Seeker> next_seeker(const Cluster& cluster, const std::vector<ShapeId>& shapes,
                                  const std::vector<Start>& decided) {
  std::optional<Seeker> next;
  std::size_t most = 0;
  for (const ShapeId id : shapes) {
    if (cluster.shape(id).terms.affinity.empty()) continue;
    const TermId term = undecided_term(cluster, cluster.shape(id), decided);
    if (!term.is_valid()) continue;
    const auto leads = [&](ShapeId other) {
      const Shape& shape = cluster.shape(other);
      return is_wanted_near(shape, term) && (shape.terms.matches_own_affinity ||
                                             !undecided_term(cluster, shape, decided).is_valid());
    };
    const auto leader = std::find_if(shapes.begin(), shapes.end(), leads);
    const PodRelations& relations = cluster.relations();
    const std::size_t domains = relations.domains().count(relations.term(term).key);
    if (leader == shapes.end() || domains <= most) continue;
    next = Seeker{id, *leader, term};
    most = domains;
  }
  return next;
}

std::vector<ShapeId> shapes_pending(const Cluster& cluster, const std::vector<TaskId>& tasks) {
  std::vector<ShapeId> shapes;
  ShapeId last;
  for (const TaskId id : tasks) {
    const Task& task = cluster.task(id);
    if (task.status != TaskStatus::pending || task.shape == last) continue;
    last = task.shape;
    if (!is_any_of(last, shapes)) shapes.push_back(last);
  }
  return shapes;
}

void leaders_first(const Cluster& cluster, std::vector<TaskId>& tasks) {
  const auto wants_somebody = [&](TaskId id) {
    return !cluster.shape_of(id).terms.affinity.empty();
  };
  if (std::none_of(tasks.begin(), tasks.end(), wants_somebody)) return;
  const std::vector<ShapeId> shapes = shapes_pending(cluster, tasks);
  std::vector<Start> decided;
  auto front = tasks.begin();
  for (auto next = next_seeker(cluster, shapes); next;
       next = next_seeker(cluster, shapes, decided)) {
    decided.push_back({next->term, DomainId()});
    const auto is_leader = [&](TaskId id) { return cluster.task(id).shape == next->leader; };
    const auto leader = std::find_if(tasks.begin(), tasks.end(), is_leader);
    if (leader < front || cluster.shape(next->shape).terms.matches_own_affinity) continue;
    std::rotate(front, leader, leader + 1);
    ++front;
  }
}

}  // namespace berth::engine
