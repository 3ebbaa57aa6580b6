#include "plugins/proportion/reclaim_rules.h"

#include <algorithm>

#include "berth/engine/need.h"
#include "berth/engine/queue_tree.h"

namespace berth::plugins {

using namespace engine;

void ReclaimRules::attach(Session& session, const std::shared_ptr<const QueueShares>& shares,
                          const UnmetGuarantees& unmet) {
  session_ = &session;
  shares_ = &shares;
  unmet_ = &unmet;
  session.attach<&ReclaimRules::is_entitled>(points::entitled, *this);
  session.attach<&ReclaimRules::may_be_asked>(points::reclaimable, *this);
  session.attach<&ReclaimRules::is_within_capability>(points::within_capability, *this);
  session.attach<&ReclaimRules::may_lose>(points::yieldable, *this);
}

std::uint32_t ReclaimRules::position_of(JobId job) const {
  return session_->queues().position_of(session_->cluster().job(job).queue);
}

// The share, or the guarantee if that is more.
std::int64_t ReclaimRules::entitlement(std::uint32_t at, Dimension d) const {
  return std::max((*shares_)->at((*shares_)->deserved, at, d),
                  (*shares_)->at((*shares_)->guarantee, at, d));
}

// QUEUE-11. No other queue can have what is idle on its nodes.
std::int64_t ReclaimRules::holds(std::uint32_t at, Dimension d) const {
  const Cluster& cluster = session_->cluster();
  const std::int64_t has = unmet_->has(at, d);
  if (cluster.locks().for_queues() == 0) return has;
  if (idle_stamp_ != cluster.stamp()) {
    idle_stamp_ = cluster.stamp();
    idle_.assign(session_->queues().size() * cluster.dimensions().size(), 0);
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      if (const QueueId owner = cluster.locks().queue(NodeId(n)); owner.is_valid()) {
        add_idle(NodeId(n), owner);
      }
    }
  }
  return saturated_sum(has, idle_[at * cluster.dimensions().size() + d.index()]);
}

void ReclaimRules::add_idle(NodeId node, QueueId owner) const {
  const QueueTree& tree = session_->queues();
  const Cluster& cluster = session_->cluster();
  std::uint32_t at = tree.position_of(owner);
  if (at == QueueTree::kNowhere) return;
  for (;; at = tree.member(at).parent) {
    for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
      std::int64_t& sum = idle_[at * cluster.dimensions().size() + d];
      const std::int64_t idle = cluster.idle().at(node, Dimension(d));
      sum = saturated_sum(sum, std::max<std::int64_t>(0, idle));
    }
    if (at == 0) return;
  }
}

// RECLAIM-2. In each resource that it asks for.
Verdict ReclaimRules::is_entitled(const Job& job, const Need& need) {
  const std::uint32_t at = session_->queues().position_of(job.queue);
  if (at == QueueTree::kNowhere) return reject(Reason::queue_missing, 0, 0, job.queue_name);
  const DimensionTable& names = session_->cluster().dimensions();
  Verdict refusal = pass();
  bool is_kept_by_share = false;  // the job is larger than it, and others have the rest
  for (std::size_t i = 0; i < need.request.extent(); ++i) {
    const Dimension d(i);
    if (need.request[d] <= 0) continue;
    const std::int64_t own = job.allocated[d] + job.pipelined[d];
    const bool is_larger = saturated_sum(need.request[d], own) > entitlement(at, d);
    is_kept_by_share = is_kept_by_share || (is_larger && unmet_->has(0, d) > unmet_->has(at, d));
    const std::int64_t with_it = saturated_sum(unmet_->has(at, d), need.request[d]);
    const bool is_first = refusal || names.name(d) < refusal.what;
    if (with_it > entitlement(at, d) && is_first) {
      refusal = reject(Reason::not_entitled, with_it, entitlement(at, d), names.name(d));
    }
  }
  if (is_kept_by_share) refusal.detail = way_in(job);
  return refusal;
}

