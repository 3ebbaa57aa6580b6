#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kubeapi/reflected_kind.h"
#include "kubeapi/rest_client.h"
#include "ports/cluster_source.h"

namespace berth::kubeapi {

// Callbacks run on threads of the LiveCluster, one at a time for each kind. Any may be empty.
struct LiveOptions {
  ReflectorOptions reflector;  // several threads may call its `complain` at once

  // Resources whose objects decide about the pods they control: "jobs.v1.batch". Those that the
  // server does not serve are looked for again and again.
  std::vector<std::string> owners = {};
  Duration discover_again = std::chrono::seconds(30);

  bool budgets = false;  // PodDisruptionBudgets go to the sink, too
  // So do claims, volumes and the kinds that belong to them, and StorageKnown once all are listed.
  bool volumes = false;
  // So do the objects that select pods.
  bool selecting = false;

  // The namespace of kube-scheduler's lease. Empty: it is not watched.
  std::string lease_namespace = "kube-system";
  std::string lease_name = "kube-scheduler";
  // Called with the holder at first and after each change; empty: no holder.
  std::function<void(const std::string& holder)> scheduler_leads;

  ports::WatchTap* pods = nullptr;  // gets the watch of pods; outlives the cluster
};

struct KindCounters {
  std::string kind;  // "pods", "podgroups.scheduling.volcano.sh"
  ReflectorCounters counters;
};

// A cluster behind an API server. Nodes, pods, podgroups, queues, priorityclasses and namespaces go
// to the sink, first as they are and then with each change. Owners go there when a part changes
// that is read. The lease goes to the callback.
class LiveCluster final : public ports::ClusterSource {
 public:
  // `client` must outlive the cluster.
  LiveCluster(RestClient& client, LiveOptions options);
  ~LiveCluster() override;
  LiveCluster(const LiveCluster&) = delete;
  LiveCluster& operator=(const LiveCluster&) = delete;

  // Returns at once. An Error if it was started before.
  Status start(ports::EventSink& sink) override;
  // True once every required kind has been listed. Any thread.
  bool is_synced() const override;
  ports::Behind behind(Duration proved_within) const override;
  void doubt_silence(Duration proved_within) override;
  void stop() override;

  // The kinds that is_synced() still waits for, for /readyz and the log. Any thread.
  std::vector<std::string> unsynced() const;
  std::vector<KindCounters> counters() const;
  // Of the kinds that volumes need, those that have never been listed, after their time. Any
  // thread.
  std::vector<std::string> missing_for_volumes() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace berth::kubeapi
