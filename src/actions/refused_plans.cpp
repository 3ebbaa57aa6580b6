#include "actions/refused_plans.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <vector>

#include "berth/base/text.h"
#include "berth/engine/fit.h"
#include "berth/engine/node_block.h"
#include "berth/model/attempt.h"
#include "engine/near_sets.h"

namespace berth::actions {

using namespace engine;

namespace {

// HINT-6
Verdict refused_until(Session& session, const Attempt& attempt, TimePoint until) {
  session.answers_may_change_at(until);
  const std::string text = attempt.why + " (tried again after " +
                           format_time(std::chrono::ceil<std::chrono::seconds>(until)) + ")";
  return reject(Reason::refused_by_scheduler, 0, 0, session.keep(text));
}

// How long ago the plan was refused: 0 is the oldest. The number of those remembered: it was not.
std::size_t age_of(const Attempt& attempt, std::uint64_t places) {
  const auto& all = attempt.places;
  return static_cast<std::size_t>(std::find(all.begin(), all.end(), places) - all.begin());
}

// The nodes that take a task of the shape now, the best first.
std::vector<NodeId> nodes_for(Session& session, ShapeId shape_id, JobId job) {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(shape_id);
  std::vector<std::int32_t> scores(cluster.node_count(), 0);
  session.ask(points::batch_node_order, shape, session.passing(shape_id), scores.data());
  session.ask(points::wish_order, shape, session.passing(shape_id), scores.data());
  std::vector<NodeId> nodes;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    if (!session.may_choose(NodeId(n)) || !fits(session, shape_id, NodeId(n), job)) continue;
    session.ask(points::node_order, shape, NodeBlock(cluster, session.shares(), n, 1), &scores[n]);
    nodes.emplace_back(n);
  }
  const auto is_own = [&](NodeId node) { return cluster.locks().queue(node).is_valid(); };
  std::stable_sort(nodes.begin(), nodes.end(), [&](NodeId left, NodeId right) {
    return std::tuple(is_own(left), scores[left.index()]) >
           std::tuple(is_own(right), scores[right.index()]);
  });
  return nodes;
}

// Where the ledger last gave a task of the job room, since `begin`. None: it did not.
std::optional<Ledger::Mark> last_placed(Session& session, JobId job, Ledger::Mark begin) {
  const auto& operations = session.ledger().operations();
  for (Ledger::Mark at = operations.size(); at-- > begin;) {
    const Ledger::Operation& each = operations[at];
    if (each.kind == Ledger::Operation::Kind::task && each.job == job &&
        session.cluster().task(each.task).status == TaskStatus::allocated) {
      return at;
    }
  }
  return std::nullopt;
}

// TOPO-19. The others of its job that the task must be near, where these are in one domain.
class Nearness {
 public:
  Nearness(Session& session, const Job& job, TaskId task) {
    if (job.topology.rules.empty()) return;
    for (NearSet& each : near_sets(session, job, {task})) {
      const bool counts =
          each.required && !each.there.empty() && are_in_one_domain(each, each.there);
      if (counts) sets_.push_back(std::move(each));
    }
  }
  bool allows(NodeId node) const {
    return std::all_of(sets_.begin(), sets_.end(), [&](const NearSet& each) {
      return are_in_one_domain(each, {each.there.front(), node});
    });
  }

 private:
  std::vector<NearSet> sets_;
};

}  // namespace

Verdict may_be_tried(Session& session, const Job& job) {
  if (job.attempt == nullptr || !job.attempt->is_waiting(session.now())) return pass();
  return refused_until(session, *job.attempt, job.attempt->until);
}

bool is_refused_plan(Session& session, const Job& job) {
  if (job.attempt == nullptr || job.attempt->places.empty()) return false;
  const Attempt& attempt = *job.attempt;
  if (age_of(attempt, places_of(session.cluster(), job)) == attempt.places.size()) return false;
  if (session.now() >= attempt.repeats_at) return false;
  session.answers_may_change_at(attempt.repeats_at);
  return true;
}

Verdict differ_from_refused(Session& session, const Job& job, Statement& statement,
                            Statement::Checkpoint begin) {
  if (job.attempt == nullptr || job.attempt->places.empty()) return pass();
  const Cluster& cluster = session.cluster();
  const Attempt& attempt = *job.attempt;
  const std::uint64_t places = places_of(cluster, job);
  if (age_of(attempt, places) == attempt.places.size()) return pass();

  const std::optional<Ledger::Mark> at = last_placed(session, job.id, begin);
  if (!at) return pass();  // what it has, it had before
  const TaskId last = session.ledger().operations()[*at].task;
  const Task& task = cluster.task(last);
  const std::uint64_t others =
      places - place_of(cluster.shape(task.shape).lasting_key, cluster.node(task.node).name);
  statement.roll_back(*at);
  const Nearness near(session, job, last);
  NodeId oldest;
  std::size_t oldest_age = attempt.places.size();
  for (const NodeId node : nodes_for(session, task.shape, job.id)) {
    const std::uint64_t plan =
        others + place_of(cluster.shape(task.shape).lasting_key, cluster.node(node).name);
    const std::size_t age = age_of(attempt, plan);
    if (!near.allows(node)) continue;
    if (age == attempt.places.size()) return statement.allocate(last, node);
    if (age >= oldest_age) continue;
    oldest = node;
    oldest_age = age;
  }
  if (oldest.is_valid() && session.now() >= attempt.repeats_at) {
    return statement.allocate(last, oldest);
  }
  return refused_until(session, attempt, attempt.repeats_at);
}

}  // namespace berth::actions
