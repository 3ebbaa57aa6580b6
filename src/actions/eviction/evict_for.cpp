#include "actions/eviction/evict_for.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "actions/claims.h"
#include "actions/eviction/domains_to_clear.h"
#include "actions/eviction/in_domain.h"
#include "actions/eviction/known_candidates.h"
#include "actions/eviction/parties.h"
#include "actions/eviction/solver.h"
#include "actions/near.h"
#include "actions/part_search.h"
#include "actions/placement.h"
#include "actions/refused_plans.h"
#include "engine/memory.h"

namespace berth::actions {
namespace {

using namespace engine;

class Service final : public RoomMaker {
 public:
  Service(Session& session, Eviction eviction)
      : session_(session),
        cluster_(session.cluster()),
        eviction_(std::move(eviction)),
        candidates_(session, eviction_.policy) {}

  bool make_room(JobId id) override {
    if (!tried_.insert(id).second) return false;
    const Job& job = cluster_.job(id);
    Memory::Vain& known = session_.memory().vain(id, eviction_.policy.action);
    if (known.stamp == cluster_.stamp() && session_.now() < known.until) {
      session_.note_vain(known.considered);
      return false;
    }
    ConsideredEvictions vain{id, eviction_.policy.action, {}, 0, {}};
    const bool completes =
        !job.claims.empty() && !job.claims_are_restored && !have_claims_ended(session_, id);
    if (completes) lift_limits(true);
    const bool evicts = attempt_any(job, vain);
    if (completes) lift_limits(false);
    if (evicts) candidates_.note_success();
    if (evicts) return true;
    if (vain.why.reason == Reason::none) return false;
    // LIMIT-3. A set that a limit refused is found again, so that nobody else is served before it.
    if (over_limit_) known = {cluster_.stamp(), session_.answers_hold_until(), vain};
    session_.note_vain(std::move(vain));
    return false;
  }

  bool may_go_on() const override { return candidates_.may_go_on(); }
  bool takes_whole_jobs() const override { return eviction_.takes_whole_jobs; }
  std::int64_t counted() const override { return candidates_.counted(); }

  bool serve_tasks(const std::vector<TaskId>& tasks) {
    std::int32_t most = 0;
    return try_once(cluster_.job(cluster_.task(tasks.front()).job), tasks, {}, most);
  }

 private:
  // LIMIT-3. Others have left for such a job, and must not have left in vain.
  void lift_limits(bool is_lifted) {
    session_.allowance().lift(is_lifted);
    candidates_.clear();
    failed_.clear();
  }

  bool attempt_any(const Job& job, ConsideredEvictions& vain) {
    if (attempt(job, lacking_members(session_, job), vain)) return true;
    if (vain.why.reason == Reason::none || !over_limit_) return false;
    // VICTIM-15
    const std::vector<TaskId> smallest = smallest_members(session_, job);
    ConsideredEvictions of_smallest{job.id, eviction_.policy.action, {}, 0, {}};
    return !smallest.empty() && attempt(job, smallest, of_smallest);
  }

  bool attempt(const Job& job, const std::vector<TaskId>& tasks, ConsideredEvictions& vain) {
    const Need need = need_of(session_, job, tasks);
    if (tasks.empty() || !need.rest.is_zero()) return false;
    if (cluster_.node_count() == 0) return false;  // FEASIBLE-7
    over_limit_ = pass();
    // CLAIMANT-2, CLAIMANT-3
    Verdict verdict =
        never_preempts(cluster_, job, tasks) ? reject(Reason::never_preempts) : pass();
    if (verdict && !may_hold(session_, job)) verdict = reject(Reason::claims_ended_lately);
    if (verdict && eviction_.may_claim) verdict = eviction_.may_claim(job, need);
    if (verdict) verdict = over_limit_ = session_.allowance().of_cluster();  // LIMIT-4
    if (!verdict) {
      vain.why = cause_of(verdict);
      return false;
    }
    // CLAIMANT-4. One that is alike and needs no more was tried in this very state.
    const Alike alike{job.queue, job.priority, need.parts.front().shape};
    const bool is_of_one_shape =
        need.parts.size() == 1 && job.placed_count() == 0 && job.topology.rules.empty();
    const auto failed = failed_.find(alike);
    const bool failed_before = failed != failed_.end() && is_of_one_shape &&
                               failed->second.stamp == cluster_.stamp() &&
                               failed->second.least <= need.members && !job.election;
    std::int32_t most = 0;
    refused_.clear();
    if (failed_before) {
      most = failed->second.most;
      refused_ = failed->second.refused;
    } else if (try_all(job, tasks, most)) {
      return true;
    } else if (!over_limit_) {
      vain.why = cause_of(over_limit_);
      return false;
    } else if (is_of_one_shape && !job.election) {
      // If no more than `most` could ever be placed, as many again are too many.
      const bool is_bound = is_hopeless_ && has_asked_nobody_;
      failed_[alike] = {cluster_.stamp(), is_bound ? most + 1 : need.members, most, refused_};
    }
    if (most < 0) return false;  // there was room: allocate decides
    const Candidates& candidates = candidates_.of(job);
    vain.candidates = candidates.pods_without(job.id);
    vain.spared = candidates.spared();
    for (const Spared& each : refused_) {
      add_spared(vain.spared, each.reason, each.pods);
      vain.candidates -= each.pods;
    }
    vain.why = cause_of(why_in_vain(session_, job, vain, most, need.members));
    return false;
  }

