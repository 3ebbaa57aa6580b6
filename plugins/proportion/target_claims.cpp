#include "plugins/proportion/target_claims.h"

#include <algorithm>

#include "berth/engine/need.h"
#include "berth/engine/reservations.h"

namespace berth::plugins {

using namespace engine;

void TargetClaims::follow(const Session& session) {
  const Cluster& cluster = session.cluster();
  version_ = cluster.locks().version();
  claims_.clear();
  for (const JobId target : cluster.targets()) {
    const Job& job = cluster.job(target);
    const QueueTree& tree = session.queues();
    std::size_t at = job.queue.is_valid() ? tree.position_of(job.queue) : QueueTree::kNowhere;
    if (at == QueueTree::kNowhere) continue;
    Claim claim{target,
                session.ask(points::may_exceed_share, job),
                need_of(session, job).request,
                {{at, {}}}};
    for (; at != 0; claim.accounts.push_back({at, {}})) at = tree.member(at).parent;
    claim.minimum += job.allocated;
    claim.minimum += job.pipelined;
    for (const TaskId task : tasks_before_target(cluster, job)) count_use(session, task, claim);
    claims_.push_back(std::move(claim));
  }
}

void TargetClaims::count_use(const Session& session, TaskId id, Claim& claim) {
  const Cluster& cluster = session.cluster();
  const QueueTree& tree = session.queues();
  const Job& job = cluster.job(cluster.task(id).job);
  std::size_t at = job.queue.is_valid() ? tree.position_of(job.queue) : QueueTree::kNowhere;
  while (at != QueueTree::kNowhere) {
    for (Account& account : claim.accounts) {
      if (account.position == at) account.on_its_nodes += cluster.shape_of(id).request;
    }
    at = at == 0 ? QueueTree::kNowhere : tree.member(at).parent;
  }
}

template <class Take>
void TargetClaims::each_part(const Session& session, std::size_t position, Dimension d, JobId job,
                             const Take& take) {
  if (session.cluster().targets().empty()) return;
  if (version_ != session.cluster().locks().version()) follow(session);
  for (const Claim& claim : claims_) {
    if (claim.job == job) break;
    const auto account =
        std::find_if(claim.accounts.begin(), claim.accounts.end(),
                     [&](const Account& each) { return each.position == position; });
    if (account == claim.accounts.end()) continue;
    const std::int64_t lacking = lacks(session, claim, d) - account->on_its_nodes[d];
    if (lacking > 0) take(TargetPart{claim.job, lacking});
  }
}

std::int64_t TargetClaims::at(const Session& session, std::size_t position, Dimension d,
                              const Task& task) {
  std::int64_t sum = 0;
  each_part(session, position, d, task.job,
            [&](const TargetPart& part) { sum = saturated_sum(sum, part.amount); });
  return sum;
}

std::vector<TargetPart> TargetClaims::parts(const Session& session, std::size_t position,
                                            Dimension d, JobId job) {
  std::vector<TargetPart> parts;
  each_part(session, position, d, job, [&](const TargetPart& part) { parts.push_back(part); });
  return parts;
}

std::int64_t TargetClaims::lacks(const Session& session, const Claim& claim, Dimension d) {
  const Job& job = session.cluster().job(claim.job);
  return claim.minimum[d] - job.allocated[d] - job.pipelined[d];
}

JobId TargetClaims::waits_for_share(const Session& session, std::size_t position, Dimension d,
                                    const Task& task) {
  if (session.cluster().targets().empty()) return JobId();
  if (version_ != session.cluster().locks().version()) follow(session);
  for (const Claim& claim : claims_) {
    if (claim.job == task.job) return JobId();
    const bool waits = !claim.may_exceed_share && claim.accounts.front().position == position;
    if (waits && lacks(session, claim, d) > 0) return claim.job;
  }
  return JobId();
}

}  // namespace berth::plugins
