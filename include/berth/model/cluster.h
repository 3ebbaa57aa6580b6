#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "berth/base/free_ids.h"
#include "berth/model/budget.h"
#include "berth/model/change_journal.h"
#include "berth/model/job.h"
#include "berth/model/node.h"
#include "berth/model/node_accounts.h"
#include "berth/model/node_locks.h"
#include "berth/model/pod_relations.h"
#include "berth/model/quantity.h"
#include "berth/model/queue.h"
#include "berth/model/queue_links.h"
#include "berth/model/recent_evictions.h"
#include "berth/model/shape.h"
#include "berth/model/task.h"
#include "berth/model/topology_table.h"
#include "berth/model/usage.h"

namespace berth {

// The one copy of the cluster. Sessions read it in place. During a session only its Ledger writes,
// and it undoes that at the end. Between sessions only the mirror writes. Session thread only.
//
// Nodes are in the order of their names: "the lowest node id" does not depend on arrival. Ids of
// tasks, jobs, queues and shapes follow arrival and decide nothing.
class Cluster : public NodeAccounts {
 public:
  const DimensionTable& dimensions() const { return dimensions_; }
  std::size_t node_count() const { return nodes_.size(); }
  const Node& node(NodeId id) const { return nodes_[id.index()]; }
  // Of an id that is free: one without uid, or that does not exist.
  const Task& task(TaskId id) const {
    return id.index() < tasks_.size() ? tasks_[id.index()] : kNoTask;
  }
  const Job& job(JobId id) const { return id.index() < jobs_.size() ? jobs_[id.index()] : kNoJob; }
  const Queue& queue(QueueId id) const { return queues_[id.index()]; }
  const Shape& shape(ShapeId id) const { return shapes_[id.index()]; }
  const Shape& shape_of(TaskId id) const { return shape(task(id).shape); }
  // Sizes of the id spaces; some ids may be free (Job::exists, Queue::exists, empty Task::uid).
  std::size_t task_slots() const { return tasks_.size(); }
  std::size_t job_slots() const { return jobs_.size(); }
  std::size_t queue_slots() const { return queues_.size(); }
  std::size_t shape_count() const { return shapes_.size(); }

  NodeId find_node(std::string_view name) const;  // invalid: none
  const PodRelations& relations() const { return relations_; }
  const std::map<std::string, BudgetObject>& budgets() const { return budgets_; }  // by full name
  const TopologyTable& topologies() const { return topologies_; }
  const RecentEvictions& recent_evictions() const { return recent_evictions_; }
  const UsageTable& usage() const { return usage_; }  // no part of what a stamp names
  std::int32_t releasing_task_count() const { return releasing_tasks_; }
  std::int32_t binding_task_count() const { return binding_tasks_; }
  // Changes with of_nodes(), and with tasks that never leave and keep others away.
  std::uint64_t of_nodes_version() const { return of_nodes_version_; }
  // Changes with what there is for queues, but for what their pods have on nodes that are closed.
  std::uint64_t room_version() const { return room_version_; }
  const std::vector<JobId>& open_jobs() const { return open_jobs_; }  // to be served; in no order
  const std::vector<JobId>& claimants() const { return claimants_; }  // (claim, created, uid, name)
  const std::vector<JobId>& targets() const { return targets_; }  // (elected, created, uid, name)
  const NodeLocks& locks() const { return locks_; }
  // Is the node locked for a target, or for a queue, that is not the job's? Of no job: for any.
  bool is_locked_out(NodeId node, JobId job) const {
    return locks_.are_any() && (locks_.target_in_the_way(node, job).is_valid() ||
                                queue_in_the_way(node, queue_of(job)).is_valid());
  }
  QueueId queue_in_the_way(NodeId node, QueueId queue) const;   // whose lock keeps its pods away
  bool is_below(QueueId queue, QueueId above) const;            // or the same
  std::vector<QueueId> queues_with_nodes(QueueId queue) const;  // this and those above, upwards
  QueueId queue_of(JobId job) const { return job.is_valid() ? this->job(job).queue : QueueId(); }
  // Which nodes' amounts or locks changed, in order. Readers keep a position (change_journal.h).
  const ChangeJournal& changes() const { return changes_; }
  // Changes whenever a node is added, removed, or its labels, taints or allocatable change.
  std::uint64_t spec_version() const { return spec_version_; }
  std::uint64_t queue_version() const { return queue_version_; }  // of queues, as configured
  // Names the whole state: equal stamps mean equal state. Undo brings the earlier stamp back.
  std::uint64_t stamp() const { return stamp_; }

  // --- for the session's ledger -------------------------------------------------------------
  // Moves a task, and every account with it. Its own inverse, called with what was before.
  void move_task(TaskId id, NodeId node, TaskStatus status);
  void set_phase(JobId id, GroupPhase phase);
  void set_election(JobId id, std::optional<Election> election);
  void set_lock(NodeId id, const Lock& lock);
  void set_queue_lock(NodeId id, const QueueLock& lock);
  // Only to what this cluster and the job, if one is given, had in this very state.
  void restore_versions(std::uint64_t stamp, JobId job, std::uint64_t version_of_job);

