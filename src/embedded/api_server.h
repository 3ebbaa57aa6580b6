#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "berth/model/event.h"
#include "model/object_keys.h"
#include "ports/binder.h"
#include "ports/object_writer.h"

namespace berth::embedded {

// In an order where no object refers to one of a later kind.
enum class Kind : std::uint8_t {
  priority_class,
  name_space,
  queue,
  node,
  topology,
  device_class,
  storage,
  storage_known,
  selecting,
  owner,
  composite,
  group,
  budget,
  pod,
};
// "pods"
const char* to_string(Kind kind);

// An API server in memory: objects with resource versions, its rules for users and for Berth's
// writes, and what has changed of late. Requests are carried out at once. One thread.
class ApiServer {
 public:
  template <class Object>
  struct Stored {
    std::uint64_t version = 0;
    Object object;
  };
  template <class Object>
  using Objects = std::map<std::string, Stored<Object>>;

  struct Change {
    std::uint64_t version = 0;
    Kind kind = Kind::pod;
    std::string key;  // as the deletion names the object; of a pod: its uid
    ClusterEvent event;
    std::string type;               // "ADDED"
    std::string selected = {};      // of a pod, to a client that selects those that have not ended
    std::optional<PodObject> last;  // of a deleted pod: its last state
    bool is_deletion() const { return type == "DELETED"; }
    // Of a pod.
    const PodObject& pod() const { return last ? *last : std::get<PodObject>(event); }
  };
  // How many changes a watch may be late by.
  static constexpr std::size_t kChangesKept = 10'000;

  explicit ApiServer(const Clock& clock) : clock_(clock) {}

  template <class Object>
  static constexpr Kind kind_of() {
    return static_cast<Kind>(index_in<Object>(static_cast<const AllObjects*>(nullptr)));
  }
  // By key, with versions.
  template <class Object>
  const Objects<Object>& all() const {
    return std::get<Objects<Object>>(objects_);
  }
  template <class Object>
  const Object* find(const std::string& key) const {
    const auto found = all<Object>().find(key);
    return found == all<Object>().end() ? nullptr : &found->second.object;
  }
  const PodObject* find_pod_named(const std::string& full_name) const;

  std::uint64_t version() const { return version_; }
  // A watch can go on from here.
  std::uint64_t oldest() const { return oldest_; }
  void each_change_after(std::uint64_t version,
                         const std::function<void(const Change&)>& use) const;
  void compact();
  // Called after each change, in their order; changes that a follower makes come after.
  void follow(std::function<void(const Change&)> follower) {
    followers_.push_back(std::move(follower));
  }
  // All objects of a kind, as changes of their versions.
  std::vector<Change> list(Kind kind) const;
  std::vector<Change> list() const;  // of all kinds, in their order

  // --- users, controllers, kubelets -----------------------------------------------------------
  // As `kubectl apply` and `kubectl delete`: the server's own fields of existing objects stay (uid,
  // creation time, status) and so do those that Berth wrote. Admission gives a pod without a
  // priority that of its class, and an object without a creation time the present one. Events that
  // are of no object are left out.
  void apply(const std::vector<ClusterEvent>& changes);
  // Creates the object, or takes the place of the one of this key.
  template <class Object>
  void put(Object object);
  // False: there is none. An edit that changes nothing is no change.
  template <class Object>
  bool change(const std::string& key, const std::function<void(Object&)>& edit);
  template <class Object>
  void erase(const std::string& key);
  // A bound pod is terminating first, until it is erased.
  void delete_pod(const std::string& uid);
  // Its pods go, too.
  void delete_node(const std::string& name);

  // --- schedulers -----------------------------------------------------------------------------
  ports::BindOutcome bind(const ports::Binding& binding);
  ports::WriteOutcome write(const ports::Write& write);

 private:
  using AllObjects =
      std::tuple<Objects<PriorityClassObject>, Objects<NamespaceObject>, Objects<QueueObject>,
                 Objects<NodeObject>, Objects<TopologyObject>, Objects<DeviceClassObject>,
                 Objects<StorageObject>, Objects<StorageKnown>, Objects<SelectingObject>,
                 Objects<OwnerObject>, Objects<CompositeGroupObject>, Objects<PodGroupObject>,
                 Objects<BudgetObject>, Objects<PodObject>>;

