#include "engine/fit/member_bound.h"

#include <algorithm>

#include "berth/engine/session.h"
#include "engine/shortage.h"

namespace berth::engine {

namespace {

// If more kinds of pods count for a spread, it bounds nothing.
constexpr std::size_t kSpreadOverMost = 8;

// Pods of others that never leave, and what the node is, let it take some.
bool may_take(const Cluster& cluster, const Shape& shape, NodeId node) {
  return depends_on(shape) == DependsOn::specification ||
         check_occupants({cluster, shape, cluster.node(node), Occupants::staying});
}

VolumeTable::Attachable attachable_on(const Cluster& cluster, const Shape& shape, NodeId node) {
  const VolumeTable& volumes = cluster.relations().volumes();
  return volumes.attachable(shape.constraints.volumes, cluster.node(node).name);
}

const std::string* claim_for_one_pod(const Shape& shape) {
  for (const VolumeNeed& need : shape.constraints.volumes.claims) {
    if (need.is_for_one_pod) return &need.claim;
  }
  return nullptr;
}

}  // namespace

std::int64_t members_on(const Cluster& cluster, const Shape& shape, NodeId node) {
  std::int64_t pods = room_for(OnceEmptied{cluster}, shape, node);
  if (pods == 0 || !may_take(cluster, shape, node)) return 0;
  if (shape.has_host_ports) pods = 1;
  if (!shape.constraints.volumes.claims.empty()) {
    pods = std::min(pods, attachable_on(cluster, shape, node).pods);
  }
  return pods;
}

MemberBound::MemberBound(const Session& session, const Shape& shape,
                         const std::vector<std::vector<ShapeId>>& spread_over)
    : session_(session),
      cluster_(session.cluster()),
      shape_(shape),
      volumes_(cluster_, shape),
      apart_(cluster_, shape) {
  const ShapeTerms& terms = shape.terms;
  for (std::size_t i = 0; i < terms.spread.size(); ++i) {
    const TermId term = terms.spread[i];
    const bool counts_them = std::binary_search(terms.matched.begin(), terms.matched.end(), term);
    std::vector<ShapeId> others = spread_over[term.index()];
    if (!counts_them || others.size() > kSpreadOverMost) continue;
    std::erase(others, shape.id);
    spreads_.push_back({SpreadBound(cluster_, shape, i), std::move(others)});
  }
}

std::int64_t MemberBound::attachable(NodeId node, std::int64_t pods) {
  if (shape_.constraints.volumes.claims.empty()) return pods;
  const VolumeTable::Attachable most = attachable_on(cluster_, shape_, node);
  if (most.pods >= pods) return pods;
  ++limited_nodes_;
  if (tightest_.driver.empty() || most.limit > tightest_.limit) tightest_ = most;
  return most.pods;
}

void MemberBound::add(NodeId node) {
  for (OfSpread& each : spreads_) {
    for (const ShapeId other : each.others) {
      const Shape& its = cluster_.shape(other);
      if (!passes_in_time(may_run_on(session_, its, node))) continue;
      each.bound.add_others(node, members_on(cluster_, its, node));
    }
  }
  const std::int64_t room = room_for(OnceEmptied{cluster_}, shape_, node);
  if (room == 0 || !passes_in_time(may_run_on(session_, shape_, node))) return;
  if (!may_take(cluster_, shape_, node)) return;
  room_ += room;
  const std::int64_t beside_ports = shape_.has_host_ports ? 1 : room;
  ports_ += beside_ports;
  const std::int64_t pods = attachable(node, beside_ports);
  attached_ += pods;
  volumes_.add(node, pods);
  for (OfSpread& each : spreads_) each.bound.add(node, pods);
  apart_.add(node, pods);
}

std::int64_t MemberBound::pods() const {
  std::int64_t pods = std::min(volumes_.pods(), apart_.pods());
  if (claim_for_one_pod(shape_) != nullptr) pods = std::min<std::int64_t>(pods, 1);  // VOLUME-9
  for (const OfSpread& each : spreads_) pods = std::min(pods, each.bound.pods());
  return pods;
}

std::string MemberBound::attach_text() const {
  return sentence(Reason::too_many_volumes, 0, 0, {}) + ": each has " +
         std::to_string(tightest_.each) + " of driver " + std::string(tightest_.driver) + ", and " +
         std::to_string(limited_nodes_) +
         (limited_nodes_ == 1 ? " node attaches " : " nodes attach ") +
         std::to_string(tightest_.limit) + " at most";
}

std::vector<MemberLimit> MemberBound::limits() const {
  std::vector<MemberLimit> limits{{room_, what_each_needs(cluster_, shape_)}};
  const auto add = [&](std::int64_t pods, std::string why) {
    if (pods < limits.back().pods) limits.push_back({pods, std::move(why)});
  };
  add(ports_, "each needs a host port");
  add(attached_, attach_text());
  add(volumes_.pods(), volumes_.why());
  if (const std::string* const claim = claim_for_one_pod(shape_); claim != nullptr) {
    add(1, "its claim " + *claim + " is for one pod at a time");
  }
  for (const OfSpread& each : spreads_) add(each.bound.pods(), each.bound.why());
  add(apart_.pods(), apart_.why());
  return limits;
}

}  // namespace berth::engine
