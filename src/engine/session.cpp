#include "berth/engine/session.h"

#include <algorithm>
#include <tuple>

#include "berth/engine/fit.h"
#include "berth/engine/job_line.h"
#include "berth/engine/node_block.h"
#include "berth/engine/reservations.h"
#include "berth/model/reader.h"
#include "engine/choice.h"
#include "engine/idle_room.h"
#include "engine/memory.h"

namespace berth::engine {

namespace {

// FEASIBLE-7. A limit left no room, be it of the nodes or of a queue.
bool lacks_room(Reason reason) {
  return reason == Reason::cluster_overcommitted || reason == Reason::queue_capability ||
         reason == Reason::queue_share_used || reason == Reason::guarantees_kept ||
         reason == Reason::gang_incomplete || reason == Reason::role_incomplete ||
         reason == Reason::insufficient_resource || reason == Reason::larger_than_cluster;
}

}  // namespace

Session::Session(Cluster& cluster, Memory& memory, TimePoint now)
    : cluster_(cluster),
      memory_(memory),
      now_(now),
      ledger_(cluster),
      allowance_(cluster, memory.eviction_limits, now),
      refusal_of_job_(cluster.job_slots(), 0) {
  memory_.refresh(cluster);
  memory_.admissions().begin_session();
  plan_.refusals.reserve(memory_.refusals);
}

const Shares& Session::shares() const { return memory_.shares(); }

const QueueTree& Session::queues() const { return memory_.queues(); }

const Feasibility& Session::feasibility() const { return memory_.feasibility(); }

Admissions& Session::admissions() {
  memory_.admissions().refresh(cluster_, queues(), feasibility());
  return memory_.admissions();
}

void Session::start(const std::set<std::string_view>& actions) {
  has_enqueue_ = actions.contains("enqueue");
  plan_.evicts = actions.contains("shuffle");
  plan_.reclaims = actions.contains("reclaim");
  plan_.elects = actions.contains("elect");
  preempts_ = actions.contains("preempt");
  for (const char* action : {"preempt", "reclaim", "cleanup", "reserve"}) {
    evicts_for_jobs_ = evicts_for_jobs_ || actions.contains(action);
  }
  close_plugins();
  if (!actions.contains("elect")) {
    for (const JobId target : std::vector<JobId>(cluster_.targets())) {
      release(target, EndedReservation::How::off);
    }
  }
  memory_.feasibility().refresh(*this);
  relock();
  memory_.refresh(cluster_);
  ask(points::opened);
  memory_.node_order_version = 0;
  ask(points::node_order_version, &memory_.node_order_version);
  memory_.node_classes.refresh(*this, memory_.node_order_version);
  if (!is_silent(points::allocated)) {
    ledger_.on_allocated = [this](const Task& task) { ask(points::allocated, task); };
  }
  if (!is_silent(points::released)) {
    ledger_.on_released = [this](const Task& task) { ask(points::released, task); };
  }
}

// --- placing --------------------------------------------------------------------------------

// NODES-16
NodeId Session::best_idle_node(ShapeId shape, JobId job) {
  if (within_ != nullptr) return best_within(*this, *within_, shape, job);
  if (cluster_.locks().for_queues() > 0) {
    for (const QueueId queue : cluster_.queues_with_nodes(cluster_.queue_of(job))) {
      const NodeId own = best_allowed(*this, memory_.ranking_by_wishes(*this, shape, job, queue),
                                      cluster_.shape(shape));
      if (own.is_valid()) return own;
    }
  }
  return best_allowed(*this, memory_.ranking_by_wishes(*this, shape, job), cluster_.shape(shape));
}

void Session::start_in(const std::optional<Start>& start) {
  start_ = start;
  ++memory_.starts;
}

// MAY-11
std::string_view Session::named_to(JobId reader, JobId other, std::string_view unnamed) const {
  const std::string& name = cluster_.job(other).name;
  return !reader.is_valid() || may_read(cluster_.job(reader).name, name) ? name : unnamed;
}

Verdict Session::is_open_to(NodeId node, JobId job) const {
  if (!cluster_.is_locked_out(node, job)) return pass();
  const JobId target = cluster_.locks().target_in_the_way(node, job);
  if (target.is_valid()) {
    return reject(Reason::node_locked, 0, 0, named_to(job, target, "of another namespace"));
  }
  return reject(Reason::node_of_queue, 0, 0, cluster_.queue(cluster_.locks().queue(node)).name);
}

const std::vector<std::uint8_t>& Session::passing(ShapeId id) {
  const std::vector<std::uint8_t>& passing = memory_.ranking(*this, id).passing();
  const Shape& shape = cluster_.shape(id);
  if (!shape.has_relations()) return passing;
  bool is_own = false;
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    if (passing[n] == 0 || check_vetoes(*this, shape, NodeId(n))) continue;
    if (!std::exchange(is_own, true)) passing_ = passing;
    passing_[n] = 0;
  }
  return is_own ? passing_ : passing;
}

