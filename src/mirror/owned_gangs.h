#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/model/event.h"
#include "mirror/made_groups.h"
#include "mirror/membership.h"
#include "mirror/mirror.h"

namespace berth::mirror {

// Finds the gangs that nobody made a PodGroup for: the pods of one owner that start together
// (docs/design/gangs-of-owners.md). It stands between the watches and all who read pods, and gives
// each pod its group and its queue. That depends only on the objects, not on the order of events,
// but for owners that are waited for. It adds to a PodGroup what of its gang is not honoured.
// Session thread.
class OwnedGangs {
 public:
  using Give = std::function<void(const ClusterEvent&)>;

  explicit OwnedGangs(const Options& options);

  // Gives the event, and pods and groups that are something else by it.
  void take(const ClusterEvent& event, TimePoint now, const Give& give);
  // Gives pods whose owner was waited for long enough.
  void settle(TimePoint now, const Give& give);
  // Is the pod given as it is, and means nothing here?
  bool passes(const PodObject& object) const {
    return !may_be_owned(object) && !pods_.contains(object.uid);
  }
  bool passes(const PodDeleted& deleted) const { return !pods_.contains(deleted.uid); }

  // By namespace/name.
  const std::map<std::string, OwnedGroup>& groups() const { return groups_; }
  // Names of groups that may have changed since the last call.
  std::set<std::string> take_changes() { return std::exchange(changes_, {}); }
  // The controller of one of our pods that names no group; null: there is none.
  const OwnerReference* controller_of(const std::string& pod_uid) const;
  // The owner of a pod whose gang_advice is not empty; null: there is none.
  const OwnerReference* lone_owner(const std::string& pod_uid) const;
  // Namespace, uid and name. The uid is empty if only the name is known.
  using OwnerName = std::tuple<std::string, std::string, std::string>;
  // Owners whose last pod has gone since the last call, whether they were ever seen or not.
  std::set<OwnerName> take_left_owners();

 private:
  struct Gang {
    OwnedGroup group;  // without what its members say
    std::multiset<std::int32_t> numbers;
    std::multiset<std::string> queues;
    std::multiset<TimePoint> created;
    std::multiset<std::string> notices;
    std::size_t live = 0;
    std::size_t pods = 0;  // of the owner, members and others
  };
  struct Pod {
    PodObject object;  // as the watch shows it
    Membership membership;
    std::string queue;
    std::string gang;  // full name; empty: it can be in none
    OwnerReference owner;
    std::vector<std::string> keys;
    TimePoint seen;
    bool has_waited = false;
    std::string notice;  // why its gang stays as it is; empty: it does not
  };

  bool may_be_owned(const PodObject& object) const;
  void take_in(const ClusterEvent& event, TimePoint now, const Give& give);
  void take_group(const PodGroupObject& object, const Give& give);
  void take_pod(const PodObject& object, TimePoint now, const Give& give);
  void take_owner(const OwnerObject& object, const Give& give);
  void look_again(const std::vector<std::string>& keys, const Give& give);
  void forget(const std::string& uid);
  // Returns the keys that the pod had.
  std::vector<std::string> take_keys_off(const std::string& uid, Pod& pod);
  void bury(const std::string& owner_uid);
  // Of these keys, the deleted owners that have no pods any more.
  void bury_unused(const std::vector<std::string>& keys);
  // Returns whether what the pod is given has changed.
  bool assess(const std::string& uid, Pod& pod);
  void keep_together(Pod& pod, Owners::Chain& chain) const;
  // Gives groups of which something else is not honoured.
  void restate(const Give& give);
  PodGroupObject stated(const PodGroupObject& object) const;
  std::string queue_of(const PodObject& object, const Owners::Chain& chain,
                       std::vector<std::string>& keys) const;
  void count(const Pod& pod);
  void discount(const Pod& pod);
  void renew(const std::string& gang);
  void renew_all_of(const std::string& name_space);
  static PodObject given(const Pod& pod);
  static OwnerName owner_of(const Pod& pod);

  const Options options_;
  Owners owners_;
  std::set<std::string> queues_;
  std::map<std::string, Pod> pods_;                      // by uid: those that may be in a gang
  std::map<std::string, std::set<std::string>> by_key_;  // uids of pods
  std::map<std::string, Gang> gangs_;                    // by full name
  std::map<std::string, OwnedGroup> groups_;
  std::map<OwnerName, std::size_t> pods_of_owner_;
  std::set<OwnerName> left_owners_;                        // some have pods again
  std::map<std::string, std::string> queue_of_namespace_;  // where there is one
  std::set<std::string> changes_;
  MadeGroups made_;
  std::map<std::string, std::string> notices_;  // by full name of the group, as it was given last
  std::set<std::string> to_restate_;
  std::set<std::string> gone_;  // uids of deleted owners that still have pods
  std::set<std::pair<TimePoint, std::string>> waiting_;  // until when, for their owner; and uids
};

}  // namespace berth::mirror
