#include "page/collector.h"

#include <algorithm>
#include <utility>

#include "berth/model/dimensions.h"
#include "berth/model/time_limit.h"

namespace berth::page {

namespace {

constexpr std::size_t kExtendedMost = 6;
constexpr Duration kMessageHolds = std::chrono::seconds(5);  // PAGE-5

std::int64_t number_of(JobId id) {
  return id.is_valid() ? static_cast<std::int64_t>(id.index()) : kNone;
}

std::int64_t number_of(TreeDomainId id) {
  return id.is_valid() ? static_cast<std::int64_t>(id.index()) : kNone;
}

void drop_zeros(std::vector<std::int64_t>& amounts) {
  while (!amounts.empty() && amounts.back() == 0) amounts.pop_back();
}

PodState state_of(TaskStatus status) {
  switch (status) {
    case TaskStatus::running:
      return PodState::running;
    case TaskStatus::bound:
      return PodState::bound;
    case TaskStatus::releasing:
      return PodState::leaving;
    default:
      return PodState::planned;
  }
}

// It stays on the page until its pods are done.
bool is_shown(const Job& job) {
  return job.exists && job.is_ours() && job.phase != GroupPhase::completed;
}

std::optional<TimePoint> start_of(const Job& job, const Cluster& cluster) {
  std::optional<TimePoint> first;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (task.scheduled_at == TimePoint::min()) continue;
    if (!first || task.scheduled_at < *first) first = task.scheduled_at;
  }
  return first;
}

// None: a pod may run for ever, or none has a node.
std::optional<TimePoint> end_of(const Job& job, const Cluster& cluster, TimePoint now) {
  std::optional<TimePoint> last;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (!task.node.is_valid() || !occupies_node(task.status)) continue;
    const TimePoint end = gone_by(cluster, task, now);
    if (end == TimePoint::max()) return std::nullopt;
    last = std::max(end, last.value_or(end));
  }
  return last;
}

JobPart part_of(const Job& job, const Cluster& cluster, TimePoint now) {
  JobPart part;
  part.id = number_of(job.id);
  part.name = job.name;
  part.queue = job.queue_name;
  part.phase = job.phase;
  part.priority = job.priority;
  part.minimum = job.min_available;
  part.counts = {job.count(TaskStatus::pending),
                 job.count(TaskStatus::binding),
                 job.count(TaskStatus::bound) + job.count(TaskStatus::running),
                 job.count(TaskStatus::releasing),
                 job.count(TaskStatus::succeeded),
                 job.count(TaskStatus::failed)};
  part.created = job.created;
  part.waits_since = std::max(job.first_seen, job.ran_until);
  part.started = start_of(job, cluster);
  part.ends = end_of(job, cluster, now);
  if (job.election) {
    part.target_since = job.election->since;
    part.target_why = job.election->why;
  }
  part.promised = job.promised_start;
  part.limit = job.time_limit;
  part.gated = job.gated;
  return part;
}

std::vector<DomainPart> domains_of(const TopologyTree& tree) {
  std::vector<DomainPart> domains;
  tree.each_domain([&](TreeDomainId id) {
    const TreeDomain& domain = tree.domain(id);
    domains.push_back({number_of(id), domain.name, domain.level, number_of(domain.parent)});
  });
  return domains;
}

}  // namespace

std::vector<Dimension> shown_resources(const Cluster& cluster) {
  const DimensionTable& table = cluster.dimensions();
  std::vector<Dimension> extended;
  for (std::size_t d = kFixedDimensions; d < table.size(); ++d) {
    const bool is_there = cluster.total_allocatable()[Dimension(d)] > 0;
    if (is_there && is_extended(table.name(Dimension(d)))) extended.push_back(Dimension(d));
  }
  std::sort(extended.begin(), extended.end(), [&table](Dimension left, Dimension right) {
    return table.name(left) < table.name(right);
  });
  if (extended.size() > kExtendedMost) extended.resize(kExtendedMost);
  std::vector<Dimension> shown{kCpu, kMemory};
  shown.insert(shown.end(), extended.begin(), extended.end());
  return shown;
}

