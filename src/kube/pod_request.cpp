#include "kube/pod_request.h"

#include <algorithm>

#include "kube/fields.h"

// A pod's request, as kube-scheduler computes it. Init containers run one after the other, before
// the containers; a sidecar (an init container with restartPolicy Always) stays from its turn on:
//
//   init a: 4 cpu                 start-up: 4, then 1 + 2 = 3 beside the sidecar
//   sidecar: 1 cpu                running:  1 + 3 = 4
//   init b: 2 cpu                 request:  max(4, 3, 4) = 4, and the overhead
//   container: 3 cpu
//
// Pod-level resources, where given, replace what the containers add up to, per resource. A limit
// without a request is a request, as the API server would have filled in.

namespace berth::kube {

namespace {

void add(NamedAmounts& to, const NamedAmounts& amounts, const conf::Cursor& at) {
  for (const auto& [name, amount] : amounts) {
    std::int64_t& sum = to[name];
    sum += amount;  // both are at most 2^53
    if (sum > kAmountMax) {
      at.complain("the containers' " + name + " adds up to more than Berth accounts for");
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

NamedAmounts container_request(const conf::Cursor& container) {
  const conf::Cursor resources = container["resources"];
  NamedAmounts request = read_amounts(resources["requests"]);
  request.merge(read_amounts(resources["limits"]));
  return request;
}

}  // namespace

bool is_sidecar(const conf::Cursor& init_container) {
  return init_container["restartPolicy"].text() == "Always";
}

NamedAmounts read_pod_request(const conf::Cursor& spec) {
  NamedAmounts running;
  for (const conf::Cursor& container : spec["containers"].items()) {
    add(running, container_request(container), spec);
  }
  NamedAmounts sidecars;
  NamedAmounts starting;
  for (const conf::Cursor& container : spec["initContainers"].items()) {
    const NamedAmounts request = container_request(container);
    NamedAmounts step = sidecars;
    add(step, request, spec);
    raise(starting, step);
    if (is_sidecar(container)) sidecars = step;
  }
  add(running, sidecars, spec);
  raise(running, starting);

  const conf::Cursor pod_level = spec["resources"];
  for (const auto& [name, amount] : read_amounts(pod_level["requests"])) running[name] = amount;
  running.merge(read_amounts(pod_level["limits"]));
  add(running, read_amounts(spec["overhead"]), spec);

  // berth.dev/commit and the like bring a pod to our extender; no node has any.
  std::erase_if(running, [](const auto& entry) {
    return entry.second == 0 || entry.first.starts_with("berth.dev/");
  });
  running["pods"] = 1;
  return running;
}

}  // namespace berth::kube
