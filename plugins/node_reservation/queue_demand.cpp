#include "plugins/node_reservation/queue_demand.h"

#include <algorithm>
#include <tuple>

#include "berth/base/text.h"
#include "berth/engine/queue_tree.h"
#include "berth/model/amount_text.h"

namespace berth::plugins {

using namespace engine;

namespace {

constexpr std::int64_t kBillion = 1'000'000'000;

std::int64_t part_of(std::int64_t whole, std::int64_t numerator, std::int64_t denominator) {
  return static_cast<std::int64_t>(static_cast<__int128>(whole) * numerator / denominator);
}

void add_text(std::string& all, const std::string& text) {
  all += (all.empty() ? "" : "; ") + text;
}

class Reading {
 public:
  Reading(const Cluster& cluster, const QueueTree& tree, std::size_t at)
      : cluster_(cluster), tree_(tree), at_(at), queue_(cluster.queue(tree.member(at).queue)) {}

  QueueDemand read() {
    QueueDemand by_nodes = nodes_asked();
    QueueDemand by_amounts = amounts_asked();
    // NODES-3. By the larger part of the cluster; amounts if both are as large.
    const bool is_by_nodes =
        !by_nodes.is_nothing() && (by_amounts.is_nothing() || is_more(by_nodes, by_amounts));
    std::string clipped = by_nodes.clipped;
    if (by_nodes.is_nothing()) add_text(clipped, by_amounts.clipped);
    QueueDemand demand = std::move(is_by_nodes ? by_nodes : by_amounts);
    if (demand.is_nothing()) demand.clipped = std::move(clipped);
    demand.queue = queue_.id;
    demand.evicts = queue_.guarantees_hard;
    return demand;
  }

 private:
  const std::string& name(Dimension d) const { return cluster_.dimensions().name(d); }
  std::int64_t total(Dimension d) const { return cluster_.total_allocatable()[d]; }

  void sort_by_name(std::vector<Dimension>& dimensions) const {
    std::sort(dimensions.begin(), dimensions.end(),
              [&](Dimension left, Dimension right) { return name(left) < name(right); });
  }

  // NODES-1. A part of the nodes that have some of each dimension.
  QueueDemand nodes_asked() {
    QueueDemand demand;
    if (queue_.guarantee_share_billionths == 0) return demand;
    demand.counts = queue_.guarantee_share_of;
    if (demand.counts.empty()) {
      for (const char* each : {"cpu", "memory"}) {
        const Dimension d = cluster_.dimensions().find(each);
        const bool is_known = d.index() < cluster_.dimensions().size();
        if (is_known && total(d) > 0) demand.counts.push_back(d);
      }
    }
    sort_by_name(demand.counts);
    counted_nodes_ = 0;
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
      counted_nodes_ += has_some_of_each(cluster_, NodeId(n), demand.counts) ? 1 : 0;
    }
    demand.amounts.assign(demand.counts.size(), 0);
    if (counted_nodes_ == 0) {
      std::string names;
      if (demand.counts.empty()) names = "cpu and memory";
      for (const Dimension d : demand.counts) names += (names.empty() ? "" : " and ") + name(d);
      QueueDemand nothing;
      nothing.clipped = "no node has " + names;
      return nothing;
    }
    const std::int64_t part = part_of(counted_nodes_, queue_.guarantee_share_billionths, kBillion);
    demand.nodes = std::max<std::int64_t>(1, part);
    cut(demand);
    return demand;
  }

  // The least capability of the queue and those above it.
  std::int64_t limit(Dimension d) const {
    std::int64_t least = tree_.limit(at_, d);
    for (std::size_t at = at_; at != 0; at = tree_.member(at).parent) {
      least = std::min(least, tree_.limit(at, d));
    }
    return least;
  }

  // NODES-2. A node counts as the average of those that count.
  void cut(QueueDemand& demand) const {
    const std::int64_t asked = demand.nodes;
    std::string why;
    const auto cut_to = [&](std::int64_t most, const std::string& because) {
      if (most >= demand.nodes) return;
      demand.nodes = most;
      why = because;
    };
    for (const Dimension d : demand.counts) {
      const std::int64_t all = std::max<std::int64_t>(1, total(d));
      const std::int64_t written = QueueTree::written_guarantee(queue_, d, tree_.total(d));
      const std::int64_t in_force = tree_.guarantee_without_nodes(at_, d);
      cut_to(part_of(counted_nodes_, std::min(limit(d), all), all),
             " by a capability of " + name(d));
      if (in_force < written) {
        cut_to(part_of(asked, in_force, written), ": no more of its guarantee is in force");
        demand.is_scaled = demand.is_scaled || in_force < std::min(written, limit(d));
      }
    }
    if (why.empty()) return;
    demand.clipped = count_text(static_cast<std::size_t>(asked), "node") +
                     (asked == 1 ? " is cut to " : " are cut to ") + std::to_string(demand.nodes) +
                     why;
    if (demand.nodes > 0) return;
    demand.counts.clear();
    demand.amounts.clear();
  }

