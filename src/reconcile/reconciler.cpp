#include "reconcile/reconciler.h"

#include <algorithm>

#include "reconcile/group_status.h"
#include "reconcile/queue_status.h"
#include "reconcile/reservation_marks.h"

namespace berth::reconcile {

namespace {

constexpr Duration kQueueInterval = std::chrono::seconds(10);
constexpr Duration kLookedAtAgain = std::chrono::minutes(1);
constexpr Duration kHeldMost = std::chrono::seconds(2);
constexpr Duration kHeldWhileItLacksPods = std::chrono::milliseconds(300);

void add_names(const WrittenQueueStatus& status, std::set<std::string>& names) {
  for (const NamedAmounts* amounts : {&status.allocated, &status.deserved, &status.guarantee,
                                      &status.real_capability, &status.reserved_idle}) {
    for (const auto& [resource, amount] : *amounts) names.insert(resource);
  }
}

}  // namespace

void Reconciler::observe(const ClusterEvent& event) {
  conditions_.observe(event);
  if (const auto* group = std::get_if<PodGroupDeleted>(&event)) {
    groups_.erase(group->full_name);
  } else if (const auto* queue = std::get_if<QueueDeleted>(&event)) {
    queues_.erase(queue->name);
  } else if (std::get_if<QueueObject>(&event) != nullptr) {
    queues_may_differ_ = true;
  } else if (const auto* gone_pod = std::get_if<PodDeleted>(&event)) {
    announcer_.forget_pod(gone_pod->uid);
    unseen_marks_.erase(gone_pod->uid);
  } else if (const auto* node = std::get_if<NodeObject>(&event)) {
    see_lock(*node);
  } else if (const auto* pod = std::get_if<PodObject>(&event)) {
    see_marks(pod->uid);
  } else if (const auto* changed = std::get_if<PodGroupObject>(&event)) {
    see_marks(changed->uid);
  }
}

// The watch shows what was written: from now on, what differs was changed by another.
void Reconciler::see_lock(const NodeObject& node) {
  const auto unseen = unseen_locks_.find(node.uid);
  if (unseen == unseen_locks_.end()) return;
  const auto found = observed_.locks().find(node.name);
  const ports::NodeLock lock =
      found == observed_.locks().end() ? ports::NodeLock() : found->second.lock;
  if (unseen->second.wanted == lock) unseen_locks_.erase(unseen);
}

void Reconciler::see_marks(const std::string& uid) {
  const auto unseen = unseen_marks_.find(uid);
  if (unseen == unseen_marks_.end()) return;
  if (unseen->second.wanted == observed_.marks_of(uid)) unseen_marks_.erase(unseen);
}

void Reconciler::stop_leading() {
  groups_.clear();
  held_until_.reset();
  queues_.clear();
  queue_table_ = nullptr;
  unseen_locks_.clear();
  unseen_marks_.clear();
  conditions_.stop_leading();
}

void Reconciler::look_at(const std::vector<JobId>& jobs) {
  outstanding_.insert(jobs.begin(), jobs.end());
  if (options_.autoscaling) conditions_.look_at(jobs);
}

// An eviction that is under way, or repeated, is not doubled.
void Reconciler::evict(const Task& task, const std::string& why, TimePoint now) {
  if (writes_.is_pending(ref_of(task), Aspect::eviction)) return;
  announcer_.evictions().begun(task, why);
  writes_.begin(ref_of(task), ports::Eviction{why}, now);
}

void Reconciler::evict(const PlannedEviction& eviction, const Cluster& cluster, TimePoint now) {
  const Task& task = cluster.task(eviction.task);
  if (writes_.is_pending(ref_of(task), Aspect::eviction)) return;
  announcer_.evictions().begun(eviction, cluster);
  writes_.begin(ref_of(task), ports::Eviction{eviction.text_for_victim(cluster)}, now);
}

void Reconciler::take(const Ended& ended) {
  const std::string& uid = ended.write.object.uid;
  switch (aspect_of(ended.write.content)) {
    case Aspect::group_status: {
      const auto found = groups_.find(ended.write.object.full_name());
      if (found == groups_.end() || found->second.uid != uid || !found->second.written) return;
      BelievedGroup& group = found->second;
      if (is_believed(ended)) group.status = *group.written;
      if (!is_believed(ended)) group.written_at = TimePoint();  // as soon as the back-off allows
      group.written.reset();
      return;
    }
    case Aspect::queue_status: {
      const auto found = queues_.find(ended.write.object.name);
      if (found == queues_.end() || found->second.uid != uid || !found->second.written) return;
      BelievedQueue& queue = found->second;
      if (is_believed(ended)) queue.status = *queue.written;
      if (!is_believed(ended)) queue_table_ = nullptr;  // looked at anew
      queue.written.reset();
      return;
    }
    case Aspect::lock:
      take_answer(ended, unseen_locks_);
      return;
    case Aspect::marks:
      take_answer(ended, unseen_marks_);
      return;
    case Aspect::condition:
      return conditions_.take(ended);
    case Aspect::eviction:
      return announcer_.evictions().take(ended);
    default:
      return;
  }
}

void Reconciler::reconcile(const Cluster& cluster,
                           const std::shared_ptr<const views::QueueTable>& queues, TimePoint now) {
  held_until_.reset();
  writes_.repeat(now);
  announcer_.evictions().publish(now);
  announcer_.pods().publish(cluster, announcer_.waiting(), now);
  // Entries of deleted objects; older ones are written again in any case (WRITE-8).
  const auto is_late = [now](const auto& entry) { return now - entry.second.at >= kSeenWithin; };
  const auto is_missed = [&](const auto& entry) { return entry.second.is_done && is_late(entry); };
  if (std::any_of(unseen_locks_.begin(), unseen_locks_.end(), is_missed) ||
      std::any_of(unseen_marks_.begin(), unseen_marks_.end(), is_missed)) {
    writes_.doubt_watches(now);
  }
  std::erase_if(unseen_locks_, is_late);
  std::erase_if(unseen_marks_, is_late);
  while (!young_.empty() && young_.begin()->first <= now) {
    outstanding_.insert(young_.extract(young_.begin()).value().second);
  }
  std::erase_if(outstanding_, [&](JobId id) { return reconcile_job(id, cluster, now); });
  reconcile_texts(cluster, now);
  reconcile_locks(cluster, now);
  conditions_.reconcile(cluster, now);
  if (queues != nullptr) reconcile_queues(queues, now);
}

// --- jobs -------------------------------------------------------------------------------------

// True when nothing is left to be done for the job.
bool Reconciler::reconcile_job(JobId id, const Cluster& cluster, TimePoint now) {
  const Job& job = cluster.job(id);
  if (!job.exists) return true;
  if (!job.has_group || job.is_single) announcer_.note_pods(id, job, now);
  if (!job.has_group) return true;
  const bool status_is_done = reconcile_status(id, job, now, false);
  const bool marks_are_done = !job.is_ours() || reconcile_marks(id, job, cluster, now);
  return status_is_done && marks_are_done;
}

// STATUS-6
void Reconciler::reconcile_texts(const Cluster& cluster, TimePoint now) {
  constexpr int kMost = 200;  // looked at; few of them differ
  for (int looked = 0; looked < kMost; ++looked) {
    const std::optional<JobId> id = text_turns_.next(now);
    if (!id) return;
    const Job& job = cluster.job(*id);
    const bool is_waiting_group = job.exists && job.has_group && !job.is_single;
    if (is_waiting_group && !reconcile_status(*id, job, now, true)) outstanding_.insert(*id);
  }
}

bool Reconciler::reconcile_status(JobId id, const Job& job, TimePoint now, bool is_turn_of_texts) {
  const Waiting waiting = announcer_.waiting().of(id);
  if (job.is_single) {
    announcer_.announce_refused_name(job, now);
    return true;
  }
  const ObservedGroup* observed = observed_.group(job.name);
  if (observed == nullptr) return true;
  if (!job.is_ours()) {
    groups_.erase(job.name);
    return true;
  }
  BelievedGroup& believed = believed_of(*observed, now);
  const auto [wanted, is_provisional] = desired_group_status(
      job, waiting, announcer_.targets().condition_of(job), believed.latest(), now);
  announcer_.pods().note(id, job, wanted.reason, wanted.reason == believed.announced.reason, now);
  if (!believed.written && is_left_of(wanted.waiting, believed.status.waiting)) {
    believed.status.waiting = wanted.waiting;
  }
  const ports::GroupStatus& before = believed.latest();
  if (is_provisional && wanted.phase == before.phase) return false;
  if (is_held(job, wanted, believed, now)) return false;
  const bool is_in_object = !is_written_alike(observed->ref.kind, wanted, before);
  if (!wanted.waiting.reason.empty()) text_turns_.want(id, now + kLookedAtAgain);
  if (wanted == before) {
    if (believed.written) return false;
    believed.announced = wanted;
    writes_.settle(observed->ref, Aspect::group_status);
    return !is_provisional;
  }
  const TimePoint due = believed.written_at + least_interval(wanted, before);
  const bool is_for_texts = is_in_object && is_in_texts_alone(wanted, before);
  if (is_for_texts && (now < due || !is_turn_of_texts)) {
    text_turns_.want(id, std::max(now, due));
    return !believed.written && !is_provisional;
  }
  if (now < due) return false;
  if (is_in_object && !writes_.may_begin(observed->ref, Aspect::group_status, now)) return false;
  announcer_.announce_status(job, believed.announced, wanted, now);
  believed.announced = wanted;
  believed.written_at = now;
  if (is_in_object) {
    if (is_for_texts) text_turns_.spend();
    believed.written = wanted;
    writes_.begin(observed->ref, wanted, now);
    return false;
  }
  (believed.written ? *believed.written : believed.status) = wanted;
  return !believed.written && !is_provisional;
}

// STATUS-7
bool Reconciler::is_held(const Job& job, const ports::GroupStatus& wanted,
                         const BelievedGroup& believed, TimePoint now) {
  const ports::GroupStatus& before = believed.latest();
  const bool says_more = !wanted.reason.empty() || wanted.targeted != before.targeted ||
                         wanted.honoured.message != before.honoured.message;
  const bool is_admitted =
      before.phase == GroupPhase::pending && wanted.phase == GroupPhase::inqueue;
  if (!is_admitted || says_more) return false;
  const bool lacks_pods = job.task_count() < job.min_available;
  const TimePoint until = believed.first_seen + (lacks_pods ? kHeldWhileItLacksPods : kHeldMost);
  if (now >= until) return false;
  held_until_ = std::min(held_until_.value_or(until), until);
  return true;
}

Reconciler::BelievedGroup& Reconciler::believed_of(const ObservedGroup& observed, TimePoint now) {
  BelievedGroup& believed = groups_[observed.ref.full_name()];
  if (believed.uid != observed.ref.uid) {
    believed = {observed.ref.uid, observed.status, std::nullopt, observed.status, TimePoint(), now};
  }
  return believed;
}

bool Reconciler::reconcile_marks(JobId id, const Job& job, const Cluster& cluster, TimePoint now) {
  const TargetMarks& before = observed_.marks_of(job.uid);
  const DesiredMarks desired = desired_marks(cluster, job, before, options_.keeps_waiting, now);
  if (desired.due) young_.emplace(*desired.due, id);
  const ports::ObjectRef object = ref_of(job);
  if (desired.marks == before) {
    unseen_marks_.erase(job.uid);
    writes_.settle(object, Aspect::marks);
    return true;
  }
  write_until_seen(object, desired.marks, unseen_marks_, now);
  return false;
}

// --- nodes ------------------------------------------------------------------------------------

void Reconciler::reconcile_locks(const Cluster& cluster, TimePoint now) {
  const auto& observed = observed_.locks();
  if (!cluster.locks().are_any() && observed.empty() && unseen_locks_.empty()) return;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const Node& node = cluster.node(NodeId(n));
    if (node.lock.job.is_valid() || node.queue_lock.queue.is_valid() ||
        observed.contains(node.name) || unseen_locks_.contains(node.uid)) {
      reconcile_lock(ref_of(node), desired_lock(cluster, node, options_.locks_are_taints), now);
    }
  }
}

