#pragma once

#include <string>

#include "berth/base/executor.h"
#include "embedded/api_server.h"

namespace berth::embedded {

// The kubelets of all nodes. A bound pod runs at once. One with a run time succeeds that long after
// its start. A pod that is to leave terminates for a grace period and is then gone. A pod on a node
// that is not there goes after a while, as the collector of orphaned pods does it.
class Kubelet {
 public:
  // Both must outlive it.
  Kubelet(Executor& executor, ApiServer& server, Duration grace = std::chrono::seconds(1));

 private:
  void pod_changed(const PodObject& pod);
  void node_came(const std::string& node);
  void run(const std::string& uid);
  void end(const std::string& uid);
  void collect(const std::string& uid);

  Executor& executor_;
  ApiServer& server_;
  const Duration grace_;
};

}  // namespace berth::embedded
