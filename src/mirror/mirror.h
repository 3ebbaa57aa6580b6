#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "berth/model/attempt.h"
#include "berth/model/cluster.h"
#include "berth/model/event.h"
#include "berth/model/plan.h"
#include "mirror/controller_ages.h"
#include "mirror/default_spreads.h"
#include "mirror/group_owner.h"
#include "mirror/job_deadlines.h"
#include "mirror/last_shape.h"
#include "mirror/naming_rights.h"
#include "mirror/options.h"
#include "mirror/relation_bounds.h"
#include "mirror/target_names.h"
#include "mirror/topology_wishes.h"

// Our live copy of the cluster, fed by events. The session thread is the only writer. Watches may
// deliver events in any order (pods before their nodes, members before their group). After
// settle(), the cluster depends only on the objects, not on that order.

namespace berth::mirror {

class Mirror {
 public:
  explicit Mirror(Options options = {});

  void apply(const ClusterEvent& event);
  void apply(const PodObject& object) { on(object); }

  // Brings delayed parts up to date (node order, phases, open jobs). Call it before a session
  // reads.
  void settle(TimePoint now);

  // Counts as used until now what jobs had until now (USAGE-3); settle() does the same.
  void count_usage(TimePoint now);
  // For what was learned of it before (USAGE-5).
  UsageTable& mutable_usage() { return cluster_.mutable_usage(); }

  // Keeps what a session decided: planned tasks hold their room (TaskStatus::binding) until they
  // are seen bound, deleted or dropped; admitted jobs are in; evicted tasks are leaving; claims are
  // those of the plan. Ids must be of this very state.
  void assume(const Plan& plan, TimePoint now);

  // A bound or running task that was asked to leave is leaving (TaskStatus::releasing) until its
  // pod is seen to leave, the eviction is refused, or kEvictionPatience has passed (EVICT-1 to
  // EVICT-4 of docs/design/claims.md).
  void assume_eviction(TaskId id, TimePoint now, JobId beneficiary = JobId());

  // Reads the claims in the objects' annotations, when leading begins (CLAIM-8). Pods that are
  // leaving count as evicted at this moment (LIMIT-7).
  void restore_claims(TimePoint now);

  // The same for its reservations; all targets and their locks are as it says.
  void assume_reservations(const Plan& plan, TimePoint now);

  // True while another berthd leads. Phases, targets and locks then follow the API, whatever was
  // assumed before, and nothing is planned here.
  void follow_api_phases(bool follows);
  void forget_plans();

  // kube-scheduler ruled `node` out for this pod. Pods of its shape are not planned there for five
  // seconds. Each repetition doubles the time, up to `most` (docs/design/steering.md, STEER-12).
  void veto(const std::string& pod_uid, const std::string& node, const std::string& why,
            TimePoint now, Duration most);
  void forget_vetoes(TimePoint now);

  // kube-scheduler refused the plan of which this is a part: the places of the job are not to be
  // planned again so soon (HINT-5), until `most` has passed. Before the placement is dropped;
  // nothing if there is none.
  void note_refused_plan(const std::string& pod_uid, const std::string& node, TimePoint now,
                         Duration most);
  // The attempt of the job has failed: it is not planned for a while, `most` at most (HINT-4).
  // `nodes` have refused it; none: all have.
  void fail_attempt(JobId id, const std::string& why, std::vector<std::string> nodes, TimePoint now,
                    Duration most);
  // kube-scheduler may decide otherwise from now on.
  void hasten_all();

  // The API server's words, if it has refused lately that the task is evicted; else null. The task
  // is not chosen until Task::eviction_refused_until (EVICT-3).
  const std::string* eviction_refusal(TaskId id) const;

  const Cluster& cluster() const { return cluster_; }
  // For the ledger of a session. No other code may write through it.
  Cluster& cluster_for_session() { return cluster_; }

  // Something ends by the clock alone: an attempt's pause, a veto, an eviction, a refusal, a claim.
  bool awaits_a_time() const {
    return !attempted_.empty() || !vetoes_.empty() || !evictions_.empty() || !refusals_.empty() ||
           !cluster_.claimants().empty();
  }

  TaskId find_task(const std::string& uid) const;        // invalid: none
  JobId find_group(const std::string& full_name) const;  // of a PodGroup or its members
  // Jobs whose phase has changed since the last call, in no order.
  std::vector<JobId> take_phase_changes();
  // Jobs that may have changed since the last call, in no order. Some occur twice.
  std::vector<JobId> take_changes() { return std::exchange(changes_, {}); }
  // Pods whose relations were left out since the last call (BOUND-3): for the log.
  std::vector<std::string> take_left_out() { return relation_bounds_.take_news(); }
  // To be asked of the API server now; the answers are events. Some follow with later calls.
  std::vector<RightQuestion> take_right_questions(TimePoint now) {
    return rights_.take_questions(now);
  }