  using Manner = Solver::Manner;

  // VICTIM-1. Surplus alone, if that does; within that, so that no queue loses what it deserves.
  bool try_all(const Job& job, const std::vector<TaskId>& tasks, std::int32_t& most) {
    std::vector<Manner> failed;  // that others may do for
    for (const bool takes_whole_jobs : {false, true}) {
      if (takes_whole_jobs && !eviction_.takes_whole_jobs) continue;
      for (const bool is_strict : {true, false}) {
        if (is_strict && !eviction_.policy.is_strict_first) continue;
        const Manner manner{takes_whole_jobs, is_strict};
        if (try_once(job, tasks, manner, most)) return true;
        if (most < 0 || !over_limit_) return false;
        if (is_hopeless_ && has_asked_nobody_) break;
        // Where queues are asked before each victim, the order in which they leave counts.
        if (is_hopeless_ || !eviction_.policy.may_take) continue;
        if (try_other_orders(job, tasks, manner, most)) return true;
        if (!over_limit_) return false;
        failed.push_back(manner);
      }
    }
    return !failed.empty() && try_all_sets(job, tasks, failed, most);
  }

  // VICTIM-5
  bool try_other_orders(const Job& job, const std::vector<TaskId>& tasks, Manner manner,
                        std::int32_t& most) {
    for (const VictimOrder order : {VictimOrder::smallest_first, VictimOrder::whole_jobs}) {
      const bool is_last = order == VictimOrder::whole_jobs;
      if (is_last && (!manner.takes_whole_jobs || !have_surplus(job))) continue;
      const std::vector<Spared> refused = refused_;
      manner.order = order;
      if (try_once(job, tasks, manner, most)) return true;
      if (!over_limit_) return false;
      if (is_last) refused_ = refused;  // surplus was not asked
    }
    return false;
  }

  // VICTIM-16
  bool try_all_sets(const Job& job, const std::vector<TaskId>& tasks, std::vector<Manner>& manners,
                    std::int32_t& most) {
    if (depend_on_others(cluster_, tasks) || cluster_.locks().for_queues() > 0) return false;
    const std::vector<Spared> refused = refused_;
    for (Manner& manner : manners) {
      FewestVictims::Bounds bounds = least_of(kBoundsOfASearch, bounds_left_);
      const FewestVictims::Bounds before = bounds;
      manner.order = VictimOrder::any;
      manner.bounds = &bounds;
      const bool does = bounds.are_left() && try_once(job, tasks, manner, most);
      bounds_left_.cells -= before.cells - bounds.cells;
      bounds_left_.refused -= before.refused - bounds.refused;
      if (does || !over_limit_) return does;
    }
    refused_ = refused;
    return false;
  }

  static FewestVictims::Bounds least_of(const FewestVictims::Bounds& one,
                                        const FewestVictims::Bounds& other) {
    return {std::min(one.steps, other.steps), std::min(one.cells, other.cells),
            std::min(one.refused, other.refused)};
  }

  bool have_surplus(const Job& job) {
    const auto& lots = candidates_.of(job).lots();
    return std::any_of(lots.begin(), lots.end(), [](const auto& lot) { return !lot.is_whole; });
  }

  std::int32_t count_candidates(const Job& job) {
    return candidates_.of(job).pods_without(eviction_.policy.is_within_job ? JobId() : job.id);
  }

