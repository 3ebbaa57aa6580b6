#include <algorithm>
#include <utility>

#include "embedded/embedded_cluster.h"

// Berth's writes on pods, groups and nodes, by an API server's rules.

namespace berth::embedded {

namespace {

constexpr std::size_t kEventsKept = 1000;

using Kind = ports::PodWrite::Kind;
using Result = ports::WriteOutcome::Result;

void commit(PodObject& pod, const ports::PodWrite& write) {
  pod.planned_node = write.node;
  if (std::erase(pod.gates, kPlanGate) == 0) return;
  if (!write.only_hostname.empty()) {
    pod.constraints.node_selector["kubernetes.io/hostname"] = write.only_hostname;
  }
  if (write.only_nodes.empty()) return;
  pod.constraints.has_required_terms = true;
  for (const std::string& node : write.only_nodes) {
    SelectorTerm term;
    term.fields = {{"metadata.name", Operator::in, {node}}};
    pod.constraints.required_terms.push_back(std::move(term));
  }
}

void add_toleration(PodObject& pod, const std::string& locked_for) {
  std::vector<std::string>& some = pod.lock_tolerations.some;
  const auto at = std::lower_bound(some.begin(), some.end(), locked_for);
  if (at == some.end() || *at != locked_for) some.insert(at, locked_for);
}

}  // namespace

void EmbeddedCluster::write(const ports::PodWrite& write,
                            std::function<void(ports::WriteOutcome)> done) {
  ports::WriteOutcome outcome;
  {
    const std::lock_guard lock(mutex_);
    const auto pod = pods_.find(write.uid);
    if (pod == pods_.end()) {
      outcome = {Result::gone, "pod \"" + write.name_space + "/" + write.name + "\" not found"};
    } else if (pod->second.node_name.empty()) {
      const PodObject before = pod->second;
      if (write.kind == Kind::nominate) pod->second.nominated_node = write.node;
      if (write.kind == Kind::tolerate) add_toleration(pod->second, write.locked_for);
      if (write.kind == Kind::commit) commit(pod->second, write);
      // A commit and a touch are posted even if they change nothing that we model.
      if (write.kind != Kind::nominate || pod->second != before) notify_watchers(pod->second);
    }
  }
  changed_.notify_all();
  done(std::move(outcome));
}

void EmbeddedCluster::clear_nomination(const std::string& pod_uid) {
  {
    const std::lock_guard lock(mutex_);
    const auto pod = pods_.find(pod_uid);
    if (pod == pods_.end() || pod->second.nominated_node.empty()) return;
    pod->second.nominated_node.clear();
    notify_watchers(pod->second);
  }
  changed_.notify_all();
}

void EmbeddedCluster::write(const ports::GroupStatus& status) {
  {
    const std::lock_guard lock(mutex_);
    const std::string full_name = status.name_space + "/" + status.name;
    const auto group = groups_.find(full_name);
    if (group == groups_.end()) return;
    statuses_[full_name] = status;
    group->second.phase = status.phase;
    WrittenStatus& written = group->second.written;
    written.running = status.running;
    written.succeeded = status.succeeded;
    written.failed = status.failed;
    written.is_scheduled = status.is_scheduled;
    written.scheduled_since = status.scheduled_since;
    written.waits_since = status.waits_since;
    written.reason = status.reason;
    written.message = status.message;
    written.targeted = status.targeted;
    notify_watchers(group->second);
  }
  changed_.notify_all();
}

// No part of the embedded cluster reads a queue's status.
void EmbeddedCluster::write(const ports::QueueStatus&) {}

void EmbeddedCluster::write(const ports::NodeLock& lock) {
  {
    const std::lock_guard guard(mutex_);
    const auto found = nodes_.find(lock.node);
    if (found == nodes_.end() || found->second.uid != lock.uid) return;
    NodeObject& node = found->second;
    node.locked_for = lock.locked_for;
    node.locked_since.reset();
    if (!lock.locked_for.empty()) node.locked_since = lock.since;
    node.has_lock_taint = lock.has_taint;
    notify_watchers(node);
  }
  changed_.notify_all();
}

void EmbeddedCluster::write(const ports::JobMarks& job) {
  const auto set = [&job](TargetMarks& marks) {
    const TargetMarks before = std::exchange(marks, job.marks);
    keep_users_word(marks, before);
    if (!marks.first_seen) marks.first_seen = before.first_seen;
  };
  {
    const std::lock_guard lock(mutex_);
    if (job.about == ports::Event::About::pod) {
      const auto pod = pods_.find(job.uid);
      if (pod == pods_.end()) return;
      set(pod->second.marks);
      notify_watchers(pod->second);
    } else {
      const auto group = groups_.find(job.name_space + "/" + job.name);
      if (group == groups_.end() || group->second.uid != job.uid) return;
      set(group->second.marks);
      notify_watchers(group->second);
    }
  }
  changed_.notify_all();
}

void EmbeddedCluster::tell(const ports::Event& event) {
  const std::lock_guard lock(mutex_);
  events_.push_back(event);
  if (events_.size() > kEventsKept) events_.pop_front();
}

void EmbeddedCluster::record(const ports::GangRecord& record,
                             std::function<void(ports::WriteOutcome)> done) {
  ports::WriteOutcome outcome;
  {
    const std::lock_guard lock(mutex_);
    const auto group = groups_.find(record.name_space + "/" + record.name);
    if (group == groups_.end()) {
      outcome = {Result::gone, "pod group \"" + record.name + "\" not found"};
    } else {
      group->second.is_recorded = true;
      notify_watchers(group->second);
    }
  }
  changed_.notify_all();
  done(std::move(outcome));
}

std::optional<ports::GroupStatus> EmbeddedCluster::group_status(
    const std::string& full_name) const {
  const std::lock_guard lock(mutex_);
  const auto found = statuses_.find(full_name);
  if (found == statuses_.end()) return std::nullopt;
  return found->second;
}

std::optional<NodeObject> EmbeddedCluster::node(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(name);
  if (found == nodes_.end()) return std::nullopt;
  return found->second;
}

std::optional<PodGroupObject> EmbeddedCluster::group(const std::string& full_name) const {
  const std::lock_guard lock(mutex_);
  const auto found = groups_.find(full_name);
  if (found == groups_.end()) return std::nullopt;
  return found->second;
}

std::vector<ports::Event> EmbeddedCluster::events() const {
  const std::lock_guard lock(mutex_);
  return {events_.begin(), events_.end()};
}

}  // namespace berth::embedded
