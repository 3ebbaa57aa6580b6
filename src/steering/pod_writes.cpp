#include <algorithm>
#include <utility>

#include "berth/base/look_up.h"
#include "steering/steering.h"
#include "steering/turns.h"

// The writes on a pod, and their order.

namespace berth::steering {

namespace {

using Kind = ports::PodWrite::Kind;

// Of the node that it is planned on: that for its job, or for a target that it is gone before
// (BEHIND-3), and that for its queue or one above.
std::vector<std::string> locks_to_tolerate(const Cluster& cluster, const Task& task) {
  std::vector<std::string> locks;
  const Node& node = cluster.node(task.node);
  if (node.lock.job.is_valid()) locks.push_back(lock_text(cluster.job(node.lock.job).uid));
  const QueueId owner = node.queue_lock.queue;
  const QueueId queue = cluster.queue_of(task.job);
  if (owner.is_valid() && !cluster.queue_in_the_way(task.node, queue).is_valid()) {
    const Queue& its = cluster.queue(owner);
    locks.push_back(std::string(kLockedForQueue) + queue_lock_value(its.name, its.uid));
  }
  return locks;
}

}  // namespace

// STEER-2
bool Steering::is_to_be_nominated(const Cluster& cluster, const Progress& progress,
                                  const reconcile::ObservedPod& pod) const {
  if (options_.mode != Mode::nominate) return false;
  // A nomination that was written must not stay on another node.
  if (progress.may_be_nominated || !pod.nominated.empty()) return true;
  if (progress.may_exchange) return false;
  const Job& job = cluster.job(cluster.task(progress.task).job);
  return is_worth_nominating(needed_together(job, options_.gangs_are_whole), cluster.node_count());
}

// kube-scheduler clears a nomination when an attempt fails: then the pod goes through it all again,
// or the next attempt finds its room taken.
void Steering::lose_nomination(const std::string& uid, Progress& progress) const {
  const reconcile::ObservedPod* pod = observed_.pod(uid);
  if (pod == nullptr || pod->nominations_lost == progress.nominations_lost) return;
  progress.nominations_lost = pod->nominations_lost;
  const bool is_its_own = pod->nominated.empty() && pod->lost_nomination == progress.node;
  if (options_.mode != Mode::nominate || !is_its_own || progress.may_exchange) return;
  progress.stage = Stage::planned;
  progress.number = 0;  // an answer to an earlier write means nothing
}

// STEER-2. A nomination is in the way of pods that exchange their places (SPREAD-11).
void Steering::nominate(const Cluster& cluster, ByUid::iterator entry, TimePoint now) {
  auto& [uid, progress] = *entry;
  const reconcile::ObservedPod* pod = observed_.pod(uid);
  if (pod == nullptr) return;  // just bound or deleted: the mirror will show it
  const std::string wanted = progress.may_exchange ? std::string() : progress.node;
  if (!is_to_be_nominated(cluster, progress, *pod)) {
    progress.stage = Stage::nominated;
  } else if (pod->nominated == wanted && !progress.is_nominated_anew) {
    progress.may_be_nominated = true;
    progress.stage = Stage::nominated;
    progress.changed_at = now;
  } else if (may_write(uid, now)) {
    progress.may_be_nominated = true;
    progress.number = write(uid, {.node = wanted}, now);
  }
}

// STEER-13. Where locks are taints, a pod must tolerate those of its job and of its queue before
// kube-scheduler may try it. The list grows by one with each write.
bool Steering::tolerates_its_locks(const Cluster& cluster, ByUid::iterator entry, TimePoint now) {
  auto& [uid, progress] = *entry;
  if (!options_.locks_are_taints) return true;
  for (const std::string& lock : locks_to_tolerate(cluster, cluster.task(progress.task))) {
    const reconcile::ObservedPod* pod = observed_.pod(uid);
    if (pod == nullptr) return false;
    const auto& written = progress.tolerated;
    const bool is_written = is_any_of(lock, written);
    if (pod->tolerated.cover(lock) || is_written) continue;
    progress.number = write(uid,
                            {.kind = Kind::tolerate,
                             .locked_for = lock,
                             .is_first_toleration = !pod->has_tolerations && written.empty()},
                            now);
    return false;
  }
  return true;
}

// STEER-6, STEER-11, SPREAD-10
void Steering::commit(const Cluster& cluster, ByUid::iterator entry, TimePoint now) {
  auto& [uid, progress] = *entry;
  const reconcile::ObservedPod* pod = observed_.pod(uid);
  if (pod == nullptr) return;
  progress.attempt = ++last_attempt_;
  const Shape& shape = cluster.shape_of(progress.task);
  progress.is_nominated = shape.is_hint || is_shown_by_nomination(shape);
  progress.asks_filter = progress.is_nominated || shape.has_volumes;
  progress.complaint = pod->unschedulable;
  if (options_.mode == Mode::view && !pod->is_gated) {
    progress.stage = Stage::committed;
    progress.changed_at = changed_at_[progress.task] = now;
    shown_changed_ = true;
    return;
  }
  ports::PodWrite commit{.kind = Kind::commit, .node = progress.node};
  // STEER-6
  commit.wakes_by_label =
      !pod->is_gated && pod->is_refused_by_others() && !shape.terms.affinity.empty();
  progress.number = write(uid, std::move(commit), now);
}

// VIEW-2. In the order of the commits, which kube-scheduler follows among pods of one priority.
std::shared_ptr<const ports::ShownPods> Steering::take_shown(ports::Term term) {
  if (options_.mode != Mode::view || !std::exchange(shown_changed_, false)) return nullptr;
  std::vector<ports::ShownPod> shown;
  for (const auto& [uid, progress] : progress_) {
    const reconcile::ObservedPod* pod = observed_.pod(uid);
    if (progress.stage != Stage::committed || pod == nullptr) continue;
    shown.push_back({uid, pod->ref.name_space, pod->ref.name, progress.node, progress.is_nominated,
                     progress.attempt, progress.asks_filter});
  }
  std::sort(shown.begin(), shown.end(),
            [](const auto& left, const auto& right) { return left.attempt < right.attempt; });
  return std::make_shared<const ports::ShownPods>(ports::ShownPods::of(std::move(shown), term));
}

// STEER-12. Its own filter call would have been answered by us, and says so in the condition. The
// answer to the commit may come later than the refusal.
bool Steering::is_vetoed(const std::string& uid, const Progress& progress) const {
  if (progress.attempt == 0) return false;
  const reconcile::ObservedPod* pod = observed_.pod(uid);
  if (pod == nullptr || !pod->is_refused_by_others()) return false;
  // In the same words as before, only the nomination goes.
  const bool has_lost_it = pod->nominations_lost != progress.nominations_lost &&
                           pod->nominated.empty() && pod->lost_nomination == progress.node &&
                           !progress.may_exchange;
  return pod->unschedulable != progress.complaint || has_lost_it;
}

// STEER-8
void Steering::touch(TimePoint now) {
  for (auto& [uid, progress] : progress_) {
    if (!progress.is_touch_due || !may_write(uid, now)) continue;
    progress.is_touch_due = false;
    const reconcile::ObservedPod* pod = observed_.pod(uid);
    if (pod == nullptr || !pod->is_gated) continue;
    progress.number = write(uid, {.kind = Kind::touch}, now);
  }
}

bool Steering::may_write(const std::string& uid, TimePoint now) const {
  const reconcile::ObservedPod* pod = observed_.pod(uid);
  return pod == nullptr || writes_.may_begin(pod->ref, reconcile::Aspect::steering, now);
}

std::uint64_t Steering::write(const std::string& uid, ports::PodWrite write, TimePoint now) {
  return writes_.begin(observed_.pod(uid)->ref, std::move(write), now);
}

}  // namespace berth::steering
