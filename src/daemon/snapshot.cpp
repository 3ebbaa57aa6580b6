#include "daemon/snapshot.h"

#include "berth/model/dimensions.h"
#include "history/of_cluster.h"
#include "mirror/memory_cluster.h"

namespace berth::daemon {

namespace {

NodeObject node_of(const Cluster& cluster, NodeId id) {
  const Node& node = cluster.node(id);
  NodeObject object;
  object.name = node.name;
  object.uid = node.uid;
  object.labels = node.labels;
  object.taints = node.taints;
  object.unschedulable = node.is_unschedulable;
  object.allocatable = to_named(cluster.dimensions(), node.allocatable);
  mirror::show_locks(cluster, id, object);
  return object;
}

PodGroupObject group_of(const Cluster& cluster, const Job& job) {
  PodGroupObject group;
  const std::size_t slash = job.name.find('/');
  group.name_space = job.name.substr(0, slash);
  group.name = job.name.substr(slash + 1);
  group.uid = job.uid;
  group.created = job.created;
  group.queue = job.queue_name;
  group.min_member = job.min_available;
  for (const Role& role : job.roles) {
    if (!role.name.empty() && role.minimum > 0) group.min_task_member[role.name] = role.minimum;
  }
  if (job.min_resources) group.min_resources = to_named(cluster.dimensions(), *job.min_resources);
  group.phase = job.phase;
  group.waiting_limit = job.waiting_limit;
  group.time_limit = job.time_limit;
  group.marks = marks_of(cluster, job);
  group.topology = job.topology;
  return group;
}

Snapshot::JobPart part_of(const Cluster& cluster, const Job& job) {
  Snapshot::JobPart part;
  if (!job.exists || !job.is_ours()) return part;
  part.is_ours = true;
  part.queue = job.queue_name;
  if (!job.is_single) part.group = job.name.substr(job.name.find('/') + 1);
  if (job.is_single) part.marks = marks_of(cluster, job);
  for (const Role& role : job.roles) part.roles.push_back(role.name);
  return part;
}

// The set of a pod has its namespace, too.
void copy_labels(const LabelTable& table, LabelSetId id, std::vector<Labels>& to) {
  if (!id.is_valid() || !to[id.index()].empty()) return;
  table.each_label(id, [&](const std::string& key, const std::string& value) {
    if (key != kNamespaceOfSet) to[id.index()].emplace_back(key, value);
  });
}

}  // namespace

Snapshot snapshot_of(const Cluster& cluster, Snapshot::Objects objects, std::string scheduler,
                     TimePoint now) {
  Snapshot snapshot;
  snapshot.now = now;
  snapshot.scheduler = std::move(scheduler);
  snapshot.objects = std::move(objects);
  for (const auto& each : cluster.budgets()) snapshot.budgets.push_back(each.second);
  snapshot.nodes.reserve(cluster.node_count());
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    snapshot.nodes.push_back(node_of(cluster, NodeId(n)));
  }
  snapshot.jobs.reserve(cluster.job_slots());
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    const Job& job = cluster.job(JobId(j));
    snapshot.jobs.push_back(part_of(cluster, job));
    if (job.exists && job.is_ours() && job.has_group && !job.is_single) {
      snapshot.groups.push_back(group_of(cluster, job));
    }
  }
  const LabelTable& labels = cluster.relations().labels();
  snapshot.labels.resize(labels.set_slots());
  snapshot.shapes.resize(cluster.shape_count());
  std::vector<bool> is_known(cluster.shape_count());
  snapshot.tasks.reserve(cluster.task_slots());
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.uid.empty()) continue;
    snapshot.tasks.push_back(task);
    copy_labels(labels, task.labels, snapshot.labels);
    if (is_known[task.shape.index()]) continue;
    is_known[task.shape.index()] = true;
    const Shape& shape = cluster.shape(task.shape);
    Constraints constraints = shape.constraints;
    constraints.volumes = {};
    constraints.images.clear();
    snapshot.shapes[task.shape.index()] = {request_of(cluster.dimensions(), shape),
                                           std::move(constraints)};
  }
  return snapshot;
}

}  // namespace berth::daemon
