#include <algorithm>
#include <functional>
#include <numeric>

#include "berth/engine/feasibility.h"
#include "berth/engine/fit.h"
#include "berth/engine/session.h"
#include "engine/fit/member_bound.h"
#include "engine/shortage.h"

// How many pods of one shape the nodes take together, and why not more.

namespace berth::engine {

namespace {

// Nodes of one zone often follow each other. In such steps, all zones are met soon.
std::size_t step_through(std::size_t nodes) {
  std::size_t step = std::max<std::size_t>(1, nodes * 5 / 8);
  while (std::gcd(step, nodes) > 1) ++step;
  return step;
}

}  // namespace

bool Feasibility::have_spreads_changed(const OfJob& found) const {
  return std::any_of(found.spreads.begin(), found.spreads.end(), [this](const auto& then) {
    return of_spreads_[then.first.index()] != then.second;
  });
}

// SPREAD-12. The pods that count for a spread, and where they are, change what others may add.
void Feasibility::find_spreads(const Cluster& cluster) {
  const PodRelations& relations = cluster.relations();
  of_spreads_.assign(cluster.shape_count(), 0);
  spread_over_.assign(relations.terms().slots(), {});
  std::vector<std::uint64_t> stamps(relations.terms().slots(), 0);
  const auto is_in_use = [&](std::size_t s) { return cluster.shape(ShapeId(s)).uses > 0; };
  for (std::size_t s = 0; s < of_spreads_.size(); ++s) {
    if (!is_in_use(s)) continue;
    for (const TermId term : cluster.shape(ShapeId(s)).terms.counted) {
      if (relations.term(term).spec.role != TermRole::spread) continue;
      spread_over_[term.index()].emplace_back(s);
      stamps[term.index()] += std::hash<std::uint64_t>{}(cluster.shape(ShapeId(s)).serial);
    }
  }
  for (std::size_t s = 0; s < of_spreads_.size(); ++s) {
    if (!is_in_use(s)) continue;
    for (const TermId term : cluster.shape(ShapeId(s)).terms.spread) {
      of_spreads_[s] += stamps[term.index()] + relations.term(term).counts.version() + 1;
    }
  }
}

// Asks about all nodes only if too few of them take enough. Then limit_of() has the reason.
const Feasibility::OfShape& Feasibility::of_shape(Session& session, ShapeId id,
                                                  std::int64_t enough) {
  const Cluster& cluster = session.cluster();
  OfShape& found = shapes_[id.index()];
  const Shape& shape = cluster.shape(id);
  const std::uint64_t spreads = of_spreads_[id.index()];
  const bool is_known =
      found.nodes == nodes_ && found.serial == shape.serial && found.spreads == spreads;
  const bool has_reason = found.is_whole && (found.capacity == 0 || !found.limits.empty());
  if (is_known && (found.capacity >= enough || has_reason)) return found;
  found = {nodes_, shape.serial, 0, false, {}, spreads, {}, {}};
  MemberBound bound(session, shape, spread_over_);
  const std::size_t nodes = cluster.node_count();
  const std::size_t step = bound.has_spreads() ? step_through(nodes) : 1;
  std::size_t n = 0;
  for (; n < nodes && found.capacity < enough; ++n) {
    bound.add(NodeId(n * step % nodes));
    // A spread looks at all its domains, so it is asked after 1, 2, 4 nodes.
    const bool is_last = n + 1 == nodes;
    if (is_last || !bound.has_spreads() || (n & (n + 1)) == 0) found.capacity = bound.pods();
  }
  found.is_whole = n == nodes;
  if (found.capacity >= enough) return found;
  if (!bound.is_any_possible()) {
    found.why = why_nowhere(session, id);
    return found;
  }
  found.limits = bound.limits();
  const std::string not_counted = not_counted_text(session, shape, NotCounted::all);
  for (MemberLimit& each : found.limits) {
    const bool are_both = !each.why.empty() && !not_counted.empty();
    each.why += (are_both ? "; " : "") + not_counted;
  }
  if (found.capacity == 0) found.why = {Reason::fits_no_node, 0, 0, {}, limit_of(id, 1)};
  return found;
}

// Of a count that was too small.
std::string Feasibility::limit_of(ShapeId id, std::int64_t needed) const {
  for (const MemberLimit& limit : shapes_[id.index()].limits) {
    if (limit.pods < needed) return limit.why;
  }
  return {};
}

// FEASIBLE-1, FEASIBLE-2, in the order in which they are of use: a resource that does not exist, an
// amount that no node has, nodes that are not for this pod.
Cause Feasibility::why_nowhere(Session& session, ShapeId id) {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(id);
  if (const std::string& fault = shape.constraints.fault; !fault.empty()) {
    return {Reason::pod_faulty, 0, 0, fault, {}};
  }
  if (const Excess& excess = shape.constraints.excess; excess.reason != Reason::none) {
    return {excess.reason, 0, 0, excess.what, {}};  // BOUND-1, BOUND-3
  }
  if (const std::string& fault = shape.constraints.volumes.fault; !fault.empty()) {
    return {Reason::claim_not_ready, 0, 0, fault, {}};  // VOLUME-1, VOLUME-2
  }
  std::string unknown;
  for (const auto& [dimension, amount] : shape.requested) {
    const std::string& name =
        dimension == kUnknown ? shape.unknown.begin()->first : cluster.dimensions().name(dimension);
    const bool is_unknown = cluster.total_allocatable()[dimension] <= 0;
    if (is_unknown && (unknown.empty() || name < unknown)) unknown = name;
  }
  bool is_any_open = false;
  std::vector<std::int64_t> most(shape.requested.size(), 0);
  for (std::size_t n = 0; n < cluster.node_count() && unknown.empty(); ++n) {
    if (!passes_in_time(may_run_on(session, shape, NodeId(n)))) continue;
    is_any_open = true;
    for (std::size_t i = 0; i < most.size(); ++i) {
      const std::int64_t room = OnceEmptied{cluster}.at(NodeId(n), shape.requested[i].first);
      most[i] = std::max(most[i], room);
    }
  }
  Scarcest scarcest(cluster, shape);
  for (std::size_t i = 0; i < most.size() && is_any_open; ++i) {
    scarcest.consider(shape.requested[i].first, most[i], shape.requested[i].second);
  }
  if (!unknown.empty()) {
    return {Reason::unknown_resource, 0, 0, unknown, unknown_text(cluster, unknown)};
  }
  if (!scarcest.is_none()) {
    return {Reason::pod_too_large, scarcest.have(), scarcest.need(), scarcest.name(),
            not_counted_text(session, shape, NotCounted::by_specification)};
  }
  return {Reason::fits_no_node, 0, 0, {}, refusals_text(session, shape)};
}

}  // namespace berth::engine
