#pragma once

#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/engine/eviction_limits.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"

namespace berth::support {

// The configuration selects the laws that hold.
struct LawBook {
  bool has_enqueue = true;
  bool has_allocate = true;
  bool has_backfill = true;
  bool has_backfill_behind = false;
  LimitTrust limit_trust = LimitTrust::stated;
  bool locks_by_ends = false;  // LOCK-9, with nothing that sets it aside
  bool has_gang = true;
  bool has_predicates = true;
  bool has_proportion = false;
  bool has_elect = false;
  bool has_priority = false;
  bool has_elastic = false;
  bool has_conformance = false;
  bool has_node_reservation = false;
  Duration cleanup_grace = std::chrono::minutes(5);
  Duration preempt_min_run_time{0};
  Duration reclaim_min_run_time{0};
  engine::EvictionLimits eviction_limits;
  std::size_t targets_most = 1;
  std::size_t locked_thousandths_most = 1000;
};

// The laws that a plan breaks, in words. They are computed from the cluster before the plan,
// without the engine's caches and accounts.
std::vector<std::string> broken_laws(const Cluster& before, const Plan& plan, const LawBook& book,
                                     TimePoint now);

}  // namespace berth::support
