#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/cluster_text.h"
#include "support/scenario.h"
#include "support/seeds.h"

// Law: with pods of one size, a gang starts, or is a target, exactly if its groups of pods that
// must be near each other can be divided among the zones, by trying all ways. Beside this, the laws
// of each session hold.

namespace berth::support::groups_in_domains_test {
namespace {

constexpr std::uint64_t kSeeds = 60;

// Pods that must be in one zone, as lines of tasks: how many, and what they are.
struct Group {
  std::vector<std::pair<int, std::string>> tasks;
  int pods() const {
    int sum = 0;
    for (const auto& [count, what] : tasks) sum += count;
    return sum;
  }
};

class GroupsInDomains {
 public:
  explicit GroupsInDomains(std::uint64_t seed) : random_(seed) {
    const int zones = between(2, 4);
    for (int zone = 0; zone < zones; ++zone) {
      room_.push_back(0);
      for (int more = between(1, 3); more > 0; --more) {
        const int cpu = between(1, 4);
        nodes_.emplace_back(zone, cpu);
        room_.back() += cpu;
      }
    }
    switch (between(0, 3)) {
      case 0:
        groups_ = {with_launcher(between(3, 10))};
        break;
      case 1:
        groups_ = {alike(between(2, 8), "s"), alike(between(2, 8), "w")};
        break;
      case 2:
        groups_ = {with_servers(between(1, 5), between(1, 5))};
        break;
      default:
        groups_ = {alike(between(2, 8), "s"), with_launcher(between(1, 6))};
        break;
    }
  }

  // The first place of a group is zone 0; in the end all ways have been tried.
  bool can_start(std::size_t group = 0) {
    if (group == groups_.size()) return true;
    for (int& room : room_) {
      if (room < groups_[group].pods()) continue;
      room -= groups_[group].pods();
      const bool can = can_start(group + 1);
      room += groups_[group].pods();
      if (can) return true;
    }
    return false;
  }

  std::string scenario(bool as_target) {
    const bool can = can_start();
    std::string text;
    if (as_target) {
      const char* const lock[] = {"lock=cluster", "nodes=1", "nodes=2"};
      text +=
          "actions elect enqueue reserve allocate backfill\n"
          "tiers priority gang conformance reservation(" +
          std::string(lock[between(0, 2)]) + ") / overcommit predicates nodeorder\n";
    }
    std::string others = "job o min=1\n";
    std::string ends;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const std::string i = std::to_string(n);
      const std::string cpu = " cpu=" + std::to_string(nodes_[n].second);
      text += "node n" + i + cpu + " labels=zone:z" + std::to_string(nodes_[n].first) + "\n";
      others += "task o/" + i + cpu + " on=n" + i + "\n";
      ends += "finish o/" + i + "\n";
    }
    if (as_target) text += others;
    std::string tasks;
    int pods = 0;
    for (const Group& group : groups_) {
      for (const auto& [count, what] : group.tasks) {
        tasks += "task g/" + std::to_string(pods) + ".." + std::to_string(pods + count - 1) +
                 " cpu=1 " + what + "\n";
        pods += count;
      }
    }
    text += "job g min=" + std::to_string(pods) + "\n" + tasks + "run\n";
    if (as_target) {
      text += "time +1m\nrun\nexpect g " + std::string(can ? "target" : "no-target") + "\n";
      text += ends + "run\n";
    }
    return text + "expect g placed " + std::to_string(can ? pods : 0) + "\n";
  }

 private:
  int between(int least, int most) {
    return least + static_cast<int>(below(random_, static_cast<std::size_t>(most - least + 1)));
  }
  static Group alike(int count, const std::string& app) {
    return {{{count, "labels=app:" + app + " near=app:" + app + "@zone"}}};
  }
  static Group with_launcher(int workers) {
    return {{{workers, "labels=app:w near=app:l@zone"}, {1, "labels=app:l"}}};
  }
  // Workers follow servers, and servers the driver.
  static Group with_servers(int workers, int servers) {
    return {{{workers, "labels=app:w near=app:s@zone"},
             {servers, "labels=app:s near=app:d@zone"},
             {1, "labels=app:d"}}};
  }

  Random random_;
  std::vector<std::pair<int, int>> nodes_;  // zone and cpu
  std::vector<int> room_;                   // by zone
  std::vector<Group> groups_;
};

TEST(RelationLaws, RELATION9GroupsAreDividedAmongZonesIfThereIsAWay) {
  int started = 0;
  int refused = 0;
  for (const std::uint64_t seed : seeds(kSeeds)) {
    for (const bool as_target : {false, true}) {
      GroupsInDomains gang(seed);
      const std::string text = gang.scenario(as_target);
      const auto scenario = Scenario::parse(text, "seed " + std::to_string(seed));
      ASSERT_TRUE(scenario) << text;
      std::vector<NamedPlan> plans;
      ASSERT_EQ(scenario->play(0, plans), "") << text;
      ++(gang.can_start() ? started : refused);
    }
  }
  if (seeds(kSeeds).size() < kSeeds) return;
  EXPECT_GT(started, 20);
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace berth::support::groups_in_domains_test
