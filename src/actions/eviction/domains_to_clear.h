#pragma once

#include <optional>
#include <vector>

#include "actions/eviction/candidates.h"
#include "berth/engine/start.h"

namespace berth::actions {

// The domains that are searched for victims one by one, because members want others of their job
// near them. Rule VICTIM-11 of docs/design/victims.md.
struct DomainsToClear {
  std::vector<engine::Start> starts;
  bool are_all = true;    // false: there are more than are searched
  std::int32_t most = 0;  // members that want it for which one domain could have room
};

// None: no member wants that, or there is a pod already that satisfies them.
std::optional<DomainsToClear> domains_to_clear(engine::Session& session,
                                               const EvictionPolicy& policy,
                                               const Candidates& candidates, JobId claimant,
                                               const std::vector<TaskId>& tasks,
                                               bool takes_whole_jobs);

}  // namespace berth::actions
