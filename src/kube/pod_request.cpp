#include "kube/pod_request.h"

#include <algorithm>
#include <map>
#include <string>

#include "kube/fields.h"

// A pod's request, as kube-scheduler computes it. Init containers run one after the other, before
// the containers; a sidecar (an init container with restartPolicy Always) stays from its turn on:
//
//   init a: 4 cpu                 start-up: 4, then 1 + 2 = 3 beside the sidecar
//   sidecar: 1 cpu                running:  1 + 3 = 4
//   init b: 2 cpu                 request:  max(4, 3, 4) = 4, and the overhead
//   container: 3 cpu
//
// While containers are resized in place, three such sums are made, as kube-scheduler does
// since 1.37: of the specs, of what the node has allocated, and of what runs. The largest counts,
// per resource; that of the specs does not if the node can never grant it.
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

// The resources that the status has of the pod and of its containers.
class Granted {
 public:
  explicit Granted(const document::Cursor& status) : status_(status) {
    for (const char* list : {"containerStatuses", "initContainerStatuses"}) {
      for (const document::Cursor& container : status[list].items()) {
        containers_.emplace(container["name"].text(), container);
      }
    }
    const document::Cursor conditions = status["conditions"];
    is_infeasible_ = status["resize"].text() == "Infeasible";  // before 1.33
    for (const document::Cursor& condition : conditions.items()) {
      if (condition["type"].text() != "PodResizePending") continue;
      is_infeasible_ = is_infeasible_ || condition["reason"].text() == "Infeasible";
      break;
    }
  }

  // The node can never grant the spec.
  bool is_infeasible() const { return is_infeasible_; }
  // Has the node allocated, or does it run, another amount than the spec's? Seldom.
  bool differs_from(const document::Cursor& spec) const {
    if (is_infeasible_ || has_pod()) return true;
    if (containers_.empty()) return false;
    const auto differs = [this](const document::Cursor& container) {
      const NamedAmounts written = written_request(container);
      return allocated_to(container) != written || running_of(container) != written;
    };
    const auto containers = spec["containers"].items();
    const auto starting = spec["initContainers"].items();
    return std::any_of(containers.begin(), containers.end(), differs) ||
           std::any_of(starting.begin(), starting.end(), differs);
  }
  bool has_pod() const { return allocated(status_).is_present() && running(status_).is_present(); }
  NamedAmounts allocated_to_pod() const { return read_amounts(allocated(status_)); }
  NamedAmounts running_of_pod() const { return read_amounts(running(status_)); }

  NamedAmounts allocated_to(const document::Cursor& container) const {
    const auto found = containers_.find(container["name"].text());
    if (found != containers_.end() && allocated(found->second).is_present()) {
      return read_amounts(allocated(found->second));
    }
    return is_infeasible_ ? NamedAmounts() : written_request(container);
  }
  NamedAmounts running_of(const document::Cursor& container) const {
    const auto found = containers_.find(container["name"].text());
    if (found != containers_.end() && running(found->second).is_present()) {
      return read_amounts(running(found->second));
    }
    return allocated_to(container);
  }
  // Of the resources in `written`, which the pod itself asks for.
  NamedAmounts request_of_pod(const NamedAmounts& written) const {
    if (!status_["resources"].is_present()) return written;
    NamedAmounts request = is_infeasible_ ? NamedAmounts() : written;
    raise(request, running_of_pod());
    raise(request, allocated_to_pod());
    return request;
  }

 private:
  static document::Cursor allocated(const document::Cursor& of) { return of["allocatedResources"]; }
  static document::Cursor running(const document::Cursor& of) {
    return of["resources"]["requests"];
  }

  document::Cursor status_;
  std::map<std::string, document::Cursor> containers_;  // their statuses, by name
  bool is_infeasible_ = false;
};

// The request of all containers together, each as `request_of` has it.
template <class RequestOf>
NamedAmounts sum_of(const document::Cursor& spec, RequestOf request_of) {
  NamedAmounts running;
  for (const document::Cursor& container : spec["containers"].items()) {
    add(running, request_of(container), spec);
  }
  NamedAmounts sidecars;
  NamedAmounts starting;
  for (const document::Cursor& container : spec["initContainers"].items()) {
    NamedAmounts step = sidecars;
    add(step, request_of(container), spec);
    raise(starting, step);
    if (is_sidecar(container)) sidecars = step;
  }
  add(running, sidecars, spec);
  raise(running, starting);
  return running;
}

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
  NamedAmounts running = sum_of(spec, &written_request);
  if (granted.differs_from(spec)) {
    if (granted.is_infeasible()) running.clear();
    raise(running, granted.has_pod() ? granted.allocated_to_pod()
                                     : sum_of(spec, [&](const document::Cursor& container) {
                                         return granted.allocated_to(container);
                                       }));
    raise(running, granted.has_pod() ? granted.running_of_pod()
                                     : sum_of(spec, [&](const document::Cursor& container) {
                                         return granted.running_of(container);
                                       }));
  }

  const NamedAmounts written = pod_level_request(spec["resources"], running);
  const NamedAmounts of_pod = granted.request_of_pod(written);
  for (const auto& [name, amount] : of_pod) {
    if (!written.empty() && is_of_pods(name)) running[name] = amount;
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
