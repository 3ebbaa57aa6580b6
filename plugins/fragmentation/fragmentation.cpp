// Fragmentation: of the nodes that fit, the one where the least of an extended resource becomes
// useless for the pods that are usual in this cluster. After Weng et al., "Beware of Fragmentation:
// Scheduling GPU-Sharing Workloads with Fragmentation Gradient Descent", USENIX ATC 2023. Rules:
// docs/design/fragmentation.md.
//
//   FRAGMENT-1  score: how little of what usual pods could use is taken from them
//   FRAGMENT-2  usual pods: those that wait and run, by kind
//   FRAGMENT-3  kinds: the most frequent eight, coarsely
//   FRAGMENT-4  nodes without resources that the pod does not ask for come first
//   FRAGMENT-5  scores that depend on the kinds are dropped when these change
//
// Arguments (0 to 1,000; 0 switches a scorer off): fragmentation.weight 40, unasked.weight 15.

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <span>

#include "berth/base/hash.h"
#include "berth/engine/fit.h"
#include "berth/engine/node_block.h"
#include "berth/engine/plugin.h"
#include "berth/engine/vectorise.h"
#include "berth/model/dimensions.h"
#include "plugins/fragmentation/usual_kinds.h"

namespace berth::plugins {
namespace {

using namespace engine;

constexpr std::int64_t kFragmentationWeightMost = 1'000;
constexpr int kFractionBits = 20;
constexpr std::int64_t kNotAsked = -1;
constexpr int kUnitBits = 12;  // amounts are counted in at most 2^12 units a node

// Kinds that want the same extended resource.
struct Group {
  // Of one resource that some ask for: the amounts, by kind; kNotAsked for the others.
  struct Asked {
    Dimension resource{0};
    std::array<std::int64_t, UsualKinds::kMost> amounts{};
  };

  Dimension extended{0};
  std::int64_t factor = 0;  // points for a unit, in 2^-kFractionBits, divided by the weights
  int shift = 0;            // from amounts to units
  std::uint32_t kinds = 0;  // a bit for each
  std::vector<Asked> asked;
};

// Sets of kinds, by node: a bit for each. 64 bits wide, as the amounts that they are compared by.
using Sets = std::array<std::int64_t, NodeBlock::kMost>;

// Keeps in `now` the kinds that what is idle is enough for, and in `then` those that it is enough
// for beside a pod that asks for so much.
BERTH_VECTORISED
void keep_satisfied(const std::int64_t* idle, std::int64_t asked, const std::int64_t* amounts,
                    std::size_t count, std::int64_t* now, std::int64_t* then) {
  for (std::size_t k = 0; k < UsualKinds::kMost; ++k) {
    if (amounts[k] == kNotAsked) continue;
    const std::int64_t others = ~(std::int64_t{1} << k);
    const std::int64_t least_now = amounts[k];
    const std::int64_t least_then = amounts[k] + asked;
    for (std::size_t i = 0; i < count; ++i) {
      now[i] &= idle[i] >= least_now ? -1 : others;
      then[i] &= idle[i] >= least_then ? -1 : others;
    }
  }
}

class Fragmentation final : public Plugin {
 public:
  explicit Fragmentation(Arguments& arguments)
      : weight_(arguments.integer("fragmentation.weight", 40, 0, kFragmentationWeightMost)),
        unasked_weight_(arguments.integer("unasked.weight", 15, 0, kFragmentationWeightMost)) {}

  void on_session_open(Session& session) override {
    session_ = &session;
    cluster_ = &session.cluster();
    if (weight_ > 0) {
      session.attach<&Fragmentation::find_kinds>(points::opened, *this);
      session.attach<&Fragmentation::add_version>(points::node_order_version, *this);
      session.attach<&Fragmentation::add_class>(points::node_order_class, *this);
      session.attach<&Fragmentation::by_what_is_lost>(points::node_order, *this);  // FRAGMENT-1
    }
    if (unasked_weight_ > 0) {
      session.attach<&Fragmentation::by_unasked>(points::batch_node_order, *this);  // FRAGMENT-4
    }
  }

