#include <algorithm>
#include <utility>

#include "berth/model/cluster.h"

// Dimensions are for what nodes and queues name. Pods and groups keep the other names that they ask
// for. docs/design/dimensions.md.

namespace berth {

namespace {

// Of one name, and of all names of an object: sums of these over all pods fit into 64 bits.
constexpr std::int64_t kMostOfName = std::int64_t{1} << 20;
constexpr std::int64_t kMostOfObject = std::int64_t{1} << 30;

}  // namespace

Dimension Cluster::intern_dimension(std::string_view name) {
  const Dimension dimension = dimensions_.find(name);
  if (dimension.index() < dimensions_.size()) return dimension;
  dimensions_.intern(name);
  ensure_dimensions();
  learn(name, dimension);
  return dimension;
}

void Cluster::ensure_dimensions() {
  for (AmountTable* table : tables()) {
    if (table->dimensions() == 0) table->reset(nodes_.size(), dimensions_.size());
    while (table->dimensions() < dimensions_.size()) table->add_dimension();
  }
}

// A node or queue that claims more than can be counted has that much.
Resources Cluster::intern_resources(const NamedAmounts& amounts, std::int64_t most) {
  Resources resources;
  for (const auto& [name, amount] : amounts) {
    resources.set(intern_dimension(name), std::min(amount, most));
  }
  return resources;
}

Resources Cluster::to_resources(const NamedAmounts& amounts) const {
  Resources resources;
  std::int64_t unknown = 0;
  for (const auto& [name, amount] : amounts) {
    const Dimension dimension = dimensions_.find(name);
    if (dimension.index() < dimensions_.size()) {
      resources.set(dimension, std::min(amount, kAmountMax));
    } else if (amount > 0) {
      unknown = std::min(kMostOfObject, unknown + std::min(amount, kMostOfName));
    }
  }
  resources.set(kUnknown, unknown);
  return resources;
}

NamedAmounts Cluster::unknown_of(const NamedAmounts& amounts) const {
  NamedAmounts unknown;
  for (const auto& [name, amount] : amounts) {
    const bool is_known = dimensions_.find(name).index() < dimensions_.size();
    if (!is_known && amount > 0) unknown.emplace(name, std::min(amount, kAmountMax));
  }
  return unknown;
}

void Cluster::set_request(Shape& shape, const NamedAmounts& request) {
  shape.unknown = unknown_of(request);
  shape.request = to_resources(request);
  shape.requested.clear();
  for (std::size_t d = 0; d < shape.request.extent(); ++d) {
    if (const auto amount = shape.request[Dimension(d)]; amount > 0) {
      shape.requested.emplace_back(Dimension(d), amount);
    }
  }
}

NamedAmounts Cluster::request_of(const Shape& shape) const {
  NamedAmounts request = shape.unknown;
  for (const auto& [dimension, amount] : shape.requested) {
    if (dimension != kUnknown) request.emplace(dimensions_.name(dimension), amount);
  }
  return request;
}

void Cluster::set_min_resources(JobId id, const std::optional<NamedAmounts>& amounts) {
  Job& job = mutable_job(id);
  job.min_resources.reset();
  job.unknown.clear();
  if (!amounts) return;
  job.min_resources = to_resources(*amounts);
  job.unknown = unknown_of(*amounts);
}

void Cluster::account(const Task& task, int sign) {
  account_on_node(task, sign);
  account_in_job(task, sign);
  if (task.wants_room()) account_demand(task, sign);
}

// DIMENSION-2. Seldom: a node or queue brings a name, and somebody has asked for it before.
void Cluster::learn(std::string_view name, Dimension dimension) {
  const std::string key(name);
  std::vector<std::uint8_t> asks(shapes_.size(), 0);
  for (std::size_t s = 0; s < asks.size(); ++s) asks[s] = shapes_[s].unknown.contains(key) ? 1 : 0;
  const auto account_all = [&](int sign) {
    for (const Task& task : tasks_) {
      if (!task.uid.empty() && asks[task.shape.index()] != 0) account(task, sign);
    }
  };
  account_all(-1);
  for (std::size_t s = 0; s < asks.size(); ++s) {
    if (asks[s] == 0) continue;
    set_request(shapes_[s], request_of(shapes_[s]));
    shapes_[s].serial = ++last_shape_;
  }
  account_all(+1);
  for (Job& job : jobs_) {
    const auto found = job.unknown.find(key);
    if (found == job.unknown.end()) continue;
    Resources& asked = *job.min_resources;
    asked.set(dimension, std::min(found->second, kAmountMax));
    job.unknown.erase(found);
    asked.set(kUnknown, to_resources(job.unknown)[kUnknown]);
    touch(job.id);
  }
  ++spec_version_;
  ++room_version_;
  touch();
}

}  // namespace berth