void Collector::note(const std::vector<JobId>& jobs) {
  for (const JobId id : jobs) {
    if (id.index() >= noted_.size()) noted_.resize(id.index() + 1);
    noted_[id.index()] = 1;
  }
}

// PAGE-1
Batch Collector::collect(const Cluster& cluster, const Reasons& reasons, TimePoint now) {
  Batch batch;
  batch.now = now;
  const bool has_other_resources = choose_resources(cluster);
  const bool has_other_topology = choose_topology(cluster);
  batch.is_whole = !is_known_ || has_other_resources || has_other_topology ||
                   !cluster.changes().has_since(position_);
  batch.resources = resources_;
  for (const Dimension d : dimensions_) {
    batch.total.push_back(cluster.total_allocatable()[d]);
    batch.used.push_back(cluster.total_used()[d]);
  }
  if (tree_ != nullptr) {
    for (const TreeLevel& level : tree_->levels()) batch.levels.push_back(level.text());
  }
  if (batch.is_whole) {
    batch.domains = tree_ == nullptr ? std::vector<DomainPart>() : domains_of(*tree_);
    seen_.clear();
  }
  is_known_ = !batch.is_whole;
  for (const NodeId id : changed_nodes(cluster, claims_of(cluster))) {
    batch.nodes.push_back(part_of(cluster, cluster.node(id)));
  }
  is_known_ = true;
  position_ = cluster.changes().position();
  collect_jobs(cluster, reasons, now, batch);
  add_order(cluster, batch);
  return batch;
}

bool Collector::choose_resources(const Cluster& cluster) {
  dimensions_ = shown_resources(cluster);
  std::vector<std::string> names;
  for (const Dimension d : dimensions_) names.push_back(cluster.dimensions().name(d));
  const bool are_others = names != resources_;
  resources_ = std::move(names);
  return are_others;
}

bool Collector::choose_topology(const Cluster& cluster) {
  const TopologyTable& table = cluster.topologies();
  if (topology_version_ == table.version()) return false;
  topology_version_ = table.version();
  tree_ = nullptr;
  for (const auto& [name, tree] : table.trees()) {
    if (tree_ == nullptr && tree->node_count() > 0) tree_ = tree;
  }
  return true;
}

std::vector<Collector::Claimed> Collector::claims_of(const Cluster& cluster) const {
  std::vector<Claimed> claims;
  for (const JobId id : cluster.claimants()) {
    for (const Claim& claim : cluster.job(id).claims) {
      if (claim.node.is_valid()) claims.push_back({claim.node, id, claim.task});
    }
  }
  std::sort(claims.begin(), claims.end());
  return claims;
}

std::vector<NodeId> Collector::changed_nodes(const Cluster& cluster, std::vector<Claimed> claims) {
  std::vector<NodeId> changed;
  if (!is_known_) {
    for (std::size_t n = 0; n < cluster.node_count(); ++n) changed.push_back(NodeId(n));
    claims_ = std::move(claims);
    return changed;
  }
  std::vector<std::uint8_t> is_changed(cluster.node_count());
  for (const NodeId id : cluster.changes().since(position_)) is_changed[id.index()] = 1;
  if (claims != claims_) {
    for (const auto* const each : {&claims, &claims_}) {
      for (const Claimed& claim : *each) is_changed[claim.node.index()] = 1;
    }
    claims_ = std::move(claims);
  }
  for (std::size_t n = 0; n < is_changed.size(); ++n) {
    if (is_changed[n] != 0) changed.push_back(NodeId(n));
  }
  return changed;
}

std::vector<std::int64_t> Collector::row_of(const AmountTable& table, NodeId node) const {
  std::vector<std::int64_t> row;
  row.reserve(dimensions_.size());
  for (const Dimension d : dimensions_) row.push_back(table.at(node, d));
  return row;
}