 private:
  // FRAGMENT-2, FRAGMENT-3
  void find_kinds() {
    const bool has_new_nodes = spec_version_ != cluster_->spec_version();
    if (stamp_ == cluster_->stamp() && !has_new_nodes) return;
    stamp_ = cluster_->stamp();
    spec_version_ = cluster_->spec_version();
    std::vector<UsualKind> kinds = usual_.of(*cluster_);
    if (!has_new_nodes && kinds == kinds_) return;
    kinds_ = std::move(kinds);
    find_nodes();
    make_groups();
    add_up_weights();
    version_ = fnv1a({reinterpret_cast<const char*>(may_run_.data()), may_run_.size()},
                     version_of_kinds());
  }

  // FRAGMENT-5
  void add_version(std::uint64_t* version) const { *version = *version * 31 + version_; }

  void add_class(std::span<std::uint64_t> classes) const {
    for (std::size_t n = 0; n < may_run_.size(); ++n) classes[n] = classes[n] * 256 + may_run_[n];
  }

  // Without their examples: these only say where pods may run.
  std::uint64_t version_of_kinds() const {
    std::string text;
    for (const UsualKind& kind : kinds_) {
      text += std::to_string(kind.key) + " " + std::to_string(kind.weight);
      for (const auto& [d, amount] : kind.request) {
        text += " " + cluster_->dimensions().name(d) + "=" + std::to_string(amount);
      }
    }
    return fnv1a(text);
  }

  // On which nodes may pods of a kind run? A bit for each kind.
  void find_nodes() {
    may_run_.assign(cluster_->node_count(), 0);
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      const Shape& shape = cluster_->shape(cluster_->shape(kinds_[k].example).base);
      for (std::size_t n = 0; n < may_run_.size(); ++n) {
        if (cluster_->allocatable().at(NodeId(n), kinds_[k].extended) <= 0) continue;
        if (!passes_in_time(may_run_on(*session_, shape, NodeId(n)))) continue;
        may_run_[n] = static_cast<std::uint8_t>(may_run_[n] | (1U << k));
      }
    }
  }

