#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/cluster_text.h"
#include "support/seeds.h"
#include "support/world.h"

namespace berth::support {

// Random clusters and what may happen to them. The same seed gives the same story on every machine.
class RandomStory {
 public:
  // `with_relations`: nodes have names as labels, and pods labels and relations. In a third of the
  // stories there is a topology, and some jobs want to be near.
  explicit RandomStory(std::uint64_t seed, bool with_relations = false)
      : random_(seed), with_relations_(with_relations), with_topology_(seed % 3 == 0) {}

  engine::SessionConfig config();
  // The cluster at first.
  std::vector<ClusterEvent> opening();
  // The events between two sessions: pods finish, leave, are dropped; nodes, groups and queues
  // come, go and change.
  void happen(World& world);

  Random& random() { return random_; }

 private:
  bool chance(std::size_t percent) { return below(random_, 100) < percent; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(below(random_, static_cast<std::size_t>(most - least + 1)));
  }
  NodeObject node(std::size_t number);
  void configure(QueueObject& queue);
  QueueObject another_queue();
  std::vector<ClusterEvent> job();
  PodObject pod(const std::string& name);
  PodTerm pod_term();
  SpreadConstraint spread();
  TopologyWish wish();
  void relate(PodObject& pod);
  void prefer(PodObject& pod);
  void something(World& world);

  Random random_;
  bool with_relations_;
  bool with_topology_;
  std::size_t nodes_ = 0;
  std::size_t jobs_ = 0;
  std::size_t pods_ = 0;
  std::vector<std::string> groups_;
  std::vector<std::string> all_pods_;
};

}  // namespace berth::support
