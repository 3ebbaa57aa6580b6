#include "mirror/memory_cluster.h"

#include <variant>

#include "berth/base/look_up.h"
#include "model/object_keys.h"

namespace berth::mirror {

namespace {

Options without_patience(Options options) {
  options.owner_patience = Duration();
  return options;
}

const std::string& uid_of(const ClusterEvent& event) {
  static const std::string kNone;
  const auto* const pod = std::get_if<PodObject>(&event);
  return pod == nullptr ? kNone : pod->uid;
}

// The same of an object and of its deletion.
std::pair<std::size_t, std::string> kind_and_key(const ClusterEvent& event) {
  const ClusterEvent deletion = deletion_of(event);
  return {deletion.index(), key_of_deleted(deletion)};
}

}  // namespace

MemoryCluster::MemoryCluster(Options options)
    : options_(without_patience(std::move(options))), mirror_(options_), gangs_(options_) {}

bool MemoryCluster::is_of_no_gang(const ClusterEvent& event) const {
  const auto passes = [&](const auto& pod) {
    return composites_.passes(pod) && gangs_.passes(pod);
  };
  if (const auto* pod = std::get_if<PodObject>(&event)) return passes(*pod);
  const auto* const gone = std::get_if<PodDeleted>(&event);
  return gone != nullptr && passes(*gone);
}

void MemoryCluster::apply(const ClusterEvent& event) {
  if (is_of_no_gang(event)) return take(event);
  const auto give = [&](const ClusterEvent& given) {
    const auto* const pod = std::get_if<PodObject>(&given);
    if (pod == nullptr || pod->uid == uid_of(event)) return take(given);
    regroup(*pod);
  };
  const auto regrouped = [&](const ClusterEvent& each) { gangs_.take(each, TimePoint(), give); };
  composites_.take(event, regrouped);
  composites_.settle(regrouped);
  make_groups();
}

void MemoryCluster::take(const ClusterEvent& event) {
  note(event);
  mirror_.apply(event);
}

// The pod itself is as it became here.
void MemoryCluster::regroup(const PodObject& object) {
  PodObject& pod = pods_.at(object.uid);
  pod.group = object.group;
  pod.role = object.role;
  pod.topology = object.topology;
  pod.queue = object.queue;
  pod.gang_fault = object.gang_fault;
  pod.gang_advice = object.gang_advice;
  mirror_.apply(pod);
}

void MemoryCluster::make_groups() {
  for (const std::string& name : gangs_.take_changes()) {
    const auto found = gangs_.groups().find(name);
    if (found == gangs_.groups().end()) continue;
    const auto& [full_name, owned] = *found;
    const ClusterEvent* const known = find_value(others_, kind_and_key(PodGroupDeleted{full_name}));
    const auto* const before = known == nullptr ? nullptr : &std::get<PodGroupObject>(*known);
    if (before != nullptr && !before->is_made_by_berth) continue;
    if (owned.is_left) {
      if (before != nullptr) take(PodGroupDeleted{full_name});
      continue;
    }
    PodGroupObject group = before == nullptr ? PodGroupObject() : *before;
    if (before == nullptr && !owned.is_live) continue;
    group.name_space = owned.name_space;
    group.name = owned.name;
    if (before == nullptr) group.uid = "PodGroup:" + full_name;
    if (before == nullptr) group.created = owned.created;
    group.owner_uid = owned.owner.uid;
    group.is_made_by_berth = true;
    group.min_member = owned.min_member;
    group.queue = owned.queue;
    if (before == nullptr || *before != group) take(group);
  }
}

void MemoryCluster::note(const ClusterEvent& event) {
  if (const auto* const pod = std::get_if<PodObject>(&event)) {
    pods_.insert_or_assign(pod->uid, *pod);
  } else if (const auto* const gone_pod = std::get_if<PodDeleted>(&event)) {
    pods_.erase(gone_pod->uid);
  } else {
    put_or_erase(others_, kind_and_key(event), event, !key_of(event).empty());
  }
}

const PodObject* MemoryCluster::find_pod(const std::string& uid) const {
  return find_value(pods_, uid);
}

void MemoryCluster::start(const std::string& uid, const std::string& node, TimePoint now) {
  PodObject& pod = pods_.at(uid);
  if (pod.node_name == node && pod.phase == PodPhase::running && pod.started) return;
  pod.node_name = node;
  pod.gates.clear();
  if (pod.phase == PodPhase::pending) pod.phase = PodPhase::running;
  if (!pod.started) pod.started = now;
  if (!pod.scheduled) pod.scheduled = now;
  mirror_.apply(pod);
}

void MemoryCluster::finish(const std::string& uid, bool succeeds) {
  PodObject& pod = pods_.at(uid);
  pod.phase = succeeds ? PodPhase::succeeded : PodPhase::failed;
  mirror_.apply(pod);
}

void MemoryCluster::evict(const std::string& uid) {
  PodObject& pod = pods_.at(uid);
  leaving_.push_back(uid);
  if (std::exchange(pod.terminating, true)) return;
  mirror_.apply(pod);
}

void MemoryCluster::remove_leaving() {
  for (const std::string& uid : std::exchange(leaving_, {})) apply(PodDeleted{uid});
}

JobId MemoryCluster::find_job(const std::string& full_name) const {
  for (std::size_t j = 0; j < cluster().job_slots(); ++j) {
    const Job& job = cluster().job(JobId(j));
    if (job.exists && job.name == full_name) return JobId(j);
  }
  return {};
}

// Whether a user names the job stays as it is written.
void MemoryCluster::mark(TargetMarks& marks, JobId job) const {
  if (!job.is_valid() || !cluster().job(job).is_ours()) return;
  const TargetMarks written = std::exchange(marks, marks_of(cluster(), cluster().job(job)));
  keep_users_word(marks, written);
}

void show_locks(const Cluster& cluster, NodeId id, NodeObject& node) {
  const Lock lock = id.is_valid() ? cluster.node(id).lock : Lock();
  const QueueLock of_queue = id.is_valid() ? cluster.node(id).queue_lock : QueueLock();
  node.locked_for_queue.clear();
  node.locked_for_queue_since.reset();
  if (of_queue.queue.is_valid()) {
    const Queue& queue = cluster.queue(of_queue.queue);
    node.locked_for_queue = queue_lock_value(queue.name, queue.uid);
    node.locked_for_queue_since = of_queue.since;
  }
  if (lock.is_foreign) return;
  node.locked_for.clear();
  node.locked_since.reset();
  if (!lock.job.is_valid()) return;
  node.locked_for = lock_text(cluster.job(lock.job).uid);
  node.locked_since = lock.since;
}

std::vector<ClusterEvent> MemoryCluster::objects() const {
  std::vector<ClusterEvent> all;
  for (const auto& [key, object] : others_) {
    all.push_back(object);
    if (auto* const group = std::get_if<PodGroupObject>(&all.back())) {
      const JobId job = mirror_.find_group(group->full_name());
      if (job.is_valid()) group->phase = cluster().job(job).phase;
      mark(group->marks, job);
    } else if (auto* const node = std::get_if<NodeObject>(&all.back())) {
      show_locks(cluster(), cluster().find_node(node->name), *node);
    }
  }
  for (const auto& [uid, pod] : pods_) {
    PodObject copy = pod;
    const TaskId task = mirror_.find_task(uid);
    const JobId job = task.is_valid() ? cluster().task(task).job : JobId();
    if (job.is_valid() && cluster().job(job).is_single) mark(copy.marks, job);
    all.emplace_back(std::move(copy));
  }
  return all;
}

void MemoryCluster::rebuild(const std::vector<ClusterEvent>& objects) {
  mirror_ = Mirror(options_);
  for (const ClusterEvent& object : objects) mirror_.apply(object);
}

}  // namespace berth::mirror
