#include "daemon/guard_keeper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <tuple>

#include "berth/engine/ledger.h"
#include "daemon/objects.h"

namespace berth::daemon {
namespace {

using ports::GuardTable;

// All that can be read of a table, by names.
struct Seen {
  std::vector<std::tuple<std::string, std::string, std::uint32_t, std::uint16_t>> members;
  std::map<std::uint32_t, std::vector<std::int32_t>> gangs;  // of those members
  bool operator==(const Seen&) const = default;
};

Seen seen(const Cluster& cluster, const GuardTable& table) {
  Seen all;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const std::string& node = cluster.node(NodeId(n)).name;
    const ports::GuardedMembers* members = table.members_on(node);
    if (members == nullptr) continue;
    for (const ports::GuardedMember& each : members->list) {
      all.members.emplace_back(node, members->uid_of(each), each.gang, each.role);
      const ports::GuardedGang& gang = table.gangs[each.gang];
      auto& numbers = all.gangs[each.gang];
      numbers = {gang.minimum, gang.placed, gang.on_nodes};
      for (const auto& [minimum, placed] : gang.roles) {
        numbers.insert(numbers.end(), {minimum, placed});
      }
    }
  }
  std::sort(all.members.begin(), all.members.end());
  return all;
}

class GuardKeeperTest : public testing::Test {
 protected:
  void SetUp() override {
    for (int n = 1; n <= 3; ++n) mirror_.apply(make_node("n" + std::to_string(n), 40));
  }
  std::shared_ptr<const GuardTable> table() {
    mirror_.settle(TimePoint());
    keeper_.follow(mirror_.cluster());
    return keeper_.table();
  }
  void run(const std::string& group, int index, const std::string& node) {
    mirror_.apply(running_on(make_member(group, index), node));
  }
  const ports::GuardedGang& gang_on(const GuardTable& table, const std::string& node) {
    return table.gangs[table.members_on(node)->list.front().gang];
  }

