#include "daemon/snapshots.h"

#include <utility>
#include <variant>

namespace berth::daemon {

void Snapshots::ask(Take take) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_ended_ && asking_.size() < kAskingMost) {
      asking_.push_back(std::move(take));
      take = nullptr;
    }
  }
  if (take == nullptr) return wake_();
  take(nullptr);
}

void Snapshots::observe(const ClusterEvent& event) {
  if (const auto* const queue = std::get_if<QueueObject>(&event)) {
    queues_.insert_or_assign(queue->name, *queue);
  } else if (const auto* const gone = std::get_if<QueueDeleted>(&event)) {
    queues_.erase(gone->name);
  } else if (const auto* const topology = std::get_if<TopologyObject>(&event)) {
    topologies_.insert_or_assign(std::pair(topology->kind(), topology->name()), *topology);
  } else if (const auto* const left = std::get_if<TopologyDeleted>(&event)) {
    topologies_.erase(std::pair(left->kind, left->name));
  }
}

bool Snapshots::answer(const Cluster* cluster, const std::string& scheduler, TimePoint now) {
  const std::vector<Take> asking = take_all();
  if (asking.empty()) return false;
  std::shared_ptr<const Snapshot> snapshot;
  if (cluster != nullptr) {
    Snapshot::Objects objects;
    for (const auto& [name, queue] : queues_) objects.queues.push_back(queue);
    for (const auto& [name, topology] : topologies_) objects.topologies.push_back(topology);
    snapshot =
        std::make_shared<const Snapshot>(snapshot_of(*cluster, std::move(objects), scheduler, now));
  }
  for (const Take& take : asking) take(snapshot);
  return snapshot != nullptr;
}

void Snapshots::end() {
  {
    const std::lock_guard lock(mutex_);
    is_ended_ = true;
  }
  for (const Take& take : take_all()) take(nullptr);
}

std::vector<Snapshots::Take> Snapshots::take_all() {
  const std::lock_guard lock(mutex_);
  return std::exchange(asking_, {});
}

}  // namespace berth::daemon
