#include "berth/engine/feasibility.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "berth/base/text.h"
#include "berth/engine/bins.h"
#include "berth/engine/scarcity.h"
#include "berth/engine/session.h"
#include "berth/model/amount_text.h"

namespace berth::engine {

namespace {

// Of several resources that are short, the scarcest: the one of which the smallest part is there.
// Ties by name, since ids of dimensions follow arrival.
class Scarcest {
 public:
  explicit Scarcest(const Cluster& cluster) : cluster_(cluster) {}

  void consider(Dimension dimension, std::int64_t have, std::int64_t need) {
    if (have >= need) return;
    const std::string& name = cluster_.dimensions().name(dimension);
    const auto order = by_scarcity(have, need, have_, need_);
    if (name_ != nullptr && (order > 0 || (order == 0 && name > *name_))) return;
    dimension_ = dimension;
    name_ = &name;
    have_ = have;
    need_ = need;
  }
  bool is_none() const { return name_ == nullptr; }
  Dimension dimension() const { return dimension_; }
  const std::string& name() const { return *name_; }
  std::int64_t have() const { return std::max<std::int64_t>(0, have_); }
  std::int64_t need() const { return need_; }

 private:
  const Cluster& cluster_;
  Dimension dimension_{0};
  const std::string* name_ = nullptr;
  std::int64_t have_ = 0;
  std::int64_t need_ = 1;
};

std::int64_t room_of(const Cluster& cluster, NodeId node, Dimension d) {
  return cluster.allocatable().at(node, d) - cluster.staying().at(node, d);
}

bool passes(Session& session, const Shape& shape, NodeId node) {
  const Verdict verdict = session.ask(points::predicate, shape, session.cluster().node(node));
  return verdict || verdict.reason == Reason::vetoed;
}

std::int64_t pods_on(const Cluster& cluster, const Shape& shape, NodeId node) {
  std::int64_t pods = std::numeric_limits<std::int32_t>::max();
  for (const auto& [dimension, amount] : shape.requested) {
    pods = std::min(pods, std::max<std::int64_t>(0, room_of(cluster, node, dimension)) / amount);
  }
  if (pods == 0 || !shape.has_host_ports) return pods;
  return are_ports_taken_for_good(cluster, shape, node) ? 0 : 1;
}

// "each needs 2 nvidia.com/gpu": of what it asks for, the largest part of what nodes have.
std::string what_each_needs(const Cluster& cluster, const Shape& shape) {
  Scarcest scarcest(cluster);
  for (const auto& [dimension, amount] : shape.requested) {
    std::int64_t most = 0;
    for (std::size_t n = 0; n < cluster.node_count(); ++n) {
      most = std::max(most, room_of(cluster, NodeId(n), dimension));
    }
    scarcest.consider(dimension, most / amount, most / amount + 1);
  }
  if (scarcest.is_none()) return {};
  for (const auto& [dimension, amount] : shape.requested) {
    if (dimension != scarcest.dimension()) continue;
    return "each needs " + readable_amount(scarcest.name(), amount, Rounding::up) + " " +
           scarcest.name();
  }
  return {};
}

// "3 too small, 1 taint team not tolerated": each node once.
std::string refusals_text(Session& session, const Shape& shape) {
  const Cluster& cluster = session.cluster();
  std::map<std::string, std::int32_t> counts;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const Verdict verdict = session.ask(points::predicate, shape, cluster.node(NodeId(n)));
    const bool is_refused = !verdict && verdict.reason != Reason::vetoed;
    const bool is_small = std::any_of(
        shape.requested.begin(), shape.requested.end(),
        [&](const auto& asked) { return room_of(cluster, NodeId(n), asked.first) < asked.second; });
    if (is_refused) {
      ++counts[sentence(verdict.reason, verdict.have, verdict.need, verdict.what)];
    } else {
      ++counts[is_small ? "too small" : sentence(Reason::host_port_taken, 0, 0, {})];
    }
  }
  std::vector<std::pair<std::string, std::int32_t>> most_first(counts.begin(), counts.end());
  std::stable_sort(most_first.begin(), most_first.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  std::string text;
  for (const auto& [why, nodes] : most_first) {
    text += (text.empty() ? "" : ", ") + std::to_string(nodes) + " " + why;
  }
  return text;
}

std::string names_like(const Cluster& cluster, const std::string& name) {
  std::vector<std::string> known;
  for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
    if (cluster.total_allocatable()[Dimension(d)] > 0) {
      known.push_back(cluster.dimensions().name(Dimension(d)));
    }
  }
  std::sort(known.begin(), known.end());
  const auto near = did_you_mean(name, known);
  return near ? "did you mean " + *near + "?" : "";
}

}  // namespace

Verdict Feasibility::of(JobId job) const {
  if (is_possible(job)) return pass();
  const Finding& found = jobs_[job.index()].finding;
  Verdict verdict = reject(found.reason, found.have, found.need, found.what);
  verdict.detail = found.detail;
  return verdict;
}

