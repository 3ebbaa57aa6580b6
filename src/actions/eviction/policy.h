#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "berth/engine/session.h"

namespace berth::actions {

// The parts of jobs that may leave for a claimant, and the pods that may not.
struct Parties {
  engine::PartSet parts;
  std::vector<Spared> spared;  // of running pods that could have helped
};

// The part of one evicting action in the common search for victims (docs/design/victims.md).
struct EvictionPolicy {
  std::string_view action;  // static storage
  EvictedAs as_surplus = EvictedAs::surplus;
  EvictedAs as_whole = EvictedAs::whole_job;
  // Depends on the queue and the priority of the claimant.
  std::function<Parties(const Job& claimant)> parties;
  // Asked before each eviction; without it, all may.
  std::function<engine::Verdict(const engine::Claimant&, const engine::Leaving&)> may_take;
  // The pods of the claimant itself leave, and no others.
  bool is_within_job = false;
  // Without it, on all nodes.
  std::function<bool(NodeId)> may_vacate;
  // Claimants' queues are entitled to what victims of other queues leave.
  bool is_for_entitled = false;
  // First tries to find victims so that no queue loses any of what it deserves.
  bool is_strict_first = false;
};

}  // namespace berth::actions
