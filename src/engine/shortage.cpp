#include "engine/shortage.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "berth/base/text.h"
#include "berth/model/amount_text.h"

namespace berth::engine {

std::string what_each_needs(const Cluster& cluster, const Shape& shape) {
  Scarcest scarcest(cluster, shape);
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

namespace {

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

// Of the other nodes, those that are too small, and those on which pods that never leave are in the
// way.
void add_refusals_beside(Session& session, const Shape& shape,
                         std::map<std::string, std::int32_t>& counts, bool with_too_small) {
  const Cluster& cluster = session.cluster();
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    if (!passes_in_time(may_run_on(session, shape, NodeId(n)))) continue;
    if (!has_room(OnceEmptied{cluster}, shape, NodeId(n))) {
      if (with_too_small) ++counts["too small"];
      continue;
    }
    const Verdict beside =
        check_occupants({cluster, shape, cluster.node(NodeId(n)), Occupants::staying});
    if (!beside) ++counts[sentence(beside.reason, 0, 0, beside.what)];
  }
}

// Of such resources Kubernetes asks DeviceClasses, if no node has them.
bool may_be_of_a_class(const std::string& name) {
  const bool is_native = name.find("kubernetes.io/") != std::string::npos;
  return name.starts_with("deviceclass.resource.kubernetes.io/") ||
         (!is_native && name.find('/') != std::string::npos);
}

}  // namespace

std::string refusals_text(Session& session, const Shape& shape) {
  std::map<std::string, std::int32_t> counts = refusals_of(session, shape);
  add_refusals_beside(session, shape, counts, true);
  return listed(counts);
}

std::string not_counted_text(Session& session, const Shape& shape, NotCounted which) {
  std::map<std::string, std::int32_t> counts = refusals_of(session, shape);
  if (which == NotCounted::all) add_refusals_beside(session, shape, counts, false);
  const std::string text = listed(counts);
  return text.empty() ? "" : "not counted: " + text;
}

std::string unknown_text(const Cluster& cluster, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
    if (cluster.total_allocatable()[Dimension(d)] > 0) {
      known.push_back(cluster.dimensions().name(Dimension(d)));
    }
  }
  std::sort(known.begin(), known.end());
  const auto near = did_you_mean(name, known);
  if (near) return "did you mean " + *near + "?";
  if (cluster.dimensions().of_classes().contains(name)) {
    return "a DeviceClass offers it, but a queue counts it";
  }
  return may_be_of_a_class(name) ? "no DeviceClass offers it either" : "";
}

}  // namespace berth::engine
