#include "engine/shortage.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "berth/base/text.h"
#include "berth/model/amount_text.h"

namespace berth::engine {

std::string what_each_needs(const Cluster& cluster, const Shape& shape) {
  if (shape.has_host_ports) return "each needs a host port";
  if (shape.terms.refuses_itself) {
    const PodRelations& relations = cluster.relations();
    return "its anti-affinity allows one for each " +
           relations.term(shape.terms.anti_affinity.front()).spec.topology_key;
  }
  Scarcest scarcest(cluster);
  for (const auto& [dimension, amount] : shape.requested) {
    std::int64_t most = 0;
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      most = std::max(most, OnceEmptied{cluster}.at(NodeId(n), dimension));
    }
    scarcest.consider(dimension, most / amount, most / amount + 1);
  }
  if (scarcest.is_none()) return {};
  for (const auto& [dimension, amount] : shape.requested) {
    if (dimension != scarcest.dimension()) continue;
    return "each needs " + amount_of(scarcest.name(), amount, Rounding::up);
  }
  return {};
}

namespace {

// How many nodes there are for each text, the most first.
std::string listed(const std::map<std::string, std::int32_t>& counts) {
  std::vector<std::pair<std::string, std::int32_t>> most_first(counts.begin(), counts.end());
  std::stable_sort(most_first.begin(), most_first.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  std::string text;
  for (const auto& [why, nodes] : most_first) {
    text += (text.empty() ? "" : ", ") + std::to_string(nodes) + " " + why;
  }
  return text;
}

// Nodes that the pod may not run on, by reason.
std::map<std::string, std::int32_t> refusals_of(Session& session, const Shape& shape) {
  const Cluster& cluster = session.cluster();
  std::map<std::string, std::int32_t> counts;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const Verdict verdict = may_run_on(session, shape, NodeId(n));
    if (passes_in_time(verdict)) continue;
    ++counts[sentence(verdict.reason, verdict.have, verdict.need, verdict.what)];
  }
  return counts;
}

}  // namespace

std::string refusals_text(Session& session, const Shape& shape) {
  const Cluster& cluster = session.cluster();
  std::map<std::string, std::int32_t> counts = refusals_of(session, shape);
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    if (!passes_in_time(may_run_on(session, shape, NodeId(n)))) continue;
    const Verdict beside =
        check_occupants({cluster, shape, cluster.node(NodeId(n)), Occupants::staying});
    const bool is_large = has_room(OnceEmptied{cluster}, shape, NodeId(n));
    ++counts[is_large ? sentence(beside.reason, 0, 0, beside.what) : "too small"];
  }
  return listed(counts);
}

std::string not_counted_text(Session& session, const Shape& shape) {
  const std::string text = listed(refusals_of(session, shape));
  return text.empty() ? "" : "not counted: " + text;
}

std::string names_like(const Cluster& cluster, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
    if (cluster.total_allocatable()[Dimension(d)] > 0) {
      known.push_back(cluster.dimensions().name(Dimension(d)));
    }
  }
  std::sort(known.begin(), known.end());
  const auto near = did_you_mean(name, known);
  return near ? "did you mean " + *near + "?" : "";
}

}  // namespace berth::engine
