#include <map>
#include <utility>

#include "berth/base/check.h"
#include "berth/engine/need.h"
#include "berth/engine/session.h"

// Targets and locks, as actions move them.

namespace berth::engine {

void Session::elect(JobId job, std::string why) {
  BERTH_CHECK(!cluster_.job(job).election);
  // Targets are in the order of their election, also those of one session.
  const bool is_named = cluster_.job(job).is_named_target;
  ledger_.set_election(job, Election{now_ + Duration(elections_++), std::move(why), is_named});
}

void Session::name_target(JobId target) {
  Election election = *cluster_.job(target).election;
  election.is_named = true;
  ledger_.set_election(target, std::move(election));
}

void Session::release(JobId target, EndedReservation::How how, const Verdict& why) {
  EndedReservation ended{cause_of(why), target, how, *cluster_.job(target).election,
                         cluster_.locks().nodes_of(target)};
  for (const NodeId node : ended.nodes) unlock(node);
  ledger_.set_election(target, std::nullopt);
  plan_.ended.push_back(std::move(ended));
}

void Session::lock(NodeId node, JobId target) {
  const Lock& before = cluster_.node(node).lock;
  BERTH_CHECK(cluster_.job(target).election && !before.job.is_valid() && !before.is_foreign);
  ledger_.set_lock(node, Lock{target, false, now_});
}

void Session::unlock(NodeId node) { ledger_.set_lock(node, Lock()); }

// NODES-14. Without a plugin that chooses nodes, no queue has any.
void Session::relock() {
  if (is_silent(points::queue_nodes)) return give_nodes({});
  auto chosen = ask(points::queue_nodes);
  if (!chosen) return;
  give_nodes(*chosen);
  plan_.has_relocked = true;
  plan_.queue_nodes = std::move(*chosen);
}

void Session::describe_queue_nodes() {
  if (!plan_.has_relocked && cluster_.locks().for_queues() > 0) {
    for (std::size_t q = 0; q < cluster_.queue_slots(); ++q) {
      if (!cluster_.locks().has_nodes(QueueId(q))) continue;
      plan_.queue_nodes.push_back({QueueId(q), cluster_.locks().nodes_of(QueueId(q)), {}});
    }
  }
  ask(points::queue_reservations, &plan_.queue_reservations);
  for (QueueReservation& each : plan_.queue_reservations) {
    each.choice = cluster_.queue(each.queue).node_choice;
    if (const auto found = in_the_way_.find(each.queue); found != in_the_way_.end()) {
      each.spared = found->second;
    }
    for (const QueueNodes& chosen : plan_.queue_nodes) {
      if (plan_.has_relocked && chosen.queue == each.queue) each.choice = chosen.choice;
    }
  }
}

void Session::give_nodes(const std::vector<QueueNodes>& nodes) {
  std::map<NodeId, QueueId> owners;
  for (const QueueNodes& each : nodes) {
    for (const NodeId node : each.nodes) BERTH_CHECK(owners.emplace(node, each.queue).second);
  }
  for (std::size_t n = 0; n < cluster_.node_count() && cluster_.locks().for_queues() > 0; ++n) {
    const QueueId before = cluster_.locks().queue(NodeId(n));
    const auto owner = owners.find(NodeId(n));
    if (before.is_valid() && (owner == owners.end() || owner->second != before)) {
      ledger_.set_queue_lock(NodeId(n), {});
    }
  }
  for (const auto& [node, queue] : owners) {
    if (cluster_.locks().queue(node) == queue) continue;
    const JobId target = cluster_.locks().target(node);
    BERTH_CHECK(!target.is_valid() || cluster_.is_below(cluster_.queue_of(target), queue));
    BERTH_CHECK(!cluster_.node(node).lock.is_foreign);
    ledger_.set_queue_lock(node, {queue, now_});
  }
}

void Session::forget_needless_elections() {
  for (const JobId target : std::vector<JobId>(cluster_.targets())) {
    const Job& job = cluster_.job(target);
    const bool is_new = job.election->since >= now_;
    if (is_new && has_minimum(*this, job) && cluster_.locks().nodes_of(target).empty()) {
      ledger_.set_election(target, std::nullopt);
    }
  }
}

void Session::note_impossible(JobId job, const Verdict& why) {
  impossible_.insert_or_assign(job, why);
}

}  // namespace berth::engine
