#pragma once

#include "berth/model/plan.h"
#include "mirror/composite_groups.h"
#include "mirror/owned_gangs.h"
#include "reconcile/owned_groups.h"

namespace berth::daemon {

// Gangs that nobody made a PodGroup for: finds them in what the watches show, and has their
// PodGroups made. All others read pods as it gives them. Session thread only.
class GangKeeper {
 public:
  GangKeeper(const mirror::Options& options, const reconcile::ObservedState& observed,
             reconcile::Writes& writes, reconcile::EventLog& events, mirror::OwnedGangs::Give give)
      : gangs_(options), groups_(observed, writes, events), give_(std::move(give)) {}

  void take(const ClusterEvent& event, TimePoint now) {
    composites_.take(event, [&](const ClusterEvent& each) { gangs_.take(each, now, give_); });
  }
  // Pods whose owner was waited for long enough are given as they are.
  void settle(TimePoint now) {
    composites_.settle([&](const ClusterEvent& each) { gangs_.take(each, now, give_); });
    gangs_.settle(now, give_);
  }
  // Each event that was given, after the observed state has taken it.
  void observe(const ClusterEvent& event) { groups_.observe(event); }
  void take(const reconcile::Ended& ended, TimePoint now) { groups_.take(ended, now); }

  // Of one of our pods; null: it has none, or it names a group.
  const OwnerReference* controller_of(const std::string& pod_uid) const {
    return gangs_.controller_of(pod_uid);
  }

  void start_leading();
  void stop_leading();
  void stand_by() {
    gangs_.take_changes();
    gangs_.take_left_owners();
  }
  void reconcile(TimePoint now);
  // After a session: events for users of pods that wait and could be a gang. `changed`: jobs that
  // may be others than at the last call. Returns how many jobs it looked at.
  std::size_t advise(const Plan& plan, const Cluster& cluster, const std::vector<JobId>& changed,
                     TimePoint now);

 private:
  mirror::CompositeGroups composites_;
  mirror::OwnedGangs gangs_;
  reconcile::OwnedGroups groups_;
  const mirror::OwnedGangs::Give give_;
  std::vector<bool> needs_no_advice_;  // by JobId: until it changes
};

}  // namespace berth::daemon
