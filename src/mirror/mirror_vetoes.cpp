#include <algorithm>
#include <utility>

#include "berth/base/hash.h"
#include "mirror/mirror.h"

// Refusals of kube-scheduler: of nodes for a shape (STEER-12), of plans of a job (HINT-3 to
// HINT-5).

namespace berth::mirror {

namespace {

constexpr Duration kFirst = std::chrono::seconds(1);
constexpr std::int32_t kDoublings = 10;
// kube-scheduler may hear of a node, or of a pod that has ended, so much later than we do.
constexpr Duration kLag = std::chrono::seconds(5);
constexpr int kPartForPods = 8;

Duration doubled(std::int32_t times, Duration most) {
  return std::min(most, kFirst * (1 << std::min(times, kDoublings)));
}

// HINT-4. Jobs that were refused together do not meet again.
Duration apart(Duration pause, const std::string& uid) {
  constexpr std::int64_t kSteps = 1000;
  return pause - pause / (10 * kSteps) * static_cast<std::int64_t>(fnv1a(uid) % kSteps);
}

bool refused_it(const Attempt& attempt, const std::string& node) {
  return attempt.nodes.empty() ||
         std::binary_search(attempt.nodes.begin(), attempt.nodes.end(), node);
}

// In a busy cluster some pod always leaves: the pauses must grow there, too.
Duration least_pause(const Attempt& attempt, bool is_specification) {
  return is_specification ? kFirst : std::max(kFirst, attempt.pause / kPartForPods);
}

}  // namespace

void Mirror::veto(const std::string& pod_uid, const std::string& node, const std::string& why,
                  TimePoint now, Duration most) {
  const TaskId id = find_task(pod_uid);
  if (!id.is_valid() || !nodes_.contains(node)) return;
  Veto& veto = vetoes_[node][cluster_.shape_of(id).lasting_key];
  // One cause may refuse many pods of a shape at once: they count once.
  if (veto.is_in_force && veto.until > now && veto.why == why) return;
  const Duration lasts = doubled(veto.times, most);
  ++veto.times;
  veto.until = now + lasts;
  veto.remembered_until = veto.until + most;
  const bool is_same = std::exchange(veto.why, why) == why;
  if (std::exchange(veto.is_in_force, true) && is_same) return;
  refresh_node(node);
}

void Mirror::forget_vetoes(TimePoint now) {
  for (auto node = vetoes_.begin(); node != vetoes_.end();) {
    auto& [name, shapes] = *node;
    bool changed = false;
    for (auto& [shape, veto] : shapes) {
      if (veto.until > now) continue;
      changed = std::exchange(veto.is_in_force, false) || changed;
    }
    if (changed) refresh_node(name);
    std::erase_if(shapes, [&](const auto& each) { return each.second.remembered_until <= now; });
    node = shapes.empty() ? vetoes_.erase(node) : std::next(node);
  }
}

// --- attempts ---------------------------------------------------------------------------------

Attempt Mirror::attempt_of(JobId id) const {
  const auto& known = cluster_.job(id).attempt;
  return known == nullptr ? Attempt() : *known;
}

void Mirror::set_attempt(JobId id, Attempt attempt) {
  attempted_.insert(id);
  cluster_.mutable_job(id).attempt = std::make_shared<const Attempt>(std::move(attempt));
}

void Mirror::forget_attempts(JobId id) {
  attempted_.erase(id);
  if (cluster_.job(id).attempt != nullptr) cluster_.mutable_job(id).attempt = nullptr;
}

// HINT-5
void Mirror::note_refused_plan(const std::string& pod_uid, const std::string& node, TimePoint now,
                               Duration most) {
  const TaskId id = find_task(pod_uid);
  if (!id.is_valid()) return;
  const Task& task = cluster_.task(id);
  const bool is_planned =
      task.status == TaskStatus::binding && cluster_.node(task.node).name == node;
  if (!is_planned) return;
  Attempt attempt = attempt_of(task.job);
  const std::uint64_t places = places_of(cluster_, cluster_.job(task.job));
  std::erase(attempt.places, places);
  attempt.places.push_back(places);
  if (attempt.places.size() > Attempt::kPlacesMost) attempt.places.erase(attempt.places.begin());
  attempt.repeats_at = now + most;
  attempt.is_open = true;
  set_attempt(task.job, std::move(attempt));
}

// HINT-3, HINT-4
void Mirror::fail_attempt(JobId id, const std::string& why, std::vector<std::string> nodes,
                          TimePoint now, Duration most) {
  std::sort(nodes.begin(), nodes.end());
  Attempt attempt = attempt_of(id);
  const auto changed_lately = [&](const auto& is_meant) {
    return std::any_of(changed_nodes_.begin(), changed_nodes_.end(), [&](const auto& each) {
      return now - each.second.at < kLag && is_meant(each);
    });
  };
  attempt.pause = apart(doubled(attempt.times, most), cluster_.job(id).uid);
  const auto has_come = [&](const auto& each) {
    return each.second.is_specification && each.second.at > attempt.failed_at;
  };
  if (changed_lately(has_come)) attempt.pause = std::min(attempt.pause, kFirst);
  ++attempt.times;
  attempt.is_open = false;
  attempt.failed_at = now;
  attempt.until = now + attempt.pause;
  attempt.repeats_at = now + most;
  attempt.why = why;
  attempt.nodes = std::move(nodes);
  const auto refused = [&](const auto& each) { return refused_it(attempt, each.first); };
  if (changed_lately(refused)) attempt.repeats_at = attempt.until;
  set_attempt(id, std::move(attempt));
}

void Mirror::note_specification(const std::string& node) {
  changed_nodes_[node] = {TimePoint::max(), true};
  node_changes_due_ = TimePoint::min();
}

void Mirror::note_room(NodeId node) {
  ChangedNode& change =
      changed_nodes_.try_emplace(cluster_.node(node).name, ChangedNode{TimePoint::max(), false})
          .first->second;
  if (!change.is_specification) change.at = TimePoint::max();
  node_changes_due_ = TimePoint::min();
}

// HINT-4. A job is tried again sooner if a node came or changed, or a pod left one that refused it.
void Mirror::settle_attempts(TimePoint now) {
  if (now < node_changes_due_) return;
  node_changes_due_ = TimePoint::max();
  std::vector<std::string> changed;
  bool is_specification = false;
  for (auto& [name, change] : changed_nodes_) {
    if (change.at != TimePoint::max()) continue;
    change.at = now;
    is_specification = is_specification || change.is_specification;
    changed.push_back(name);
  }
  std::erase_if(changed_nodes_, [&](const auto& each) { return now - each.second.at >= kLag; });
  for (const auto& [name, change] : changed_nodes_) {
    node_changes_due_ = std::min(node_changes_due_, change.at + kLag);
  }
  if (changed.empty()) return;
  for (const JobId id : std::vector<JobId>(attempted_.begin(), attempted_.end())) {
    const Attempt& attempt = *cluster_.job(id).attempt;
    const auto refused = [&](const std::string& name) { return refused_it(attempt, name); };
    if (is_specification || std::any_of(changed.begin(), changed.end(), refused)) {
      hasten(id, is_specification);
    }
  }
}

void Mirror::hasten(JobId id, bool is_specification) {
  if (!attempted_.contains(id)) return;
  const Attempt before = attempt_of(id);
  if (before.is_open) return;
  const TimePoint from = before.failed_at + least_pause(before, is_specification);
  Attempt attempt = before;
  attempt.until = std::min(attempt.until, from);
  attempt.repeats_at = std::min(attempt.repeats_at, from);
  if (is_specification && attempt.places.size() > 1) {
    attempt.places.erase(attempt.places.begin(), std::prev(attempt.places.end()));
  }
  const bool is_same = attempt.until == before.until && attempt.repeats_at == before.repeats_at &&
                       attempt.places.size() == before.places.size();
  if (!is_same) set_attempt(id, std::move(attempt));
}

void Mirror::hasten_all() {
  for (const JobId id : std::vector<JobId>(attempted_.begin(), attempted_.end())) hasten(id, true);
}

// The pauses begin again at the first length.
void Mirror::note_bound(JobId id) {
  if (cluster_.job(id).attempt == nullptr || cluster_.job(id).attempt->times == 0) return;
  Attempt attempt = attempt_of(id);
  attempt.times = 0;
  set_attempt(id, std::move(attempt));
}

}  // namespace berth::mirror
