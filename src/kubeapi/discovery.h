#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "kubeapi/state_machine.h"

namespace berth::kubeapi {

struct DiscoveryOptions {
  Duration again = std::chrono::seconds(30);  // how often to look for what is not served
  // Logs a failure.
  std::function<void(const std::string& what, const Error& error)> complain;
};

// A resource that the API server serves.
struct ServedResource {
  std::string resource;     // "jobsets.v1alpha2.jobset.x-k8s.io"
  std::string api_version;  // "jobset.x-k8s.io/v1alpha2"
  std::string kind;         // "JobSet"
};

// Looks which resources the API server serves, until it serves all: one request for its groups, and
// one for each of them that could have one of these resources (API-27).
class Discovery final : public StateMachine {
 public:
  // `resources`: RESOURCE.VERSION.GROUP. Of those that differ by the version alone, one is found.
  // `found` is called once for each.
  Discovery(std::vector<std::string> resources, DiscoveryOptions options,
            std::function<void(const ServedResource& resource)> found);

  Step step() override;
  Step answered(Response response) override;

  // True once it has looked; also if it may not. Any thread.
  bool has_looked() const { return has_looked_; }

 private:
  Step ask(std::string api_version);
  std::string path() const;
  void take_groups(const nlohmann::json& groups);
  void take_resources(const nlohmann::json& resources);

  std::vector<std::string> missing_;
  const DiscoveryOptions options_;
  const std::function<void(const ServedResource&)> found_;
  std::map<std::string, std::string> failed_;  // the last error of each request
  std::string asked_;                          // an API version; empty: the groups
  std::vector<std::string> unasked_;           // API versions of this look
  std::atomic<bool> has_looked_;
};

}  // namespace berth::kubeapi
