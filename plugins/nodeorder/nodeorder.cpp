// Node order: kube-scheduler's scorers, each 0 to 100 in integers, times its weight.
// Rules: docs/design/nodeorder.md.
//
//   NODEORDER-1  leastrequested: the mean percentage of cpu and memory that stays free
//   NODEORDER-2  mostrequested: the mean percentage of cpu and memory that is used
//   NODEORDER-3  balancedresource: how close these two percentages are
//   NODEORDER-4  nodeaffinity: the weights of the preferred terms that hold
//   NODEORDER-5  tainttoleration: how few PreferNoSchedule taints are not tolerated
//   NODEORDER-6  imagelocality: how much of the pod's images is there
//   AFFINITY-10  podaffinity: preferred pods near it, and pods there that prefer it near
//   SPREAD-9     podtopologyspread: few pods in the domains that it prefers to be spread over
//
// Arguments (0 to 1,000,000; 0 switches a scorer off): leastrequested.weight 1,
// mostrequested.weight 0, balancedresource.weight 1, nodeaffinity.weight 2,
// tainttoleration.weight 3, imagelocality.weight 1, podaffinity.weight 2,
// podtopologyspread.weight 2.

#include <algorithm>

#include "berth/engine/node_block.h"
#include "berth/engine/plugin.h"
#include "berth/engine/vectorise.h"
#include "berth/model/node_match.h"
#include "plugins/nodeorder/preferences.h"

namespace berth::plugins {
namespace {

using namespace engine;

constexpr std::int64_t kNodeorderWeightMost = 1'000'000;

std::int32_t weight(Arguments& arguments, const char* key, std::int64_t fallback) {
  return static_cast<std::int32_t>(arguments.integer(key, fallback, 0, kNodeorderWeightMost));
}

// One resource of some nodes.
struct Column {
  const std::int64_t* idle;
  const std::int64_t* whole;
  const std::int64_t* reciprocal;
  std::int64_t request;
};

struct RoomWeights {
  std::int64_t least;
  std::int64_t most;
  std::int64_t balanced;
};

// In 1/1024 of a percent. A node may be filled beyond what it has by pods that are not ours: never
// below 0 free.
inline std::int64_t free_share(const Column& column, std::size_t i) {
  const std::int64_t left = column.idle[i] - column.request;
  const std::int64_t at_least = left > 0 ? left : 0;
  const std::int64_t free = at_least < column.whole[i] ? at_least : column.whole[i];
  return Shares::fine(free, column.reciprocal[i]);
}

// One pass for the three, because all three need the same two percentages.
BERTH_VECTORISED
void add_room_scores(const Column& cpu, const Column& memory, const RoomWeights& weights,
                     std::size_t count, ScoreSums sums) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t cpu_free = free_share(cpu, i);
    const std::int64_t memory_free = free_share(memory, i);
    const std::int64_t apart = cpu_free - memory_free;
    const std::int64_t least = (cpu_free + memory_free) >> 11;  // half of it, in whole percent
    const std::int64_t difference = (apart < 0 ? -apart : apart) >> 11;
    sums[i] += static_cast<std::int32_t>(weights.least * least + weights.most * (100 - least) +
                                         weights.balanced * (100 - difference));
  }
}

class NodeOrder final : public Plugin {
 public:
  explicit NodeOrder(Arguments& arguments)
      : least_weight_(weight(arguments, "leastrequested.weight", 1)),
        most_weight_(weight(arguments, "mostrequested.weight", 0)),
        balanced_weight_(weight(arguments, "balancedresource.weight", 1)),
        affinity_weight_(weight(arguments, "nodeaffinity.weight", 2)),
        toleration_weight_(weight(arguments, "tainttoleration.weight", 3)),
        image_weight_(weight(arguments, "imagelocality.weight", 1)),
        near_weight_(weight(arguments, "podaffinity.weight", 2)),
        spread_weight_(weight(arguments, "podtopologyspread.weight", 2)) {}

