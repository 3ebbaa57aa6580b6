#include "engine/known_scores.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "berth/engine/node_block.h"
#include "berth/engine/session.h"
#include "berth/engine/vectorise.h"

namespace berth::engine {

void NodeClasses::refresh(Session& session, std::uint64_t version) {
  const Cluster& cluster = session.cluster();
  const std::size_t nodes = cluster.node_count();
  const bool is_fresh = of_.size() == nodes && spec_version_ == cluster.spec_version();
  if (is_fresh && version_ == version) return;
  spec_version_ = cluster.spec_version();
  version_ = version;
  std::vector<std::uint64_t> by_plugins(nodes, 0);
  session.ask(points::node_order_class, std::span(by_plugins));
  using Kind = std::pair<std::uint64_t, std::vector<std::int64_t>>;
  std::map<Kind, std::uint32_t> known;
  of_.assign(nodes, 0);
  Kind kind;
  kind.second.resize(cluster.dimensions().size());
  for (std::size_t n = 0; n < nodes; ++n) {
    kind.first = by_plugins[n];
    for (std::size_t d = 0; d < kind.second.size(); ++d) {
      kind.second[d] = cluster.allocatable().at(NodeId(n), Dimension(d));
    }
    of_[n] = known.try_emplace(kind, static_cast<std::uint32_t>(known.size())).first->second;
  }
  count_ = static_cast<std::uint32_t>(known.size());
}

namespace {

BERTH_VECTORISED
void keep_where_equal(const std::int64_t* values, std::int64_t value, std::size_t count,
                      std::uint8_t* alike) {
  for (std::size_t i = 0; i < count; ++i) {
    alike[i] = static_cast<std::uint8_t>(alike[i] & (values[i] == value ? 1 : 0));
  }
}

}  // namespace

void NodeClasses::keep_alike(const Cluster& cluster, const NodeBlock& block, std::size_t first,
                             std::uint8_t* alike) const {
  const std::size_t count = block.count();
  for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
    const std::int64_t* idle = block.idle(Dimension(d));
    keep_where_equal(idle, idle[first], count, alike);
  }
  const std::uint32_t node_class = of(block.node(first));
  for (std::size_t i = 0; i < count && count_ > 1; ++i) {
    if (of(block.node(i)) != node_class) alike[i] = 0;
  }
}

const std::int64_t* KnownScores::find(const Cluster& cluster, std::uint32_t node_class,
                                      NodeId node) {
  const std::size_t dimensions = cluster.dimensions().size();
  const std::size_t width = kHead + dimensions;
  if (rows_.empty() || asked_.size() != width) {
    asked_.resize(width);
    rows_.assign(kMost * width, kNothing);
  }
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = node_class;
  asked_[1] = static_cast<std::int64_t>(node_class);
  for (std::size_t d = 0; d < dimensions; ++d) {
    const std::int64_t idle = cluster.idle().at(node, Dimension(d));
    asked_[kHead + d] = idle;
    hash = (hash ^ static_cast<std::uint64_t>(idle)) * kOdd;
    hash ^= hash >> 32;
  }
  row_ = (hash % kMost) * width;
  const std::int64_t* row = &rows_[row_];
  return std::equal(asked_.begin() + 1, asked_.end(), row + 1) ? row : nullptr;
}

void KnownScores::keep(std::int32_t score) {
  asked_[0] = score;
  std::copy(asked_.begin(), asked_.end(), &rows_[row_]);
}

}  // namespace berth::engine
