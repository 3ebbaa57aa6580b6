// Binpack: fill nodes that are in use already, so that whole nodes stay free for large pods.
// Rules: docs/design/binpack.md, which also has an example by hand.
//
//   BINPACK-1  score: the weighted mean of the percentage used with the task on the node
//   BINPACK-2  a resource that the node lacks counts as 0 percent
//   BINPACK-3  binpack.weight sets packing against spreading (nodeorder); 0 switches it off
//   BINPACK-4  binpack.extended is the weight of extended resources without one of their own
//
// Arguments: binpack.weight 1, binpack.cpu 1, binpack.memory 1, binpack.resources "" (a list of
// further resources, separated by commas), binpack.resources.<name> 1, binpack.extended 0. Weights
// are 0 to 1,000.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "berth/base/look_up.h"
#include "berth/base/text.h"
#include "berth/engine/node_block.h"
#include "berth/engine/plugin.h"
#include "berth/model/dimensions.h"

namespace berth::plugins {
namespace {

using namespace engine;

constexpr std::int64_t kBinpackWeightMost = 1'000;

class Binpack final : public Plugin {
 public:
  explicit Binpack(Arguments& arguments)
      : weight_(arguments.integer("binpack.weight", 1, 0, kBinpackWeightMost)),
        extended_weight_(arguments.integer("binpack.extended", 0, 0, kBinpackWeightMost)) {
    weights_["cpu"] = arguments.integer("binpack.cpu", 1, 0, kBinpackWeightMost);
    weights_["memory"] = arguments.integer("binpack.memory", 1, 0, kBinpackWeightMost);
    for (const std::string& name : split_list(arguments.text("binpack.resources", ""), ',')) {
      weights_[name] = arguments.integer("binpack.resources." + name, 1, 0, kBinpackWeightMost);
    }
  }

  void on_session_open(Session& session) override {
    cluster_ = &session.cluster();
    if (weight_ > 0)
      session.attach<&Binpack::by_fill>(points::node_order,
                                        *this);  // BINPACK-1 BINPACK-2 BINPACK-3
  }

 private:
  void by_fill(const Shape& shape, const NodeBlock& block, ScoreSums sums) const {
    // A placement changes one node: then the compiler knows the number.
    block.count() == 1 ? add_fill<true>(shape, block, sums) : add_fill<false>(shape, block, sums);
  }

  template <bool is_one>
  void add_fill(const Shape& shape, const NodeBlock& block, ScoreSums sums) const {
    const std::size_t count = is_one ? 1 : block.count();
    std::int32_t terms[is_one ? 1 : NodeBlock::kMost];
    std::fill_n(terms, count, 0);
    std::int64_t weight_sum = 0;
    for (const auto& [dimension, amount] : shape.requested) {
      const std::int64_t weight = weight_of(dimension);
      if (weight == 0) continue;
      weight_sum += weight;
      const std::int64_t* idle = block.idle(dimension);
      const std::int64_t* whole = block.allocatable(dimension);
      const std::int64_t* reciprocal = block.reciprocals(dimension);
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t used =
            std::clamp<std::int64_t>(whole[i] - idle[i] + amount, 0, whole[i]);
        terms[i] += static_cast<std::int32_t>(weight * Shares::percent(used, reciprocal[i]));
      }
    }
    if (weight_sum == 0) return;
    // Exact: these are whole numbers far below 2^53. An integer division takes ten times as long.
    const auto times = static_cast<double>(weight_);
    const auto whole = static_cast<double>(weight_sum);
    for (std::size_t i = 0; i < count; ++i) {
      sums[i] += static_cast<std::int32_t>(times * static_cast<double>(terms[i]) / whole);
    }
  }

  std::int64_t weight_of(Dimension dimension) const {
    while (weight_by_dimension_.size() <= dimension.index()) {
      const std::string& name = cluster_->dimensions().name(Dimension(weight_by_dimension_.size()));
      const std::int64_t otherwise = is_extended(name) ? extended_weight_ : 0;  // BINPACK-4
      weight_by_dimension_.push_back(value_or(weights_, name, otherwise));
    }
    return weight_by_dimension_[dimension.index()];
  }

  std::int64_t weight_;
  std::int64_t extended_weight_;
  std::map<std::string, std::int64_t> weights_;
  mutable std::vector<std::int64_t> weight_by_dimension_;
  const Cluster* cluster_ = nullptr;
};

}  // namespace

BERTH_PLUGIN(Binpack, "binpack");

}  // namespace berth::plugins
