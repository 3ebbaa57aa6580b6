#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "berth/model/event.h"
#include "mirror/composite_groups.h"
#include "mirror/mirror.h"
#include "mirror/owned_gangs.h"

namespace berth::mirror {

// A cluster in memory, for simulations and tests: the objects that an API server would have, and
// the mirror that sessions read. It makes the PodGroups that berthd would make for owners of pods,
// and waits for no owner.
class MemoryCluster {
 public:
  explicit MemoryCluster(Options options = {});

  // An object came, changed or went.
  void apply(const ClusterEvent& event);
  const PodObject* find_pod(const std::string& uid) const;  // null: none

  // The pod starts on this node.
  void start(const std::string& uid, const std::string& node, TimePoint now);
  void finish(const std::string& uid, bool succeeds);
  // The pod leaves; it is gone with the next remove_leaving().
  void evict(const std::string& uid);
  void remove_leaving();

  // The objects as an API server has them, with the phases, targets and locks of the sessions.
  std::vector<ClusterEvent> objects() const;
  // Another mirror, made of these objects.
  void rebuild(const std::vector<ClusterEvent>& objects);

  Mirror& mirror() { return mirror_; }
  const Mirror& mirror() const { return mirror_; }
  const Cluster& cluster() const { return mirror_.cluster(); }
  // Namespace/name of a pod group, or of a pod in none. Invalid: no such job.
  JobId find_job(const std::string& full_name) const;

 private:
  bool is_of_no_gang(const ClusterEvent& event) const;
  void take(const ClusterEvent& event);
  void note(const ClusterEvent& event);
  void regroup(const PodObject& object);
  void make_groups();
  void mark(TargetMarks& marks, JobId job) const;

  Options options_;
  Mirror mirror_;
  CompositeGroups composites_;
  OwnedGangs gangs_;
  std::map<std::string, PodObject> pods_;                               // by uid
  std::map<std::pair<std::size_t, std::string>, ClusterEvent> others_;  // by kind and key
  std::vector<std::string> leaving_;                                    // uids
};

// As an API server has them: for its target and its queue. Another owner's lock stays.
void show_locks(const Cluster& cluster, NodeId id, NodeObject& node);

}  // namespace berth::mirror
