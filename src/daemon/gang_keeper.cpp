#include "daemon/gang_keeper.h"

#include <utility>

#include "berth/model/cluster.h"
#include "reconcile/group_status.h"

namespace berth::daemon {

void GangKeeper::start_leading() {
  std::set<std::string> all;
  for (const auto& [name, group] : gangs_.groups()) all.insert(name);
  groups_.look_at(std::move(all));
}

void GangKeeper::stop_leading() {
  groups_.stop_leading();
  needs_no_advice_.clear();
}

void GangKeeper::reconcile(TimePoint now) {
  groups_.look_at(gangs_.take_changes());
  groups_.reconcile(gangs_.groups(), now);
}

// Each look-up by uid costs half a microsecond, and 10,000 pods may wait in every session. A young
// pod's own events wait for a moment, too.
std::size_t GangKeeper::advise(const Plan& plan, const Cluster& cluster,
                               const std::vector<JobId>& changed, TimePoint now) {
  for (const auto& [name_space, uid, name] : gangs_.take_left_owners()) {
    groups_.forget_advice(name_space, uid, name);
  }
  std::size_t looked_at = 0;
  needs_no_advice_.resize(cluster.job_slots());
  for (const JobId id : changed) {
    if (id.index() < needs_no_advice_.size()) needs_no_advice_[id.index()] = false;
  }
  for (const Refusal& refusal : plan.refusals) {
    if (needs_no_advice_[refusal.job.index()]) continue;
    ++looked_at;
    const Job& job = cluster.job(refusal.job);
    if (!job.gang_advice.empty() && reconcile::is_young(job, now)) continue;
    needs_no_advice_[refusal.job.index()] = true;
    if (job.gang_advice.empty()) continue;
    const OwnerReference* owner = gangs_.lone_owner(job.uid);
    if (owner != nullptr) groups_.advise(*owner, job, now);
  }
  return looked_at;
}

}  // namespace berth::daemon
