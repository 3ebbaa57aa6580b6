#include "extender/moves.h"

#include <utility>

namespace berth::extender {

std::string Moves::node_of(std::string_view uid, const std::string& planned,
                           std::uint64_t taken_in) const {
  if (count_ == 0) return planned;
  const std::lock_guard lock(mutex_);
  const auto exchanged = exchanged_.find(uid);
  if (exchanged != exchanged_.end() && exchanged->second.number > taken_in) {
    return exchanged->second.place.node;
  }
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
  count();
}

void Moves::follow(const ports::PlanTable& plan) {
  if (count_ == 0) return;
  const std::lock_guard lock(mutex_);
  if (plan.epoch != 0 && plan.epoch == followed_) return;
  followed_ = plan.epoch;
  const auto is_elsewhere = [&](const std::string& uid, const std::string& node) {
    const ports::PlannedPod* planned = plan.find(uid);
    return planned == nullptr || planned->node != node;
  };
  std::erase_if(moves_,
                [&](const auto& each) { return is_elsewhere(each.first, each.second.from); });
  std::erase_if(choices_, [&](const auto& each) { return is_elsewhere(each.first, each.second); });
  const auto is_gone = [&](const auto& entry) { return plan.find(entry.first) == nullptr; };
  std::erase_if(exchanged_, is_gone);
  std::erase_if(handed_out_, is_gone);
  count();
}

void Moves::leave_choice(const std::string& uid, const std::string& planned) {
  const std::lock_guard lock(mutex_);
  choices_[uid] = planned;
  count();
}

bool Moves::has_choice(std::string_view uid, const std::string& planned) const {
  if (count_ == 0) return false;
  const std::lock_guard lock(mutex_);
  const auto found = choices_.find(uid);
  return found != choices_.end() && found->second == planned;
}

// --- places of pods that are alike (STEER-16) -------------------------------------------------

void Moves::hand_out(const std::string& uid, const std::string& node) {
  const std::lock_guard lock(mutex_);
  handed_out_[uid] = node;
  count();
}

void Moves::take_back(const std::string& uid) {
  if (count_ == 0) return;
  const std::lock_guard lock(mutex_);
  handed_out_.erase(uid);
  count();
}

bool Moves::is_handed_out(std::string_view uid, std::string_view node) const {
  if (count_ == 0) return false;
  const std::lock_guard lock(mutex_);
  const auto found = handed_out_.find(uid);
  return found != handed_out_.end() && found->second == node;
}

Moves::Place Moves::place_of(std::string_view uid, const ports::PlannedPod& planned,
                             std::uint64_t taken_in) const {
  if (count_ != 0) {
    const std::lock_guard lock(mutex_);
    const auto exchanged = exchanged_.find(uid);
    const bool is_newer = exchanged != exchanged_.end() && exchanged->second.number > taken_in;
    if (is_newer) return exchanged->second.place;
  }
  return {planned.node, planned.order};
}

void Moves::exchange(const ports::Exchange& exchange) {
  const std::lock_guard lock(mutex_);
  ++last_exchange_;
  exchanged_[exchange.pod_uid] = {last_exchange_, {exchange.other_node, exchange.other_order}};
  exchanged_[exchange.other_uid] = {last_exchange_, {exchange.node, exchange.order}};
  not_taken_.push_back(exchange);
  count();
}

std::vector<ports::Exchange> Moves::take_exchanges() {
  const std::lock_guard lock(mutex_);
  return std::exchange(not_taken_, {});
}

}  // namespace berth::extender
