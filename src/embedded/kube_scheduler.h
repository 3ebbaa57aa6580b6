#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "embedded/embedded_cluster.h"
#include "embedded/scaled_clock.h"
#include "http/http_client.h"

namespace berth::embedded {

struct KubeSchedulerOptions {
  std::string extender_url;  // "http://127.0.0.1:8890": what comes before /plan and /commit
  std::optional<http::ClientTls> tls = {};  // needed for https

  // Profiles whose pods the extender binds, as if they carried its marker resource.
  std::vector<std::string> managed_schedulers = {"berth"};
  // The /plan entry is ignorable: if its filter fails, all nodes pass.
  bool plan_is_ignorable = true;

  // percentageOfNodesToScore; 0: adaptive, by the number of nodes.
  int percentage_of_nodes = 0;
  int managed_percentage_of_nodes = 100;

  // In the cluster's time.
  Duration initial_backoff = std::chrono::seconds(1);
  Duration max_backoff = std::chrono::seconds(10);
  // SchedulerPopFromBackoffQ, on from 1.33: an idle scheduler retries rejected pods during their
  // backoff, but not pods that met an error.
  bool pops_from_backoff = true;
  // From 1.35, a rejected pod without preemption loses its nomination.
  bool rejection_clears_nomination = true;

  // In real time: httpTimeout of the two entries.
  std::chrono::milliseconds plan_timeout{1'000};
  std::chrono::milliseconds commit_timeout{30'000};
  // Bind calls at the same time; further ones wait for a thread.
  std::size_t max_outstanding_binds = 4'096;
};

// Counts since start().
struct KubeSchedulerCounts {
  std::uint64_t attempts = 0;  // scheduling cycles
  std::uint64_t filter_calls = 0;
  std::uint64_t prioritize_calls = 0;
  std::uint64_t bind_calls = 0;  // to the extender
  std::uint64_t rejections = 0;  // cycles without a node
  std::uint64_t errors = 0;      // cycles or binds that ended in an error
  std::uint64_t outstanding_binds = 0;
};

// A stand-in for kube-scheduler 1.33 to 1.36 on the embedded cluster. It calls the extender over
// HTTP like the real one. It takes one pod at a time in order of priority, tries the nominated node
// first, then applies in-tree filters to a sample of the nodes, then the extender's. Binding is
// asynchronous, with the pod assumed meanwhile. Events and backoff requeue pods. It judges
// feasibility by its own code, so that it can disagree with the session.
//
// Left out: preemption, in-tree scores (the first of the nodes with the extender's best score is
// taken), constraints that PodObject only names as unmodelled, and a possible attempt after
// kube-scheduler's own status patch.
class KubeSchedulerStandIn {
 public:
  // `cluster` and `clock` must outlive it.
  KubeSchedulerStandIn(KubeSchedulerOptions options, EmbeddedCluster& cluster,
                       const ScaledClock& clock);
  ~KubeSchedulerStandIn();
  KubeSchedulerStandIn(const KubeSchedulerStandIn&) = delete;
  KubeSchedulerStandIn& operator=(const KubeSchedulerStandIn&) = delete;

  // An Error if the URL or the TLS files are invalid. The extender may start later.
  Status start();
  // Ends calls under way and returns within a second. Idempotent. It cannot be started again.
  void stop();

  KubeSchedulerCounts counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::embedded
