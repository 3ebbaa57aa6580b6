#include <algorithm>

#include "world/inhabitants.h"

// Inhabitants: the controllers of jobs, as others write them, and the collector of what they leave.

namespace berth::world {
namespace {

constexpr int kBeginningsMost = 2;
constexpr const char* kRole = "worker";

std::string name_of(const std::string& full_name) {
  return full_name.substr(full_name.find('/') + 1);
}

}  // namespace

void Inhabitants::make(Job& job) {
  const auto later = [&](std::function<void(const Job&)> what) {
    agenda_.after(agenda_.between(0ms, 2s), [this, name = job.name, what = std::move(what)] {
      if (const Job& made = jobs_.at(name); !made.is_over) what(made);
    });
  };
  if (job.maker == Maker::kubeflow) {
    later([this](const Job& made) { put_group(made); });
  } else if (!job.group.empty()) {
    put_group(job);
  }
  // Pods and their owner are of two watches.
  if (!job.owner.empty()) put_owner(job, "");
  if (job.maker == Maker::user) return control(job.name);
  later([this](const Job& made) { control(made.name); });
}

void Inhabitants::put_group(const Job& job) {
  PodGroupObject group;
  group.name_space = "default";
  group.name = name_of(job.group);
  group.uid = "group-" + job.name + "-" + std::to_string(++last_group_);
  group.created = agenda_.now();
  group.queue = job.queue;
  group.min_member = job.minimum;
  if (job.maker == Maker::volcano) {
    group.scheduler = "berth";
    group.min_task_member = {{kRole, job.minimum}};
    group.min_resources = NamedAmounts{{"cpu", job.cpu * job.minimum}};
  }
  server_.put(std::move(group));
}

// `gang`: the annotation; empty: as the job wants it.
void Inhabitants::put_owner(const Job& job, const std::string& gang) {
  OwnerObject owner;
  owner.uid = job.owner;
  owner.name_space = "default";
  owner.created = job.created;
  owner.self = {"batch/v1", "Job", job.name, job.owner};
  owner.queue.queue = job.queue;
  owner.queues = {job.queue};
  owner.at_once = job.size;
  owner.is_indexed = true;
  GangWish wish;
  if (job.minimum > 0) {
    const std::string number = job.minimum == job.size ? "all" : std::to_string(job.minimum);
    wish = {kGangAnnotation, gang.empty() ? number : gang};
  }
  if (job.set.empty()) {
    owner.gang = wish;
    return server_.put(std::move(owner));
  }
  OwnerObject set = owner;
  set.uid = job.set;
  set.self = {"jobset.x-k8s.io/v1alpha2", "JobSet", job.name, job.set};
  set.gang = wish;
  set.is_indexed = false;
  owner.controller = set.self;
  server_.put(std::move(set));
  server_.put(std::move(owner));
}

// 409 AlreadyExists: one that was deleted may take its time.
bool Inhabitants::is_taken(const Job& job, std::int32_t index) const {
  const std::string name = "default/" + job.name + "-" + std::to_string(index);
  return job.keeps_names && server_.find_pod_named(name) != nullptr;
}

void Inhabitants::control(const std::string& name) {
  Job& job = jobs_.at(name);
  if (job.is_over) return;
  if (job.begins_anew) {
    const auto is_there = [](const std::string& uid) { return !uid.empty(); };
    if (std::any_of(job.pods.begin(), job.pods.end(), is_there)) return;
    job.begins_anew = job.has_worked = false;
    job.has_succeeded.assign(job.pods.size(), false);
  }
  const bool is_done = std::all_of(job.has_succeeded.begin(), job.has_succeeded.end(),
                                   [](bool each) { return each; });
  if (is_done) {
    agenda_.note(job.name + " has succeeded");
    job.is_over = true;
    return agenda_.after(agenda_.between(1s, 30s), [this, name] { remove(jobs_.at(name)); });
  }
  if (job.maker == Maker::volcano) {
    const PodGroupObject* const group = group_of(job);
    if (group == nullptr || group->phase == GroupPhase::pending) return;
  }
  for (std::int32_t index = 0; index < job.size; ++index) {
    const auto at = static_cast<std::size_t>(index);
    if (!job.pods[at].empty() || job.has_succeeded[at]) continue;
    if (is_taken(job, index)) {
      return agenda_.after(agenda_.between(500ms, 3s), [this, name] { control(name); });
    }
    create_pod(job, index);
    if (job.maker != Maker::ray || index > 0) continue;
    return agenda_.after(agenda_.between(10ms, 500ms), [this, name] { control(name); });
  }
}

void Inhabitants::create_pod(Job& job, std::int32_t index) {
  if (agenda_.happens(network_.faults.refused_pod)) {
    return agenda_.after(agenda_.between(500ms, 3s), [this, name = job.name] { control(name); });
  }
  PodObject pod;
  pod.name_space = "default";
  pod.uid = "u" + std::to_string(++last_uid_);
  pod.name = job.name + "-" + std::to_string(index);
  if (!job.keeps_names) pod.name += "-" + pod.uid;
  pod.created = agenda_.now();
  pod.labels = {{"job", job.name}};
  pod.scheduler_name = job.is_ours ? "berth" : "default-scheduler";
  if (!job.group.empty()) pod.group = name_of(job.group);
  if (!job.owner.empty()) pod.owner = {"batch/v1", "Job", job.name, job.owner};
  if (job.group.empty() && job.is_ours) pod.queue = pod.own_queue = job.queue;
  if (job.maker == Maker::volcano) pod.role = kRole;
  if (job.is_gated) pod.gates = {kPlanGate};
  pod.index = index;
  pod.priority = job.priority;
  pod.request = {{"cpu", job.cpu}, {"pods", 1}};
  job.pods[static_cast<std::size_t>(index)] = pod.uid;
  owns_[pod.uid] = job.name;
  server_.put(std::move(pod));
}

// Operators and the garbage collector delete one thing after the other, and some forget the group.
void Inhabitants::remove(Job& job) {
  job.is_over = true;
  budgets_.remove(job);
  const bool is_users = job.maker == Maker::user;
  const std::vector<std::string> pods = job.pods;
  for (const std::string& uid : {job.set, job.owner}) server_.erase<OwnerObject>(uid);
  for (const std::string& uid : pods) {
    if (is_users) {
      server_.delete_pod(uid);
    } else if (!uid.empty()) {
      agenda_.after(agenda_.between(10ms, 5s), [this, uid] { server_.delete_pod(uid); });
    }
  }
  const bool is_forgotten = !is_users && !has_stopped_ && agenda_.happens(200);
  if (!is_forgotten) return server_.erase<PodGroupObject>(job.group);
  agenda_.after(agenda_.between(1min, 8min),
                [this, group = job.group] { server_.erase<PodGroupObject>(group); });
}

// The collector: a group that Berth made for an owner goes with it.
void Inhabitants::collect() {
  for (const auto& [name, group] : server_.all<PodGroupObject>()) {
    if (!group.object.is_made_by_berth) continue;
    if (server_.find<OwnerObject>(group.object.owner_uid) != nullptr) continue;
    agenda_.after(agenda_.between(100ms, 5s), [this, name = name, uid = group.object.uid] {
      const PodGroupObject* const still = server_.find<PodGroupObject>(name);
      if (still != nullptr && still->uid == uid) server_.erase<PodGroupObject>(name);
    });
  }
}

void Inhabitants::group_changed(const ApiServer::Change& change) {
  const auto* const group = std::get_if<PodGroupObject>(&change.event);
  if (group == nullptr) return;
  const Job* const job = job_of_group(*group);
  if (job == nullptr || job->is_over) return;
  if (job->maker == Maker::volcano) control(job->name);
  if (job->maker != Maker::kubeflow || group->min_member == job->minimum) return;
  agenda_.after(agenda_.between(100ms, 5s), [this, name = job->name] {
    const Job& its = jobs_.at(name);
    server_.change<PodGroupObject>(its.group,
                                   [&](PodGroupObject& each) { each.min_member = its.minimum; });
  });
}

void Inhabitants::pod_changed(const ApiServer::Change& change) {
  const auto owner = owns_.find(change.key);
  if (owner == owns_.end()) return;
  Job& job = jobs_.at(owner->second);
  budgets_.look_soon(job.name);
  const auto at = std::find(job.pods.begin(), job.pods.end(), change.key);
  if (change.is_deletion()) {
    if (at != job.pods.end()) at->clear();
    owns_.erase(owner);
    return agenda_.after(agenda_.between(10ms, 2s), [this, name = job.name] { control(name); });
  }
  const PodObject& pod = std::get<PodObject>(change.event);
  if (pod.terminating) return stop_pod(pod.uid);
  if (pod.phase == PodPhase::succeeded && at != job.pods.end()) {
    job.has_succeeded[static_cast<std::size_t>(at - job.pods.begin())] = true;
    return control(job.name);
  }
  if (pod.phase == PodPhase::failed) return pod_failed(job, pod.uid);
  if (pod.node_name.empty() || pod.phase != PodPhase::pending) return;
  agenda_.after(agenda_.between(100ms, 4s), [this, uid = pod.uid] { run(uid); });
}

void Inhabitants::pod_failed(Job& job, const std::string& uid) {
  const bool concerns_all = (job.maker == Maker::volcano && job.size % 2 == 0) ||
                            (job.maker == Maker::ray && job.pods.front() == uid);
  const bool begins_anew = concerns_all && job.beginnings < kBeginningsMost;
  agenda_.after(agenda_.between(100ms, 3s), [this, uid, name = job.name, begins_anew] {
    if (begins_anew && !jobs_.at(name).is_over) begin_anew(jobs_.at(name));
    server_.erase<PodObject>(uid);
  });
}

void Inhabitants::begin_anew(Job& job) {
  if (job.begins_anew) return;
  agenda_.note(job.name + " begins anew");
  job.begins_anew = true;
  ++job.beginnings;
  const std::vector<std::string> pods = job.pods;
  for (const std::string& uid : pods) server_.delete_pod(uid);
}

}  // namespace berth::world