 private:
  struct Group {
    JobId job;
    bool has_object = false;
    PodGroupObject object;
    bool had_our_pods = false;
  };

  void on(const NodeObject& object);
  void on(const NodeDeleted& deleted);
  void on(const PodObject& object);
  void on(const PodDeleted& deleted);
  void on(const PodGroupObject& object);
  void on(const PodGroupDeleted& deleted);
  void on(const QueueObject& object);
  void on(const QueueDeleted& deleted);
  void on(const PriorityClassObject& object);
  void on(const PriorityClassDeleted& deleted);
  void on(const NamespaceObject& object);
  void on(const NamespaceDeleted& deleted);
  void on(const OwnerObject& object);
  void on(const OwnerDeleted& deleted);
  void on(const BudgetObject& object);
  void on(const BudgetDeleted& deleted);
  void on(const PlacementDropped& dropped);
  void on(const PlacementMoved& moved);
  void on(const EvictionRefused& refused);
  void on(const RightAnswer& answer);
  void on(const NamingPolicy& policy);
  void on(const StorageObject& object);
  void on(const StorageDeleted& deleted);
  void on(const StorageKnown& known);
  void on(const SelectingObject& object) { default_spreads_.put(object); }
  void on(const SelectingDeleted& deleted) { default_spreads_.remove(deleted); }
  void on(const TopologyObject& object);
  void on(const TopologyDeleted& deleted);
  void on(const CompositeGroupObject&) {}  // CompositeGroups has made a group of it
  void on(const CompositeGroupDeleted&) {}
  void on(const DeviceClassObject& object);  // mirror_device_classes.cpp
  void on(const DeviceClassDeleted& deleted);
  void settle_device_classes();

  // pods (mirror_pods.cpp)
  void take(const PodObject& object);
  JobId job_of(const PodObject& object);
  JobId single_job_of(const PodObject& object);
  void set_members(TaskId id, const PodObject& object, JobId job);
  ShapeId shape_of(TaskId id, const PodObject& object, LabelSetId labels);
  static bool never_leaves(const PodObject& object, JobId job);
  struct Rank {
    std::int32_t priority = 0;
    bool never_preempts = false;
  };
  struct NamedClass {
    std::string name;
    bool never_preempts = false;  // as the pod itself says
  };
  Rank resolve_priority(TaskId id, const PodObject& object);
  Rank rank_of(const NamedClass& named) const;
  void place(TaskId id, const PodObject& object);
  std::uint16_t role_index(JobId id, const std::string& role);
  void drop_job_if_empty(JobId id);
  void drop_task(const std::string& uid);

  // Group owners (mirror_owners.cpp).
  void note_others_pod(const PodObject& object);
  void forget_others_pod(const std::string& uid);
  void mark_group_dirty(const std::string& full_name);
  void note_queue_scheduler(const std::string& queue, const std::string& scheduler);
  GroupEvidence evidence_of(const Group& group) const;
  void settle_owner(JobId id);
  void change_hands(Group& group, GroupOwner owner);

  // attempts (mirror_vetoes.cpp)
  Attempt attempt_of(JobId id) const;
  void set_attempt(JobId id, Attempt attempt);
  void forget_attempts(JobId id);
  void note_specification(const std::string& node);
  void note_room(NodeId node);
  void note_bound(JobId id);
  void hasten(JobId id, bool is_specification);
  void settle_attempts(TimePoint now);

  // evictions and claims (mirror_claims.cpp)
  TaskStatus note_status(TaskId id, TaskStatus seen);
  bool is_whole(JobId id) const;
  void note_eviction(TaskId id, TimePoint now);
  void take_back_eviction(TaskId id);
  void forget_recent_evictions(TimePoint now);
  void count_leaving_pods(TimePoint now);
  void end_eviction(TaskId id);
  void stays_after_all(TaskId id);
  void settle_leaving();
  void note_leaving(TimePoint now);
  void let_hang(TaskId id);
  void let_hang_on_nodes_of(JobId id);
  void forget_late_evictions(TimePoint now);
  bool has_lost_others(TaskId id) const;
  void settle_refusals(TimePoint now);
  void settle_times(TimePoint now);
  void note_times(TaskId id, const PodObject& object);
  void note_deadline(TaskId id);
  void note_terms(TaskId id, JobId job, const EvictionTerms& terms);
  void settle_terms(JobId id, TimePoint now, std::string& refused);
  void assume_claims(const Plan& plan, TimePoint now);
  void assume_promises(const Plan& plan);
  using ClaimedRoom = std::map<std::pair<NodeId, Dimension>, std::int64_t>;
  void restore_claims_of(JobId id, const WrittenClaims& written, TimePoint now,
                         ClaimedRoom& by_younger);
  void believe_pods_that_leave(JobId id);