void Feasibility::refresh(Session& session) {
  const Cluster& cluster = session.cluster();
  const State now{cluster.spec_version(), cluster.room_version(), session.queues().version()};
  if (stamp_ == cluster.stamp() && state_ == now) return;
  if (state_.spec != now.spec || state_.room != now.room) {
    ceiling_ = Resources();
    for (std::size_t d = 0; d < cluster.dimensions().size(); ++d) {
      for (std::size_t n = 0; n < cluster.node_count(); ++n) {
        const Dimension dimension(d);
        ceiling_.add(dimension, std::max<std::int64_t>(0, room_of(cluster, NodeId(n), dimension)));
      }
    }
  }
  stamp_ = cluster.stamp();
  state_ = now;
  // I6. What was found stands until the job, or what it was found of, has changed.
  impossible_.clear();
  hopeless_.assign(cluster.queue_slots(), Resources());
  jobs_.resize(cluster.job_slots());
  shapes_.resize(cluster.shape_count());
  for (const JobId id : cluster.open_jobs()) {
    const Job& job = cluster.job(id);
    OfJob& found = jobs_[id.index()];
    if (found.version != job.version || found.state != now) {
      found = {job.version, now, {}, {}};
      judge(session, job, found);
    }
    if (is_refused(id)) impossible_.push_back(id);
    if (job.queue.is_valid()) hopeless_[job.queue.index()] += found.hopeless;
  }
}

// I5. Of a job that can start, what waits beyond its minimum may still be too large for every node.
void Feasibility::judge(Session& session, const Job& job, OfJob& found) {
  const Cluster& cluster = session.cluster();
  const std::uint32_t at = session.queues().position_of(job.queue);
  const bool is_served = job.has_group && at != QueueTree::kNowhere &&
                         session.queues().member(at).takes_jobs() &&
                         job.phase != GroupPhase::completed;
  // Without nodes nothing is known of what there will be.
  if (!is_served || cluster.node_count() == 0) return;
  found.finding = judge_minimum(session, job);
  const bool is_refused = !found.finding.is_none();
  ShapeId last;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (task.status != TaskStatus::pending || task.is_gated) continue;
    const bool is_known_to_fit = !is_refused && task.shape == last;
    if (is_known_to_fit) continue;
    if (is_refused || of_shape(session, task.shape, 1).capacity == 0) {
      found.hopeless += cluster.shape(task.shape).request;
    } else {
      last = task.shape;
    }
  }
}

namespace {

// The pods of a job that wait, by shape, in the order in which they would be placed.
std::vector<Need::Part> waiting_parts(const Session& session, const Job& job,
                                      std::uint16_t role = kNoRole) {
  const Cluster& cluster = session.cluster();
  std::vector<Need::Part> parts;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (task.status != TaskStatus::pending || task.is_gated) continue;
    if (role != kNoRole && task.role != role) continue;
    auto part = std::find_if(parts.begin(), parts.end(),
                             [&](const Need::Part& each) { return each.shape == task.shape; });
    if (part == parts.end()) part = parts.insert(part, {task.shape, id, 0});
    ++part->count;
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
      for (std::int32_t i = std::min(left, pods); i > 0; --i) least.add(Dimension(d), amount);
      left -= std::min(left, pods);
    }
  }
  return least;
}

}  // namespace

Feasibility::Finding Feasibility::judge_minimum(Session& session, const Job& job) {
  if (has_minimum(session, job)) return {};
  // Without a plugin that asks for more, one pod by itself may start.
  const bool is_gang = !session.is_silent(points::job_ready);
  const std::int32_t lacks = is_gang ? job.min_available - job.placed_count() : 1;
  std::vector<Need::Part> parts = waiting_parts(session, job);
  const Finding nodes = could_take(session, parts, lacks - job.gated);
  if (!nodes.is_none() && nodes.reason != Reason::not_packable) return nodes;
  for (std::size_t r = 0; is_gang && r < job.roles.size() && roles_bind(job); ++r) {
    const Role& role = job.roles[r];
    const std::int32_t role_lacks = role.minimum - ready_count(role.counts) - job.gated;
    if (role_lacks <= 0) continue;
    std::vector<Need::Part> of_role = waiting_parts(session, job, static_cast<std::uint16_t>(r));
    if (Finding finding = could_take(session, of_role, role_lacks); !finding.is_none()) {
      return finding;
    }
  }
  Need need;
  need.request = least_request(session.cluster(), parts, lacks);
  const bool are_all_there = job.unplaced_count() >= lacks;
  if (!are_all_there && job.min_resources) {
    for (std::size_t d = 0; d < job.min_resources->extent(); ++d) {
      const Dimension dimension(d);
      const std::int64_t rest = (*job.min_resources)[dimension] - job.allocated[dimension];
      need.request.set(dimension, std::max(need.request[dimension], rest));
    }
  }
  if (Finding finding = is_within_cluster(session.cluster(), need); !finding.is_none()) {
    return finding;
  }
  // I4
  const Verdict queue = session.ask(points::job_possible, job, need);
  if (queue) return nodes;
  return {queue.reason, queue.have, queue.need, std::string(queue.what), std::string(queue.detail)};
}

