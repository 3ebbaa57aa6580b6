#include "kube/pod_request.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "kube/fields.h"

// A pod's request, as kube-scheduler computes it. Init containers run one after the other, before
// the containers; a sidecar (an init container with restartPolicy Always) stays from its turn on:
//
//   init a: 4 cpu                 start-up: 4, then 1 + 2 = 3 beside the sidecar
//   sidecar: 1 cpu                running:  1 + 3 = 4
//   init b: 2 cpu                 request:  max(4, 3, 4) = 4, and the overhead
//   container: 3 cpu
//
// While a container is resized in place, the resources in its status count, too: the larger of spec
// and status is taken, per resource. If the node can never grant the spec, only the status counts.
//
// Pod-level cpu, memory and huge pages replace the sum over the containers, per resource, and are
// resized in the same way. A limit without a request is a request, as the API server would have
// filled in; for huge pages, also where containers have requests.

namespace berth::kube {

namespace {

void add(NamedAmounts& to, const NamedAmounts& amounts, const document::Cursor& at) {
  for (const auto& [name, amount] : amounts) {
    std::int64_t& sum = to[name];
    sum += amount;  // both are at most 2^53
    if (sum > kAmountMax) {
      at.warn("the containers' " + name + " adds up to more than Berth can count");
      sum = kAmountMax;
    }
  }
}

void raise(NamedAmounts& to, const NamedAmounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    std::int64_t& most = to[name];
    most = std::max(most, amount);
  }
}

NamedAmounts written_request(const document::Cursor& container) {
  const document::Cursor resources = container["resources"];
  NamedAmounts request = read_amounts(resources["requests"]);
  request.merge(read_amounts(resources["limits"]));
  return request;
}

// The resources that the pod's status grants to it and to its containers.
class Granted {
 public:
  explicit Granted(const document::Cursor& status) : pod_(read(status)) {
    for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
      for (const document::Cursor& container : status[list].items()) {
        if (const auto amounts = read(container)) {
          containers_[container["name"].text()] = *amounts;
        }
      }
    }
    if (containers_.empty() && !pod_) return;
    is_infeasible_ = status["resize"].text() == "Infeasible";  // before 1.33
    for (const document::Cursor& condition : status["conditions"].items()) {
      if (condition["type"].text() != "PodResizePending") continue;
      is_infeasible_ = is_infeasible_ || condition["reason"].text() == "Infeasible";
      break;
    }
  }

  NamedAmounts request_of(const document::Cursor& container) const {
    const auto found = containers_.find(container["name"].text());
    const NamedAmounts written = written_request(container);
    return found == containers_.end() ? written : larger(written, found->second);
  }
  // Of the resources in `written`.
  NamedAmounts request_of_pod(const NamedAmounts& written) const {
    return pod_ ? larger(written, *pod_) : written;
  }

 private:
  // kube-scheduler reads no allocation without `resources`.
  static std::optional<NamedAmounts> read(const document::Cursor& status) {
    const document::Cursor resources = status["resources"];
    if (!resources.is_present()) return std::nullopt;
    NamedAmounts amounts = read_amounts(status["allocatedResources"]);
    raise(amounts, read_amounts(resources["requests"]));
    return amounts;
  }
  NamedAmounts larger(const NamedAmounts& written, const NamedAmounts& granted) const {
    NamedAmounts request = granted;
    if (!is_infeasible_) raise(request, written);
    return request;
  }

  std::map<std::string, NamedAmounts> containers_;  // by name
  std::optional<NamedAmounts> pod_;
  bool is_infeasible_ = false;  // the node can never grant the spec
};

bool is_huge_pages(const std::string& resource) { return resource.starts_with("hugepages-"); }

bool is_of_pods(const std::string& resource) {
  return resource == "cpu" || resource == "memory" || is_huge_pages(resource);
}

// The request that the pod makes itself, instead of its containers.
NamedAmounts pod_level_request(const document::Cursor& resources, const NamedAmounts& containers) {
  NamedAmounts request = read_amounts(resources["requests"]);
  for (const auto& [name, amount] : read_amounts(resources["limits"])) {
    if (is_huge_pages(name) || !containers.contains(name)) request.emplace(name, amount);
  }
  std::erase_if(request, [](const auto& entry) { return !is_of_pods(entry.first); });
  return request;
}

}  // namespace

bool is_sidecar(const document::Cursor& init_container) {
  return init_container["restartPolicy"].text() == "Always";
}

NamedAmounts read_pod_request(const document::Cursor& spec, const document::Cursor& status) {
  const Granted granted(status);
  NamedAmounts running;
  for (const document::Cursor& container : spec["containers"].items()) {
    add(running, granted.request_of(container), spec);
  }
  NamedAmounts sidecars;
  NamedAmounts starting;
  for (const document::Cursor& container : spec["initContainers"].items()) {
    const bool stays = is_sidecar(container);  // the others have ended before a resize
    const NamedAmounts request = stays ? granted.request_of(container) : written_request(container);
    NamedAmounts step = sidecars;
    add(step, request, spec);
    raise(starting, step);
    if (stays) sidecars = step;
  }
  add(running, sidecars, spec);
  raise(running, starting);

  const NamedAmounts written = pod_level_request(spec["resources"], running);
  const NamedAmounts of_pod = granted.request_of_pod(written);
  for (const auto& [name, amount] : written) {
    const auto found = of_pod.find(name);
    running[name] = found == of_pod.end() ? 0 : found->second;
  }
  add(running, read_amounts(spec["overhead"]), spec);

  // Extended resources such as berth.dev/commit bring a pod to our extender; no node has any.
  std::erase_if(running, [](const auto& entry) {
    return entry.second == 0 || entry.first.starts_with("berth.dev/");
  });
  running["pods"] = 1;
  return running;
}

}  // namespace berth::kube
