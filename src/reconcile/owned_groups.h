#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "berth/model/event.h"
#include "berth/model/job.h"
#include "reconcile/event_log.h"
#include "reconcile/observed_state.h"
#include "reconcile/writes.h"

namespace berth::reconcile {

// Makes, changes and removes the PodGroups of gangs that nobody made one for
// (docs/design/gangs-of-owners.md). Session thread.
class OwnedGroups {
 public:
  using Groups = std::map<std::string, OwnedGroup>;  // by namespace/name

  OwnedGroups(const ObservedState& observed, Writes& writes, EventLog& events)
      : observed_(observed), writes_(writes), events_(events) {}

  // After the observed state has taken it.
  void observe(const ClusterEvent& event);
  void take(const Ended& ended, TimePoint now);
  // Nothing that was written is believed any more.
  void stop_leading();
  // Groups that may have changed; looked at with the next reconcile().
  void look_at(std::set<std::string> names) { changed_.merge(names); }
  void reconcile(const Groups& groups, TimePoint now);
  // A pod of the owner waits, and could be one of a gang: an event on the owner, once. At most
  // 1,000 owners of a namespace get one, as long as they have pods.
  void advise(const OwnerReference& owner, const Job& job, TimePoint now);
  // The owner has no pods any more.
  void forget_advice(const std::string& name_space, const std::string& uid,
                     const std::string& name);

 private:
  // A write that the watch has not shown yet.
  struct Unseen {
    ports::GroupSpec wanted;
    TimePoint until;       // then it is written again
    bool is_done = false;  // by the answer
  };

  bool reconcile_group(const std::string& name, const Groups& groups, TimePoint now);
  void write(const ports::ObjectRef& object, ports::GroupSpec wanted, TimePoint now);
  void announce_failure(const Ended& ended, TimePoint now);

  const ObservedState& observed_;
  Writes& writes_;
  EventLog& events_;
  std::set<std::string> changed_;
  std::map<std::string, Unseen> unseen_;
  std::set<std::string> failed_;  // of which a failure was announced
  using Advised = std::set<std::pair<std::string, std::string>>;  // uids and names of owners
  std::map<std::string, Advised> advised_;                        // by namespace
};

}  // namespace berth::reconcile