  bool try_once(const Job& job, const std::vector<TaskId>& tasks, const Manner& manner,
                std::int32_t& most) {
    is_hopeless_ = has_asked_nobody_ = true;
    if (count_candidates(job) == 0) return false;
    if (!job.topology.rules.empty()) {
      Near near(session_, job, tasks, static_cast<std::int32_t>(tasks.size()));
      if (near.has_parts() && eviction_.policy.is_within_job) return false;
      if (const auto places = near.places_to_clear()) {
        near_ = &near;
        const bool evicts = try_near(*places, job, tasks, manner, most);
        near_ = nullptr;
        return evicts;
      }
    }
    const auto domains = domains_to_clear(session_, eviction_.policy, candidates_.of(job), job.id,
                                          tasks, manner.takes_whole_jobs);
    if (!domains) return evicts_in(std::nullopt, job, tasks, manner, most);
    is_hopeless_ = domains->are_all;
    most = std::max(most, domains->most);
    const std::optional<Start> start = best_of(domains->starts, job, tasks, manner, most);
    return start && evicts_in(start, job, tasks, manner, most);
  }

  // TOPO-22. The domain that costs least.
  bool try_near(const Near::Places& places, const Job& job, const std::vector<TaskId>& tasks,
                const Manner& manner, std::int32_t& most) {
    if (places.size() == 1) {
      near_->enter(places.front());
      return evicts_in(std::nullopt, job, tasks, manner, most);
    }
    const Near::Place* best = nullptr;
    Solver::Cost least;
    for (const Near::Place& place : places) {
      if (&place != &places.front() && is_long()) break;
      ++domains_searched_;
      near_->enter(place);
      Statement trial(session_);
      const std::optional<Solver::Cost> cost = find(trial, job, tasks, manner, most);
      if (most < 0) return false;
      if (!cost || (best != nullptr && least <= *cost)) continue;
      best = &place;
      least = *cost;
    }
    if (best != nullptr) near_->enter(*best);
    return best != nullptr && evicts_in(std::nullopt, job, tasks, manner, most);
  }

  // VICTIM-11. The domain that costs least. `most` is -1 if one needs no evictions.
  std::optional<Start> best_of(const std::vector<Start>& starts, const Job& job,
                               const std::vector<TaskId>& tasks, const Manner& manner,
                               std::int32_t& most) {
    std::optional<Start> best;
    Solver::Cost least;
    for (const Start& start : starts) {
      if (&start != &starts.front() && is_long()) break;
      ++domains_searched_;
      const InDomain in_domain(session_, start);
      Statement trial(session_);
      const std::optional<Solver::Cost> cost = find(trial, job, tasks, manner, most);
      if (most < 0) return std::nullopt;
      if (!cost || (best && least <= *cost)) continue;
      best = start;
      least = *cost;
    }
    return best;
  }

  bool is_long() {
    if (domains_searched_ < kDomainsMost) return false;
    is_hopeless_ = false;
    return true;
  }

  // None: no room is found, or there is some. Then `most` is -1.
  std::optional<Solver::Cost> find(Statement& statement, const Job& job,
                                   const std::vector<TaskId>& tasks, const Manner& manner,
                                   std::int32_t& most) {
    if (near_ && near_->has_parts()) return find_parts(statement, job, tasks, manner, most);
    Solver solver(session_, eviction_.policy, candidates_.of(job), statement, job.id, manner);
    const bool found = solver.place(tasks) && are_promises_kept(session_, job.id);
    is_hopeless_ = is_hopeless_ && solver.is_hopeless();
    has_asked_nobody_ = has_asked_nobody_ && solver.has_asked_nobody();
    most = std::max(most, solver.most());
    refused_ = solver.refused();
    if (found && !solver.evicts()) most = -1;
    return found && solver.evicts() ? std::optional(solver.cost()) : std::nullopt;
  }

