#pragma once

#include <functional>
#include <memory>

#include "actions/eviction/policy.h"
#include "berth/engine/need.h"

namespace berth::actions {

// How the jobs that wait are served by one evicting action: rules VICTIM-1 and CLAIMANT-1 to
// CLAIMANT-4 of docs/design/victims.md.
struct Eviction {
  EvictionPolicy policy;
  bool takes_whole_jobs = true;  // where surplus does not do
  // May others leave for the job? Without it, for all.
  std::function<engine::Verdict(const Job&, const engine::Need&)> may_claim;
};

// Tries for one job at a time, in one statement.
std::unique_ptr<engine::RoomMaker> room_maker_of(engine::Session& session, Eviction eviction);

// Serves, in the order of jobs, each that lacks its minimum, and for which evicting helps.
void evict_for_waiting_jobs(engine::Session& session, engine::RoomMaker& maker);

// The same for these tasks of one job, whatever it lacks; nobody remembers that it was in vain.
bool evict_for_tasks(engine::Session& session, const Eviction& eviction,
                     const std::vector<TaskId>& tasks);

// Why nobody leaves for the job, if at most so many of the members that it lacks could be placed.
engine::Verdict why_in_vain(engine::Session& session, const Job& job,
                            const ConsideredEvictions& vain, std::int32_t most,
                            std::int32_t lacking);

// True for a job that lacks its minimum, could start with what it has, and claims nothing.
bool is_claimant(engine::Session& session, const Job& job);

}  // namespace berth::actions
