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

constexpr std::size_t kPartsNamed = 2;

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

// "8 WORDS queue b, 2 WORDS queue c and 3 more". Of all parts, at least the largest are given.
std::string list_of(const Cluster& cluster, Dimension d, std::vector<Part> parts,
                    const std::string& words, std::size_t count) {
  std::sort(parts.begin(), parts.end(), [](const Part& left, const Part& right) {
    return std::tie(right.amount, left.name) < std::tie(left.amount, right.name);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), kPartsNamed); ++i) {
    text += (text.empty() ? "" : ", ") + amount_text(cluster, d, parts[i].amount) + " " + words +
            " " + parts[i].name;
  }
  if (count > kPartsNamed) text += " and " + std::to_string(count - kPartsNamed) + " more";
  return text;
}

}  // namespace

std::string joined(const std::string& left, const std::string& right) {
  return left.empty() || right.empty() ? left + right : left + "; " + right;
}

// Beside the queue, and beside each above it.
std::string kept_for_text(const Cluster& cluster, const QueueTree& tree,
                          const UnmetGuarantees& unmet, std::size_t position, Dimension d) {
  std::vector<Part> parts;
  std::size_t count = 0;
  for (std::size_t at = position;;) {
    const std::size_t above = tree.member(at).parent;
    count += unmet.count_due_below(above, d) - (at != 0 && unmet.due(at, d) > 0 ? 1U : 0U);
    if (unmet.count_due_below(above, d) > 0) {
      for (const std::uint32_t each : unmet.most_due_below(tree, above, at, d, kPartsNamed)) {
        parts.push_back({queue_name(cluster, tree, each), unmet.due(each, d)});
      }
    }
    if (above == 0) break;
    at = above;
  }
  return list_of(cluster, d, std::move(parts), "kept for the guarantee of", count);
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
  const auto [largest, count] = tree.largest_guarantees(parent, d);
  for (std::size_t i = 0; i < std::min<std::size_t>(count, largest.size()); ++i) {
    if (largest[i] == position) continue;
    parts.push_back({queue_name(cluster, tree, largest[i]), tree.guarantee(largest[i], d)});
  }
  const std::size_t others = count - (tree.guarantee(position, d) > 0 ? 1U : 0U);
  std::string text = list_of(cluster, d, std::move(parts), "guaranteed to", others);
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
  const std::int64_t own = tree.member(position).weight;
  const std::int64_t all =
      shares.at(shares.weights_below, tree.member(position).parent, d) + (share > 0 ? 0 : own);
  if (all > own) {
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
  return list_of(cluster, d, std::move(parts), "kept for", amounts.size());
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
