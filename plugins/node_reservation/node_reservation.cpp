// Node reservation: a queue with a guarantee gets nodes of its own (S3).
// Rules: docs/design/node-reservation.md.
//
//   NODES-1 to NODES-5    what a queue asks for (queue_demand.h)
//   NODES-6, NODES-7      the nodes that it could have (usable_nodes.h)
//   NODES-8 to NODES-10   which set is best (node_set.h)
//   NODES-11 to NODES-15  here
//   NODES-16 and on       what such a node is (src/engine/session.cpp,
//   src/actions/eviction/clear_nodes.cpp)
//
// Arguments, with their defaults: strategy (weighted; or seed-formula, random), seed (0), margin
// (0.1), relock-period (5s), max-new-locks (0: no limit), max-locked-nodes (1.0 of all),
// only-with-policy (false), tolerated-taints (none; keys with commas).

#include <algorithm>
#include <set>

#include "berth/base/hash.h"
#include "berth/base/text.h"
#include "berth/engine/plugin.h"
#include "berth/model/amount_text.h"
#include "plugins/node_reservation/queue_demand.h"
#include "plugins/node_reservation/usable_nodes.h"

namespace berth::plugins {
namespace {

using namespace engine;

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::int64_t kGibi = std::int64_t{1} << 30;

NodeStrategy strategy_of(const std::string& word) {
  if (word == "random") return NodeStrategy::random;
  return word == "seed-formula" ? NodeStrategy::seed_formula : NodeStrategy::weighted;
}

std::set<std::string> keys_in(const std::string& list) {
  std::set<std::string> keys;
  for (std::size_t begin = 0; begin < list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    const std::size_t first = std::min(list.find_first_not_of(" \t", begin), end);
    const std::size_t last = list.find_last_not_of(" \t", end == 0 ? 0 : end - 1);
    if (first < end) keys.insert(list.substr(first, last - first + 1));
    begin = end + 1;
  }
  return keys;
}

// NODES-13. FNV-1a, and a finalizer, since names differ in their last letters only.
std::uint64_t place_of(std::int64_t seed, const std::string& queue, const std::string& node) {
  std::uint64_t hash = kFnvOffset;
  for (const std::string& text : {std::to_string(seed), queue, node}) {
    hash = fnv1a(text, hash) * kFnvPrime;
  }
  hash = (hash ^ (hash >> 33)) * 0xff51afd7ed558ccdU;
  return hash ^ (hash >> 33);
}

class NodeReservation final : public Plugin {
 public:
  explicit NodeReservation(Arguments& arguments)
      : strategy_(strategy_of(
            arguments.word("strategy", "weighted", {"weighted", "seed-formula", "random"}))),
        seed_(arguments.integer("seed", 0, 0, INT32_MAX)),
        margin_(arguments.thousandths("margin", 100, 0, 1'000) * kMillion),
        period_(arguments.duration("relock-period", std::chrono::seconds(5),
                                   std::chrono::milliseconds(100), std::chrono::hours(24))),
        new_most_(arguments.integer("max-new-locks", 0, 0, kMillion)),
        most_thousandths_(arguments.thousandths("max-locked-nodes", 1'000, 1, 1'000)),
        only_with_policy_(arguments.boolean("only-with-policy", false)),
        tolerated_taints_(keys_in(arguments.text("tolerated-taints", ""))) {}

  void on_session_open(Session& session) override {
    session_ = &session;
    cluster_ = &session.cluster();
    session.attach<&NodeReservation::choose>(points::queue_nodes, *this);
    session.attach<&NodeReservation::describe_all>(points::queue_reservations, *this);
  }

 private:
  // How many more nodes may be locked: of all that there are, and in this session.
  struct Allowance {
    std::size_t locked = 0;
    std::size_t locked_most = 0;
    std::size_t fresh = 0;
  };

  // NODES-14
  std::optional<std::vector<QueueNodes>> choose() {
    const std::optional<TimePoint> last = cluster_->locks().relocked_at();
    const TimePoint now = session_->now();
    if (last && now >= *last && now < *last + period_) return std::nullopt;
    const std::vector<QueueDemand> demands = queue_demands(*session_, only_with_policy_);
    const NodeUse use(*session_, demands, tolerated_taints_);
    std::vector<QueueId> owners = present_owners(demands);
    Allowance allowance;
    allowance.locked = static_cast<std::size_t>(
        std::count_if(owners.begin(), owners.end(), [](QueueId id) { return id.is_valid(); }));
    allowance.locked_most = std::max<std::size_t>(
        1, cluster_->node_count() * static_cast<std::size_t>(most_thousandths_) / 1'000);
    allowance.fresh = new_most_ == 0 ? SIZE_MAX : static_cast<std::size_t>(new_most_);
    std::vector<QueueNodes> chosen;
    for (std::size_t i = 0; i < demands.size(); ++i) {
      chosen.push_back(nodes_for(demands, i, use, owners, allowance));
    }
    return chosen;
  }

  // Of queues that still ask.
  std::vector<QueueId> present_owners(const std::vector<QueueDemand>& demands) const {
    std::vector<QueueId> owners(cluster_->node_count());
    for (std::size_t n = 0; n < owners.size(); ++n) {
      const QueueId owner = cluster_->locks().queue(NodeId(n));
      const bool asks = std::any_of(demands.begin(), demands.end(), [&](const QueueDemand& each) {
        return each.queue == owner && !each.is_nothing();
      });
      if (asks) owners[n] = owner;
    }
    return owners;
  }

  QueueNodes nodes_for(const std::vector<QueueDemand>& demands, std::size_t index,
                       const NodeUse& use, std::vector<QueueId>& owners,
                       Allowance& allowance) const {
    const QueueDemand& demand = demands[index];
    QueueNodes chosen{demand.queue, {}, {}};
    if (demand.is_nothing()) return chosen;
    const NodeDemand rest = demand_without_below(demand, owners);
    const std::size_t room =
        allowance.locked_most > allowance.locked ? allowance.locked_most - allowance.locked : 0;
    const bool is_room_less = room <= allowance.fresh;
    const std::size_t new_most = std::min(allowance.fresh, room);
    UsableNodes usable;
    NodeSet set;
    // NODES-7. Rather nodes that nobody has to leave, then nodes that pods of others leave, then
    // nodes that some will leave some day.
    using Count = StayingPods::Count;
    for (const Count count : {Count::all, Count::now, Count::always}) {
      if (count == Count::all && !demand.evicts) continue;
      usable = use.usable_for(index, owners, count);
      set = best_set(demand, rest, usable, new_most, use.has_pods(index));
      if (set.is_enough) break;
    }
    std::size_t fresh = 0;
    for (const std::uint32_t candidate : set.nodes) {
      chosen.nodes.push_back(usable.nodes[candidate]);
      fresh += usable.choices.is_held[candidate] == 0 ? 1 : 0;
    }
    std::replace(owners.begin(), owners.end(), demand.queue, QueueId());
    for (const NodeId node : chosen.nodes) owners[node.index()] = demand.queue;
    allowance.locked = static_cast<std::size_t>(
        std::count_if(owners.begin(), owners.end(), [](QueueId id) { return id.is_valid(); }));
    if (allowance.fresh != SIZE_MAX) allowance.fresh -= fresh;
    chosen.choice.score_millionths = static_cast<std::int32_t>(set.score / 1'000);
    const bool asks_no_more = rest.nodes == 0 && is_all_zero(rest.target);
    if (set.is_enough || asks_no_more) return chosen;
    const bool is_limited = new_most <= fresh && others_could_add(usable, rest, set);
    chosen.choice.lacks = !is_limited    ? lacks(usable)
                          : is_room_less ? limit_of_all(allowance.locked_most)
                                         : limit_of_new();
    return chosen;
  }

  // NODES-10. Nodes do not move away from room that is there, nor without pods that could say where
  // they run.
  NodeSet best_set(const QueueDemand& demand, const NodeDemand& rest, const UsableNodes& usable,
                   std::size_t new_most, bool has_pods) const {
    NodeSetTerms terms = terms_for(demand, usable, new_most);
    NodeSet set = choose_node_set(usable.choices, rest, terms);
    const auto& is_held = usable.choices.is_held;
    const bool has_new = std::any_of(set.nodes.begin(), set.nodes.end(),
                                     [&](std::uint32_t node) { return is_held[node] == 0; });
    const bool holds_some = std::find(is_held.begin(), is_held.end(), 1) != is_held.end();
    if (!has_new || !holds_some) return set;
    terms.new_most = 0;
    NodeSet present = choose_node_set(usable.choices, rest, terms);
    if (!present.is_enough) return set;
    const bool may_move = has_pods && (is_there(usable, rest, set) ||
                                       (!demand.evicts && !is_there(usable, rest, present)));
    return may_move ? set : present;
  }

  // Is what is asked for idle, or used by the queue, now?
  static bool is_there(const UsableNodes& usable, const NodeDemand& rest, const NodeSet& set) {
    const NodeChoices& choices = usable.choices;
    for (std::size_t i = 0; i < choices.dimensions; ++i) {
      std::int64_t there = 0;
      std::int64_t asked = rest.target[i];
      for (const std::uint32_t node : set.nodes) {
        const std::size_t at = node * choices.dimensions + i;
        there = saturated_sum(there, saturated_sum(choices.idle[at], choices.own[at]));
        if (rest.nodes > 0) asked = saturated_sum(asked, choices.gives[at]);
      }
      if (there < asked) return false;
    }
    return true;
  }

  static bool is_all_zero(const std::vector<std::int64_t>& amounts) {
    return std::all_of(amounts.begin(), amounts.end(), [](std::int64_t each) { return each == 0; });
  }

  // NODES-4. Nodes of queues below count.
  NodeDemand demand_without_below(const QueueDemand& demand,
                                  const std::vector<QueueId>& owners) const {
    NodeDemand rest{static_cast<std::size_t>(demand.nodes), demand.amounts, {}};
    for (const Dimension d : demand.counts) rest.total.push_back(cluster_->total_allocatable()[d]);
    for (std::size_t n = 0; n < owners.size(); ++n) {
      if (owners[n] == demand.queue || !cluster_->is_below(owners[n], demand.queue)) continue;
      if (rest.nodes > 0 && has_some_of_each(*cluster_, NodeId(n), demand.counts)) --rest.nodes;
      for (std::size_t i = 0; i < demand.counts.size(); ++i) {
        const std::int64_t gives = cluster_->allocatable().at(NodeId(n), demand.counts[i]) -
                                   cluster_->of_nodes().at(NodeId(n), demand.counts[i]);
        rest.target[i] =
            std::max<std::int64_t>(0, rest.target[i] - std::max<std::int64_t>(0, gives));
      }
    }
    return rest;
  }

  // NODES-8 to NODES-11, NODES-13
  NodeSetTerms terms_for(const QueueDemand& demand, const UsableNodes& usable,
                         std::size_t new_most) const {
    NodeSetTerms terms;
    const bool is_by_amounts = demand.nodes == 0;
    terms.strategy =
        strategy_ == NodeStrategy::random && is_by_amounts ? NodeStrategy::weighted : strategy_;
    terms.margin = margin_;
    terms.new_most = new_most;
    if (terms.strategy == NodeStrategy::random) {
      const std::string& queue = cluster_->queue(demand.queue).name;
      for (const NodeId node : usable.nodes) {
        terms.order.push_back(place_of(seed_, queue, cluster_->node(node).name));
      }
    }
    for (const Dimension d : demand.counts) {
      const std::string& name = cluster_->dimensions().name(d);
      terms.unit.push_back(name == "cpu" ? 1'000 : counts_bytes(name) ? kGibi : 1);
    }
    return terms;
  }

  // Has a node that is not in the set any of what is missing?
  static bool others_could_add(const UsableNodes& usable, const NodeDemand& rest,
                               const NodeSet& set) {
    const NodeChoices& choices = usable.choices;
    if (rest.nodes > 0) return choices.size() > set.nodes.size();
    for (std::size_t d = 0; d < choices.dimensions; ++d) {
      std::int64_t all = 0;
      for (std::size_t n = 0; n < choices.size(); ++n) {
        all += choices.gives[n * choices.dimensions + d];
      }
      std::int64_t has = 0;
      for (const std::uint32_t n : set.nodes) has += choices.gives[n * choices.dimensions + d];
      if (has < rest.target[d] && has < all) return true;
    }
    return false;
  }

  // NODES-12
  std::string limit_of_all(std::size_t most) const {
    return "at most " + std::to_string(most) + " of " + count_text(cluster_->node_count(), "node") +
           " may be locked for queues (max-locked-nodes of the plugin node_reservation)";
  }
  std::string limit_of_new() const {
    return "at most " + count_text(static_cast<std::size_t>(new_most_), "node") +
           " may be newly locked at each relock, and more may follow at the next (max-new-locks of "
           "the plugin node_reservation)";
  }
  static std::string lacks(const UsableNodes& usable) {
    std::string text = "no more nodes can give it what is missing";
    const auto add = [&](std::int32_t nodes, const char* what) {
      if (nodes > 0) text += "; " + std::to_string(nodes) + " " + what;
    };
    add(usable.locked, "are kept for others");
    add(usable.claimed, "are being filled by others");
    add(usable.closed, "take no pods");
    add(usable.without, "have none of a resource that counts");
    add(usable.filled, "are full of pods that stay");
    add(usable.unsuitable, "can run no pod of the queue");
    return text;
  }

  // NODES-15
  void describe_all(std::vector<QueueReservation>* reservations) const {
    for (const QueueDemand& demand : queue_demands(*session_, only_with_policy_)) {
      reservations->push_back(describe(demand));
    }
    std::sort(reservations->begin(), reservations->end(), [&](const auto& left, const auto& right) {
      return cluster_->queue(left.queue).name < cluster_->queue(right.queue).name;
    });
  }

  QueueReservation describe(const QueueDemand& demand) const {
    QueueReservation reservation;
    reservation.queue = demand.queue;
    reservation.evicts = demand.evicts;
    reservation.asked_nodes = static_cast<std::int32_t>(demand.nodes);
    reservation.nodes = cluster_->locks().nodes_of(demand.queue);
    reservation.clipped = demand.clipped;
    for (std::size_t i = 0; i < demand.counts.size(); ++i) {
      reservation.amounts.push_back({demand.counts[i], demand.amounts[i]});
    }
    std::int32_t nodes = 0;
    for (std::size_t n = 0; n < cluster_->node_count(); ++n) {
      if (!cluster_->is_below(cluster_->locks().queue(NodeId(n)), demand.queue)) continue;
      nodes += has_some_of_each(*cluster_, NodeId(n), demand.counts) ? 1 : 0;
      for (QueueReservation::Amount& each : reservation.amounts) add_node(demand, NodeId(n), each);
    }
    reservation.is_met = !demand.is_nothing() && !demand.is_scaled &&
                         nodes >= reservation.asked_nodes &&
                         std::all_of(reservation.amounts.begin(), reservation.amounts.end(),
                                     [](const auto& each) { return each.missing() == 0; });
    return reservation;
  }

  void add_node(const QueueDemand& demand, NodeId node, QueueReservation::Amount& amount) const {
    const Dimension d = amount.dimension;
    if (demand.nodes > 0) {
      amount.asked += cluster_->allocatable().at(node, d) - cluster_->of_nodes().at(node, d);
    }
    amount.idle += std::max<std::int64_t>(0, cluster_->idle().at(node, d));
    for (const TaskId id : cluster_->node(node).tasks) {
      const Task& task = cluster_->task(id);
      if (!occupies_node(task.status)) continue;
      const std::int64_t used = cluster_->shape(task.shape).request[d];
      if (cluster_->is_below(cluster_->queue_of(task.job), demand.queue)) {
        amount.own += used;
      } else if (task.status == TaskStatus::releasing && !task.is_of_node) {
        amount.leaving += used;
      }
    }
  }

  NodeStrategy strategy_;
  std::int64_t seed_;
  std::int64_t margin_;  // in billionths
  Duration period_;
  std::int64_t new_most_;  // 0: no limit
  std::int64_t most_thousandths_;
  bool only_with_policy_;
  std::set<std::string> tolerated_taints_;
  Session* session_ = nullptr;
  const Cluster* cluster_ = nullptr;
};

}  // namespace

BERTH_PLUGIN(NodeReservation, "node_reservation");

}  // namespace berth::plugins