  // volumes (mirror_volumes.cpp)
  void fill_volumes(TaskId id, const std::string& pod, bool has_node, VolumeNeeds& needs,
                    std::vector<std::string>& unmodelled) const;
  void settle_volumes();
  void settle_default_spreads();  // mirror_spreads.cpp
  void settle_relations();

  // groups and queues (mirror_groups.cpp)
  JobId group_job(const std::string& full_name);
  QueueObject default_queue() const;
  void configure_group(const Group& group);
  void set_roles(JobId id, const std::map<std::string, std::int32_t>& minimums);
  PriorityClassObject priority_class_of(const std::string& name) const;
  std::string queue_name_for(const std::string& name_space, const std::string& named) const;
  void name_queue(JobId id, const std::string& name_space, const std::string& named);
  void assign_queue(JobId id);
  void reassign_all();

  void rename_queues_of(const std::string& name_space);

  // namespaces (mirror_namespaces.cpp)
  void note_labels_of(const std::string& name, const NamespaceLabelsOf& labels);
  bool serves(QueueId queue, const std::string& name_space) const;
  QueueId barring_queue(const Job& job) const;
  void settle_barred(JobId id);

  // rights that are asked about (mirror_permissions.cpp)
  struct Naming {
    NamingRights::Right right = NamingRights::Right::allowed;
    std::string why = {};  // it is refused
  };
  void settle_naming(JobId id, TimePoint now);
  void settle_rights(TimePoint now);
  void note_account(TaskId id, const PodObject& object);
  Naming naming_of(const Job& job, TimePoint now);
  bool has_checked(const TargetWord& word, const std::string& name_space, JobId job);
  Naming reviewed(const Job& job, Verb verb, const std::string& object, TimePoint now);
  // These set `refused`, for people, if a word of the user does not count.
  std::int32_t bounded_priority(JobId id, TimePoint now, std::string& refused);
  std::int32_t admission_priority(const Job& job, std::int32_t priority) const;
  bool may_protect(JobId id, TimePoint now, std::string& refused);
  void mark_all_dirty() { are_all_dirty_ = true; }
  const PriorityClassObject* class_of_group(const Job& job) const;  // null: it names none
  std::int32_t highest_priority_of_pods(const Job& job) const;

  // topologies (mirror_topology.cpp)
  void note_place(const NodeObject& node);
  void settle_topologies();
  void mark_jobs_of(const std::set<std::string>& owners);
  TopologyWish wish_of(JobId id) const;
  void note_unhonoured(JobId id, std::vector<std::string> refused);
  void note_rules(const Job& job, const TopologyWish& wish);

  // targets and locks (mirror_targets.cpp)
  void read_lock(const NodeObject& object, bool is_first);
  void read_marks(JobId id, const TargetMarks& marks, bool is_first);
  void note_single(JobId id, const TargetMarks& marks, bool is_first);
  void read_all_again();
  void forget_waiting(JobId id);
  Lock resolved_lock(const std::string& node) const;
  void read_queue_lock(const NodeObject& object, bool is_first);
  QueueLock resolved_queue_lock(const std::string& node) const;
  void assume_queue_nodes(const Plan& plan, TimePoint now);
  void forget_nodes_of(QueueId queue);
  bool has_assumed(const Plan& plan) const;
  void settle_locks();
  void bound_locks(TimePoint now);
  void bound_marks(JobId id, TimePoint now);
  void note_wholeness(JobId id, TimePoint now);

  void refresh(JobId id, TimePoint now);
  Node to_node(const NodeObject& object);
  void refresh_node(const std::string& name);
  void rebuild_nodes();
  void lose_node(TaskId id, const std::string& name);
  void mark_dirty(JobId id) { dirty_.push_back(id); }

