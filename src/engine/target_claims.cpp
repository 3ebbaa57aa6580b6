#include "berth/engine/target_claims.h"

#include <algorithm>

#include "berth/engine/need.h"

namespace berth::engine {

void TargetClaims::follow(const Session& session) {
  const Cluster& cluster = session.cluster();
  targets_ = cluster.targets();
  claims_.clear();
  for (const JobId target : targets_) {
    const Job& job = cluster.job(target);
    const QueueTree& tree = session.queues();
    std::size_t at = job.queue.is_valid() ? tree.position_of(job.queue) : QueueTree::kNowhere;
    if (at == QueueTree::kNowhere) continue;
    Claim claim{target, {at}, need_of(session, job).request};
    for (; at != 0; claim.path.push_back(at)) at = tree.member(at).parent;
    claim.minimum += job.allocated;
    claim.minimum += job.pipelined;
    claims_.push_back(std::move(claim));
  }
}

std::int64_t TargetClaims::at(const Session& session, std::size_t position, Dimension d,
                              const Task& task) {
  const Cluster& cluster = session.cluster();
  if (cluster.targets().empty()) return 0;
  if (targets_ != cluster.targets()) follow(session);
  std::int64_t sum = 0;
  for (const Claim& claim : claims_) {
    if (claim.job == task.job) break;
    const bool is_here =
        std::find(claim.path.begin(), claim.path.end(), position) != claim.path.end();
    if (!is_here) continue;
    const Job& job = cluster.job(claim.job);
    const std::int64_t lacks = claim.minimum[d] - job.allocated[d] - job.pipelined[d];
    sum = saturated_sum(sum, std::max<std::int64_t>(0, lacks));
  }
  return sum;
}

}  // namespace berth::engine