// PROPORTION-6. How does it start, if it takes nothing back?
const char* ReclaimRules::way_in(const Job& job) const {
  if (session_->is_silent(points::target_job) || !session_->plan().elects) {
    return "it starts only where so much is idle, because no nodes are kept for jobs that wait "
           "long";
  }
  return job.election ? "it starts on the nodes that are kept for it, once they are idle"
                      : "it starts where so much is idle, or when nodes are kept for it";
}

// RECLAIM-3. A whole job, or surplus that is not lent, only if the queues up to where both paths
// part are reclaimable.
Opinion<PartSet> ReclaimRules::may_be_asked(const Job& claimant, const PartSet& candidates) {
  const QueueTree& tree = session_->queues();
  const Cluster& cluster = session_->cluster();
  const bool is_lent = session_->ask(points::surplus_is_lent);
  const std::uint32_t own = tree.position_of(claimant.queue);
  PartSet parts;
  for (const JobPart& part : candidates) {
    std::uint32_t at = position_of(part.job);
    if (at == QueueTree::kNowhere || own == QueueTree::kNowhere) continue;
    const std::uint32_t top = tree.where_paths_part(own, at).second;
    bool is_beyond = true;
    bool is_reclaimable = true;
    for (;; at = tree.member(at).parent) {
      bool here = false;
      for (std::size_t d = 0; d < (*shares_)->dimensions; ++d) {
        const std::int64_t deserved = (*shares_)->at((*shares_)->deserved, at, Dimension(d));
        here = here || holds(at, Dimension(d)) > deserved;
      }
      is_beyond = is_beyond && here;
      const QueueId queue = tree.member(at).queue;
      is_reclaimable = is_reclaimable && queue.is_valid() && cluster.queue(queue).is_reclaimable;
      if (at == top || at == 0) break;
    }
    const bool is_lent_surplus = is_lent && part.kind == JobPart::Kind::surplus;
    if (is_beyond && (is_reclaimable || is_lent_surplus)) parts.push_back(part);
  }
  return parts;
}

bool ReclaimRules::could_leave(std::uint32_t at, JobPart::Kind kind) const {
  if (kind == JobPart::Kind::surplus && session_->ask(points::surplus_is_lent)) return true;
  for (; at != 0; at = session_->queues().member(at).parent) {
    const QueueId queue = session_->queues().member(at).queue;
    if (!session_->cluster().queue(queue).is_reclaimable) return false;
  }
  return true;
}

// RECLAIM-2. The root has what others leave.
Verdict ReclaimRules::is_within_capability(const Queue& queue, const Task& task) {
  const QueueTree& tree = session_->queues();
  const Cluster& cluster = session_->cluster();
  for (std::uint32_t at = tree.position_of(queue.id); at != 0; at = tree.member(at).parent) {
    for (const auto& [d, asked] : cluster.shape(task.shape).requested) {
      const std::int64_t most = (*shares_)->at((*shares_)->real_capability, at, d);
      const std::int64_t left = most - unmet_->has(at, d);
      if (asked > left) {
        return reject(Reason::queue_capability, std::max<std::int64_t>(0, left), asked,
                      cluster.dimensions().name(d));
      }
    }
  }
  return pass();
}

Verdict ReclaimRules::may_lose(const Claimant& claimant, const Leaving& leaving) {
  const QueueTree& tree = session_->queues();
  const bool is_for_job = claimant.job.is_valid();
  const std::uint32_t own =
      is_for_job ? position_of(claimant.job) : tree.position_of(claimant.queue);
  const std::uint32_t other = position_of(leaving.job);
  if (own == QueueTree::kNowhere || other == QueueTree::kNowhere) {
    return reject(Reason::queue_within_share);
  }
  if (own == other) return pass();
  const auto [top_of_own, top_of_other] = tree.where_paths_part(own, other);
  for (std::uint32_t at = own; at != 0 && is_for_job; at = tree.member(at).parent) {
    if (const Verdict verdict = is_within_share(at, claimant); !verdict) return verdict;
    if (at == top_of_own) break;
  }
  for (std::uint32_t at = other; at != 0; at = tree.member(at).parent) {
    const Verdict verdict = is_for_job ? queue_may_lose(at, claimant, leaving)
                                       : keeps_guarantee(at, amount_of(leaving));
    if (!verdict) return verdict;
    if (at == top_of_other) break;
  }
  return pass();
}

