#include "plugins/node_reservation/queue_demand.h"

#include <algorithm>
#include <tuple>

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
  Reading(const Cluster& cluster, const Queue& queue) : cluster_(cluster), queue_(queue) {}

  QueueDemand read() {
    QueueDemand by_nodes = nodes_asked();
    QueueDemand by_amounts = amounts_asked();
    // NODES-3. By the larger part of the cluster; amounts if both are as large.
    const bool is_by_nodes =
        !by_nodes.is_nothing() && (by_amounts.is_nothing() || is_more(by_nodes, by_amounts));
    QueueDemand demand = std::move(is_by_nodes ? by_nodes : by_amounts);
    demand.queue = queue_.id;
    demand.evicts = queue_.guarantees_hard;
    demand.clipped = std::move(clipped_);
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
      add_text(clipped_, "no node has " + names);
      return {};
    }
    const std::int64_t part = part_of(counted_nodes_, queue_.guarantee_share_billionths, kBillion);
    demand.nodes = std::max<std::int64_t>(1, part);
    cut_to_capability(demand);
    return demand;
  }

  // NODES-2. A node counts as the average of those that count.
  void cut_to_capability(QueueDemand& demand) {
    const std::int64_t asked = demand.nodes;
    Dimension tightest;
    for (const auto& [d, limit] : queue_.capability.entries()) {
      if (total(d) <= 0) continue;
      const std::int64_t most = part_of(counted_nodes_, std::min(limit, total(d)), total(d));
      if (most >= demand.nodes) continue;
      demand.nodes = most;
      tightest = d;
    }
    if (demand.nodes == asked) return;
    add_text(clipped_, std::to_string(asked) + " nodes are cut to " + std::to_string(demand.nodes) +
                           " by its capability of " + name(tightest));
    if (demand.nodes == 0) demand = {};
  }

  // NODES-2
  QueueDemand amounts_asked() {
    QueueDemand demand;
    for (std::size_t i = 0; i < queue_.guarantee.extent(); ++i) {
      if (queue_.guarantee[Dimension(i)] > 0) demand.counts.emplace_back(i);
    }
    sort_by_name(demand.counts);
    std::erase_if(demand.counts, [&](Dimension d) {
      if (total(d) > 0) return false;
      add_text(clipped_, "no node has " + name(d));
      return true;
    });
    for (const Dimension d : demand.counts) {
      const std::int64_t asked = queue_.guarantee[d];
      demand.amounts.push_back(std::min(asked, total(d)));
      if (asked <= total(d)) continue;
      add_text(clipped_, readable_amount(name(d), asked, Rounding::up) + " " + name(d) +
                             " are cut to the cluster's " +
                             readable_amount(name(d), total(d), Rounding::down));
    }
    return demand;
  }

  bool is_more(const QueueDemand& nodes, const QueueDemand& amounts) const {
    return std::all_of(amounts.counts.begin(), amounts.counts.end(), [&](const Dimension& d) {
      const std::int64_t amount =
          amounts.amounts[static_cast<std::size_t>(&d - &amounts.counts[0])];
      // nodes / counted_nodes_ > amount / total
      return static_cast<__int128>(nodes.nodes) * total(d) >
             static_cast<__int128>(amount) * counted_nodes_;
    });
  }

  const Cluster& cluster_;
  const Queue& queue_;
  std::int64_t counted_nodes_ = 0;
  std::string clipped_;
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
    turns.push_back({depth, Reading(cluster, queue).read()});
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
