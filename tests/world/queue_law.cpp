#include "world/queue_law.h"

#include <utility>

namespace berth::world {
namespace {

// Earlier plans are bound by then, also those of an earlier leader.
constexpr Duration kPlannedBefore = 1min;

// A Binding is as late as that.
constexpr Duration kPlannedBesideAVictim = 10s;

// As long as a claim stands.
constexpr Duration kClaimed = 10min;

}  // namespace

QueueLaw::QueueLaw(Agenda& agenda, ApiServer& server, const Inhabitants& inhabitants,
                   std::function<void(const std::string&)> break_law)
    : agenda_(agenda),
      server_(server),
      inhabitants_(inhabitants),
      break_law_(std::move(break_law)) {
  server_.follow([this](const ApiServer::Change& change) {
    if (change.kind != Kind::queue) return;
    const auto* const queue = std::get_if<QueueObject>(&change.event);  // null: it is gone
    NamedAmounts& known = capability_[change.key];
    const NamedAmounts now = queue == nullptr ? NamedAmounts() : queue->capability;
    if (std::exchange(known, now) != now) since_[change.key] = agenda_.now();
  });
}

// A group says whose its pods are. For a moment it may be away.
bool QueueLaw::says_queue(const Job& job) const {
  const PodGroupObject* const group = inhabitants_.group_of(job);
  if (job.group.empty() || group == nullptr) return job.group.empty();
  const bool is_made_anew = group->created - job.created > 5s;
  return !is_made_anew || agenda_.now() - group->created > kPlannedBefore;
}

bool QueueLaw::have_others_left(const Job& job, const PodObject& pod) const {
  const PodGroupObject* const group = inhabitants_.group_of(job);
  const auto at = evicted_for_.find(group == nullptr ? pod.full_name() : group->full_name());
  return at != evicted_for_.end() && agenda_.now() - at->second < kClaimed;
}

void QueueLaw::evicted(const std::string& pod_uid, const std::string& claimant) {
  evicted_[pod_uid] = agenda_.now();
  if (!claimant.empty()) evicted_for_[claimant] = agenda_.now();
}

// The eviction may be under way.
bool QueueLaw::leaves(const PodObject& pod) const {
  const auto evicted = evicted_.find(pod.uid);
  return pod.terminating ||
         (evicted != evicted_.end() && agenda_.now() - evicted->second < kPlannedBesideAVictim);
}

void QueueLaw::bound(const PodObject& came) {
  const Job* const job = inhabitants_.job_of(came.uid);
  if (job == nullptr || !job->is_ours) return;
  const auto most = capability_[job->queue].find("cpu");
  if (most == capability_[job->queue].end()) return;
  if (agenda_.now() - since_[job->queue] < kPlannedBefore) return;
  if (have_others_left(*job, came)) return;
  if (agenda_.now() - eviction_failed_at_ < kPlannedBesideAVictim) return;
  std::int64_t used = 0;
  for (const auto& [uid, pod] : server_.all<PodObject>()) {
    const Job* const its = inhabitants_.job_of(uid);
    const bool has_room = !pod.object.node_name.empty() && takes_room(pod.object);
    if (!has_room || leaves(pod.object) || its == nullptr || !its->is_ours) continue;
    if (its->queue == job->queue && says_queue(*its)) used += pod.object.request.at("cpu");
  }
  if (used <= most->second) return;
  break_law_("pod " + came.name + " came beyond the capability of queue " + job->queue + ": " +
             std::to_string(used) + " of " + std::to_string(most->second) + "m");
}

}  // namespace berth::world
