// DRF: dominant resource fairness (Ghodsi et al., NSDI 2011). A job's dominant share is the
// largest, over all resources, of what the job has divided by what the cluster has. Rules:
// docs/design/drf.md.
//
//   DRF-1  the job with the smaller dominant share comes first
//   DRF-2  with `hierarchy: true`, queues are ordered in the same way, by weight
//
// Shares are integers, in 2^-32 of the whole, rounded down. Promised room counts.
//
// Argument: hierarchy, true or false (default). It competes with proportion's order of queues:
// the plugin that comes first decides.

#include <algorithm>
#include <vector>

#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Drf final : public Plugin {
 public:
  explicit Drf(Arguments& arguments) : is_hierarchical_(arguments.boolean("hierarchy", false)) {}

  void on_session_open(Session& session) override {
    cluster_ = &session.cluster();
    queues_ = &session.queues();
    session.attach<&Drf::smaller_share_first>(points::job_order, *this);  // DRF-1
    if (!is_hierarchical_) return;
    add_up();
    session.attach<&Drf::less_used_queue_first>(points::queue_order, *this);  // DRF-2
    session.attach<&Drf::moves>(points::queue_order_moves, *this);
    session.attach<&Drf::take>(points::allocated, *this);
    session.attach<&Drf::give_back>(points::released, *this);
  }

 private:
  static constexpr int kShareBits = 32;

  std::uint64_t share_of(std::int64_t amount, Dimension d) const {
    const std::int64_t total = cluster_->total_allocatable()[d];
    if (amount <= 0 || total <= 0) return 0;
    return static_cast<std::uint64_t>((static_cast<__int128>(amount) << kShareBits) / total);
  }

  // DRF-1
  Order smaller_share_first(const Job& left, const Job& right) const {
    return dominant_share(left) <=> dominant_share(right);
  }

  std::uint64_t dominant_share(const Job& job) const {
    std::uint64_t most = 0;
    const std::size_t extent = std::max(job.allocated.extent(), job.pipelined.extent());
    for (std::size_t d = 0; d < extent; ++d) {
      const Dimension dimension(d);
      most =
          std::max(most, share_of(job.allocated[dimension] + job.pipelined[dimension], dimension));
    }
    return most;
  }

  // A task counts for all above its queue.
  bool moves() const { return true; }

  // DRF-2. Both paths are followed up to where they meet.
  Order less_used_queue_first(const Queue& left, const Queue& right) const {
    const auto [l, r] = queues_->where_paths_part(left, right);
    return weighed_share(l) <=> weighed_share(r);
  }

  std::uint64_t weighed_share(std::uint32_t at) const {
    std::uint64_t most = 0;
    for (std::size_t d = 0; d < queues_->dimensions(); ++d) {
      most = std::max(most, share_of(used_[at * queues_->dimensions() + d], Dimension(d)));
    }
    return most / static_cast<std::uint64_t>(queues_->member(at).weight);
  }

  void add_up() {
    const std::size_t dimensions = queues_->dimensions();
    used_.assign(queues_->size() * dimensions, 0);
    for (std::size_t at = queues_->size(); at-- > 1;) {
      const QueueTree::Member& member = queues_->member(at);
      for (std::size_t d = 0; d < dimensions; ++d) {
        std::int64_t& used = used_[at * dimensions + d];
        used += cluster_->queue(member.queue).allocated[Dimension(d)];
        used_[member.parent * dimensions + d] += used;
      }
    }
  }

  void take(const Task& task) { count(task, +1); }
  void give_back(const Task& task) { count(task, -1); }

  void count(const Task& task, int sign) {
    if (!task.job.is_valid()) return;
    std::uint32_t at = queues_->position_of(cluster_->job(task.job).queue);
    if (at == QueueTree::kNowhere) return;
    for (; at != 0; at = queues_->member(at).parent) {
      for (const auto& [dimension, amount] : cluster_->shape(task.shape).requested) {
        used_[at * queues_->dimensions() + dimension.index()] += sign * amount;
      }
    }
  }

  bool is_hierarchical_;
  const Cluster* cluster_ = nullptr;
  const QueueTree* queues_ = nullptr;
  std::vector<std::int64_t> used_;  // with all below; by position and dimension
};

}  // namespace

BERTH_PLUGIN(Drf, "drf");

}  // namespace berth::plugins