const std::vector<std::uint8_t>& Session::passing_but_for_vetoes(ShapeId shape) {
  return memory_.ranking(*this, shape).passing_but_for_vetoes();
}

std::int32_t Session::score_of(ShapeId shape_id, NodeId node) {
  const Shape& shape = cluster_.shape(shape_id);
  std::vector<std::int32_t> preferences(cluster_.node_count(), 0);
  const std::vector<std::uint8_t>& passes = memory_.ranking(*this, shape_id).passing();
  ask(points::batch_node_order, shape, passes, preferences.data());
  ask(points::wish_order, shape, passes, preferences.data());
  std::int32_t sum = preferences[node.index()];
  ask(points::node_order, shape, NodeBlock(cluster_, shares(), node.index(), 1), &sum);
  return sum;
}

// LIMIT-5
TimePoint Session::answers_hold_until() const {
  return std::min(answers_hold_until_, allowance_.answers_hold_until());
}

bool Session::holds_until_close(JobId job) const {
  return std::find(unfinished_.begin(), unfinished_.end(), job) != unfinished_.end();
}

NodeId Session::best_future_node(ShapeId shape_id, JobId job) {
  NodeId best;
  if (cluster_.releasing_task_count() == 0) return best;
  const Shape& shape = cluster_.shape(shape_id);
  const Ranking& ranking = memory_.ranking_by_wishes(*this, shape_id);
  std::int32_t best_score = 0;
  bool best_is_own = false;
  for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
    const NodeId node(n);
    if (!has_room(OnceVacated{cluster_}, shape, node)) continue;
    if (ranking.passing()[n] == 0 || !may_choose(node) || !is_open_to(node, job)) continue;
    if (is_outside(start_, cluster_, shape, node) || !check_vetoes(*this, shape, node)) continue;
    if (!fits_beside(*this, shape, node, Occupants::once_vacated)) continue;
    std::int32_t score = ranking.preference()[n];
    ask(points::node_order, shape, NodeBlock(cluster_, shares(), n, 1), &score);
    const bool is_own = cluster_.locks().queue(node).is_valid();  // NODES-16
    if (best.is_valid() && std::tie(is_own, score) <= std::tie(best_is_own, best_score)) continue;
    best = node;
    best_score = score;
    best_is_own = is_own;
  }
  return best;
}

Verdict Session::may_evict(const Task& task) {
  if (!is_on_its_node(task.status) || !task.node.is_valid()) return reject(Reason::in_flight);
  if (!task.is_preemptable) return reject(Reason::not_preemptable);
  const TimePoint until = std::max(task.cooldown_until, task.eviction_refused_until);
  if (now_ >= until) return allowance_.of_queue(cluster_.queue_of(task.job));
  answers_may_change_at(until);
  return reject(now_ < task.cooldown_until ? Reason::cooling_down : Reason::eviction_refused);
}

std::int64_t Session::kept_for_own_queue(const Job& job, std::string_view resource) const {
  const std::uint32_t at = queues().position_of(job.queue);
  if (at == QueueTree::kNowhere) return 0;
  const Dimension d = cluster_.dimensions().find(resource);
  const std::int64_t taken = cluster_.queue(job.queue).allocated[d];
  return std::max<std::int64_t>(0, queues().guarantee(at, d) - taken);
}

std::vector<NodeRefusals> Session::why_nowhere(ShapeId shape, JobId job) {
  if (!memory_.gives_reasons) return {};
  return memory_.ranking(*this, shape, job).why_nowhere(*this, cluster_.shape(shape), job);
}

// --- orders ---------------------------------------------------------------------------------

bool Session::comes_before(const Queue& left, const Queue& right) const {
  if (const Order order = ask(points::queue_order, left, right); order != Order::equal) {
    return order == Order::less;
  }
  return std::tie(left.created, left.uid, left.name) <
         std::tie(right.created, right.uid, right.name);
}

bool Session::comes_before(const Job& left, const Job& right) const {
  if (const Order order = ask(points::job_order, left, right); order != Order::equal) {
    return order == Order::less;
  }
  // Names decide between copied manifests with equal uids.
  return std::tie(left.created, left.uid, left.name) <
         std::tie(right.created, right.uid, right.name);
}

std::vector<TaskId> Session::unplaced_in_order(const Job& job) const {
  std::vector<TaskId> unplaced;
  unplaced.reserve(static_cast<std::size_t>(std::max(0, job.unplaced_count())));
  for (const TaskId id : job.tasks) {
    const Task& task = cluster_.task(id);
    if (task.status == TaskStatus::pending && !task.is_gated) unplaced.push_back(id);
  }
  // Job::tasks are in (index, creation, uid) order already: equal ones stay so.
  const auto before = [this](TaskId left, TaskId right) {
    return ask(points::task_order, cluster_.task(left), cluster_.task(right)) == Order::less;
  };
  if (!std::is_sorted(unplaced.begin(), unplaced.end(), before)) {
    std::stable_sort(unplaced.begin(), unplaced.end(), before);
  }
  return unplaced;
}

