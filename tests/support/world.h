#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "engine/scheduler.h"
#include "mirror/memory_cluster.h"
#include "support/laws.h"
#include "support/named_plan.h"

namespace berth::support {

using Random = std::mt19937_64;

// Evenly below `bound`, the same on every machine.
inline std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

template <class T>
void shuffle(std::vector<T>& items, Random& random) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[below(random, i)]);
}

// A mirror, a scheduler and the life of pods around them, without a daemon or a cluster. After
// every session it checks the laws, and a scheduler without memory must decide the same. Failures
// are in faults().
class World {
 public:
  static Result<std::unique_ptr<World>> create(const engine::SessionConfig& config);

  // Seeds change the order of events of one kind.
  void shuffle_with(std::uint64_t seed) { random_ = Random(seed); }
  void advance(Duration by) { now_ += by; }
  TimePoint now() const { return now_; }

  void apply(const ClusterEvent& event) { memory_.apply(event); }
  void apply_all(std::vector<ClusterEvent> events);
  // By "ns/name"; null: none.
  const PodObject* pod(const std::string& name) const { return memory_.find_pod(name); }
  void finish(const std::string& pod, bool succeeds) { memory_.finish(pod, succeeds); }
  void terminate(const std::string& pod);
  void remove(const std::string& pod);
  // A pod that was asked to leave stays.
  void refuse_eviction(const std::string& pod);
  // A planned placement that will not happen.
  void drop(const std::string& pod);
  // The same after a veto of kube-scheduler.
  void veto(const std::string& pod);

  // Another mirror and scheduler that start from the API: objects, annotations and labels.
  void restart();

  // One session. Its plan is assumed, and nothing else happens.
  const NamedPlan& plan();
  // Planned pods run; evicted ones terminate and are gone when the next session begins.
  void carry_out();
  const NamedPlan& run() {
    plan();
    carry_out();
    return last_;
  }

  const NamedPlan& last_plan() const { return last_; }
  const std::vector<std::string>& faults() const { return faults_; }
  mirror::Mirror& mirror() { return memory_.mirror(); }
  const Cluster& cluster() const { return memory_.cluster(); }
  TaskId task(const std::string& pod) const { return memory_.mirror().find_task(pod); }
  JobId job(const std::string& name) const { return memory_.find_job(name); }
  NodeId node_of(const std::string& pod) const;
  bool is_planned(const std::string& pod) const;

 private:
  World(engine::SessionConfig config, engine::Scheduler warm, engine::Scheduler cold, LawBook book);

  engine::SessionConfig config_;
  mirror::MemoryCluster memory_;  // uids of pods are namespace/name
  engine::Scheduler warm_;
  engine::Scheduler cold_;
  engine::Scheduler curt_;  // gives no reasons
  LawBook book_;
  TimePoint now_;
  std::optional<Random> random_;
  std::map<std::string, std::string> planned_;  // uid -> node
  NamedPlan last_;
  std::vector<std::string> evicted_;
  std::vector<std::string> faults_;
};

}  // namespace berth::support