  void make_groups() {
    groups_.clear();
    std::int64_t weights = 0;
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      weights += kinds_[k].weight;
      const auto found = std::find_if(groups_.begin(), groups_.end(), [&](const Group& group) {
        return group.extended == kinds_[k].extended;
      });
      Group& group = found != groups_.end() ? *found : groups_.emplace_back();
      group.extended = kinds_[k].extended;
      group.kinds |= 1U << k;
    }
    for (Group& group : groups_) {
      std::int64_t most = 1;
      for (std::size_t n = 0; n < cluster_->node_count(); ++n) {
        most = std::max(most, cluster_->allocatable().at(NodeId(n), group.extended));
      }
      const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(most)));
      group.shift = std::max(0, bits - kUnitBits);
      group.factor = (weight_ * 100 << kFractionBits) / (weights * (most >> group.shift));
      list_amounts(group);
    }
  }

  void list_amounts(Group& group) const {
    for (std::size_t k = 0; k < kinds_.size(); ++k) {
      if ((group.kinds >> k & 1U) == 0) continue;
      for (const auto& [d, amount] : kinds_[k].request) {
        auto asked = std::find_if(group.asked.begin(), group.asked.end(),
                                  [d = d](const auto& each) { return each.resource == d; });
        if (asked == group.asked.end()) {
          asked = group.asked.insert(asked, Group::Asked{d, {}});
          asked->amounts.fill(kNotAsked);
        }
        asked->amounts[k] = amount;
      }
    }
  }

  // The weights of all sets of kinds.
  void add_up_weights() {
    for (std::uint32_t set = 0; set < weights_.size(); ++set) {
      weights_[set] = 0;
      for (std::size_t k = 0; k < kinds_.size(); ++k) {
        if ((set >> k & 1U) != 0) weights_[set] += kinds_[k].weight;
      }
    }
  }

  void by_what_is_lost(const Shape& shape, const NodeBlock& block, ScoreSums sums) const {
    if (groups_.empty()) return;
    std::int64_t losses[NodeBlock::kMost];
    std::fill_n(losses, block.count(), 0);
    for (const Group& group : groups_) add_lost(group, shape, block, losses);
    const std::int64_t most = weight_ * 100;
    for (std::size_t i = 0; i < block.count(); ++i) {
      sums[i] += static_cast<std::int32_t>(most - std::min(most, losses[i] >> kFractionBits));
    }
  }

  // Of each node: what usual pods could use of its idle room, less what they could use with a pod
  // of this shape there.
  void add_lost(const Group& group, const Shape& shape, const NodeBlock& block,
                std::int64_t* losses) const {
    const std::size_t count = block.count();
    Sets now;
    Sets then;
    for (std::size_t i = 0; i < count; ++i) {
      now[i] = then[i] = may_run_[block.node(i).index()] & group.kinds;
    }
    for (const Group::Asked& asked : group.asked) {
      keep_satisfied(block.idle(asked.resource), shape.request[asked.resource],
                     asked.amounts.data(), count, now.data(), then.data());
    }
    const std::int64_t* idle = block.idle(group.extended);
    const std::int64_t amount = shape.request[group.extended];
    for (std::size_t i = 0; i < count; ++i) {
      if (now[i] == 0) continue;
      const std::int64_t before = std::max<std::int64_t>(0, idle[i]) >> group.shift;
      const std::int64_t after = std::max<std::int64_t>(0, idle[i] - amount) >> group.shift;
      const auto could = static_cast<std::size_t>(now[i]);
      const auto can = static_cast<std::size_t>(then[i]);
      losses[i] += group.factor * (before * weights_[could] - after * weights_[can]);
    }
  }

  // FRAGMENT-4. In percent between the nodes that have the most and the fewest of them.
  void by_unasked(const Shape& shape, const std::vector<std::uint8_t>& passes,
                  ScoreSums sums) const {
    std::vector<Dimension> unasked;
    for (std::size_t d = 0; d < cluster_->dimensions().size(); ++d) {
      const bool is_asked = shape.request[Dimension(d)] > 0;
      if (!is_asked && is_extended(cluster_->dimensions().name(Dimension(d))))
        unasked.emplace_back(d);
    }
    std::vector<std::int32_t> counts(passes.size(), 0);
    std::int32_t fewest = std::numeric_limits<std::int32_t>::max();
    std::int32_t most = 0;
    for (std::size_t n = 0; n < passes.size(); ++n) {
      if (passes[n] == 0) continue;
      for (const Dimension d : unasked) {
        counts[n] += cluster_->allocatable().at(NodeId(n), d) > 0 ? 1 : 0;
      }
      fewest = std::min(fewest, counts[n]);
      most = std::max(most, counts[n]);
    }
    for (std::size_t n = 0; n < passes.size(); ++n) {
      if (passes[n] == 0 || fewest >= most) continue;
      sums[n] +=
          static_cast<std::int32_t>(unasked_weight_) * 100 * (most - counts[n]) / (most - fewest);
    }
  }

  std::int64_t weight_;
  std::int64_t unasked_weight_;
  Session* session_ = nullptr;
  const Cluster* cluster_ = nullptr;
  UsualKinds usual_;
  std::vector<UsualKind> kinds_;
  std::vector<Group> groups_;
  std::vector<std::uint8_t> may_run_;  // by node, a bit for each kind
  std::array<std::int32_t, std::size_t{1} << UsualKinds::kMost> weights_{};
  std::uint64_t stamp_ = 0;  // of the cluster that has these kinds
  std::uint64_t spec_version_ = 0;
  std::uint64_t version_ = 0;
};

}  // namespace

BERTH_PLUGIN(Fragmentation, "fragmentation");

}  // namespace berth::plugins
