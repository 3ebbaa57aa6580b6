#include "berth/engine/queue_tree.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "berth/base/check.h"
#include "berth/base/look_up.h"
#include "berth/engine/open_nodes.h"
#include "berth/model/amount_text.h"

namespace berth::engine {

namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kBillion = 1'000'000'000;

std::int64_t limit_of(const Queue& queue, Dimension d) {
  for (const auto& [dimension, amount] : queue.capability.entries()) {
    if (dimension == d) return amount;
  }
  return kUnlimited;
}

// QUEUE-2. The first dimension by name, so that the text does not depend on the order of arrival.
std::string excess_of(const Cluster& cluster, const Queue& queue) {
  std::string first;
  std::string fault;
  for (const auto& [dimension, limit] : queue.capability.entries()) {
    const std::string& name = cluster.dimensions().name(dimension);
    if (queue.guarantee[dimension] <= limit || (!first.empty() && first < name)) continue;
    first = name;
    fault = "it guarantees " + format_amount(name, queue.guarantee[dimension]) + " " + name +
            ", more than its capability of " + format_amount(name, limit);
  }
  return fault;
}

// The reason why a queue has no path to the root.
std::string lost_because(const Cluster& cluster, QueueId id,
                         const std::map<std::string, QueueId>& by_name) {
  std::set<std::string> seen;
  std::string name = cluster.queue(id).name;
  while (seen.insert(name).second) {
    const std::string& parent = cluster.queue(by_name.at(name)).parent;
    if (!by_name.contains(parent)) return "its parent queue \"" + parent + "\" does not exist";
    name = parent;
  }
  return "its parent queues lead round in a circle by \"" + name + "\"";
}

}  // namespace

std::int64_t QueueTree::written_guarantee(const Queue& queue, Dimension d, std::int64_t total) {
  const auto& names = queue.guarantee_share_of;
  if (!is_any_of(d, names)) return queue.guarantee[d];
  const __int128 part = static_cast<__int128>(total) * queue.guarantee_share_billionths / kBillion;
  return std::max(queue.guarantee[d], static_cast<std::int64_t>(part));
}

void QueueTree::refresh(const Cluster& cluster) {
  const bool is_larger = measure(cluster);
  const bool has_other_nodes = measure_own_nodes(cluster);
  if (!is_larger && !has_other_nodes && queue_version_ == cluster.queue_version()) return;
  if (queue_version_ != cluster.queue_version()) plant(cluster);
  ++version_;
  queue_version_ = cluster.queue_version();
  dimensions_ = cluster.dimensions().size();
  for (auto* amounts : {&guarantee_, &without_nodes_, &capability_, &limit_}) {
    amounts->assign(members_.size() * dimensions_, 0);
  }
  for (Member& member : members_) member.is_scaled = false;
  for (std::size_t d = 0; d < dimensions_; ++d) bound(cluster, Dimension(d), false);
  without_nodes_ = guarantee_;
  if (!on_own_nodes_.empty()) {
    for (Member& member : members_) member.is_scaled = false;
    for (std::size_t d = 0; d < dimensions_; ++d) bound(cluster, Dimension(d), true);
  }
  find_largest();
}

void QueueTree::find_largest() {
  largest_.assign(guarantee_.size(), {});
  for (std::size_t at = 1; at < members_.size(); ++at) {
    for (std::size_t d = 0; d < dimensions_; ++d) {
      const auto amount = [&](std::uint32_t each) { return guarantee(each, Dimension(d)); };
      auto one = static_cast<std::uint32_t>(at);
      if (amount(one) <= 0) continue;
      auto& [largest, count] = largest_[members_[at].parent * dimensions_ + d];
      ++count;
      bool is_in = false;
      for (std::uint32_t i = 0; i < largest.size() && i < count; ++i) {
        is_in = is_in || i + 1 == count || amount(one) > amount(largest[i]);
        if (is_in) std::swap(one, largest[i]);
      }
    }
  }
}

