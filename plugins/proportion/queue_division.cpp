#include "plugins/proportion/queue_division.h"

#include <algorithm>
#include <limits>

#include "berth/engine/need.h"

namespace berth::plugins {

using namespace engine;

namespace {

std::int64_t target_of(const Cluster& cluster, QueueId queue, Dimension d) {
  if (queue.is_valid()) {
    for (const auto& [dimension, amount] : cluster.queue(queue).deserved.entries()) {
      if (dimension == d) return amount;
    }
  }
  return std::numeric_limits<std::int64_t>::max();
}

}  // namespace

std::shared_ptr<const QueueShares> QueueDivision::divide(const Cluster& cluster,
                                                         const QueueTree& tree, bool lends,
                                                         const Feasibility& feasibility,
                                                         bool counts_groups) {
  of_groups_.clear();
  if (counts_groups) count_groups(cluster, tree, feasibility);
  auto shares = std::make_shared<QueueShares>();
  const std::size_t size = tree.size();
  shares->dimensions = tree.dimensions();
  shares->rows.reserve(size);
  for (std::size_t at = 0; at < size; ++at) {
    const QueueTree::Member& member = tree.member(at);
    shares->rows.push_back({member.queue, member.parent, member.is_scaled, member.fault});
  }
  for (QueueShares::Amounts* amounts : {&shares->deserved, &shares->guarantee, &shares->kept,
                                        &shares->real_capability, &shares->weights_below}) {
    amounts->assign(size * tree.dimensions(), 0);
  }
  shares->is_short.assign(size * tree.dimensions(), 0);
  for (std::vector<std::int64_t>* scratch : {&own_, &asked_, &least_, &most_, &first_}) {
    scratch->resize(size);
  }
  for (std::size_t d = 0; d < tree.dimensions(); ++d) {
    divide(cluster, tree, lends, feasibility, Dimension(d), *shares);
  }
  return shares;
}

// Pods that are there count for their queue already.
void QueueDivision::count_groups(const Cluster& cluster, const QueueTree& tree,
                                 const Feasibility& feasibility) {
  of_groups_.resize(tree.size());
  for (const JobId id : cluster.open_jobs()) {
    const Job& job = cluster.job(id);
    const std::uint32_t at = tree.position_of(job.queue);
    const std::int32_t pods = job.placed_count() + job.unplaced_count() + job.gated;
    if (!job.min_resources || pods >= job.min_available || at == QueueTree::kNowhere) continue;
    if (!tree.member(at).takes_jobs() || !feasibility.is_possible(id)) continue;
    Resources waiting;
    for (const TaskId task : job.tasks) {
      if (cluster.task(task).status == TaskStatus::pending) {
        waiting += cluster.shape_of(task).request;
      }
    }
    of_groups_[at] += positive_difference(asked_for_admission(cluster, job), waiting);
  }
}

void QueueDivision::divide(const Cluster& cluster, const QueueTree& tree, bool lends,
                           const Feasibility& feasibility, Dimension d, QueueShares& shares) {
  std::fill(own_.begin(), own_.end(), 0);
  std::fill(asked_.begin(), asked_.end(), 0);
  std::fill(most_.begin(), most_.end(), 0);
  std::fill(first_.begin(), first_.end(), 0);
  // QUEUE-6, upwards: the demand of all children is known before their parent is visited.
  for (std::size_t at = tree.size(); at-- > 0;) {
    const QueueTree::Member& member = tree.member(at);
    const bool is_leaf = member.child_count == 0 && at != 0;
    if (member.queue.is_valid()) {
      const Queue& queue = cluster.queue(member.queue);
      // QUEUE-8. A queue that is closed, at fault, or has children does not serve waiting jobs.
      own_[at] = is_leaf && member.takes_jobs() ? feasibility.demand(cluster, queue, d)
                                                : queue.allocated[d];
    }
    if (!of_groups_.empty()) own_[at] = saturated_sum(own_[at], of_groups_[at][d]);
    asked_[at] = saturated_sum(asked_[at], own_[at]);
    const std::int64_t guarantee = tree.guarantee(at, d);
    // QUEUE-11. Nodes of its own are not lent, nor are those of queues below it.
    std::int64_t below = 0;
    for (std::uint32_t i = 0; i < member.child_count; ++i) below += least_[member.first_child + i];
    least_[at] = lends
                     ? std::max({std::min(guarantee, asked_[at]), tree.on_own_nodes(at, d), below})
                     : guarantee;
    if (at != 0) asked_[member.parent] = saturated_sum(asked_[member.parent], asked_[at]);
  }
  const auto set = [&](QueueShares::Amounts& amounts, std::size_t at, std::int64_t amount) {
    amounts[at * shares.dimensions + d.index()] = amount;
  };
  // QUEUE-4, downwards: an amount that is lent is not kept from other queues.
  for (std::size_t at = 0; at < tree.size(); ++at) {
    if (at == 0) set(shares.real_capability, 0, tree.total(d));
    set(shares.guarantee, at, tree.guarantee(at, d));
    set(shares.kept, at, least_[at]);
    const QueueTree::Member& member = tree.member(at);
    std::int64_t kept = 0;
    for (std::uint32_t i = 0; i < member.child_count; ++i) kept += least_[member.first_child + i];
    for (std::uint32_t i = 0; i < member.child_count; ++i) {
      const std::size_t child = member.first_child + i;
      const std::int64_t left = shares.at(shares.real_capability, at, d) - (kept - least_[child]);
      set(shares.real_capability, child, std::min(tree.limit(child, d), left));
    }
  }
  // QUEUE-6, upwards: upper bounds.
  for (std::size_t at = tree.size(); at-- > 0;) {
    const std::int64_t wanted = saturated_sum(most_[at], own_[at]);
    most_[at] = std::max(least_[at], std::min(wanted, shares.at(shares.real_capability, at, d)));
    // QUEUE-10. A parent that names no target has its children's.
    const std::int64_t target =
        std::min(target_of(cluster, tree.member(at).queue, d), saturated_sum(first_[at], own_[at]));
    first_[at] = std::max(least_[at], std::min(target, most_[at]));
    if (at == 0) break;
    const std::size_t parent = tree.member(at).parent;
    most_[parent] = saturated_sum(most_[parent], most_[at]);
    first_[parent] = saturated_sum(first_[parent], first_[at]);
  }
  // QUEUE-7, downwards.
  set(shares.deserved, 0, tree.total(d));
  for (std::size_t at = 0; at < tree.size(); ++at) divide_among_children(tree, at, d, shares);
}

void QueueDivision::divide_among_children(const QueueTree& tree, std::size_t parent, Dimension d,
                                          QueueShares& shares) {
  const QueueTree::Member& member = tree.member(parent);
  if (member.child_count == 0) return;
  claims_.clear();
  std::int64_t kept = 0;
  std::int64_t targets = 0;
  for (std::uint32_t i = 0; i < member.child_count; ++i) {
    const std::size_t child = member.first_child + i;
    claims_.push_back({tree.member(child).weight, least_[child], first_[child]});
    kept += least_[child];
    targets = saturated_sum(targets, first_[child]);
  }
  // QUEUE-9. Jobs of an inner queue itself may still hold room. That room is not divided, except
  // for the guarantees of the queue's children.
  const std::int64_t whole = shares.at(shares.deserved, parent, d);
  const std::int64_t amount = std::max(kept, whole - std::min(own_[parent], whole));
  // QUEUE-10. When all queues have their targets, the remainder goes to those that ask for more.
  if (targets < amount) {
    for (std::uint32_t i = 0; i < member.child_count; ++i) {
      claims_[i].lower = claims_[i].upper;
      claims_[i].upper = most_[member.first_child + i];
    }
  }
  given_.resize(member.child_count);
  short_.resize(member.child_count);
  fair_share_.divide(amount, claims_, given_, short_);
  for (std::uint32_t i = 0; i < member.child_count; ++i) {
    const std::size_t at = (member.first_child + i) * shares.dimensions + d.index();
    shares.deserved[at] = given_[i];
    shares.is_short[at] = short_[i];
    std::int64_t& weights = shares.weights_below[parent * shares.dimensions + d.index()];
    if (given_[i] > 0) weights += claims_[i].weight;
  }
}

}  // namespace berth::plugins