// I1, I2. Could nodes take so many of these pods, each kind by itself? Pods that are not made yet
// are no reason against it. Leaves the kinds of which they take some.
Feasibility::Finding Feasibility::could_take(Session& session, std::vector<Need::Part>& parts,
                                             std::int32_t count) {
  std::int64_t waiting = 0;
  std::int64_t taken = 0;
  Finding why;
  for (const Need::Part& part : parts) {
    const OfShape& shape = of_shape(session, part.shape, part.count);
    waiting += part.count;
    taken += std::min<std::int64_t>(part.count, shape.capacity);
    if (shape.capacity >= part.count || !why.is_none()) continue;
    why = shape.why;
    if (why.reason == Reason::fits_no_node) why.what = session.cluster().task(part.first).name;
  }
  std::erase_if(parts, [&](const Need::Part& part) {
    return of_shape(session, part.shape, part.count).capacity == 0;
  });
  if (count <= 0 || taken >= std::min<std::int64_t>(count, waiting)) return {};
  if (taken > 0) why = {Reason::not_packable, taken, count, {}, why.detail};
  return why;
}

// I3. A resource that no node has is named first.
Feasibility::Finding Feasibility::is_within_cluster(const Cluster& cluster,
                                                    const Need& need) const {
  Scarcest scarcest(cluster);
  std::string unknown;
  for (std::size_t d = 0; d < need.request.extent(); ++d) {
    const Dimension dimension(d);
    scarcest.consider(dimension, ceiling_[dimension], need.request[dimension]);
    if (need.request[dimension] <= 0 || cluster.total_allocatable()[dimension] > 0) continue;
    const std::string& name = cluster.dimensions().name(dimension);
    if (unknown.empty() || name < unknown) unknown = name;
  }
  if (!unknown.empty()) {
    return {Reason::unknown_resource, 0, 0, unknown, names_like(cluster, unknown)};
  }
  if (scarcest.is_none()) return {};
  return {Reason::larger_than_cluster, scarcest.have(), scarcest.need(), scarcest.name(), {}};
}

const Feasibility::OfShape& Feasibility::of_shape(Session& session, ShapeId id,
                                                  std::int64_t enough) {
  const Cluster& cluster = session.cluster();
  OfShape& found = shapes_[id.index()];
  const bool is_known = found.state.spec == state_.spec && found.state.room == state_.room;
  if (is_known && (found.is_whole || found.capacity >= enough)) return found;
  found = {state_, 0, false, {}};
  const Shape& shape = cluster.shape(id);
  std::size_t n = 0;
  for (; n < cluster.node_count() && found.capacity < enough; ++n) {
    const std::int64_t pods = pods_on(cluster, shape, NodeId(n));
    if (pods > 0 && passes(session, shape, NodeId(n))) found.capacity += pods;
  }
  found.is_whole = n == cluster.node_count();
  if (found.capacity == 0) {
    found.why = why_nowhere(session, id);
  } else if (found.is_whole) {
    found.why.detail = what_each_needs(cluster, shape);
  }
  return found;
}

// I1, I2, in the order in which they are of use: a resource that does not exist, an amount that no
// node has, nodes that are not for this pod.
Feasibility::Finding Feasibility::why_nowhere(Session& session, ShapeId id) {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(id);
  std::string unknown;
  for (const auto& [dimension, amount] : shape.requested) {
    const std::string& name = cluster.dimensions().name(dimension);
    const bool is_unknown = cluster.total_allocatable()[dimension] <= 0;
    if (is_unknown && (unknown.empty() || name < unknown)) unknown = name;
  }
  bool is_any_open = false;
  std::vector<std::int64_t> most(shape.requested.size(), 0);
  for (std::size_t n = 0; n < cluster.node_count() && unknown.empty(); ++n) {
    if (!passes(session, shape, NodeId(n))) continue;
    is_any_open = true;
    for (std::size_t i = 0; i < most.size(); ++i) {
      most[i] = std::max(most[i], room_of(cluster, NodeId(n), shape.requested[i].first));
    }
  }
  Scarcest scarcest(cluster);
  for (std::size_t i = 0; i < most.size() && is_any_open; ++i) {
    scarcest.consider(shape.requested[i].first, most[i], shape.requested[i].second);
  }
  if (!unknown.empty()) {
    return {Reason::unknown_resource, 0, 0, unknown, names_like(cluster, unknown)};
  }
  if (!scarcest.is_none()) {
    return {Reason::pod_too_large, scarcest.have(), scarcest.need(), scarcest.name(), {}};
  }
  return {Reason::fits_no_node, 0, 0, {}, refusals_text(session, shape)};
}

// Sums of demand end at what an integer holds; then it is added up again without what is hopeless.
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