// QUEUE-5. True if there is another amount than before.
bool QueueTree::measure(const Cluster& cluster) {
  const bool is_known = room_version_ == cluster.room_version() &&
                        total_.size() == cluster.dimensions().size() &&
                        (!depends_on_use_ || stamp_ == cluster.stamp());
  if (is_known) return false;
  room_version_ = cluster.room_version();
  stamp_ = cluster.stamp();
  depends_on_use_ = false;
  std::vector<std::uint8_t> closed(cluster.node_count(), 0);
  for (std::size_t n = 0; n < closed.size(); ++n) {
    if (is_closed(cluster.node(NodeId(n)))) closed[n] = 1;
    depends_on_use_ = depends_on_use_ || closed[n] != 0;
  }
  std::vector<std::int64_t> total(cluster.dimensions().size(), 0);
  for (std::size_t d = 0; d < total.size(); ++d) {
    const Dimension dimension(d);
    total[d] = std::max<std::int64_t>(0, cluster.used_nowhere()[dimension]);
    if (closed.empty()) continue;
    const std::int64_t* allocatable = cluster.allocatable().column(dimension);
    const std::int64_t* foreign = cluster.foreign().column(dimension);
    const std::int64_t* idle = cluster.idle().column(dimension);
    for (std::size_t n = 0; n < closed.size(); ++n) {
      const std::int64_t all = allocatable[n] - foreign[n];
      const std::int64_t used = all - idle[n];  // by pods of queues
      // A node that shrank holds more than it has.
      depends_on_use_ = depends_on_use_ || idle[n] < 0;
      const std::int64_t here = closed[n] != 0 ? used : std::max(all, used);
      if (here > 0) total[d] = saturated_sum(total[d], here);
    }
  }
  const bool is_other = total != total_;
  total_ = std::move(total);
  return is_other;
}

// QUEUE-11. True if there is another amount than before.
bool QueueTree::measure_own_nodes(const Cluster& cluster) {
  const std::size_t dimensions = cluster.dimensions().size();
  std::vector<std::int64_t> amounts;
  if (cluster.locks().for_queues() > 0) amounts.assign(cluster.queue_slots() * dimensions, 0);
  for (std::size_t n = 0; n < cluster.node_count() && !amounts.empty(); ++n) {
    const QueueId owner = cluster.locks().queue(NodeId(n));
    if (!owner.is_valid()) continue;
    const auto add = [&](std::size_t d, std::int64_t amount) {
      for (QueueId at = owner; at.is_valid(); at = cluster.queue(at).above) {
        std::int64_t& sum = amounts[at.index() * dimensions + d];
        sum = saturated_sum(sum, amount);
      }
    };
    for (std::size_t d = 0; d < dimensions; ++d) {
      add(d, std::max<std::int64_t>(0, cluster.idle().at(NodeId(n), Dimension(d))));
    }
    for (const TaskId id : cluster.node(NodeId(n)).tasks) {
      const Task& task = cluster.task(id);
      if (!occupies_node(task.status)) continue;
      if (!cluster.is_below(cluster.queue_of(task.job), owner)) continue;
      for (const auto& [d, amount] : cluster.shape(task.shape).requested) add(d.index(), amount);
    }
  }
  const bool is_other = amounts != on_own_nodes_;
  on_own_nodes_ = std::move(amounts);
  return is_other;
}

// QUEUE-1
void QueueTree::plant(const Cluster& cluster) {
  std::map<std::string, QueueId> by_name;
  for (std::size_t q = 0; q < cluster.queue_slots(); ++q) {
    if (cluster.queue(QueueId(q)).exists) by_name.emplace(cluster.queue(QueueId(q)).name, q);
  }
  members_.assign(1, Member());
  position_.assign(cluster.queue_slots(), kNowhere);
  if (const auto root = by_name.find(std::string(kRootQueue)); root != by_name.end()) {
    members_[0].queue = root->second;
    position_[root->second.index()] = 0;
    judge(cluster, 0);
    members_[0].fault.clear();  // it would be a fault of every queue
  }
  std::vector<Orphan> orphans;
  grow(cluster, orphans);
  for (const auto& [name, id] : by_name) {
    if (position_[id.index()] == kNowhere) {
      orphans.push_back({id, lost_because(cluster, id, by_name)});
    }
  }
  // Orphans stand below the root, after its other children, so that they are visible.
  if (!orphans.empty()) grow(cluster, orphans);
  has_hard_guarantees_ = false;
  for (std::size_t at = members_.size(); at-- > 1;) {
    members_[at].is_hard = cluster.queue(members_[at].queue).guarantees_hard;
    has_hard_guarantees_ = has_hard_guarantees_ || members_[at].is_hard;
  }
}

