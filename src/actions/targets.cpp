#include "actions/targets.h"

#include <utility>
#include <vector>

#include "actions/claims.h"
#include "actions/near.h"
#include "actions/packing.h"
#include "actions/placement.h"
#include "actions/refused_plans.h"
#include "berth/engine/need.h"
#include "berth/engine/statement.h"
#include "berth/engine/within.h"

namespace berth::actions {

using namespace engine;

bool is_waiting_target(const Session& session, const Job& job) {
  return job.election && !has_minimum(session, job);
}

Waiting tasks_of_target(const Session& session, const Job& job) {
  Waiting waiting;
  waiting.tasks = session.unplaced_in_order(job);
  lacking_roles_first(session.cluster(), job, waiting.tasks);
  return waiting;
}

namespace {

// Places its minimum into these nodes in the order of filling and ignores scores.
bool pack(Session& session, JobId id, const std::vector<NodeId>& nodes) {
  const Job& job = session.cluster().job(id);
  if (!Near(session, job).are_near(nodes)) return false;
  Statement statement(session);
  const Statement::Checkpoint begin = statement.checkpoint();
  if (!place_packed(session, job, nodes, statement)) return false;
  // Others may have claims elsewhere, which nobody has taken up yet.
  Within within(session.cluster());
  within.add(nodes);
  session.stay_within(&within);
  const Verdict differs = differ_from_refused(session, job, statement, begin);
  session.stay_within(nullptr);
  if (!differs) return false;
  std::move(statement).commit();
  session.clear_refusal(id);
  return true;
}

// Its own nodes were found to cover it when they alone were filled.
bool starts_on_own_nodes(Session& session, JobId id) {
  if (!may_be_served(session, id) || session.worked_out(id).is_unpackable) return false;
  if (pack(session, id, session.cluster().locks().nodes_of(id))) return true;
  session.worked_out(id).is_unpackable = true;
  return false;
}

}  // namespace

// CLAIM-11. Claims that others were evicted for come first, since their queues' shares are not
// asked when they are taken up.
void serve_targets(Session& session) {
  const Cluster& cluster = session.cluster();
  for (const JobId id : std::vector<JobId>(cluster.claimants())) {
    const Job& job = cluster.job(id);
    if (!job.others_left_for_it) continue;
    if (is_waiting_target(session, job) && starts_on_own_nodes(session, id)) continue;
    serve_claims_of(session, id);
  }
  for (const JobId id : std::vector<JobId>(cluster.targets())) {
    if (is_waiting_target(session, cluster.job(id))) (void)starts_on_own_nodes(session, id);
  }
}

Turn serve_target(Session& session, JobId id, Waiting& waiting) {
  if (const Turn turn = serve(session, id, waiting); turn != Turn::refused) return turn;
  // RESERVE-2. Nodes chosen by score may leave no place for the last member where there was one.
  return pack(session, id, nodes_open_to(session, id)) ? Turn::started : Turn::refused;
}

}  // namespace berth::actions
