#include "daemon/reservation_reporter.h"

#include <utility>

namespace berth::daemon {

namespace {

// What was written is seen long before.
constexpr Duration kPatience = std::chrono::seconds(10);
// Most jobs do not wait so long; of those, nothing needs to be remembered.
constexpr Duration kYoung = std::chrono::seconds(10);

bool has_started(const Job& job) { return job.bound_count() >= job.min_available; }

bool waits(const Job& job) { return !has_started(job) && job.phase != GroupPhase::completed; }

ports::NodeLock wanted_lock(const Cluster& cluster, const Node& node, bool has_taint) {
  ports::NodeLock lock;
  lock.node = node.name;
  lock.uid = node.uid;
  if (!node.lock.job.is_valid()) return lock;
  lock.locked_for = lock_text(cluster.job(node.lock.job).uid);
  lock.since = node.lock.since;
  lock.has_taint = has_taint;
  return lock;
}

}  // namespace

void ReservationReporter::observe(const ClusterEvent& event) {
  if (const auto* node = std::get_if<NodeObject>(&event)) {
    note_lock(*node);
  } else if (const auto* gone_node = std::get_if<NodeDeleted>(&event)) {
    locks_.erase(gone_node->name);
    pending_locks_.erase(gone_node->name);
  } else if (const auto* pod = std::get_if<PodObject>(&event)) {
    if (pod->group.empty()) note_marks(pod->uid, pod->marks);
  } else if (const auto* gone_pod = std::get_if<PodDeleted>(&event)) {
    marks_.erase(gone_pod->uid);
  } else if (const auto* group = std::get_if<PodGroupObject>(&event)) {
    std::string& uid = groups_[group->full_name()];
    if (uid != group->uid) marks_.erase(std::exchange(uid, group->uid));
    note_marks(group->uid, group->marks);
  } else if (const auto* gone_group = std::get_if<PodGroupDeleted>(&event)) {
    const auto known = groups_.find(gone_group->full_name);
    if (known == groups_.end()) return;
    marks_.erase(known->second);
    groups_.erase(known);
  }
}

void ReservationReporter::note_lock(const NodeObject& node) {
  ports::NodeLock lock{node.name, node.uid, {}, {}, node.has_lock_taint};
  if (is_for_job(node.locked_for)) {
    lock.locked_for = node.locked_for;
    lock.since = node.locked_since.value_or(TimePoint());
  }
  const auto pending = pending_locks_.find(node.name);
  if (pending != pending_locks_.end() && pending->second.write == lock) {
    pending_locks_.erase(pending);
  }
  if (lock.locked_for.empty() && !lock.has_taint) {
    locks_.erase(node.name);
  } else {
    locks_[node.name] = std::move(lock);
  }
}

void ReservationReporter::note_marks(const std::string& uid, const TargetMarks& marks) {
  const auto pending = pending_marks_.find(uid);
  if (pending != pending_marks_.end() && pending->second.write.marks == marks) {
    pending_marks_.erase(pending);
  }
  if (marks == TargetMarks()) {
    marks_.erase(uid);
  } else {
    marks_[uid] = marks;
  }
}

void ReservationReporter::stop_leading() {
  pending_locks_.clear();
  pending_marks_.clear();
}

const TargetMarks& ReservationReporter::marks_of(const std::string& uid) const {
  static const TargetMarks kNone;
  const auto found = marks_.find(uid);
  return found == marks_.end() ? kNone : found->second;
}

std::set<std::string> ReservationReporter::nodes_locked_for(const std::string& job_uid) const {
  std::set<std::string> nodes;
  for (const auto& [node, lock] : locks_) {
    if (lock.locked_for == lock_text(job_uid)) nodes.insert(node);
  }
  return nodes;
}

void ReservationReporter::report(const std::vector<JobId>& changed, const Cluster& cluster,
                                 TimePoint now) {
  report_locks(cluster, now);
  owed_.insert(changed.begin(), changed.end());
  while (!young_.empty() && young_.begin()->first <= now) {
    owed_.insert(young_.extract(young_.begin()).value().second);
  }
  std::erase_if(owed_, [&](JobId id) {
    const Job& job = cluster.job(id);
    return !job.exists || !job.has_group || !job.is_ours() || report_marks(id, job, now);
  });
}

void ReservationReporter::report_locks(const Cluster& cluster, TimePoint now) {
  if (cluster.locked_node_count() == 0 && locks_.empty() && pending_locks_.empty()) return;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const Node& node = cluster.node(NodeId(n));
    if (node.lock.job.is_valid() || locks_.contains(node.name) ||
        pending_locks_.contains(node.name)) {
      report_lock(wanted_lock(cluster, node, options_.has_taints), now);
    }
  }
}

void ReservationReporter::report_lock(const ports::NodeLock& wanted, TimePoint now) {
  const auto known = locks_.find(wanted.node);
  const bool is_open = known == locks_.end() || known->second.uid != wanted.uid;
  if (is_open ? wanted.locked_for.empty() : known->second == wanted) {
    pending_locks_.erase(wanted.node);
  } else if (is_due(pending_locks_, wanted.node, wanted, now)) {
    sink_.write(wanted);
  }
}

// True when the API says all of the job that it should say now.
bool ReservationReporter::report_marks(JobId id, const Job& job, TimePoint now) {
  const TargetMarks& known = marks_of(job.uid);
  TargetMarks wanted = berth::marks_of(job);
  keep_users_word(wanted, known);
  wanted.first_seen = known.first_seen;
  if (has_started(job)) wanted.given_up_at.reset();
  // By a clock that was ahead of ours: said anew, or it would be lost with each restart.
  const bool is_told = known.first_seen && *known.first_seen <= now;
  const bool is_to_be_remembered =
      options_.keeps_waiting && !is_told && waits(job) && job.first_seen != TimePoint();
  if (is_to_be_remembered && now - job.first_seen < kYoung) {
    young_.emplace(job.first_seen + kYoung, id);
  } else if (is_to_be_remembered) {
    wanted.first_seen = job.first_seen;
  }
  if (wanted == known) {
    pending_marks_.erase(job.uid);
    return true;
  }
  ports::JobMarks marks;
  if (job.is_single) marks.about = ports::Event::About::pod;
  std::tie(marks.name_space, marks.name) = split_name(job.name);
  marks.uid = job.uid;
  marks.is_volcano = job.is_volcano;
  marks.marks = std::move(wanted);
  if (is_due(pending_marks_, job.uid, marks, now)) sink_.write(marks);
  return false;
}

template <class Write>
bool ReservationReporter::is_due(std::map<std::string, Pending<Write>>& pending,
                                 const std::string& key, const Write& write, TimePoint now) {
  Pending<Write>& last = pending[key];
  if (last.write == write && now - last.at < kPatience) return false;
  last = {write, now};
  return true;
}

}  // namespace berth::daemon
