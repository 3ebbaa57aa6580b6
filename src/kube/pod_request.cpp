#include "kube/pod_request.h"

#include <algorithm>
#include <map>
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
//
// While a container is resized in place, the resources in its status count, too: the larger of spec
// and status is taken, per resource. If the node can never grant the spec, only the status counts.
//
// Pod-level resources replace the sum over the containers, per resource. A limit without a request
// is a request, as the API server would have filled in.

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

// The resources that the pod's status grants to containers.
class Granted {
 public:
  explicit Granted(const document::Cursor& status) {
    for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
      for (const document::Cursor& container : status[list].items()) {
        NamedAmounts amounts = read_amounts(container["allocatedResources"]);
        raise(amounts, read_amounts(container["resources"]["requests"]));
        if (!amounts.empty()) granted_[container["name"].text()] = std::move(amounts);
      }
    }
    if (granted_.empty()) return;
    is_infeasible_ = status["resize"].text() == "Infeasible";  // before 1.33
    for (const document::Cursor& condition : status["conditions"].items()) {
      const bool is_pending =
          condition["type"].text() == "PodResizePending" && condition["status"].text() == "True";
      if (is_pending && condition["reason"].text() == "Infeasible") is_infeasible_ = true;
    }
  }

  NamedAmounts request_of(const document::Cursor& container) const {
    NamedAmounts request = written_request(container);
    if (granted_.empty()) return request;
    const auto found = granted_.find(container["name"].text());
    if (found == granted_.end()) return request;
    if (is_infeasible_) return found->second;
    raise(request, found->second);
    return request;
  }

 private:
  std::map<std::string, NamedAmounts> granted_;  // by the container's name
  bool is_infeasible_ = false;                   // the node can never grant the spec
};

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

  const document::Cursor pod_level = spec["resources"];
  for (const auto& [name, amount] : read_amounts(pod_level["requests"])) running[name] = amount;
  running.merge(read_amounts(pod_level["limits"]));
  add(running, read_amounts(spec["overhead"]), spec);

  // Extended resources such as berth.dev/commit bring a pod to our extender; no node has any.
  std::erase_if(running, [](const auto& entry) {
    return entry.second == 0 || entry.first.starts_with("berth.dev/");
  });
  running["pods"] = 1;
  return running;
}

}  // namespace berth::kube