void Reconciler::reconcile_lock(const ports::ObjectRef& node, const ports::NodeLock& wanted,
                                TimePoint now) {
  const auto found = observed_.locks().find(node.name);
  const bool is_there = found != observed_.locks().end() && found->second.node.uid == node.uid;
  if (wanted == (is_there ? found->second.lock : ports::NodeLock())) {
    unseen_locks_.erase(node.uid);
    writes_.settle(node, Aspect::lock);
  } else {
    write_until_seen(node, wanted, unseen_locks_, now);
  }
}

template <class T>
void Reconciler::take_answer(const Ended& ended, std::map<std::string, Unseen<T>>& unseen) {
  const auto found = unseen.find(ended.write.object.uid);
  if (found == unseen.end()) return;
  found->second.is_done = ended.is(ports::WriteOutcome::Result::done);
  if (!is_believed(ended)) unseen.erase(found);
}

// WRITE-8. Somebody may take away what was written: it is written again.
template <class T>
void Reconciler::write_until_seen(const ports::ObjectRef& object, const T& wanted,
                                  std::map<std::string, Unseen<T>>& unseen, TimePoint now) {
  const auto last = unseen.find(object.uid);
  const bool is_written_lately = last != unseen.end() && last->second.wanted == wanted;
  const Aspect aspect = aspect_of(ports::Content(wanted));
  if (is_written_lately || !writes_.may_begin(object, aspect, now)) return;
  unseen[object.uid] = {wanted, now};
  writes_.begin(object, wanted, now);
}