// --- outcome --------------------------------------------------------------------------------

Verdict Session::impossibility_of(JobId job) const {
  const auto known = impossible_.find(job);
  return known != impossible_.end() ? known->second : memory_.feasibility().of(job);
}

void Session::refuse(JobId job, const Verdict& why) {
  const Verdict never = impossibility_of(job);
  const Verdict& counts = never ? why : never;
  record({memory_.gives_reasons ? cause_of(counts) : Cause{counts.reason}, job, {}, {}});
}

void Session::refuse(Refusal refusal) {
  if (const Verdict never = impossibility_of(refusal.job); !never) {
    static_cast<Cause&>(refusal) = cause_of(never);
  }
  record(std::move(refusal));
}

void Session::record(Refusal refusal) {
  if (cluster_.node_count() == 0 && lacks_room(refusal.reason)) {  // FEASIBLE-7
    refusal = {{Reason::no_nodes}, refusal.job, {}, {}};
  }
  std::uint32_t& place = refusal_of_job_[refusal.job.index()];
  if (place == 0) {
    plan_.refusals.push_back(std::move(refusal));
    place = static_cast<std::uint32_t>(plan_.refusals.size());
  } else {
    plan_.refusals[place - 1] = std::move(refusal);
  }
}

void Session::note_vain(ConsideredEvictions vain) {
  if (const std::uint32_t place = refusal_of_job_[vain.job.index()]; place != 0) {
    // One is enough.
    std::vector<std::string>& clauses = plan_.refusals[place - 1].evictions;
    if (std::string text = vain.short_text(); clauses.empty() && !text.empty()) {
      clauses.push_back(std::move(text));
    }
  }
  plan_.considered.push_back(std::move(vain));
}

void Session::clear_refusal(JobId job) {
  if (const std::uint32_t place = refusal_of_job_[job.index()]; place != 0) {
    plan_.refusals[place - 1].reason = Reason::none;
  }
}

Reason Session::refused_for(JobId job) const {
  const std::uint32_t place = refusal_of_job_[job.index()];
  return place != 0 ? plan_.refusals[place - 1].reason : Reason::none;
}

bool Session::refuse_again(JobId job) {
  const Memory::Refused* known = memory_.refused(job);
  if (known == nullptr) return false;
  const Memory::Attempt& attempt = lending_.is_on_for(job) ? known->lending : known->placing;
  if (attempt.stamp != cluster_.stamp() || now_ >= attempt.until) return false;
  if (known->is_beyond_share) lending_.note_beyond_share(job);
  refuse(known->refusal);
  return true;
}

const Refusal& Session::refusal_of(JobId job) const {
  return plan_.refusals[refusal_of_job_[job.index()] - 1];
}

void Session::remember_refusal(JobId job) {
  if (!is_refused(job)) return;
  Memory::Refused& known = memory_.remember(job);
  const TimePoint until = answers_hold_until();
  (lending_.is_on_for(job) ? known.lending : known.placing) = {cluster_.stamp(), until};
  known.is_beyond_share = lending_.is_beyond_share(job);
  known.refusal = refusal_of(job);
}

Memory::WorkedOut& Session::worked_out(JobId job) {
  Memory::WorkedOut& known = memory_.worked_out(cluster_, job, now_);
  answers_may_change_at(known.until);
  known.until = answers_hold_until();
  return known;
}

// CLAIM-10
void Session::end_unfinished_claims() {
  for (const JobId id : unfinished_) {
    const Verdict ready = ask(points::job_ready, cluster_.job(id));
    if (ready || ask(points::job_pipelined, cluster_.job(id))) continue;
    if (is_refused(id)) {  // it waits for nobody any more
      Refusal refusal = refusal_of(id);
      static_cast<Cause&>(refusal) = cause_of(ready);
      record(std::move(refusal));
    }
    std::erase_if(plan_.pipelined,
                  [&](const Placement& each) { return cluster_.task(each.task).job == id; });
    plan_.ended_claims.push_back({id, EndedClaims::How::cannot_start});
  }
}

Plan Session::close() {
  end_unfinished_claims();
  ask(points::queue_shares, &plan_.shares);
  ask(points::notes, &plan_.notes);
  std::sort(plan_.notes.begin(), plan_.notes.end());
  forget_needless_elections();
  for (const JobId target : cluster_.targets()) {
    plan_.reservations.push_back(describe_reservation(*this, target));
  }
  describe_queue_nodes();
  ledger_.roll_back(0);
  memory_.refusals = plan_.refusals.size();
  put_refusals_in_order();
  plan_.holds_until = answers_hold_until();
  return std::move(plan_);
}

}  // namespace berth::engine
