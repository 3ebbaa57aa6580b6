#include "extender/moves.h"

namespace berth::extender {

std::string Moves::node_of(std::string_view uid, const std::string& planned) const {
  if (count_ == 0) return planned;
  const std::lock_guard lock(mutex_);
  const auto found = moves_.find(uid);
  return found != moves_.end() && found->second.from == planned ? found->second.to : planned;
}

NamedAmounts Moves::taken_on(std::string_view node) const {
  NamedAmounts taken;
  if (count_ == 0) return taken;
  const std::lock_guard lock(mutex_);
  for (const auto& [uid, move] : moves_) {
    if (move.to != node) continue;
    for (const auto& [resource, amount] : move.request) taken[resource] += amount;
  }
  return taken;
}

void Moves::add(const std::string& uid, const std::string& from, const std::string& to,
                const NamedAmounts& request) {
  const std::lock_guard lock(mutex_);
  moves_[uid] = {from, to, request};
  count_ = moves_.size();
}

void Moves::follow(const ports::PlanTable& plan) {
  if (count_ == 0) return;
  const std::lock_guard lock(mutex_);
  std::erase_if(moves_, [&](const auto& entry) {
    const ports::PlannedPod* planned = plan.find(entry.first);
    return planned == nullptr || planned->node != entry.second.from;
  });
  count_ = moves_.size();
}

}  // namespace berth::extender
