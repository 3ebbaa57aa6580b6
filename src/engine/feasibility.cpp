#include "berth/engine/feasibility.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "berth/engine/fit.h"
#include "berth/engine/session.h"
#include "berth/engine/surplus.h"
#include "engine/crowds.h"
#include "engine/fit/member_bound.h"
#include "engine/shortage.h"

namespace berth::engine {

Verdict Feasibility::of(JobId job) const {
  return is_possible(job) ? pass() : as_verdict(jobs_[job.index()].finding);
}

Verdict Feasibility::of_pod(ShapeId shape) const {
  if (shape.index() >= shapes_.size()) return pass();
  const OfShape& found = shapes_[shape.index()];
  const bool is_known =
      found.nodes == nodes_ && found.spreads == of_spreads_[shape.index()] && found.is_whole;
  return is_known && found.capacity == 0 ? as_verdict(found.why) : pass();
}

namespace {

// The waiting pods of a job, by shape, in the order in which they would be placed.
std::vector<Need::Part> waiting_parts(const Session& session, const Job& job,
                                      std::uint16_t role = kNoRole) {
  const Cluster& cluster = session.cluster();
  std::vector<Need::Part> parts;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (task.status != TaskStatus::pending || task.is_gated) continue;
    if (role != kNoRole && task.role != role) continue;
    add_member(parts, task.shape, id);
  }
  return parts;
}

// No `count` of these pods ask for less than this, in each resource by itself.
Resources least_request(const Cluster& cluster, const std::vector<Need::Part>& parts,
                        std::int32_t count) {
  Resources least;
  for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
    std::vector<std::pair<std::int64_t, std::int32_t>> amounts;
    for (const Need::Part& part : parts) {
      amounts.emplace_back(cluster.shape(part.shape).request[Dimension(d)], part.count);
    }
    std::sort(amounts.begin(), amounts.end());
    std::int32_t left = count;
    for (const auto& [amount, pods] : amounts) {
      const std::int32_t some = std::max(0, std::min(left, pods));
      least.add(Dimension(d), saturated_product(amount, some));
      left -= some;
    }
  }
  return least;
}

// Members of this shape on nodes that could take so many: a node may have shrunk below them.
std::int64_t members_there(Session& session, const Job& job, ShapeId id) {
  if (job.placed_count() == 0) return 0;
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(id);
  std::map<NodeId, std::int64_t> members;
  for (const TaskId member : job.tasks) {
    const Task& task = cluster.task(member);
    const bool is_there = task.node.is_valid() && is_allocated(task.status);
    if (task.shape == id && is_there) ++members[task.node];
  }
  std::int64_t count = 0;
  for (const auto& [node, here] : members) {
    if (!passes_in_time(may_run_on(session, shape, node))) continue;
    count += std::clamp<std::int64_t>(members_on(cluster, shape, node), 0, here);
  }
  return count;
}

// "ml/g-1 and 2 like it: ", where there are members of other kinds.
std::string members_text(const Cluster& cluster, const Need::Part& part, std::size_t kinds) {
  if (kinds == 1) return {};
  std::string text = cluster.task(part.first).name;
  if (part.count > 1) text += " and " + std::to_string(part.count - 1) + " like it";
  return text + ": ";
}

// The first name that no node or queue has, of those that the job or its pods ask for.
std::string first_unknown(const Cluster& cluster, const Job& job) {
  std::string first = job.unknown.empty() ? "" : job.unknown.begin()->first;
  for (const TaskId id : job.tasks) {
    const NamedAmounts& asked = cluster.shape_of(id).unknown;
    if (!asked.empty() && (first.empty() || asked.begin()->first < first)) {
      first = asked.begin()->first;
    }
  }
  return first;
}

Resources on_nodes(const Cluster& cluster, const Job& job) {
  Resources sum;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (task.node.is_valid() && is_allocated(task.status)) sum += cluster.shape_of(id).request;
  }
  return sum;
}

}  // namespace

void Feasibility::refresh(Session& session) {
  const Cluster& cluster = session.cluster();
  const OnNodes nodes{cluster.spec_version(), cluster.of_nodes_version(),
                      cluster.relations().volumes().limits_version(),
                      cluster.topologies().version()};
  const std::uint64_t queues = session.queues().version();
  if (stamp_ == cluster.stamp() && nodes_ == nodes && queues_ == queues) return;
  if (nodes_ != nodes) add_up(cluster);
  stamp_ = cluster.stamp();
  nodes_ = nodes;
  queues_ = queues;
  hopeless_.assign(cluster.queue_slots(), Resources());
  shorten(jobs_, cluster.job_slots());
  shorten(shapes_, cluster.shape_count());
  jobs_.resize(cluster.job_slots());
  shapes_.resize(cluster.shape_count());
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    if (shapes_[s].serial != cluster.shape(ShapeId(s)).serial) shapes_[s] = OfShape();
  }
  find_spreads(cluster);
  const Crowds crowds(cluster);
  // FEASIBLE-6. A finding stands until the job, or an input of the finding, has changed.
  for (const JobId id : cluster.open_jobs()) {
    const Job& job = cluster.job(id);
    OfJob& found = jobs_[id.index()];
    const bool is_changed = found.version != job.version || found.nodes != nodes ||
                            have_spreads_changed(found) || found.crowd != crowds.of(id);
    if (is_changed) {
      found = OfJob();
      found.version = job.version;
      found.nodes = nodes;
      found.crowd = crowds.of(id);
      judge(session, job, found);
    }
    if (is_changed || found.queues != queues) {
      found.queues = queues;
      conclude(session, job, found);
    }
    if (job.queue.is_valid()) hopeless_[job.queue.index()] += found.hopeless;
  }
}

