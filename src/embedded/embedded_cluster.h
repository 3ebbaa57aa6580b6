#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "berth/model/event.h"
#include "embedded/scaled_clock.h"
#include "embedded/watchers.h"
#include "ports/binder.h"
#include "ports/cluster_source.h"
#include "ports/object_writer.h"

namespace berth::embedded {

// A cluster in memory behind the ports of the live one: an API server's objects and rules, and
// nodes that run bound pods. A bound pod runs at once. A pod with a run time succeeds after that
// time. An evicted pod terminates for a grace period and is then gone. All times are the clock's.
// Every member is safe to call from any thread; a thread of its own keeps time and notifies the
// watchers.
class EmbeddedCluster final : public ports::ClusterSource,
                              public ports::Binder,
                              public ports::ObjectWriter {
 public:
  // `clock` must outlive the cluster.
  explicit EmbeddedCluster(const PacedClock& clock, Duration grace = std::chrono::seconds(1));
  ~EmbeddedCluster() override;
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  Status start(ports::EventSink& sink) override;
  bool is_synced() const override;
  void stop() override;

  // Adds a reader with the rights of start(): all existing objects, posted before this returns,
  // then every change in order. Not from within post().
  void watch(ports::EventSink& sink);
  // Returns when `sink` gets no more posts. Not from within post().
  void unwatch(ports::EventSink& sink);

  // Returns when all that is due by now has happened, and all events are posted. Not from within
  // post().
  void catch_up();

  // Creates, changes and deletes objects as users do, in one step. The cluster keeps its own fields
  // of existing objects: uid, creation time and status (phase, node, nomination, start,
  // termination; a group's phase), and the fields that Berth wrote. Like admission, it gives a pod
  // without a priority that of its class, and an object without a creation time the present one.
  // PlacementDropped is ignored.
  void apply(std::vector<ClusterEvent> changes);

  void bind(const ports::Binding& binding, std::function<void(ports::BindOutcome)> done) override;
  void write(const ports::Write& write, std::function<void(ports::WriteOutcome)> done) override;

  // The effect of kube-scheduler's last failed attempt.
  void clear_nomination(const std::string& pod_uid);

  // Copies of the present objects; names are namespace/name.
  std::optional<PodObject> pod(const std::string& full_name) const;
  std::vector<PodObject> pods() const;
  std::optional<NodeObject> node(const std::string& name) const;
  std::optional<PodGroupObject> group(const std::string& full_name) const;
  std::optional<ports::GroupStatus> group_status(const std::string& full_name) const;

 private:
  enum class Due : std::uint8_t { run_ends, removal };

  void run();
  void carry_out_due(TimePoint now);
  void put(NodeObject node);
  void put(PodObject pod);
  void put(PodGroupObject group);
  void put(QueueObject queue);
  void put(PriorityClassObject priority_class);
  void put(NamespaceObject name_space);
  void put(OwnerObject owner);
  void put(BudgetObject budget);
  void put(StorageObject object);
  void put(StorageKnown known);
  void put(SelectingObject object);
  void drop(const NodeDeleted& gone);
  void drop(const PodDeleted& gone);
  void drop(const PodGroupDeleted& gone);
  void drop(const QueueDeleted& gone);
  void drop(const PriorityClassDeleted& gone);
  void drop(const NamespaceDeleted& gone);
  void drop(const OwnerDeleted& gone);
  void drop(const BudgetDeleted& gone);
  void drop(const StorageDeleted& gone);
  void drop(const SelectingDeleted& gone);
  // Each writes one kind of content; false: there is no such object. Under the mutex.
  bool put(const ports::ObjectRef& pod, const ports::PodWrite& write);
  bool put(const ports::ObjectRef& group, const ports::GroupStatus& status);
  bool put(const ports::ObjectRef& queue, const ports::QueueStatus& status);
  bool put(const ports::ObjectRef& node, const ports::NodeLock& lock);
  bool put(const ports::ObjectRef& job, const TargetMarks& marks);
  bool put(const ports::ObjectRef& group, const ports::GangRecord& record);
  bool put(const ports::ObjectRef& pod, const ports::PodCondition& condition);
  bool put(const ports::ObjectRef& group, const ports::GroupSpec& spec);
  bool put(const ports::ObjectRef& pod, const ports::Eviction& eviction);
  bool put(const ports::ObjectRef& about, const ports::Event& event);
  // The budgets' refusal of an eviction; empty: they count it. Under the mutex.
  std::string disrupt(const PodObject& pod);
  PodGroupObject* find_group(const ports::ObjectRef& group);
  void admit(PodObject& pod) const;
  std::string refusal(const ports::Binding& binding) const;
  void set_running(PodObject& pod);
  void begin_removal(PodObject& pod);
  void remove_pod(const std::string& uid);
  std::vector<ClusterEvent> everything() const;
  void notify_watchers(ClusterEvent event);

  const PacedClock& clock_;
  const Duration grace_;

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  Watchers watchers_;
  ports::EventSink* main_sink_ = nullptr;  // of start()
  std::map<std::string, NodeObject> nodes_;
  std::map<std::string, PodObject> pods_;               // by uid
  std::map<std::string, std::string> pod_uids_;         // by namespace/name
  std::map<std::string, PodGroupObject> groups_;        // by namespace/name
  std::map<std::string, ports::GroupStatus> statuses_;  // by namespace/name
  std::map<std::string, QueueObject> queues_;
  std::map<std::string, PriorityClassObject> priority_classes_;
  std::map<std::string, NamespaceObject> namespaces_;
  std::map<std::string, OwnerObject> owners_;               // by uid
  using StorageName = std::pair<StorageKind, std::string>;  // kind and full name
  std::map<StorageName, StorageObject> storage_;
  std::optional<StorageKnown> storage_known_;
  std::map<std::pair<SelectingKind, std::string>, SelectingObject> selecting_;  // by full name
  std::map<std::string, BudgetObject> budgets_;                                 // by namespace/name
  std::multimap<TimePoint, std::pair<Due, std::string>> due_;  // second: the pod's uid
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace berth::embedded
