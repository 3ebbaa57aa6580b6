#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/event.h"
#include "berth/model/plan.h"
#include "mirror/memory_cluster.h"
#include "simulation/node_time.h"

namespace berth::simulation {

// The cluster that a simulation runs on: the objects, and the mirror that sessions read. Its nodes
// start at once what is bound to them; a pod with a run time succeeds that long after its start (or
// after the simulation's, if none is known); what is evicted or was terminating from the first is
// gone when the next cycle begins, and nobody makes it anew. Objects with a later creation
// time than the simulation's start come at that time.
class ClusterCopy {
 public:
  ClusterCopy(std::vector<ClusterEvent> objects, mirror::Options options, TimePoint start);

  // Nodes come and go at these times: before the first cycle. Of those that go, pods of ours wait
  // again under other uids.
  void set_node_times(const std::vector<NodeTime>& times);

  // Due objects come, due pods end and leave, due nodes go; then the mirror is settled.
  void begin_cycle(TimePoint now);
  // Makes the plan of this cycle's session true, and settles again.
  void carry_out(const Plan& plan, TimePoint now);

  // Nodes that were not there; and away with them, while nothing is planned on them.
  void add_nodes(const std::vector<NodeObject>& nodes, TimePoint now);
  void remove_nodes(const std::vector<NodeObject>& nodes, TimePoint now);

  const Cluster& cluster() const { return memory_.cluster(); }
  Cluster& cluster_for_session() { return mirror().cluster_for_session(); }
  // Namespace/name of a pod group, or of a pod in none. Invalid: no such job.
  JobId find_job(const std::string& full_name) const { return memory_.find_job(full_name); }
  // When a job or pod of that name is made that is not there yet; none: never.
  std::optional<TimePoint> comes_at(const std::string& full_name) const;
  const PodObject& pod(TaskId id) const { return *memory_.find_pod(cluster().task(id).uid); }

  // The objects from which another copy would be in this state.
  std::vector<ClusterEvent> objects() const { return memory_.objects(); }

 private:
  void take_in(const std::vector<ClusterEvent>& objects, TimePoint now);
  void start(const std::string& uid, const std::string& node, TimePoint now);
  void lose_node(const std::string& name);
  mirror::Mirror& mirror() { return memory_.mirror(); }

  std::vector<std::string> our_schedulers_;
  mirror::MemoryCluster memory_;
  std::multimap<TimePoint, ClusterEvent> to_come_;  // by creation
  std::multimap<TimePoint, std::string> ends_;      // uids of what runs for a time
  std::multimap<TimePoint, std::string> losses_;    // nodes that go
  bool has_begun_ = false;
};

}  // namespace berth::simulation