  mirror::Mirror mirror_;
  GuardKeeper keeper_;
};

TEST_F(GuardKeeperTest, GUARD8HasBoundMembersByNodeAndWhatTheirGangCanSpare) {
  add_gang(mirror_, make_group("g", 2), 4);
  run("g", 0, "n1");
  run("g", 1, "n1");
  run("g", 2, "n2");
  assume(mirror_, {{"g-3", "n3"}});
  const auto now = table();
  ASSERT_NE(now->members_on("n1"), nullptr);
  ASSERT_EQ(now->members_on("n1")->list.size(), 2u);
  EXPECT_EQ(now->members_on("n3"), nullptr) << "a planned pod is in the plan table";
  EXPECT_EQ(now->members_on("n9"), nullptr);
  const ports::GuardedGang& gang = gang_on(*now, "n2");
  EXPECT_EQ(gang.minimum, 2);
  EXPECT_EQ(gang.placed, 4);
  EXPECT_EQ(gang.on_nodes, 4);
  EXPECT_TRUE(gang.roles.empty());
}

TEST_F(GuardKeeperTest, GUARD4APodThatIsDoneCountsWithoutAPlace) {
  add_gang(mirror_, make_group("g", 2), 2);
  run("g", 0, "n1");
  run("g", 1, "n1");
  PodObject done = running_on(make_member("g", 0), "n1");
  done.phase = PodPhase::succeeded;
  mirror_.apply(done);
  const ports::GuardedGang gang = gang_on(*table(), "n1");
  EXPECT_EQ(gang.placed, 2);
  EXPECT_EQ(gang.on_nodes, 1);
  mirror_.apply(PodDeleted{"g-0"});  // no node changes
  EXPECT_EQ(gang_on(*table(), "n1").placed, 1);
}

TEST_F(GuardKeeperTest, GUARD4AMinimumThatChangesIsSeen) {
  add_gang(mirror_, make_group("g", 1), 2);
  run("g", 0, "n1");
  EXPECT_EQ(gang_on(*table(), "n1").minimum, 1);
  mirror_.apply(make_group("g", 2));
  EXPECT_EQ(gang_on(*table(), "n1").minimum, 2);
}

TEST_F(GuardKeeperTest, GUARD4RolesAreThereIfTheirMinimumsCount) {
  PodGroupObject group = make_group("g", 3);
  group.min_task_member = {{"master", 1}, {"worker", 2}};
  mirror_.apply(group);
  for (int i = 0; i < 4; ++i) {
    PodObject pod = running_on(make_member("g", i), "n1");
    pod.role = i == 0 ? "master" : "worker";
    mirror_.apply(pod);
  }
  const auto now = table();
  const ports::GuardedGang& gang = gang_on(*now, "n1");
  ASSERT_EQ(gang.roles.size(), 2u);
  const ports::GuardedMembers& members = *now->members_on("n1");
  for (const ports::GuardedMember& each : members.list) {
    const bool is_master = members.uid_of(each) == "g-0";
    EXPECT_EQ(gang.roles[each.role].minimum, is_master ? 1 : 2);
    EXPECT_EQ(gang.roles[each.role].placed, is_master ? 1 : 3);
  }
  group.min_member = 2;  // less than their sum: any members will do
  mirror_.apply(group);
  EXPECT_TRUE(gang_on(*table(), "n1").roles.empty());
}

TEST_F(GuardKeeperTest, GUARD5ALonePodAndAPodOfOthersAreNotGuarded) {
  PodObject lone = running_on(make_member("x", 0), "n1");
  lone.group.clear();
  mirror_.apply(lone);
  PodObject foreign = running_on(make_member("y", 0), "n1");
  foreign.group.clear();
  foreign.scheduler_name = "default-scheduler";
  mirror_.apply(foreign);
  EXPECT_EQ(table()->members_on("n1"), nullptr);
}

TEST_F(GuardKeeperTest, GUARD6APodThatLeavesIsNotThere) {
  add_gang(mirror_, make_group("g", 1), 2);
  run("g", 0, "n1");
  run("g", 1, "n1");
  mirror_.settle(TimePoint());
  mirror_.assume_eviction(mirror_.find_task("g-1"), TimePoint());
  const auto now = table();
  ASSERT_EQ(now->members_on("n1")->list.size(), 1u);
  EXPECT_EQ(now->members_on("n1")->uids, "g-0");
  EXPECT_EQ(gang_on(*now, "n1").placed, 1);
}

TEST_F(GuardKeeperTest, GUARD8TablesShareWhatHasNotChanged) {
  add_gang(mirror_, make_group("g", 1), 3);
  run("g", 0, "n1");
  run("g", 1, "n2");
  const auto before = table();
  EXPECT_EQ(table(), before) << "nothing has changed";
  run("g", 2, "n2");
  const auto after = table();
  EXPECT_NE(after, before);
  EXPECT_EQ(after->members_on("n1"), before->members_on("n1"));
  EXPECT_EQ(before->members_on("n2")->list.size(), 1u) << "a table never changes";
  EXPECT_EQ(gang_on(*before, "n1").placed, 2);
  EXPECT_EQ(after->members_on("n2")->list.size(), 2u);
  EXPECT_EQ(gang_on(*after, "n1").placed, 3);
}

TEST_F(GuardKeeperTest, GUARD8AGangThatHadLeftIsFollowedAgain) {
  add_gang(mirror_, make_group("g", 1), 2);
  for (const char* node : {"n1", "n2"}) {
    run("g", 0, node);
    EXPECT_EQ(gang_on(*table(), node).placed, 1);
    mirror_.apply(PodDeleted{"g-0"});
    EXPECT_EQ(table()->members_on(node), nullptr);
  }
}

TEST_F(GuardKeeperTest, GUARD8WhatASessionTriesIsNotRead) {
  add_gang(mirror_, make_group("g", 1), 3);
  run("g", 0, "n1");
  mirror_.settle(TimePoint());
  keeper_.follow(mirror_.cluster());
  const auto before = keeper_.table();
  {
    engine::Ledger ledger(mirror_.cluster_for_session());
    ledger.evict(mirror_.find_task("g-0"));
    ledger.allocate(mirror_.find_task("g-1"), NodeId(1));
  }
  keeper_.pass_over(mirror_.cluster());
  keeper_.follow(mirror_.cluster());
  EXPECT_EQ(keeper_.table(), before);
}

// Law: a table that has followed the cluster says the same as one that is made of it at once.
TEST_F(GuardKeeperTest, GUARD8FollowingIsTheSameAsStartingAfresh) {
  std::mt19937 random(7);
  const auto below = [&](int bound) {
    return static_cast<int>(random() % static_cast<std::uint32_t>(bound));
  };
  for (int step = 0; step < 600; ++step) {
    const std::string group = "g" + std::to_string(below(6));
    PodObject pod = make_member(group, below(3));
    pod.role = below(2) == 0 ? "master" : "worker";
    switch (below(step % 50 == 49 ? 9 : 7)) {
      case 0: {
        PodGroupObject object = make_group(group, 1 + below(4));
        if (below(2) == 0) object.min_task_member = {{"master", 1}, {"worker", 1}};
        mirror_.apply(object);
        break;
      }
      case 1:
        mirror_.apply(PodDeleted{pod.uid});
        break;
      case 2:
        mirror_.apply(pod);
        break;
      case 3:
        pod.phase = PodPhase::succeeded;
        mirror_.apply(pod);
        break;
      case 7:
        mirror_.apply(make_node("n" + std::to_string(1 + below(6)), 40));
        break;
      case 8:
        mirror_.apply(NodeDeleted{"n" + std::to_string(1 + below(6))});
        break;
      default:
        mirror_.apply(running_on(pod, "n" + std::to_string(1 + below(6))));
    }
    if (below(3) == 0) continue;
    const auto followed = table();
    GuardKeeper fresh;
    fresh.follow(mirror_.cluster());
    ASSERT_EQ(seen(mirror_.cluster(), *followed), seen(mirror_.cluster(), *fresh.table()))
        << "step " << step;
  }
}

}  // namespace
}  // namespace berth::daemon