// --- queues -----------------------------------------------------------------------------------

// STATUS-4. Urgent differences at once, all others together at most every ten seconds.
void Reconciler::reconcile_queues(const std::shared_ptr<const views::QueueTable>& table,
                                  TimePoint now) {
  if (table != queue_table_) {
    queue_table_ = table;
    queues_may_differ_ = true;
    bool all_written = true;
    for (std::size_t row = 0; row < table->rows.size(); ++row) {
      all_written = reconcile_queue(row, true, now) && all_written;
    }
    if (!all_written) return void(queue_table_ = nullptr);
  }
  if (!queues_may_differ_ || now - queues_written_at_ < kQueueInterval) return;
  queues_may_differ_ = false;
  queues_written_at_ = now;
  for (std::size_t row = 0; row < table->rows.size(); ++row) reconcile_queue(row, false, now);
}

// False if the queue has a difference that cannot be written yet.
bool Reconciler::reconcile_queue(std::size_t at, bool urgent_only, TimePoint now) {
  const views::QueueTable::Row& row = queue_table_->rows[at];
  const ObservedQueue* observed = observed_.queue(row.name);
  if (observed == nullptr || observed->ref.uid != row.uid) return true;  // it is no object
  BelievedQueue& believed = believed_of(*observed);
  const WrittenQueueStatus& before = believed.written ? *believed.written : believed.status;
  WrittenQueueStatus wanted = desired_queue_status(*queue_table_, at, before, now);
  if (wanted == before) {
    if (!believed.written) writes_.settle(observed->ref, Aspect::queue_status);
    return true;
  }
  if (urgent_only && !is_urgent(wanted, before)) return true;
  if (!writes_.may_begin(observed->ref, Aspect::queue_status, now)) {
    queues_may_differ_ = true;
    return false;
  }
  add_names(wanted, believed.resources);
  ports::QueueStatus status;
  if (!before.has_state) status.state = row.state;
  status.resources.assign(believed.resources.begin(), believed.resources.end());
  status.written = wanted;
  announcer_.announce_reserved(observed->ref, believed.announced, wanted.reserved, now);
  believed.announced = wanted.reserved;
  believed.written = std::move(wanted);
  writes_.begin(observed->ref, std::move(status), now);
  return true;
}

Reconciler::BelievedQueue& Reconciler::believed_of(const ObservedQueue& observed) {
  BelievedQueue& believed = queues_[observed.ref.name];
  if (believed.uid != observed.ref.uid) {
    believed = {observed.ref.uid, observed.status, std::nullopt, {}, observed.status.reserved};
    add_names(observed.status, believed.resources);
  }
  return believed;
}

}  // namespace berth::reconcile