  void on_session_open(Session& session) override {
    cluster_ = &session.cluster();
    if (least_weight_ + most_weight_ + balanced_weight_ > 0) {
      session.attach<&NodeOrder::by_room>(points::node_order,
                                          *this);  // NODEORDER-1 NODEORDER-2 NODEORDER-3
    }
    if (affinity_weight_ > 0) {
      session.attach<&NodeOrder::by_affinity>(points::batch_node_order, *this);  // NODEORDER-4
    }
    if (toleration_weight_ > 0) {
      session.attach<&NodeOrder::by_taints>(points::batch_node_order, *this);  // NODEORDER-5
    }
    if (image_weight_ > 0) {
      session.attach<&NodeOrder::by_images>(points::batch_node_order, *this);  // NODEORDER-6
    }
    if (near_weight_ + spread_weight_ > 0) {
      session.attach<&NodeOrder::by_pods>(points::wish_order, *this);  // AFFINITY-10 SPREAD-9
    }
  }

 private:
  void by_room(const Shape& shape, const NodeBlock& block, ScoreSums sums) const {
    const auto column = [&](Dimension dimension) {
      return Column{block.idle(dimension), block.allocatable(dimension),
                    block.reciprocals(dimension), shape.request[dimension]};
    };
    add_room_scores(column(kCpu), column(kMemory), {least_weight_, most_weight_, balanced_weight_},
                    block.count(), sums);
  }

  void by_affinity(const Shape& shape, const std::vector<std::uint8_t>& passes,
                   ScoreSums sums) const {
    const auto& terms = shape.constraints.preferred_terms;
    if (terms.empty()) return;
    add_normalised(passes, sums, affinity_weight_, false, [&](const Node& node) {
      std::int64_t held = 0;
      for (const PreferredTerm& preferred : terms) {
        if (term_holds(preferred.term, node)) held += preferred.weight;
      }
      return held;
    });
  }

  void by_taints(const Shape& shape, const std::vector<std::uint8_t>& passes,
                 ScoreSums sums) const {
    add_normalised(passes, sums, toleration_weight_, true, [&](const Node& node) {
      return std::count_if(node.taints.begin(), node.taints.end(), [&](const Taint& taint) {
        return taint.effect == TaintEffect::prefer_no_schedule &&
               !is_tolerated(taint, shape.constraints.tolerations);
      });
    });
  }

  void by_images(const Shape& shape, const Passes& passes, ScoreSums sums) const {
    add_image_points(*cluster_, shape, passes, image_weight_, sums);
  }

  void by_pods(const Shape& shape, const Passes& passes, ScoreSums sums) const {
    if (near_weight_ > 0) add_affinity_points(*cluster_, shape, passes, near_weight_, sums);
    if (spread_weight_ > 0) add_spread_points(*cluster_, shape, passes, spread_weight_, sums);
  }

  // Adds weight times `value` in percent of the highest one; 100 less that when it counts against.
  template <class Value>
  void add_normalised(const std::vector<std::uint8_t>& passes, ScoreSums sums, std::int32_t times,
                      bool counts_against, Value value) const {
    std::vector<std::int64_t> values(passes.size(), 0);
    std::int64_t highest = 0;
    for (std::size_t n = 0; n < passes.size(); ++n) {
      if (passes[n] == 0) continue;
      values[n] = value(cluster_->node(NodeId(n)));
      highest = std::max(highest, values[n]);
    }
    for (std::size_t n = 0; n < passes.size(); ++n) {
      const std::int64_t share = highest == 0 ? 0 : values[n] * 100 / highest;
      sums[n] += times * static_cast<std::int32_t>(counts_against ? 100 - share : share);
    }
  }

  std::int32_t least_weight_;
  std::int32_t most_weight_;
  std::int32_t balanced_weight_;
  std::int32_t affinity_weight_;
  std::int32_t toleration_weight_;
  std::int32_t image_weight_;
  std::int32_t near_weight_;
  std::int32_t spread_weight_;
  const Cluster* cluster_ = nullptr;
};

}  // namespace

BERTH_PLUGIN(NodeOrder, "nodeorder");

}  // namespace berth::plugins
