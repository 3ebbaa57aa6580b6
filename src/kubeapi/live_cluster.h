#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubeapi/reflector.h"
#include "ports/cluster_source.h"

namespace berth::kubeapi {

struct DisruptionBudget {
  std::string name_space;
  std::string name;
  document::Value selector;  // spec.selector as it stands; null: selects nothing
  std::int32_t disruptions_allowed = 0;
};

// Callbacks run on threads of the LiveCluster, those of one kind one at a time. Any may be empty.
struct LiveOptions {
  ReflectorOptions reflector;   // its `complain` is called from several threads at once
  bool require_volcano = true;  // PodGroup and Queue of scheduling.volcano.sh must be served

  // Whose annotations count for what they control: "jobs.v1.batch". Nobody waits for them.
  std::vector<std::string> owners = {};

  // kube-scheduler's lease. An empty namespace: it is not watched.
  std::string lease_namespace = "kube-system";
  std::string lease_name = "kube-scheduler";
  // Called with its holder at first and at each change; empty: nobody.
  std::function<void(const std::string& holder)> scheduler_leads;

  std::function<void(const DisruptionBudget&)> budget_changed;
  std::function<void(const std::string& full_name)> budget_gone;
};

struct KindCounters {
  std::string kind;  // "pods", "podgroups.scheduling.volcano.sh"
  ReflectorCounters counters;
};

// A cluster behind an API server: nodes, pods, podgroups, queues, priorityclasses and namespaces go
// to the sink as they are and change, owners when they begin or cease to name a target; leases and
// budgets go to the callbacks.
class LiveCluster final : public ports::ClusterSource {
 public:
  // `client` must outlive the cluster.
  LiveCluster(RestClient& client, LiveOptions options);
  ~LiveCluster() override;
  LiveCluster(const LiveCluster&) = delete;
  LiveCluster& operator=(const LiveCluster&) = delete;

  // Returns at once; an Error if it was started before.
  Status start(ports::EventSink& sink) override;
  // Every required kind has been listed once. Any thread.
  bool is_synced() const override;
  void stop() override;

  // The kinds that is_synced() waits for: for /readyz and the log. Any thread.
  std::vector<std::string> unsynced() const;
  std::vector<KindCounters> counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::kubeapi
