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

void GangKeeper::reconcile(TimePoint now) {
  groups_.look_at(gangs_.take_changes());
  groups_.reconcile(gangs_.groups(), now);
}

// A young pod's own events wait for a moment, too.
void GangKeeper::advise(const Plan& plan, const Cluster& cluster, TimePoint now) {
  for (const Refusal& refusal : plan.refusals) {
    const Job& job = cluster.job(refusal.job);
    if (job.gang_advice.empty() || reconcile::is_young(job, now)) continue;
    const OwnerReference* owner = gangs_.lone_owner(job.uid);
    if (owner != nullptr) groups_.advise(*owner, job, now);
  }
}

}  // namespace berth::daemon
