#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/model/objects.h"
#include "embedded/scheduling_queue.h"

namespace berth::embedded {

// kube-scheduler's view of the nodes with bound, assumed and nominated pods. One thread.
class SchedulerCache {
 public:
  using Amounts = std::vector<std::int64_t>;  // by an index given to the resource's name

  // The resources that a pod takes on a node.
  struct Load {
    std::string node;
    std::int32_t priority = 0;
    Amounts request;
    std::vector<HostPort> ports;
  };

  struct Node {
    NodeObject object;
    bool exists = false;     // false: so far only pods name it
    bool is_listed = false;  // in the order of the last cycle
    std::string zone;
    Amounts allocatable;
    Amounts used;
    std::vector<HostPort> ports;            // each once, whatever number of pods has it
    std::map<std::string, Load> nominated;  // by pod uid
  };

  // Why nodes do not take a pod.
  struct Refusals {
    Rejectors by = 0;
    std::set<std::string> preemptable;  // nodes that are large enough, and too full
  };

  // A node with fewer pods.
  class Trial {
   public:
    Trial(SchedulerCache& cache, const PodObject& pod, const Node& node);
    // Of pods that have room there.
    void remove(const std::string& pod_uid);
    void add_again(const std::string& pod_uid);
    bool takes() const { return cache_.judge(pod_, wanted_, node_) == 0; }

   private:
    const SchedulerCache& cache_;
    const PodObject& pod_;
    const Load wanted_;
    Node node_;
  };

  void put(const NodeObject& node);
  void drop(const std::string& node);

  // The pod takes room on the node, bound or assumed. It may be placed again, elsewhere or changed.
  void place(const PodObject& pod, const std::string& node);
  // False if it had no room.
  bool remove(const std::string& pod_uid);

  // Pods of lower or equal priority leave room for it on the node. An empty node ends this.
  void nominate(const PodObject& pod, const std::string& node);

  // Null if there is no such node.
  const Node* find(const std::string& node) const;
  // The uids of the pods that have room there.
  std::set<std::string> pods_on(const std::string& node) const;
  // True: nothing is against the pod on this node.
  bool judge(const PodObject& pod, const Node& node, Refusals& refusals);

  // A cycle sees the nodes in an order of its own: zones by turns, in each the nodes by arrival. It
  // is made anew only when nodes have come or gone.
  void begin_cycle();

  // The first nodes that would take the pod, as many as kube-scheduler looks for. The search goes
  // from the end of the last sample to the next node that would be one too many. `refusals` are
  // of the others. `only`: the node that the pod's affinity names, if it names one. `refused`: a
  // node that was judged before, alone; it counts as looked at.
  std::vector<const Node*> sample(const PodObject& pod, int percentage, Refusals& refusals,
                                  const std::string& only = {}, const Node* refused = nullptr);

 private:
  Amounts amounts(const NamedAmounts& named);
  Load load(const PodObject& pod, const std::string& node);
  Rejectors judge(const PodObject& pod, const Load& load, const Node& node) const;
  bool judge(const PodObject& pod, const Load& load, const Node& node, Refusals& refusals) const;
  std::size_t index_of(const std::string& resource);
  void enter_zone(Node& node, std::string zone);
  void leave_zone(Node& node);

  std::map<std::string, std::size_t> resources_;
  const std::size_t pods_ = index_of("pods");
  std::map<std::string, Node> nodes_;
  std::vector<std::vector<Node*>> zones_;  // the existing ones; no zone is empty
  std::vector<Node*> order_;
  int unlisted_ = 0;                              // nodes that have come or gone since then
  std::unordered_map<std::string, Load> placed_;  // by pod uid
  std::unordered_map<std::string, std::string> nominations_;  // pod uid to node
  std::size_t next_start_ = 0;
};

// The number of feasible nodes that is enough. Up to 99 nodes: all. Otherwise at least 100, and
// `percentage` of them; 0 means 50 - nodes/125 percent, and at least 5.
std::size_t feasible_nodes_to_find(std::size_t nodes, int percentage);

}  // namespace berth::embedded