// Without orphans: all queues with a path to the root. With them: computed again, orphans too.
void QueueTree::grow(const Cluster& cluster, std::vector<Orphan>& orphans) {
  std::map<std::string, std::vector<QueueId>> children;
  std::set<std::string> lost;
  for (const Orphan& orphan : orphans) lost.insert(cluster.queue(orphan.queue).name);
  for (std::size_t q = 0; q < cluster.queue_slots(); ++q) {
    const Queue& queue = cluster.queue(QueueId(q));
    if (!queue.exists || queue.name == kRootQueue || lost.contains(queue.name)) continue;
    children[queue.parent.empty() ? std::string(kRootQueue) : queue.parent].push_back(QueueId(q));
  }
  members_.resize(1);
  for (std::uint32_t at = 0; at < members_.size(); ++at) {
    const QueueId parent = members_[at].queue;
    auto& below = children[at == 0 ? std::string(kRootQueue) : cluster.queue(parent).name];
    std::sort(below.begin(), below.end(), [&](QueueId left, QueueId right) {
      return cluster.queue(left).name < cluster.queue(right).name;
    });
    members_[at].first_child = static_cast<std::uint32_t>(members_.size());
    members_[at].child_count = static_cast<std::uint32_t>(below.size());
    const auto add = [&](QueueId id) {
      position_[id.index()] = static_cast<std::uint32_t>(members_.size());
      members_.push_back({});
      members_.back().queue = id;
      members_.back().parent = at;
      judge(cluster, position_[id.index()]);
    };
    for (const QueueId id : below) add(id);
    if (at != 0) continue;
    for (const Orphan& orphan : orphans) {
      add(orphan.queue);
      members_.back().fault = orphan.fault;
      ++members_[0].child_count;
    }
  }
}

// QUEUE-2, QUEUE-8
void QueueTree::judge(const Cluster& cluster, std::uint32_t position) {
  Member& member = members_[position];
  const Member& parent = members_[member.parent];
  const Queue& queue = cluster.queue(member.queue);
  member.weight = queue.weight;
  member.is_open = queue.state == QueueState::open && (position == 0 || parent.is_open);
  if (position != 0 && !parent.fault.empty()) {
    const std::string name =
        parent.queue.is_valid() ? cluster.queue(parent.queue).name : std::string(kRootQueue);
    member.fault = "its parent queue \"" + name + "\" is set up wrongly";
  } else {
    member.fault = queue.fault.empty() ? excess_of(cluster, queue) : queue.fault;
  }
}

void QueueTree::bound(const Cluster& cluster, Dimension d, bool with_own_nodes) {
  wanted_.assign(members_.size(), 0);
  for (std::size_t at = 0; at < members_.size(); ++at) {
    const QueueId id = members_[at].queue;
    limit_[at * dimensions_ + d.index()] =
        id.is_valid() ? limit_of(cluster.queue(id), d) : kUnlimited;
  }
  const std::int64_t total = std::min(total_[d.index()], limit(0, d));
  // QUEUE-3, upwards: a queue without its own guarantee guarantees the sum of its children.
  for (std::size_t at = members_.size(); at-- > 1;) {
    const Member& member = members_[at];
    if (!member.takes_jobs()) continue;
    const Queue& queue = cluster.queue(member.queue);
    if (const std::int64_t own = written_guarantee(queue, d, total); own > 0) wanted_[at] = own;
    if (with_own_nodes) wanted_[at] = std::max(wanted_[at], on_own_nodes_of(member.queue, d));
    wanted_[at] = std::min(wanted_[at], limit(at, d));
    const Member& parent = members_[member.parent];
    if (member.parent == 0 || written_guarantee(cluster.queue(parent.queue), d, total) > 0)
      continue;
    std::int64_t& above = wanted_[member.parent];
    if (__builtin_add_overflow(above, wanted_[at], &above)) above = kUnlimited;
  }
  guarantee_[d.index()] = total;
  capability_[d.index()] = total;
  for (std::uint32_t at = 0; at < members_.size(); ++at)
    bound_children(cluster, at, d, with_own_nodes);
}