// RECLAIM-2, for each queue above the claimant's, too.
Verdict ReclaimRules::is_within_share(std::uint32_t at, const Claimant& claimant) const {
  for (const auto& [d, asked] : claimant.lacks) {
    const std::int64_t with_it = saturated_sum(unmet_->has(at, d), asked);
    if (with_it > entitlement(at, d)) {
      return reject(Reason::not_entitled, with_it, entitlement(at, d),
                    session_->cluster().dimensions().name(d));
    }
  }
  return pass();
}

Resources ReclaimRules::amount_of(const Leaving& leaving) const {
  Resources amount;
  for (const TaskId id : leaving.tasks) amount += session_->cluster().shape_of(id).request;
  return amount;
}

Verdict ReclaimRules::keeps_guarantee(std::uint32_t at, const Resources& leaves) const {
  for (std::size_t i = 0; i < leaves.extent(); ++i) {
    const Dimension d(i);
    const std::int64_t guarantee = (*shares_)->at((*shares_)->guarantee, at, d);
    if (leaves[d] > 0 && holds(at, d) - leaves[d] < guarantee) {
      return reject(Reason::queue_guarantee);
    }
  }
  return pass();
}

// RECLAIM-4, RECLAIM-5.
Verdict ReclaimRules::queue_may_lose(std::uint32_t at, const Claimant& claimant,
                                     const Leaving& leaving) const {
  const QueueShares& shares = **shares_;
  const Cluster& cluster = session_->cluster();
  const Resources amount = amount_of(leaving);
  if (const Verdict verdict = keeps_guarantee(at, amount); !verdict) return verdict;
  // The queue must be beyond its share also before the last of them leaves.
  Resources before_last;
  bool is_beyond_to_the_last = false;
  for (const TaskId last : leaving.tasks) {
    before_last = amount;
    before_last -= cluster.shape_of(last).request;
    is_beyond_to_the_last = is_beyond_to_the_last || is_beyond(at, claimant, before_last, amount);
    if (is_beyond_to_the_last) break;
  }
  if (!is_beyond(at, claimant, {}, amount)) return reject(Reason::queue_within_share);
  if (claimant.is_strict) {
    for (const auto& [d, asked] : claimant.lacks) {
      const std::int64_t left = holds(at, d) - amount[d];
      const std::int64_t deserved = shares.at(shares.deserved, at, d);
      if (amount[d] > 0 && left < deserved) return reject(Reason::queue_within_share);
    }
    return pass();
  }
  return is_beyond_to_the_last || is_due(claimant) ? pass() : reject(Reason::queue_within_share);
}

// Once `gone` has left: more than it deserves of something that the claimant lacks and `leaves`
// contains.
bool ReclaimRules::is_beyond(std::uint32_t at, const Claimant& claimant, const Resources& gone,
                             const Resources& leaves) const {
  const QueueShares& shares = **shares_;
  return std::any_of(claimant.lacks.begin(), claimant.lacks.end(), [&](const auto& lack) {
    const Dimension d = lack.first;
    return leaves[d] > 0 && holds(at, d) - gone[d] > shares.at(shares.deserved, at, d);
  });
}

// RECLAIM-5. All that the claimant still needs is within the guarantee of its queue.
bool ReclaimRules::is_due(const Claimant& claimant) const {
  const std::uint32_t at = position_of(claimant.job);
  const Need need = need_of(*session_, session_->cluster().job(claimant.job));
  return std::all_of(claimant.lacks.begin(), claimant.lacks.end(), [&](const auto& lack) {
    const Dimension d = lack.first;
    return saturated_sum(unmet_->has(at, d), need.request[d]) <=
           (*shares_)->at((*shares_)->guarantee, at, d);
  });
}

}  // namespace berth::plugins
