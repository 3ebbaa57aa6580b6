#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "embedded/extender_calls.h"
#include "embedded/pod_request.h"
#include "embedded/preemption.h"
#include "embedded/scheduler_cache.h"
#include "embedded/scheduling_queue.h"

namespace berth::embedded {

// A stand-in for kube-scheduler 1.33 to 1.37: reads nodes from the API server and pods through the
// view if there is one, keeps a cache with assumed pods and a queue with back-off, asks the
// extender, and binds through it. It takes one pod at a time in order of priority, tries the
// nominated node first, then applies in-tree filters to a sample of the nodes, then the extender's.
// Binding is asynchronous, with the pod assumed meanwhile. Events and back-off requeue pods. For
// pods that are not managed it preempts. It judges feasibility by its own code, so that it can
// disagree with the session.
//
// Left out: in-tree scores (the first of the nodes with the extender's best score is taken),
// queueing hints that compare objects, the snapshot of the nodes' room for a whole cycle, the
// sample of nodes for preemption (it looks at all), and constraints that PodObject only names as
// unmodelled. One executor.
class KubeScheduler {
 public:
  struct Options {
    // Profiles whose pods the extender binds, as if they carried its marker resource.
    std::vector<std::string> managed_schedulers = {"berth"};
    // Its other profiles. Pods of further names are not its own.
    std::vector<std::string> other_schedulers = {"default-scheduler"};
    // The /plan entry is ignorable: if its filter fails, all nodes pass.
    bool plan_is_ignorable = true;
    // percentageOfNodesToScore; 0: adaptive, by the number of nodes.
    int percentage_of_nodes = 0;
    int managed_percentage_of_nodes = 100;
    Duration initial_backoff = std::chrono::seconds(1);
    Duration max_backoff = std::chrono::seconds(10);
    // SchedulerPopFromBackoffQ, on from 1.33: an idle scheduler retries rejected pods during their
    // back-off, but not pods that met an error.
    bool pops_from_backoff = true;
    // From 1.35, a rejected pod without preemption loses its nomination.
    bool rejection_clears_nomination = true;
    // httpTimeout of the two entries.
    Duration plan_timeout = std::chrono::seconds(1);
    Duration commit_timeout = std::chrono::seconds(30);
  };
  struct Parts {  // all must outlive it
    Executor& executor;
    Link& link;
    ApiServer& server;
    const http::Router* extender;        // null: it has none
    proxy::Interceptor* view = nullptr;  // null: it reads the API server
    PodInformer& informer;
    std::function<void(const std::string& line)> log = {};
  };

  KubeScheduler(Options options, Parts parts);
  ~KubeScheduler();
  KubeScheduler(const KubeScheduler&) = delete;
  KubeScheduler& operator=(const KubeScheduler&) = delete;

  // To be called after each change of the API server.
  void server_changed(const ApiServer::Change& change);

 private:
  using Node = SchedulerCache::Node;

  struct Known {
    ShownPod shown;
    PodObject pod;  // as the API server had it at that time
  };
  struct Assumed {
    std::string node;
    std::uint64_t attempt = 0;
  };
  // A scheduling cycle that waits for the extender.
  struct Cycle {
    PodObject pod;
    std::string body;                // of the pod, as JSON
    std::string only;                // node that its affinity names; empty: none
    std::vector<std::string> nodes;  // that the extender is asked about
    SchedulerCache::Refusals refusals;
    bool asks_extender = false;    // for the nodes
    bool is_of_nominated = false;  // of the nominated node alone: if it fails, the others follow
  };

  static std::string text_of(Rejectors by);
  static std::string path_of(const std::string& name_space, const std::string& name);

  void ask_for_pods();
  // Reactions to changes in the cluster (kube_scheduler_cache.cpp).
  void take(const ShownPod& pod);
  void take_waiting(const ShownPod& shown, const PodObject& pod);
  void take_gone(const std::string& uid);
  void set_nomination(const PodObject& pod, const std::string& old_node);

  void cycle_soon();
  void cycle();
  void sleep();
  void begin(const Known& known);
  void try_all(Cycle cycle, const Node* refused);
  bool asks_extender(const Known& known) const;
  void filter(Cycle cycle);
  void filtered(Cycle cycle, const std::string& error, const std::string& answer);
  void prioritize(Cycle cycle);
  void end_cycle();
  void choose(Cycle cycle);
  void find_no_node(const Cycle& cycle);
  void reject(const PodObject& pod, Rejectors by, std::optional<std::string> nomination);
  void fail(const PodObject& pod, const std::string& why);
  void write_status(const std::string& uid, const std::string& why,
                    const std::optional<std::string>& nomination);
  // kube_scheduler_preemption.cpp
  void find_victims(const Cycle& cycle);
  bool may_preempt(const PodObject& pod, const Cycle& cycle) const;
  void ask_guard(const PodObject& pod, Rejectors by, std::vector<Victims> candidates);
  void preempt(const PodObject& pod, Rejectors by, const Victims& victims);
  void end_nominations_below(const PodObject& pod, const std::string& node);
  void delete_victims(const std::string& preemptor, const std::vector<std::string>& uids);

  void assume_and_bind(const PodObject& pod, const std::string& node);
  void bind_by_itself(const ports::Binding& binding, std::uint64_t attempt);
  // To the API server. `carry_out` and `then`: the error; empty: done.
  void request(const proxy::Request& request, std::function<std::string()> carry_out,
               std::function<void(const std::string& error)> then);
  void bind_ended(const std::string& uid, std::uint64_t attempt, const std::string& error);
  bool is_managed(const PodObject& pod) const;
  bool is_its_own(const PodObject& pod) const;
  void log(const std::string& line) const;

  const Options options_;
  Parts parts_;
  SchedulingQueue queue_;
  SchedulerCache cache_;
  ExtenderCalls calls_;
  std::shared_ptr<PodRequest> request_;
  std::map<std::string, std::uint64_t> node_versions_;
  std::map<std::string, Known> pods_;       // by uid; all that it is shown
  std::map<std::string, Assumed> assumed_;  // by uid: chosen, and not yet shown bound
  std::set<std::string> preempted_;         // uids of pods that leave because of it
  std::uint64_t attempts_ = 0;
  std::string tried_;  // the uid of the pod in a cycle; empty: it has gone meanwhile
  bool is_busy_ = false;
  bool is_waking_ = false;
  TimePoint wakes_at_;  // for the end of a back-off
};

}  // namespace berth::embedded