  // TOPO-22. One part after the other.
  std::optional<Solver::Cost> find_parts(Statement& statement, const Job& job,
                                         std::vector<TaskId> tasks, const Manner& manner,
                                         std::int32_t& most) {
    is_hopeless_ = has_asked_nobody_ = false;
    const std::int32_t before = job.unplaced_count();
    const auto place = [&](std::span<const TaskId> part, bool /*is_in_whole*/) {
      ++domains_searched_;
      const std::int32_t placed = before - job.unplaced_count();
      near_->begin(part.front());
      Solver solver(session_, eviction_.policy, candidates_.of(job), statement, job.id, manner);
      const bool is_placed = solver.place({part.begin(), part.end()});
      near_->end();
      most = std::max(most, placed + solver.most());
      refused_ = solver.refused();
      return PartSearch::Outcome{.placed = is_placed ? part.size() : 0};
    };
    const auto options = [&](TaskId task, std::size_t part, bool is_on_leaving) {
      if (is_on_leaving) return Near::Places();
      Near::Places places = near_->options_to_clear(task, part);
      if (places.size() > 1 && is_long()) places.resize(1);
      return places;
    };
    near_->put_in_order(tasks);
    std::optional<Refusal> why;
    PartSearch search(*near_, statement, {place, options, {}, true}, why, job.id);
    if (search.run(tasks).placed < tasks.size() || !are_promises_kept(session_, job.id)) return {};
    const Solver::Cost cost{.pods = statement.evicted().size()};
    if (cost.pods == 0) most = -1;
    return cost.pods == 0 ? std::nullopt : std::optional(cost);
  }

  bool evicts_in(const std::optional<Start>& start, const Job& job,
                 const std::vector<TaskId>& tasks, const Manner& manner, std::int32_t& most) {
    const bool had_minimum = has_minimum(session_, job);
    const std::int32_t could_leave = count_candidates(job);
    const InDomain in_domain(session_, start);
    Statement statement(session_);
    if (!find(statement, job, tasks, manner, most) || is_refused_plan(session_, job)) return false;
    const bool is_ready = static_cast<bool>(session_.ask(points::job_ready, job));
    if (!is_ready && !session_.ask(points::job_pipelined, job)) return false;
    over_limit_ = session_.allowance().take(statement.evicted());  // LIMIT-3
    if (!over_limit_) return false;
    const std::size_t before = session_.plan().evictions.size();
    admit_if_kept_out(session_, job.id);
    if (had_minimum) {
      std::move(statement).commit();
      note_started(job);
    } else {
      session_.refuse(job.id,
                      reject(Reason::holds_releasing_room, job.placed_count(), job.min_available));
      std::move(statement).hold();
    }
    auto& evictions = session_.plan().evictions;
    for (std::size_t i = before; i < evictions.size(); ++i) {
      const Job& left = cluster_.job(cluster_.task(evictions[i].task).job);
      const bool is_gone = left.placed_count() == left.count(TaskStatus::succeeded);
      if (is_gone && left.min_available > 0 && manner.takes_whole_jobs)
        evictions[i].as = eviction_.policy.as_whole;
      evictions[i].why = why_it_leaves(cluster_, evictions[i], could_leave);
    }
    return true;
  }

  void note_started(const Job& job) {
    if (job.unplaced_count() == 0) return session_.clear_refusal(job.id);
    session_.refuse(job.id,
                    reject(Reason::surplus_waits, job.placed_count(), job.unplaced_count()));
  }

  struct Failed {
    std::uint64_t stamp = 0;
    std::int32_t least = 0;  // that are too many
    std::int32_t most = 0;
    std::vector<Spared> refused;
  };
  using Alike = std::tuple<QueueId, std::int32_t, ShapeId>;

  static constexpr int kDomainsMost = 256;                                           // VICTIM-11
  static constexpr FewestVictims::Bounds kBoundsOfASearch{1'000'000, 200'000, 128};  // VICTIM-16

  Session& session_;
  const Cluster& cluster_;
  const Eviction eviction_;
  KnownCandidates candidates_;
  int domains_searched_ = 0;  // of all jobs
  FewestVictims::Bounds bounds_left_{1'000'000, 800'000, 512};
  std::map<Alike, Failed> failed_;
  std::set<JobId> tried_;
  Near* near_ = nullptr;      // while its pods are tried near each other
  bool is_hopeless_ = false;  // the last attempt: even if all left, there would be no room
  bool has_asked_nobody_ = false;
  std::vector<Spared> refused_;  // in the last attempt
  Verdict over_limit_;           // a limit of evictions a minute refuses what was found
};

}  // namespace

std::unique_ptr<RoomMaker> room_maker_of(Session& session, Eviction eviction) {
  return std::make_unique<Service>(session, std::move(eviction));
}

bool evict_for_tasks(Session& session, const Eviction& eviction, const std::vector<TaskId>& tasks) {
  return Service(session, eviction).serve_tasks(tasks);
}

}  // namespace berth::actions
