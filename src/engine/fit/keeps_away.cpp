#include "engine/fit/keeps_away.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "berth/base/look_up.h"

namespace berth::engine {

namespace {

// Is it counted where the term would count a pod on this node?
bool is_in_domain(const Cluster& cluster, TermId term, TaskId task, NodeId node) {
  const PodRelations& relations = cluster.relations();
  const DomainId domain = relations.domain(term, node);
  return domain.is_valid() && relations.domain(term, cluster.task(task).node) == domain;
}

// Calls `keep` with each term that may keep the shape away, and how a task is found in it.
template <class Keep>
bool any_term(const Shape& from, Keep keep) {
  const auto& own = from.terms.anti_affinity;
  const auto& of_others = from.terms.refused_by;
  return std::any_of(own.begin(), own.end(),
                     [&](TermId term) { return keep(term, &ShapeTerms::matched); }) ||
         std::any_of(of_others.begin(), of_others.end(),
                     [&](TermId term) { return keep(term, &ShapeTerms::held); });
}

}  // namespace

bool keeps_away(const Cluster& cluster, TaskId task, const Shape& from, NodeId node) {
  if (!cluster.task(task).node.is_valid()) return false;
  const ShapeTerms& has = cluster.shape_of(task).terms;
  return any_term(from, [&](TermId term, auto list) {
    return is_any_of(term, has.*list) && is_in_domain(cluster, term, task, node);
  });
}

bool are_all_that_keep_away(const Cluster& cluster, std::span<const TaskId> tasks,
                            const Shape& from, NodeId node) {
  const PodRelations& relations = cluster.relations();
  return !any_term(from, [&](TermId term, auto list) {
    const DomainId domain = relations.domain(term, node);
    if (!domain.is_valid()) return false;
    const Counted counted = relations.term(term).counts.at(domain);
    const auto among = std::count_if(tasks.begin(), tasks.end(), [&](TaskId task) {
      return is_any_of(term, cluster.shape_of(task).terms.*list) &&
             is_in_domain(cluster, term, task, node);
    });
    return counted.there - counted.leaving + counted.promised > among;
  });
}

}  // namespace berth::engine