// QUEUE-3, QUEUE-4, QUEUE-11
void QueueTree::bound_children(const Cluster& cluster, std::uint32_t parent, Dimension d,
                               bool with_own_nodes) {
  const auto [begin, end] = std::pair(members_[parent].first_child,
                                      members_[parent].first_child + members_[parent].child_count);
  const std::int64_t most = guarantee(parent, d);
  __int128 wanted = 0;
  __int128 on_nodes = 0;
  const auto floor_of = [&](std::uint32_t at) {
    return with_own_nodes ? std::min(wanted_[at], on_own_nodes_of(members_[at].queue, d)) : 0;
  };
  for (std::uint32_t at = begin; at < end; ++at) {
    wanted += wanted_[at];
    on_nodes += floor_of(at);
  }
  const bool are_nodes_kept = on_nodes <= most;
  std::int64_t guaranteed = 0;
  for (std::uint32_t at = begin; at < end; ++at) {
    std::int64_t& in_force = guarantee_[at * dimensions_ + d.index()];
    in_force = wanted_[at];
    if (wanted > most) {
      // Nodes of queues are not scaled; what is left is.
      const __int128 floor = are_nodes_kept ? floor_of(at) : 0;
      const __int128 left = are_nodes_kept ? most - on_nodes : most;
      const __int128 scaled = are_nodes_kept ? wanted - on_nodes : wanted;
      const __int128 part = scaled == 0 ? 0 : (wanted_[at] - floor) * left / scaled;
      in_force = static_cast<std::int64_t>(floor + part);
    }
    const Queue& queue = cluster.queue(members_[at].queue);
    const std::int64_t written = written_guarantee(queue, d, guarantee(0, d));
    const bool is_less = in_force < wanted_[at] && (written == 0 || in_force < written);
    members_[at].is_scaled = members_[at].is_scaled || is_less;
    guaranteed += in_force;
  }
  for (std::uint32_t at = begin; at < end; ++at) {
    const std::int64_t others = guaranteed - guarantee(at, d);
    capability_[at * dimensions_ + d.index()] =
        std::min(limit(at, d), real_capability(parent, d) - others);
  }
}

std::pair<std::uint32_t, std::uint32_t> QueueTree::where_paths_part(std::uint32_t left,
                                                                    std::uint32_t right) const {
  while (members_[left].parent != members_[right].parent) {
    // Parents come before children: the greater position cannot be above the other.
    std::uint32_t& lower = left > right ? left : right;
    lower = members_[lower].parent;
  }
  return {left, right};
}

// QUEUE-9: leaves only.
Verdict QueueTree::standing(const Cluster& cluster, QueueId queue) const {
  std::uint32_t at = position_of(queue);
  BERTH_CHECK(at != kNowhere);
  const Member& member = members_[at];
  if (!member.fault.empty()) return reject(Reason::queue_faulty, 0, 0, member.fault);
  if (member.child_count > 0) {
    return reject(Reason::queue_has_children, 0, 0, cluster.queue(queue).name);
  }
  if (member.is_open) return pass();
  // The closed one nearest to the root.
  std::string_view closed = cluster.queue(queue).name;
  for (; at != 0; at = members_[at].parent) {
    const Queue& each = cluster.queue(members_[at].queue);
    if (each.state != QueueState::open) closed = each.name;
  }
  return reject(Reason::queue_closed, 0, 0, closed);
}

}  // namespace berth::engine