void Feasibility::add_up(const Cluster& cluster) {
  ceiling_ = Resources();
  for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      const std::int64_t room = OnceEmptied{cluster}.at(NodeId(n), Dimension(d));
      ceiling_.add(Dimension(d), std::max<std::int64_t>(0, room));
    }
  }
}

void Feasibility::judge(Session& session, const Job& job, OfJob& found) {
  if (found.crowd.empty()) return judge_on_nodes(session, job, found);
  found.on_nodes = {Reason::namespace_too_large, 0, 0, found.crowd, {}};  // BOUND-4
  for (const Need::Part& part : waiting_parts(session, job)) {
    for (const auto& [dimension, amount] : session.cluster().shape(part.shape).requested) {
      found.waiting.add(dimension, saturated_product(amount, part.count));
    }
  }
}

void Feasibility::judge_on_nodes(Session& session, const Job& job, OfJob& found) {
  const Cluster& cluster = session.cluster();
  // Without nodes, the future nodes are unknown.
  if (cluster.node_count() == 0 || job.phase == GroupPhase::completed) return;
  const std::vector<Need::Part> parts = waiting_parts(session, job);
  judge_minimum(session, job, parts, found);
  for (const Need::Part& part : parts) {
    const bool is_too_large = of_shape(session, part.shape, 1).capacity == 0;
    for (const auto& [dimension, amount] : cluster.shape(part.shape).requested) {
      const std::int64_t all = saturated_product(amount, part.count);
      found.waiting.add(dimension, all);
      if (is_too_large) found.too_large.add(dimension, all);
    }
  }
  for (const Need::Part& part : parts) {
    const std::uint64_t now = of_spreads_[part.shape.index()];
    if (now != 0) found.spreads.emplace_back(part.shape, now);
  }
}

// FEASIBLE-5. A job that can start may still have surplus pods that are too large for every node.
void Feasibility::conclude(Session& session, const Job& job, OfJob& found) {
  const std::uint32_t at = session.queues().position_of(job.queue);
  const bool is_served =
      job.has_group && at != QueueTree::kNowhere && session.queues().member(at).takes_jobs();
  found.finding = Cause();
  found.hopeless = Resources();
  if (!is_served) return;
  if (job.barred_by.is_valid()) {  // MAY-2
    const Queue& queue = session.cluster().queue(job.barred_by);
    found.finding = {Reason::namespace_not_allowed, 0, 0, queue.name,
                     "it is for namespaces with " + queue.namespaces.text()};
    found.hopeless = found.waiting;
    return;
  }
  found.finding = found.on_nodes;
  const bool may_be_the_queue =
      found.finding.reason == Reason::none || found.finding.reason == Reason::not_packable;
  if (may_be_the_queue && !found.need.request.is_zero()) {  // FEASIBLE-4
    const Verdict queue = session.ask(points::job_possible, job, found.need);
    if (!queue) found.finding = cause_of(queue);
  }
  found.hopeless = found.finding.reason == Reason::none ? found.too_large : found.waiting;
}

// Finds the reason why nodes cannot hold its minimum, and the least that it asks for.
void Feasibility::judge_minimum(Session& session, const Job& job, std::vector<Need::Part> parts,
                                OfJob& found) {
  if (has_minimum(session, job)) return;
  // Without a plugin that asks for more, one pod by itself may start.
  const bool is_gang = !session.is_silent(points::job_ready);
  if (!is_gang && job.placed_count() > 0) return;
  const std::int32_t lacks = is_gang ? job.min_available - job.placed_count() : 1;
  found.on_nodes = could_take(session, job, parts, lacks - job.gated);
  for (std::size_t r = 0; is_gang && r < job.roles.size() && job.roles_bind(); ++r) {
    const Role& role = job.roles[r];
    const std::int32_t role_lacks = role.minimum - ready_count(role.counts) - job.gated;
    if (role_lacks <= 0 || found.on_nodes.reason != Reason::none) continue;
    std::vector<Need::Part> of_role = waiting_parts(session, job, static_cast<std::uint16_t>(r));
    found.on_nodes = could_take(session, job, of_role, role_lacks);
  }
  if (found.on_nodes.reason != Reason::none && found.on_nodes.reason != Reason::not_packable)
    return;
  if (found.on_nodes.reason == Reason::none) {
    found.on_nodes = could_be_near(session, job, lacks - job.gated);
  }
  // Nothing is known of pods to come without minResources.
  const bool are_all_there = job.unplaced_count() >= lacks;
  if (!are_all_there && !job.min_resources) {
    found.on_nodes = Cause();
    return;
  }
  found.need.request = least_request(session.cluster(), parts, lacks);
  // The vote on admission is about minResources and ignores which pods exist.
  const bool is_to_be_admitted = session.has_enqueue() && !job.is_admitted();
  if ((!are_all_there || is_to_be_admitted) && job.min_resources) {
    const Resources asked = asked_for_admission(session.cluster(), job);
    for (std::size_t d = 0; d < asked.extent(); ++d) {
      const Dimension dimension(d);
      found.need.request.set(dimension, std::max(found.need.request[dimension], asked[dimension]));
    }
  }
  Need whole = found.need;
  whole.request += on_nodes(session.cluster(), job);
  Cause cluster = is_within_cluster(session.cluster(), job, whole);
  if (cluster.reason != Reason::none) found.on_nodes = std::move(cluster);
}

