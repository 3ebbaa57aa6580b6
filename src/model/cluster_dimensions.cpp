#include <algorithm>
#include <iterator>
#include <utility>

#include "berth/model/cluster.h"
#include "berth/model/dimensions.h"

// Dimensions are for what nodes and queues name. Pods and groups keep the other names that they ask
// for. docs/design/dimensions.md.

namespace berth {

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

void Cluster::set_request(Shape& shape, const NamedAmounts& request) {
  shape.unknown = unknown_of(dimensions_, request);
  shape.of_classes = of_classes(dimensions_, request);
  shape.is_hint = !shape.constraints.unmodelled.empty() || !shape.of_classes.empty();
  shape.request = to_resources(dimensions_, request);
  shape.requested.clear();
  for (std::size_t d = 0; d < shape.request.extent(); ++d) {
    if (const auto amount = shape.request[Dimension(d)]; amount > 0) {
      shape.requested.emplace_back(Dimension(d), amount);
    }
  }
}

void Cluster::set_min_resources(JobId id, const std::optional<NamedAmounts>& amounts) {
  Job& job = mutable_job(id);
  job.min_resources.reset();
  job.unknown.clear();
  if (!amounts) return;
  job.min_resources = to_resources(dimensions_, *amounts);
  job.unknown = unknown_of(dimensions_, *amounts);
}

void Cluster::account(const Task& task, int sign) {
  account_on_node(task, sign);
  account_in_job(task, sign);
  if (task.wants_room()) account_demand(task, sign);
}

// Of shapes that ask for these names, which no dimension had. `classes`: DIMENSION-4; or null.
void Cluster::read_requests_anew(const std::set<std::string>& names,
                                 const std::set<std::string>* classes) {
  std::vector<std::pair<std::size_t, NamedAmounts>> asking;  // shapes
  std::vector<std::uint8_t> asks(shapes_.size(), 0);
  for (std::size_t s = 0; s < shapes_.size(); ++s) {
    const Shape& shape = shapes_[s];
    const bool is_one = std::any_of(names.begin(), names.end(), [&](const std::string& name) {
      return shape.unknown.contains(name) || shape.of_classes.contains(name);
    });
    if (!is_one) continue;
    asks[s] = 1;
    asking.emplace_back(s, request_of(dimensions_, shape));
  }
  const auto account_all = [&](int sign) {
    for (const Task& task : tasks_) {
      if (!task.uid.empty() && asks[task.shape.index()] != 0) account(task, sign);
    }
  };
  account_all(-1);
  if (classes != nullptr) dimensions_.set_of_classes(*classes);
  for (const auto& [s, request] : asking) {
    set_request(shapes_[s], request);
    shapes_[s].serial = ++last_shape_;
  }
  account_all(+1);
}

// DIMENSION-4
void Cluster::set_device_classes(const std::set<std::string>& resources) {
  const std::set<std::string>& before = dimensions_.of_classes();
  std::set<std::string> changed;
  std::set_symmetric_difference(before.begin(), before.end(), resources.begin(), resources.end(),
                                std::inserter(changed, changed.end()));
  read_requests_anew(changed, &resources);
  ++spec_version_;
  ++room_version_;
  touch();
}

// DIMENSION-2. Seldom: a node or queue brings a name, and somebody has asked for it before.
void Cluster::learn(std::string_view name, Dimension dimension) {
  const std::string key(name);
  read_requests_anew({key}, nullptr);
  for (Job& job : jobs_) {
    const auto found = job.unknown.find(key);
    if (found == job.unknown.end()) continue;
    Resources& asked = *job.min_resources;
    asked.set(dimension, std::min(found->second, kAmountMax));
    job.unknown.erase(found);
    asked.set(kUnknown, to_resources(dimensions_, job.unknown)[kUnknown]);
    touch(job.id);
  }
  ++spec_version_;
  ++room_version_;
  touch();
}

}  // namespace berth
