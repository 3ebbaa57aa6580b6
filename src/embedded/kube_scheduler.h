#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "embedded/cluster.h"
#include "embedded/scaled_clock.h"
#include "http/http_client.h"

namespace berth::embedded {

struct KubeSchedulerOptions {
  std::string extender_url;  // "http://127.0.0.1:8890": what comes before /plan and /commit
  std::optional<http::ClientTls> tls = {};  // needed for https

  // Profiles whose pods the extender binds (they carry its marker resource, as it were).
  std::vector<std::string> managed_schedulers = {"berth"};
  // The /plan entry: on an error its filter counts as passed.
  bool plan_is_ignorable = true;

  // percentageOfNodesToScore; 0: adaptive, by the number of nodes.
  int percentage_of_nodes = 0;
  int managed_percentage_of_nodes = 100;

  // In the cluster's time.
  Duration initial_backoff = std::chrono::seconds(1);
  Duration max_backoff = std::chrono::seconds(10);
  // SchedulerPopFromBackoffQ, on from 1.33: with nothing else to do, pods that were rejected do
  // not sit out their backoff. Those that met an error do.
  bool pops_from_backoff = true;
  // From 1.35 a rejected pod loses its nomination, when no preemption follows.
  bool rejection_clears_nomination = true;

  // In real time: httpTimeout of the two entries.
  std::chrono::milliseconds plan_timeout{1'000};
  std::chrono::milliseconds commit_timeout{30'000};
  // Bind calls at one time; more wait for a thread.
  std::size_t max_outstanding_binds = 4'096;
};

// What has happened so far.
struct KubeSchedulerCounts {
  std::uint64_t attempts = 0;  // scheduling cycles
  std::uint64_t filter_calls = 0;
  std::uint64_t prioritize_calls = 0;
  std::uint64_t bind_calls = 0;  // to the extender
  std::uint64_t rejections = 0;  // cycles that found no node
  std::uint64_t errors = 0;      // cycles or binds that ended in an error
  std::uint64_t outstanding_binds = 0;
};

// A stand-in for kube-scheduler 1.33 to 1.36 on the embedded cluster: it drives the extender over
// real HTTP as the real one does. One pod at a time in order of priority; nominated-node fast path;
// in-tree filters over a sample of the nodes, then the extender's; asynchronous binding with the
// pod assumed in the meantime; requeueing by events and backoff. Feasibility is judged by code of
// its own, so that it can disagree with the session's.
//
// Left out: preemption, in-tree scores (of nodes the extender scores alike, the first is taken),
// constraints that PodObject only names as unmodelled, and the attempt that kube-scheduler's own
// status patch after a failure may cause.
class KubeSchedulerStandIn {
 public:
  // `cluster` and `clock` must outlive it.
  KubeSchedulerStandIn(KubeSchedulerOptions options, EmbeddedCluster& cluster,
                       const ScaledClock& clock);
  ~KubeSchedulerStandIn();
  KubeSchedulerStandIn(const KubeSchedulerStandIn&) = delete;
  KubeSchedulerStandIn& operator=(const KubeSchedulerStandIn&) = delete;

  // An Error if the URL or the TLS files are no good; the extender need not be there yet.
  Status start();
  // Breaks off calls under way; returns within a second. Idempotent. Not to be started again.
  void stop();

  KubeSchedulerCounts counts() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::embedded
