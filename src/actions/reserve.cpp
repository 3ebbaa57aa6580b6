// Reserve: keep nodes for the targets until there is enough for them.
//
// A target that finds room now needs nothing kept. Otherwise nodes are locked for it, as the
// plugins choose: no other job is placed there, so what is vacated gathers, and the target starts
// once it is enough.
//
// Argument: evict-surplus, true or false (default): whether surplus leaves the nodes of a target at
// once.
//
// Steps RESERVE-1 to RESERVE-7 are those of docs/design/reserve.md.

#include <algorithm>
#include <iterator>
#include <utility>

#include "actions/allocate.h"
#include "actions/eviction/evict_for.h"
#include "actions/eviction/parties.h"
#include "actions/near.h"
#include "actions/part_search.h"
#include "actions/targets.h"
#include "berth/engine/action.h"
#include "berth/engine/need.h"

namespace berth::actions {
namespace {

using namespace engine;

class Reserve final : public Action {
 public:
  explicit Reserve(Arguments& arguments)
      : evicts_surplus_(arguments.boolean("evict-surplus", false)) {}

  void execute(Session& session) const override {
    // RESERVE-1, RESERVE-2. Targets are served first on their own nodes, then in their turn.
    serve_targets(session);
    serve_as_far_as_targets(session);
    for (const JobId id : std::vector<JobId>(session.cluster().targets())) {
      const Job& job = session.cluster().job(id);
      // RESERVE-3. A target that is placed keeps its locks until it is seen bound, because a plan
      // may fail. While a part is planned or claimed, later targets get no nodes that it may need.
      const Need need = need_of(session, job);
      if (has_minimum(session, job) || need.is_nothing()) continue;
      if (job.count(TaskStatus::binding) > 0) return;
      if (session.holds_until_close(id)) {
        if (evicts_surplus_) vacate(session, id);  // CLAIM-10
        return;
      }
      // RESERVE-5. It lacks what other queues are guaranteed: they may need its nodes, too.
      if (is_held_by_its_queue(session, job, need)) {
        keep(session, id, {});
        continue;
      }
      Near near(session, job);
      near.enter_place_to_keep();
      const Within of_parts =
          near.has_parts() ? nodes_for_parts(session, job, near) : Within(session.cluster());
      if (near.has_parts()) session.stay_within(&of_parts);
      if (auto nodes = session.ask(points::reserved_nodes, job, need)) {
        keep(session, id, *std::move(nodes));
      }
      near.leave();
      if (evicts_surplus_) vacate(session, id);
    }
  }

 private:
  // TOPO-22. For one part after the other, in its best domain, those that the others leave.
  static Within nodes_for_parts(Session& session, const Job& job, Near& near) {
    Within nodes(session.cluster());
    const auto choose = [&](std::span<const TaskId> part, bool /*is_in_whole*/) {
      std::vector<NodeId> chosen = near.nodes_to_keep(part);
      near.leave_out(chosen);
      nodes.add(std::move(chosen));
      return PartSearch::Outcome{.placed = part.size()};
    };
    const auto best_domain = [&](TaskId task, std::size_t part, bool is_on_leaving) {
      if (is_on_leaving) return Near::Places();
      Near::Places places = near.options_to_clear(task, part);
      if (places.size() > 1) places.resize(1);
      return places;
    };
    std::vector<TaskId> tasks = lacking_members(session, job);
    near.put_in_order(tasks);
    Statement nothing(session);
    std::optional<Refusal> why;
    (void)PartSearch(near, nothing, {choose, best_domain, {}}, why, job.id).run(tasks);
    return nodes;
  }

  // RESERVE-6. Surplus leaves its nodes, if the target can start then.
  static void vacate(Session& session, JobId target) {
    if (!is_claimant(session, session.cluster().job(target))) return;
    Eviction eviction;
    eviction.policy.action = "reserve";
    eviction.policy.parties = [&](const Job& claimant) {
      PartSet own = PartsOfJobs(session).of([](QueueId) { return true; });
      std::erase_if(own, [](const JobPart& part) { return part.kind != JobPart::Kind::surplus; });
      PartSet others = own;
      const auto is_own = [&](const JobPart& part) {
        return session.cluster().job(part.job).queue == claimant.queue;
      };
      std::erase_if(own, [&](const JobPart& part) { return !is_own(part); });
      std::erase_if(others, is_own);
      Parties parties{session.ask(points::preemptable, claimant, own), {}};
      others = session.ask(points::reclaimable, claimant, others);
      parties.parts.insert(parties.parts.end(), others.begin(), others.end());
      return parties;
    };
    eviction.policy.may_take = [&](const Claimant& claimant, const Leaving& leaving) {
      return session.ask(points::yieldable, claimant, leaving);
    };
    eviction.policy.may_vacate = [&](NodeId node) {
      return session.cluster().node(node).lock.job == target;
    };
    eviction.takes_whole_jobs = false;
    room_maker_of(session, std::move(eviction))->make_room(target);
  }

  // By the guarantees of others, or by its share. The first refusal may have been the nodes'.
  static bool is_held_by_its_queue(const Session& session, const Job& job, const Need& need) {
    if (session.refused_for(job.id) == Reason::guarantees_kept) return true;
    const Cluster& cluster = session.cluster();
    return std::any_of(need.parts.begin(), need.parts.end(), [&](const Need::Part& part) {
      const Verdict verdict =
          session.ask(points::allocatable, cluster.queue(job.queue), cluster.task(part.first));
      return verdict.reason == Reason::queue_share_used;
    });
  }

  // RESERVE-4. Release first the nodes that are of no more use.
  static void keep(Session& session, JobId target, std::vector<NodeId> wanted) {
    // RESERVE-7. Others were evicted there for another job, and not for the target.
    for (const JobId id : session.cluster().claimants()) {
      const Job& job = session.cluster().job(id);
      if (id == target || !job.others_left_for_it) continue;
      for (const Claim& claim : job.claims) std::erase(wanted, claim.node);
    }
    const std::vector<NodeId> held = session.cluster().locks().nodes_of(target);
    std::sort(wanted.begin(), wanted.end());
    if (wanted == held) return;
    std::vector<NodeId> changed;
    std::set_difference(held.begin(), held.end(), wanted.begin(), wanted.end(),
                        std::back_inserter(changed));
    for (const NodeId node : changed) session.unlock(node);
    changed.clear();
    std::set_difference(wanted.begin(), wanted.end(), held.begin(), held.end(),
                        std::back_inserter(changed));
    for (const NodeId node : changed) session.lock(node, target);
  }

  bool evicts_surplus_;
};

}  // namespace

BERTH_ACTION(Reserve, "reserve");

}  // namespace berth::actions