  // NODES-2
  QueueDemand amounts_asked() const {
    QueueDemand demand;
    for (std::size_t i = 0; i < queue_.guarantee.extent(); ++i) {
      if (queue_.guarantee[Dimension(i)] > 0) demand.counts.emplace_back(i);
    }
    sort_by_name(demand.counts);
    std::erase_if(demand.counts, [&](Dimension d) {
      const std::int64_t asked = queue_.guarantee[d];
      if (total(d) <= 0) {
        add_text(demand.clipped, "no node has " + name(d));
        return true;
      }
      const std::int64_t in_force = tree_.guarantee_without_nodes(at_, d);
      const std::int64_t most = std::min(total(d), in_force);
      demand.is_scaled = demand.is_scaled || in_force < std::min({asked, total(d), limit(d)});
      if (asked > most) {
        add_text(demand.clipped, amount_of(name(d), asked, Rounding::up) + " are cut to " +
                                     readable_amount(name(d), most, Rounding::down) +
                                     (most == total(d) ? ": the cluster has no more"
                                                       : ": no more of its guarantee is in force"));
      }
      if (most > 0) demand.amounts.push_back(std::min(asked, most));
      return most <= 0;
    });
    return demand;
  }

  bool is_more(const QueueDemand& nodes, const QueueDemand& amounts) const {
    for (std::size_t i = 0; i < amounts.counts.size(); ++i) {
      // nodes / counted_nodes_ > amount / total
      const __int128 by_nodes = static_cast<__int128>(nodes.nodes) * total(amounts.counts[i]);
      if (by_nodes <= static_cast<__int128>(amounts.amounts[i]) * counted_nodes_) return false;
    }
    return true;
  }

  const Cluster& cluster_;
  const QueueTree& tree_;
  std::size_t at_;  // in the tree
  const Queue& queue_;
  std::int64_t counted_nodes_ = 0;
};

}  // namespace

bool has_some_of_each(const Cluster& cluster, NodeId node, const std::vector<Dimension>& counts) {
  return !counts.empty() && std::all_of(counts.begin(), counts.end(), [&](Dimension d) {
    return cluster.allocatable().at(node, d) > 0;
  });
}

std::vector<QueueDemand> queue_demands(const Session& session, bool only_with_policy) {
  const Cluster& cluster = session.cluster();
  const QueueTree& tree = session.queues();
  struct Turn {
    std::uint32_t depth = 0;
    QueueDemand demand;
  };
  std::vector<Turn> turns;
  for (std::size_t at = 1; at < tree.size(); ++at) {
    const QueueTree::Member& member = tree.member(at);
    const Queue& queue = cluster.queue(member.queue);
    const bool asks = !queue.guarantee.is_zero() || queue.guarantee_share_billionths > 0;
    // NODES-5
    const bool is_named = queue.names_policy || queue.guarantee_share_billionths > 0;
    if (!asks || !member.takes_jobs() || (only_with_policy && !is_named)) continue;
    std::uint32_t depth = 0;
    for (std::uint32_t above = member.parent; above != 0; above = tree.member(above).parent) {
      ++depth;
    }
    turns.push_back({depth, Reading(cluster, tree, at).read()});
  }
  // NODES-4
  std::sort(turns.begin(), turns.end(), [&](const Turn& left, const Turn& right) {
    const Queue& l = cluster.queue(left.demand.queue);
    const Queue& r = cluster.queue(right.demand.queue);
    return std::tie(right.depth, r.priority, l.created, l.uid, l.name) <
           std::tie(left.depth, l.priority, r.created, r.uid, r.name);
  });
  std::vector<QueueDemand> demands;
  for (Turn& turn : turns) demands.push_back(std::move(turn.demand));
  return demands;
}

}  // namespace berth::plugins