  // The number of types if it is none of them.
  template <class Object, class... Types>
  static constexpr std::size_t index_in(const std::tuple<Objects<Types>...>*) {
    std::size_t index = 0;
    (void)((std::is_same_v<Object, Types> || (++index, false)) || ...);
    return index;
  }

  // Changes by users (user_changes.cpp).
  template <class Object>
  void take(Object object);
  void keep_of(const NodeObject& old, NodeObject& node) const;
  void keep_of(const PodObject& old, PodObject& pod) const;
  void keep_of(const PodGroupObject& old, PodGroupObject& group) const;
  void keep_of(const QueueObject& old, QueueObject& queue) const;
  void admit(PodObject& pod) const;
  void remove(const ClusterEvent& deletion);

  // Each writes one kind of content; false: there is no such object (writes.cpp).
  bool put(const ports::ObjectRef& object, const ports::PodWrite& write);
  bool put(const ports::ObjectRef& object, const ports::GroupStatus& status);
  bool put(const ports::ObjectRef& object, const ports::QueueStatus& status);
  bool put(const ports::ObjectRef& object, const ports::NodeLock& lock);
  bool put(const ports::ObjectRef& object, const TargetMarks& marks);
  bool put(const ports::ObjectRef& object, const ports::PodCondition& condition);
  bool put(const ports::ObjectRef& object, const ports::GroupSpec& spec);
  bool put(const ports::ObjectRef& object, const ports::Eviction& eviction);
  bool put(const ports::ObjectRef& object, const ports::Event& event);
  // The budgets' refusal of an eviction; empty: they count it.
  std::string disrupt(const PodObject& pod);
  bool change_group(const ports::ObjectRef& object,
                    const std::function<void(PodGroupObject&)>& how);

  template <class Object>
  void note(std::string key, ClusterEvent event, const Object* before, const Object* after);
  void note(Change change, const PodObject* before, const PodObject* after);
  void note(Change change);

  const Clock& clock_;
  std::uint64_t version_ = 100;
  std::uint64_t oldest_ = 100;
  AllObjects objects_;
  std::map<std::string, std::string> pod_uids_;  // by full name
  std::deque<std::shared_ptr<const Change>> changes_;
  std::vector<std::function<void(const Change&)>> followers_;
  std::deque<std::shared_ptr<const Change>> unseen_;  // by followers
  bool is_showing_ = false;
};

template <class Object>
void ApiServer::put(Object object) {
  std::string key = key_of(object);
  Stored<Object>& stored = std::get<Objects<Object>>(objects_)[key];
  const Stored<Object> before = std::exchange(stored, {++version_, std::move(object)});
  if constexpr (std::is_same_v<Object, PodObject>) pod_uids_[stored.object.full_name()] = key;
  note<Object>(std::move(key), stored.object, before.version == 0 ? nullptr : &before.object,
               &stored.object);
}

template <class Object>
bool ApiServer::change(const std::string& key, const std::function<void(Object&)>& edit) {
  const Object* const found = find<Object>(key);
  if (found == nullptr) return false;
  Object object = *found;
  edit(object);
  if (object != *found) put(std::move(object));
  return true;
}

template <class Object>
void ApiServer::erase(const std::string& key) {
  const auto gone = std::get<Objects<Object>>(objects_).extract(key);
  if (gone.empty()) return;
  const Object& object = gone.mapped().object;
  if constexpr (std::is_same_v<Object, PodObject>) {
    const auto named = pod_uids_.find(object.full_name());
    if (named != pod_uids_.end() && named->second == key) pod_uids_.erase(named);
  }
  ++version_;
  note<Object>(key, deletion_of(object), &object, nullptr);
}

template <class Object>
void ApiServer::note(std::string key, ClusterEvent event, const Object* before,
                     const Object* after) {
  const char* const type = after == nullptr ? "DELETED" : before == nullptr ? "ADDED" : "MODIFIED";
  Change change{version_, kind_of<Object>(), std::move(key), std::move(event), type, {}, {}};
  if constexpr (std::is_same_v<Object, PodObject>) {
    note(std::move(change), before, after);
  } else {
    note(std::move(change));
  }
}

}  // namespace berth::embedded
