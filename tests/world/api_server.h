#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "berth/model/event.h"
#include "podview/samples.h"
#include "ports/binder.h"
#include "ports/object_writer.h"
#include "world/agenda.h"

namespace berth::world {

enum class Kind : std::uint8_t { node, pod, group, queue };
inline constexpr Kind kKinds[] = {Kind::node, Kind::pod, Kind::group, Kind::queue};
const char* to_string(Kind kind);

// An API server in memory: objects with resource versions, and what has changed of late. Requests
// are carried out at once; the caller brings the delay and the faults of the network.
class ApiServer {
 public:
  struct Change {
    std::uint64_t version = 0;
    Kind kind = Kind::pod;
    std::string key;  // as its deletion names it
    ClusterEvent event;
    std::string type;      // "ADDED"
    std::string selected;  // to a client that selects pods that have not ended; may be empty
    podview::testing::Sample sample;  // of a pod
    bool is_deletion() const { return type == "DELETED"; }
  };
  template <class Object>
  struct Stored {
    std::uint64_t version = 0;
    Object object;
  };
  template <class Object>
  using Objects = std::map<std::string, Stored<Object>>;

  explicit ApiServer(Agenda& agenda) : agenda_(agenda) {}

  const Objects<NodeObject>& nodes() const { return nodes_; }        // by name
  const Objects<PodObject>& pods() const { return pods_; }           // by uid
  const Objects<PodGroupObject>& groups() const { return groups_; }  // by full name
  const Objects<QueueObject>& queues() const { return queues_; }     // by name
  const PodObject* find_pod(const std::string& uid) const;
  const PodObject* find_pod_named(const std::string& full_name) const;

  std::uint64_t version() const { return version_; }
  std::uint64_t oldest() const { return oldest_; }  // a watch can go on from here
  const std::deque<Change>& changes() const { return changes_; }
  void compact();
  // Called after each change.
  void follow(std::function<void(const Change&)> follower) {
    followers_.push_back(std::move(follower));
  }
  // All objects of a kind, as changes of their versions.
  std::vector<Change> list(Kind kind) const;

  // --- users, controllers, kubelets ---------------------------------------------------------
  void put(NodeObject node);
  void put(PodGroupObject group);
  void put(QueueObject queue);
  void create(PodObject pod);
  // Changes the object, if it is there.
  void change_node(const std::string& name, const std::function<void(NodeObject&)>& edit);
  void change_pod(const std::string& uid, const std::function<void(PodObject&)>& edit);
  void change_group(const std::string& name, const std::function<void(PodGroupObject&)>& edit);
  void delete_node(const std::string& name);
  void delete_group(const std::string& full_name);
  // A bound pod is terminating first, until remove_pod().
  void delete_pod(const std::string& uid);
  void remove_pod(const std::string& uid);

  // --- schedulers ---------------------------------------------------------------------------
  ports::BindOutcome bind(const ports::Binding& binding);
  // Counts writes that change nothing.
  ports::WriteOutcome write(const ports::Write& write);
  std::uint64_t idle_writes() const { return idle_writes_; }

 private:
  bool put(const ports::ObjectRef& object, const ports::PodWrite& write);
  bool put(const ports::ObjectRef& object, const ports::GroupStatus& status);
  bool put(const ports::ObjectRef& object, const ports::QueueStatus& status);
  bool put(const ports::ObjectRef& object, const ports::NodeLock& lock);
  bool put(const ports::ObjectRef& object, const TargetMarks& marks);
  bool put(const ports::ObjectRef& object, const ports::GangRecord& record);
  bool put(const ports::ObjectRef& object, const ports::PodCondition& condition);
  bool put(const ports::ObjectRef& object, const ports::GroupSpec& spec);
  bool put(const ports::ObjectRef& object, const ports::Eviction& eviction);
  bool put(const ports::ObjectRef& object, const ports::Event& event);

  template <class Object>
  void store(Objects<Object>& objects, Kind kind, const std::string& key, Object object);
  template <class Object>
  bool edit(Objects<Object>& objects, Kind kind, const std::string& key,
            const std::function<void(Object&)>& edit);
  template <class Object, class Deleted>
  void erase(Objects<Object>& objects, Kind kind, const std::string& key, Deleted deleted);
  void note(Change change);
  static void describe_pod(const PodObject& pod, Change& change);

  Agenda& agenda_;
  std::uint64_t version_ = 100;
  std::uint64_t oldest_ = 100;
  Objects<NodeObject> nodes_;
  Objects<PodObject> pods_;
  Objects<PodGroupObject> groups_;
  Objects<QueueObject> queues_;
  std::deque<Change> changes_;
  std::vector<std::function<void(const Change&)>> followers_;
  std::uint64_t idle_writes_ = 0;
};

}  // namespace berth::world
