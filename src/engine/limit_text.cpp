#include "berth/engine/limit_text.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "berth/engine/admissions.h"
#include "berth/model/amount_text.h"
#include "berth/model/reader.h"

namespace berth::engine {

namespace {

constexpr std::size_t kNamedMost = 2;

struct Part {
  std::string name;
  std::int64_t amount = 0;
};

std::string queue_name(const Cluster& cluster, const QueueTree& tree, std::size_t at) {
  const QueueId queue = tree.member(at).queue;
  return queue.is_valid() ? "queue " + cluster.queue(queue).name : "the cluster";
}

std::string amount_text(const Cluster& cluster, Dimension d, std::int64_t amount) {
  return readable_amount(cluster.dimensions().name(d), amount, Rounding::down);
}

// "8 WORDS queue b, 2 WORDS queue c and 3 more"
std::string list_of(const Cluster& cluster, Dimension d, std::vector<Part> parts,
                    const std::string& words) {
  std::sort(parts.begin(), parts.end(), [](const Part& left, const Part& right) {
    return std::tie(right.amount, left.name) < std::tie(left.amount, right.name);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), kNamedMost); ++i) {
    text += (text.empty() ? "" : ", ") + amount_text(cluster, d, parts[i].amount) + " " + words +
            " " + parts[i].name;
  }
  if (parts.size() > kNamedMost) {
    text += " and " + std::to_string(parts.size() - kNamedMost) + " more";
  }
  return text;
}

// Calls `each` with the children of every queue at or above a position that are not on the way.
template <class Each>
void beside(const QueueTree& tree, std::size_t position, const Each& each) {
  for (std::size_t at = position;; at = tree.member(at).parent) {
    const QueueTree::Member& parent = tree.member(at == 0 ? 0 : tree.member(at).parent);
    for (std::uint32_t i = 0; i < parent.child_count; ++i) {
      if (parent.first_child + i != at) each(parent.first_child + i);
    }
    if (at == 0 || tree.member(at).parent == 0) return;
  }
}

}  // namespace

std::string joined(const std::string& left, const std::string& right) {
  return left.empty() || right.empty() ? left + right : left + "; " + right;
}

std::string kept_for_text(const Cluster& cluster, const QueueTree& tree,
                          const UnmetGuarantees& unmet, std::size_t position, Dimension d) {
  std::vector<Part> parts;
  beside(tree, position, [&](std::size_t at) {
    if (unmet.due(at, d) > 0) parts.push_back({queue_name(cluster, tree, at), unmet.due(at, d)});
  });
  return list_of(cluster, d, std::move(parts), "kept for the guarantee of");
}

std::string capability_text(const Cluster& cluster, const QueueTree& tree, std::size_t position,
                            Dimension d) {
  const std::int64_t most = tree.real_capability(position, d);
  if (tree.limit(position, d) <= most) {
    return "its capability is " + amount_text(cluster, d, tree.limit(position, d));
  }
  if (position == 0) return {};
  const std::size_t parent = tree.member(position).parent;
  std::vector<Part> parts;
  for (std::uint32_t i = 0; i < tree.member(parent).child_count; ++i) {
    const std::size_t at = tree.member(parent).first_child + i;
    if (at == position || tree.guarantee(at, d) <= 0) continue;
    parts.push_back({queue_name(cluster, tree, at), tree.guarantee(at, d)});
  }
  std::string text = list_of(cluster, d, std::move(parts), "guaranteed to");
  if (parent == 0) return text;
  return joined(queue_name(cluster, tree, parent) + " above it can have " +
                    amount_text(cluster, d, tree.real_capability(parent, d)),
                text);
}

std::string share_text(const Cluster& cluster, const QueueTree& tree, const QueueShares& shares,
                       const UnmetGuarantees& unmet, std::size_t position, Dimension d) {
  const std::int64_t share = shares.at(shares.deserved, position, d);
  if (share >= shares.at(shares.real_capability, position, d)) {
    return capability_text(cluster, tree, position, d);
  }
  const QueueId queue = tree.member(position).queue;
  for (const auto& [dimension, target] : cluster.queue(queue).deserved.entries()) {
    if (dimension != d || target != share) continue;
    return joined("its spec.deserved is " + amount_text(cluster, d, target),
                  kept_for_text(cluster, tree, unmet, position, d));
  }
  std::string weight;
  std::int64_t all = 0;
  const QueueTree::Member& parent = tree.member(tree.member(position).parent);
  for (std::uint32_t i = 0; i < parent.child_count; ++i) {
    const std::size_t at = parent.first_child + i;
    const bool takes_part = at == position || shares.at(shares.deserved, at, d) > 0;
    if (takes_part) all += tree.member(at).weight;
  }
  if (const std::int64_t own = tree.member(position).weight; all > own) {
    weight = "its weight is " + std::to_string(own) + " of " + std::to_string(all);
  }
  return joined(weight, kept_for_text(cluster, tree, unmet, position, d));
}

std::string target_text(const Job& reader, const Job& target) {
  const bool is_named = may_read(reader.name, target.name);
  return (is_named ? "target " : "") + name_for(reader.name, "target", target.name);
}

// MAY-11. Targets that are not named are one part.
std::string targets_text(const Cluster& cluster, JobId reader, Dimension d,
                         const std::vector<TargetPart>& targets) {
  const Job& job = cluster.job(reader);
  std::map<std::string, std::int64_t> amounts;
  for (const TargetPart& each : targets) {
    std::int64_t& amount = amounts[target_text(job, cluster.job(each.target))];
    amount = saturated_sum(amount, each.amount);
  }
  std::vector<Part> parts;
  for (const auto& [target, amount] : amounts) parts.push_back({target, amount});
  return list_of(cluster, d, std::move(parts), "kept for");
}

std::string admitted_text(const Cluster& cluster, const Admissions& admissions, JobId job,
                          std::size_t position, Dimension d) {
  const std::vector<TargetPart> targets = admissions.of_targets(job, position, d);
  std::int64_t others = admissions.in_queue(position, d);
  for (const TargetPart& each : targets) others -= each.amount;
  const std::string before =
      others <= 0 ? ""
                  : amount_text(cluster, d, others) + " kept for jobs that were admitted before";
  return joined(targets_text(cluster, job, d, targets), before);
}

}  // namespace berth::engine
