#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "support/cluster_text.h"
#include "support/seeds.h"
#include "support/world.h"

namespace berth::support {

// Random clusters that are full, or nearly so: jobs run, with surplus and without their minimum,
// and others wait, of all priorities, in queues of up to three levels. The same seed gives the same
// one on every machine.
class RandomEvictions {
 public:
  // `with_relations`: where pods may go also depends on other pods, and on volumes.
  explicit RandomEvictions(std::uint64_t seed, bool may_nest = true, bool with_relations = false)
      : random_(seed * 2654435761u + 12), may_nest_(may_nest), with_relations_(with_relations) {}

  engine::SessionConfig config();
  std::vector<ClusterEvent> opening();
  // A few events between two sessions: pods finish or leave, evictions are refused, jobs come.
  void happen(World& world);

  Random& random() { return random_; }

 private:
  struct Free {
    std::string name;
    NamedAmounts room;
  };

  bool chance(std::size_t percent) { return below(random_, 100) < percent; }
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least +
           static_cast<std::int64_t>(below(random_, static_cast<std::size_t>(most - least + 1)));
  }
  std::vector<ClusterEvent> queues();
  std::vector<ClusterEvent> nodes();
  std::vector<ClusterEvent> job(bool runs);
  PodObject pod();
  std::vector<ClusterEvent> volumes();
  void relate(PodObject& pod);
  bool settle_on_a_node(PodObject& pod);

  Random random_;
  bool may_nest_;
  bool with_relations_;
  std::vector<std::string> leaves_;
  std::vector<Free> free_;
  std::size_t jobs_ = 0;
  std::vector<std::string> pods_;
};

}  // namespace berth::support
