#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "kubeapi/rest_client.h"

namespace berth::kubeapi {

struct DiscoveryOptions {
  Duration again = std::chrono::seconds(30);  // how often to look for what is not served
  // Logs a failure, on the thread of the discovery.
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
class Discovery {
 public:
  // `resources`: RESOURCE.VERSION.GROUP. Of those that differ by the version alone, one is found.
  // `found` is called once for each, on the thread of the discovery. `client` must outlive it.
  Discovery(RestClient& client, std::vector<std::string> resources, DiscoveryOptions options,
            std::function<void(const ServedResource& resource)> found);
  ~Discovery();  // stop()
  Discovery(const Discovery&) = delete;
  Discovery& operator=(const Discovery&) = delete;

  void start();
  // Returns when `found` does not run. Idempotent.
  void stop();
  // True once it has looked; also if it may not. Any thread.
  bool has_looked() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::kubeapi