// FEASIBLE-1, FEASIBLE-2. Could nodes take so many of these pods, each kind by itself, beside those
// that they have? Pods that do not exist yet are no obstacle. Leaves in `parts` the kinds of which
// nodes take some.
Cause Feasibility::could_take(Session& session, const Job& job, std::vector<Need::Part>& parts,
                              std::int32_t count) {
  std::int64_t waiting = 0;
  std::int64_t fitting = 0;  // of a kind of which nodes take some
  std::int64_t taken = 0;
  Cause none_of_it;
  struct {
    const Need::Part* part = nullptr;
    std::int64_t members = 0;
    std::int64_t lacking = 0;
  } scarcest;
  for (const Need::Part& part : parts) {
    // PREEMPT-5. Its surplus may leave for the others.
    const std::int64_t there = members_there(session, job, part.shape) - surplus_count(job);
    const std::int64_t members = part.count + std::max<std::int64_t>(0, there);
    const OfShape& shape = of_shape(session, part.shape, members);
    waiting += part.count;
    taken += std::clamp<std::int64_t>(shape.capacity - (members - part.count), 0, part.count);
    if (shape.capacity > 0) fitting += part.count;
    if (shape.capacity == 0 && none_of_it.reason == Reason::none) {
      none_of_it = shape.why;
      name_pod(none_of_it, session.cluster().task(part.first).name);
    }
    const std::int64_t lacking = members - shape.capacity;
    if (shape.capacity > 0 && lacking > scarcest.lacking) scarcest = {&part, members, lacking};
  }
  const std::int64_t needed = std::min<std::int64_t>(count, waiting);
  Cause found;
  if (count > 0 && taken < needed) {
    const std::int64_t has = job.placed_count();
    found = {Reason::not_packable, has + taken, has + count, {}, {}};
    if (fitting < needed) {
      found = none_of_it;
    } else if (scarcest.part != nullptr) {
      found.detail = members_text(session.cluster(), *scarcest.part, parts.size()) +
                     limit_of(scarcest.part->shape, scarcest.members);
    }
  }
  std::erase_if(parts, [&](const Need::Part& part) {
    return of_shape(session, part.shape, part.count).capacity == 0;
  });
  return found;
}

// FEASIBLE-3. A resource that no node has is named first.
Cause Feasibility::is_within_cluster(const Cluster& cluster, const Job& job,
                                     const Need& need) const {
  Scarcest scarcest(cluster);
  std::string unknown;
  for (std::size_t d = 0; d < need.request.extent(); ++d) {
    const Dimension dimension(d);
    scarcest.consider(dimension, ceiling_[dimension], need.request[dimension]);
    if (need.request[dimension] <= 0 || cluster.total_allocatable()[dimension] > 0) continue;
    const std::string name =
        dimension == kUnknown ? first_unknown(cluster, job) : cluster.dimensions().name(dimension);
    if (unknown.empty() || name < unknown) unknown = name;
  }
  if (!unknown.empty()) {
    return {Reason::unknown_resource, 0, 0, unknown, unknown_text(cluster, unknown)};
  }
  if (scarcest.is_none()) return {};
  return {Reason::larger_than_cluster, scarcest.have(), scarcest.need(), scarcest.name(), {}};
}

// Sums of demand saturate; then the sum is computed again without hopeless demand.
std::int64_t Feasibility::demand(const Cluster& cluster, const Queue& queue, Dimension d) const {
  const std::int64_t all = queue.demand[d];
  if (queue.id.index() >= hopeless_.size()) return all;
  const std::int64_t hopeless = hopeless_[queue.id.index()][d];
  if (hopeless == 0 || all < std::numeric_limits<std::int64_t>::max()) return all - hopeless;
  std::int64_t demand = queue.allocated[d];
  for (const JobId id : cluster.open_jobs()) {
    const Job& job = cluster.job(id);
    if (job.queue != queue.id) continue;
    Resources waiting;
    for (const TaskId task : job.tasks) {
      const bool waits = cluster.task(task).status == TaskStatus::pending;
      if (waits && cluster.task(task).wants_room()) waiting += cluster.shape_of(task).request;
    }
    demand = saturated_sum(demand, waiting[d] - jobs_[id.index()].hopeless[d]);
  }
  return demand;
}

}  // namespace berth::engine