  Options options_;
  Cluster cluster_;
  LastShape last_shape_;
  DefaultSpreads default_spreads_;
  RelationBounds relation_bounds_;
  TopologyWishes topology_wishes_;
  JobDeadlines job_deadlines_;
  bool topologies_changed_ = false;
  std::map<std::string, DeviceClassObject> device_classes_;  // by name
  bool device_classes_changed_ = false;
  std::uint64_t levels_version_ =
      0;  // TopologyTable::levels_version(), when jobs were last settled
  bool knows_volumes_ = false;
  std::uint64_t volumes_version_ = 1;  // VolumeTable::version(), as shapes were asked with it
  std::map<std::string, NodeObject> nodes_;
  bool nodes_changed_ = false;
  bool follows_api_phases_ = false;
  struct Veto {
    TimePoint until;
    TimePoint remembered_until;  // then the doubling starts again
    std::int32_t times = 0;
    bool is_in_force = false;
    std::string why;
  };
  struct HeldLock {
    std::string locked_for;  // the value of the label
    TimePoint since;
    bool operator==(const HeldLock&) const = default;
  };
  std::map<std::string, HeldLock> locks_;        // by node
  std::map<std::string, HeldLock> queue_locks_;  // by node
  bool locks_changed_ = false;
  std::size_t job_locks_ = 0;  // of locks_, those for jobs, when last settled
  TargetNames target_names_;
  NamingRights rights_;
  ControllerAges controller_ages_;                 // with NamingCheck::automatic only
  std::map<TaskId, std::string> account_of_task_;  // service accounts other than "default"
  std::map<std::string, std::map<std::uint64_t, Veto>> vetoes_;  // by node, then shape
  std::set<JobId> attempted_;                                    // with Job::attempt
  struct ChangedNode {
    TimePoint at;  // max: until settle() says when
    bool is_specification = false;
  };
  // Nodes that came, were changed, or were left by a pod, lately.
  std::map<std::string, ChangedNode> changed_nodes_;
  TimePoint node_changes_due_ = TimePoint::max();        // one of these is new then, or too old
  std::unordered_map<std::string, TaskId> task_by_uid_;  // look-up only
  // Pod uid -> the unknown node it is bound to.
  std::map<std::string, std::string> node_of_waiting_;
  std::map<std::string, Group> groups_;  // by namespace/name
  std::map<std::string, QueueId> queues_;
  std::map<std::string, PriorityClassObject> classes_;
  std::map<std::string, std::string> namespace_queue_;
  std::map<TaskId, NamedClass> class_of_task_;  // of pods whose priority is not resolved
  struct Eviction {
    TimePoint at;
    TaskStatus seen = TaskStatus::running;  // what its pod is but for us
    bool was_whole = false;                 // had its job its minimum, with those that leave?
    bool is_counted = false;                // LIMIT-1
  };
  std::map<TaskId, Eviction> evictions_;
  struct LeavingFor {
    JobId job;
    std::string uid;  // of the job: ids are used again
  };
  std::map<TaskId, LeavingFor> leaving_for_;   // the claimants of evicted pods that are not gone
  std::vector<TaskId> just_leaving_;           // since the last settle()
  std::map<TaskId, TimePoint> leaving_since_;  // pods that are not gone
  struct EvictionRefusal {
    std::string words;
    bool was_whole = false;  // Eviction::was_whole
    bool is_new = false;     // until settle() says when
    std::int32_t times = 0;
    TimePoint remembered_until;  // then the doubling starts again
  };
  std::map<TaskId, EvictionRefusal> refusals_;
  std::vector<JobId> promised_;            // Job::promised_start is set
  std::vector<TaskId> without_time_;       // pods on nodes whose objects say no time, just seen
  std::map<TaskId, EvictionTerms> terms_;  // of the pods that say something themselves
  std::set<JobId> jobs_with_terms_;        // of which a pod may have terms, by itself or its group
  std::map<JobId, TargetMarks> single_marks_;  // of jobs without a group, where there are any
  std::map<JobId, std::string> named_queue_;   // what group or pod itself names, if it does
  std::set<std::pair<std::string, JobId>> without_queue_;  // by the name that no queue has
  // Of pods of other schedulers that name a group: their uids by group, and the groups by uid.
  std::map<std::string, std::set<std::string>> others_pods_;
  std::unordered_map<std::string, std::string> group_of_others_pod_;  // look-up only
  std::map<std::string, std::string> queue_scheduler_;  // annotation berth.dev/scheduler, where set
  std::vector<JobId> dirty_;
  bool are_all_dirty_ = false;
  std::size_t counted_dimensions_ = 0;  // when use was last counted
  std::vector<JobId> phase_changes_;
  std::vector<JobId> changes_;
};

}  // namespace berth::mirror
