#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "berth/model/objects.h"
#include "embedded/scheduling_queue.h"

namespace berth::embedded {

// kube-scheduler's picture of the nodes: what is bound to them, what is assumed to be, and what is
// nominated. One thread.
class SchedulerCache {
 public:
  using Amounts = std::vector<std::int64_t>;  // by an index given to the resource's name

  // What a pod takes of a node.
  struct Load {
    std::string node;
    std::int32_t priority = 0;
    Amounts request;
    std::vector<HostPort> ports;
  };

  struct Node {
    NodeObject object;
    bool exists = false;  // false: only pods name it so far
    Amounts allocatable;
    Amounts used;
    std::vector<HostPort> ports;
    std::map<std::string, Load> nominated;  // by pod uid
  };

  void put(const NodeObject& node);
  void drop(const std::string& node);

  // The pod takes room on the node, bound or assumed; again, elsewhere or changed, is fine.
  void place(const PodObject& pod, const std::string& node);
  // False if it had no room.
  bool remove(const std::string& pod_uid);

  // Pods of lower or equal priority leave room for it on the node. An empty node ends that.
  void nominate(const PodObject& pod, const std::string& node);

  // Null if there is no such node.
  const Node* find(const std::string& node) const;
  // What keeps the pod off the node; 0: nothing.
  Rejectors judge(const PodObject& pod, const Node& node);

  // The first nodes that would take the pod, from where the last sample ended, in the order in
  // which nodes came, until there are as many as kube-scheduler looks for. `by`: what kept it off
  // others.
  std::vector<const Node*> sample(const PodObject& pod, int percentage, Rejectors& by);

 private:
  Amounts amounts(const NamedAmounts& named);
  Load load(const PodObject& pod, const std::string& node);
  Rejectors judge(const PodObject& pod, const Load& load, const Node& node) const;

  std::map<std::string, std::size_t> resources_;
  std::map<std::string, Node> nodes_;
  std::vector<Node*> order_;                                  // those that exist
  std::unordered_map<std::string, Load> placed_;              // by pod uid
  std::unordered_map<std::string, std::string> nominations_;  // pod uid to node
  std::size_t next_start_ = 0;
};

// How many feasible nodes are enough, of `nodes`: all below 100; else `percentage`, 0 for
// 50 - nodes/125 and at least 5, and no fewer than 100.
std::size_t feasible_nodes_to_find(std::size_t nodes, int percentage);

}  // namespace berth::embedded