NodePart Collector::part_of(const Cluster& cluster, const Node& node) const {
  NodePart part;
  part.name = node.name;
  part.is_unschedulable = node.is_unschedulable;
  if (tree_ != nullptr) part.domain = number_of(tree_->place_of(node.name));
  part.allocatable = row_of(cluster.allocatable(), node.id);
  part.used = row_of(cluster.idle(), node.id);
  for (std::size_t r = 0; r < part.used.size(); ++r) {
    part.used[r] = part.allocatable[r] - part.used[r];
  }
  drop_zeros(part.allocatable);
  drop_zeros(part.used);
  part.target = number_of(node.lock.job);
  if (node.queue_lock.queue.is_valid()) part.queue = cluster.queue(node.queue_lock.queue).name;
  for (const TaskId id : node.tasks) {
    const Task& task = cluster.task(id);
    const bool is_ours = task.job.is_valid() && cluster.job(task.job).is_ours();
    add_group(part, is_ours ? task.job : JobId(), state_of(task.status), cluster.shape(task.shape));
  }
  const auto first =
      std::lower_bound(claims_.begin(), claims_.end(), Claimed{node.id, JobId(0), TaskId(0)});
  for (auto claim = first; claim != claims_.end() && claim->node == node.id; ++claim) {
    add_group(part, claim->job, PodState::claimed, cluster.shape_of(claim->task));
  }
  for (PodGroupPart& group : part.groups) drop_zeros(group.amounts);
  // The order of a node's tasks follows arrival and leaving; an equal state has an equal text.
  std::sort(part.groups.begin(), part.groups.end(), [](const auto& left, const auto& right) {
    return std::pair(left.job, left.state) < std::pair(right.job, right.state);
  });
  return part;
}

void Collector::add_group(NodePart& part, JobId job, PodState state, const Shape& shape) const {
  const std::int64_t number = number_of(job);
  auto group = std::find_if(part.groups.begin(), part.groups.end(), [&](const auto& each) {
    return each.job == number && each.state == state;
  });
  if (group == part.groups.end()) {
    part.groups.push_back({number, state, 0, std::vector<std::int64_t>(dimensions_.size())});
    group = part.groups.end() - 1;
  }
  ++group->pods;
  for (std::size_t r = 0; r < dimensions_.size(); ++r) {
    group->amounts[r] += shape.request[dimensions_[r]];
  }
}

void Collector::collect_jobs(const Cluster& cluster, const Reasons& reasons, TimePoint now,
                             Batch& batch) {
  const std::size_t slots = cluster.job_slots();
  for (std::size_t j = slots; j < seen_.size(); ++j) {
    if (seen_[j].version != 0) batch.jobs_gone.push_back(static_cast<std::int64_t>(j));
  }
  seen_.resize(slots);
  noted_.resize(slots);
  for (std::size_t j = 0; j < slots; ++j) {
    const Job& job = cluster.job(JobId(j));
    Seen& seen = seen_[j];
    if (!is_shown(job)) {
      if (seen.version != 0) batch.jobs_gone.push_back(static_cast<std::int64_t>(j));
      seen = {};
      noted_[j] = 0;
      continue;
    }
    const std::uint64_t version = std::max<std::uint64_t>(job.version, 1);
    if (version == seen.version && noted_[j] == 0) continue;
    const std::string code = reasons.code(job.id);
    const bool is_same_reason = version == seen.version && code == seen.code;
    if (is_same_reason && now - seen.copied_at < kMessageHolds) continue;  // and noted, for later
    seen.version = version;
    seen.code = code;
    noted_[j] = 0;
    JobPart& part = batch.jobs.emplace_back(page::part_of(job, cluster, now));
    add_reason(job, reasons, now, seen, part);
  }
}

void Collector::add_reason(const Job& job, const Reasons& reasons, TimePoint now, Seen& seen,
                           JobPart& part) const {
  if (seen.code.empty()) return;
  reconcile::Waiting waiting = reasons.waiting(job.id);
  part.reason = std::move(waiting.code);
  part.message = std::move(waiting.message);
  part.start = waiting.start;
  seen.copied_at = now;
}

void Collector::add_order(const Cluster& cluster, Batch& batch) const {
  for (const JobId id : order_) {
    const Job& job = cluster.job(id);
    if (is_shown(job) && job.unplaced_count() > 0) batch.order.push_back(number_of(id));
  }
}

}  // namespace berth::page