  // --- for the mirror (src/mirror) ----------------------------------------------------------
  // Of a node or a queue. DIMENSION-2: what was asked for by this name before is found by it now.
  Dimension intern_dimension(std::string_view name);
  Resources intern_resources(const NamedAmounts& amounts, std::int64_t most = kAmountMax);
  // Of a pod with these labels. A task must take it before any other call.
  ShapeId intern_shape(const NamedAmounts& request, const Constraints& constraints,
                       std::string_view name_space, LabelSetId labels);
  void set_shape(TaskId id, ShapeId shape);  // of a task that has no node and no job
  LabelSetId take_labels(std::string_view name_space, const Labels& labels);  // of a task to come
  void set_labels(TaskId id, const Labels& labels);  // its shape must follow
  // None: it is not listed. False: nothing is new.
  bool set_namespace_labels(const std::string& name, const NamespaceLabelsOf& labels);
  void set_min_resources(JobId id, const std::optional<NamedAmounts>& amounts);
  void set_device_classes(const std::set<std::string>& resources);  // DIMENSION-4
  // Replaces all nodes; sorts them by name; tasks keep their node by name, or lose it.
  void replace_nodes(std::vector<Node> nodes);
  void update_node(NodeId id, Node node);  // in place; its name must stay
  TaskId add_task(Task task);              // pending and without node
  void remove_task(TaskId id);
  Task& mutable_task(TaskId id);
  JobId add_job(Job job);
  void remove_job(JobId id);  // must have no tasks
  Job& mutable_job(JobId id) { return touch(), touch(id), jobs_[id.index()]; }
  // Adds or removes a task (counts, gates, allocated) to its job's accounts, as it stands.
  void join_job(TaskId id, JobId job);
  void leave_job(TaskId id);
  void drop_unused_roles(JobId id);
  void set_job_queue(JobId id, QueueId queue);  // moves what it has allocated, too
  QueueId add_queue(Queue queue);
  void remove_queue(QueueId id);  // jobs must have left it
  void note_relocking(const std::vector<QueueNodes>& chosen, TimePoint at);
  void count_the_uncounted();  // demands once too much for 63 bits, after tasks have gone
  void update_queue(QueueId id, Queue queue);  // its accounts stay
  void set_open(JobId id, bool open);
  void set_claims(JobId id, std::vector<Claim> claims);
  void set_images(const std::string& node, const NamedImages& images);
  VolumeTable& mutable_volumes() { return relations_.mutable_volumes(); }
  void set_constraints(TaskId id, const Constraints& constraints);  // as VolumeTable has them
  // Shapes with volumes are to be asked again: about all nodes, or about these.
  void note_volumes(bool about_all, const std::vector<std::string>& nodes);
  std::map<std::string, BudgetObject>& mutable_budgets() { return touch(), budgets_; }
  TopologyTable& mutable_topologies() { return touch(), topologies_; }
  RecentEvictions& mutable_recent_evictions() { return touch(), recent_evictions_; }
  UsageTable& mutable_usage() { return usage_; }
  void trim();  // BOUND-7. Gives back the room of what is gone; references end.

 private:
  static const Task kNoTask;
  static const Job kNoJob;
  void touch() { stamp_ = ++last_stamp_; }
  void touch(JobId id) { jobs_[id.index()].version = ++last_job_version_; }
  void ensure_dimensions();
  void learn(std::string_view name, Dimension dimension);
  void read_requests_anew(const std::set<std::string>& names, const std::set<std::string>* classes);
  void account(const Task& task, int sign);
  void set_request(Shape& shape, const NamedAmounts& request);
  void account_on_node(const Task& task, int sign);  // +1 adds what it means there, -1 takes away
  void account_in_job(const Task& task, int sign);
  void account_demand(const Task& task, int sign);
  bool is_of_queue(const Task& task) const;
  ShapeId find_shape(const std::string& key, const std::vector<TermId>& matched) const;
  ShapeId add_shape(Shape shape);
  ShapeId matched_otherwise(ShapeId from, std::vector<TermId> matched);
  void use_shape(ShapeId id) { ++shapes_[id.index()].uses; }
  void release_shape(ShapeId id);
  void reshape(TaskId id, ShapeId shape);
  ShapeTerms take_terms(const Constraints& constraints);
  void give_back_terms(const ShapeTerms& terms);
  void rematch(const std::vector<TermId>& ids);
  void account_in_terms(const Task& task, int sign);
  void count_task(const Task& task, const std::vector<TermId>& terms, int sign);
  void account_in_volumes(TaskId id, NodeId before);
  NodeId node_of_volumes(const Task& task) const;
  void recount_terms();
  void order_into(std::vector<TaskId>& tasks, TaskId id) const;
  DimensionTable dimensions_;
  std::vector<Node> nodes_;
  std::unordered_map<std::string, NodeId> node_by_name_;  // look-up only
  std::vector<Task> tasks_;
  FreeIds<TaskId> free_tasks_;
  std::vector<Job> jobs_;
  std::vector<std::uint32_t> open_position_;  // by job; kNotOpen
  FreeIds<JobId> free_jobs_;
  std::vector<JobId> open_jobs_, targets_, claimants_;
  NodeLocks locks_;
  PodRelations relations_;
  std::map<std::string, BudgetObject> budgets_;
  TopologyTable topologies_;
  RecentEvictions recent_evictions_;
  UsageTable usage_;
  std::vector<Queue> queues_;
  FreeIds<QueueId> free_queues_;
  QueueLinks queue_links_;
  std::vector<Shape> shapes_;
  FreeIds<ShapeId> free_shapes_;
  std::unordered_multimap<std::size_t, ShapeId> shape_by_hash_;  // look-up only
  std::vector<QueueId> uncounted_;
  std::int32_t releasing_tasks_ = 0, binding_tasks_ = 0;
  ChangeJournal changes_;
  std::uint64_t spec_version_ = 1, queue_version_ = 1, room_version_ = 1, of_nodes_version_ = 1;
  std::uint64_t stamp_ = 1, last_stamp_ = 1, last_job_version_ = 0, last_shape_ = 0;
};

}  // namespace berth
