#include "engine/crowds.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <vector>

#include "berth/model/bounds.h"
#include "berth/model/reader.h"

namespace berth::engine {

namespace {

struct Size {
  std::size_t kinds = 0;
  std::size_t checks = 0;

  void add(const Shape& shape) { ++kinds, checks += shape.checks; }
  bool is_within() const {
    return kinds <= bounds::kKindsOfNamespace && checks <= bounds::kNodeChecksOfNamespace;
  }
  std::string text() const {
    if (kinds > bounds::kKindsOfNamespace) {
      return std::to_string(kinds) + " kinds of waiting pods, at most " +
             std::to_string(bounds::kKindsOfNamespace);
    }
    return std::to_string(checks) + " constraints of its kinds of waiting pods, at most " +
           std::to_string(bounds::kNodeChecksOfNamespace);
  }
};

// Of its waiting pods.
std::set<ShapeId> kinds_of(const Cluster& cluster, const Job& job) {
  std::set<ShapeId> kinds;
  ShapeId last;
  for (const TaskId id : job.tasks) {
    const Task& task = cluster.task(id);
    if (task.status != TaskStatus::pending || task.shape == last) continue;
    last = task.shape;
    kinds.insert(cluster.shape(last).base);
  }
  return kinds;
}

// All kinds of the cluster are within what one namespace may have: so it is almost always.
bool are_few(const Cluster& cluster) {
  Size all;
  for (std::size_t s = 0; s < cluster.shape_count() && all.is_within(); ++s) {
    const Shape& shape = cluster.shape(ShapeId(s));
    if (shape.uses > 0 && shape.base == shape.id) all.add(shape);
  }
  return all.is_within();
}

}  // namespace

Crowds::Crowds(const Cluster& cluster) {
  if (are_few(cluster)) return;
  std::map<std::string_view, std::vector<JobId>> jobs;  // by namespace
  for (const JobId id : cluster.open_jobs()) {
    const Job& job = cluster.job(id);
    if (job.unplaced_count() > 0) jobs[namespace_of(job.name)].push_back(id);
  }
  for (const auto& [name, those] : jobs) look_at(cluster, those);
}

void Crowds::look_at(const Cluster& cluster, const std::vector<JobId>& jobs) {
  std::set<ShapeId> all;
  for (const JobId id : jobs) all.merge(kinds_of(cluster, cluster.job(id)));
  Size size;
  for (const ShapeId kind : all) size.add(cluster.shape(kind));
  if (size.is_within()) return;
  std::vector<JobId> in_order = jobs;
  std::sort(in_order.begin(), in_order.end(), [&](JobId left, JobId right) {
    const Job& l = cluster.job(left);
    const Job& r = cluster.job(right);
    return std::tie(r.priority, l.created, l.uid, l.name) <
           std::tie(l.priority, r.created, r.uid, r.name);
  });
  std::set<ShapeId> known;
  Size taken;
  for (const JobId id : in_order) {
    std::set<ShapeId> its = kinds_of(cluster, cluster.job(id));
    Size with_it = taken;
    for (const ShapeId kind : its) {
      if (!known.contains(kind)) with_it.add(cluster.shape(kind));
    }
    if (!with_it.is_within()) {
      found_[id] = size.text();
      continue;
    }
    taken = with_it;
    known.merge(its);
  }
}

const std::string& Crowds::of(JobId job) const {
  static const std::string kNone;
  const auto found = found_.find(job);
  return found == found_.end() ? kNone : found->second;
}

}  // namespace berth::engine
