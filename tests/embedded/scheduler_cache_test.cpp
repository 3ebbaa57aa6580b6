#include "embedded/scheduler_cache.h"

#include <gtest/gtest.h>

#include "embedded/fixture.h"

namespace berth::embedded {
namespace {

PodObject with_priority(PodObject pod, std::int32_t priority) {
  pod.priority = priority;
  return pod;
}

class SchedulerCacheTest : public ::testing::Test {
 protected:
  Rejectors judge(const PodObject& pod, const std::string& node = "n1") {
    SchedulerCache::Refusals refusals;
    cache.judge(pod, *cache.find(node), refusals);
    return refusals.by;
  }
  SchedulerCache cache;
};

TEST_F(SchedulerCacheTest, PodsTakeRoomUntilTheyAreRemoved) {
  cache.put(make_node("n1", 2'000));
  cache.place(make_pod("a", 1'500), "n1");
  EXPECT_EQ(judge(make_pod("b", 500)), 0);
  EXPECT_EQ(judge(make_pod("b", 501)), kByResources);
  EXPECT_EQ(judge(make_pod("b", 0)), 0) << "who asks for nothing needs nothing";
  EXPECT_TRUE(cache.remove("uid-a"));
  EXPECT_FALSE(cache.remove("uid-a"));
  EXPECT_EQ(judge(make_pod("b", 2'000)), 0);
}

TEST_F(SchedulerCacheTest, AResourceThatTheNodeLacksIsNotThere) {
  cache.put(make_node("n1"));
  PodObject pod = make_pod("p");
  pod.request["nvidia.com/gpu"] = 1;
  EXPECT_EQ(judge(pod), kByResources);
}

TEST_F(SchedulerCacheTest, PodsAreCountedWhateverTheyAskFor) {
  NodeObject node = make_node("n1");
  node.allocatable["pods"] = 1;
  cache.put(node);
  PodObject empty = make_pod("empty");
  empty.request.clear();
  cache.place(empty, "n1");
  empty.uid = "uid-other";
  EXPECT_EQ(judge(empty), kByResources);
}

TEST_F(SchedulerCacheTest, NominatedPodsKeepRoomFromPodsOfNoHigherPriorityButNotFromThemselves) {
  cache.put(make_node("n1", 2'000));
  const PodObject nominee = with_priority(make_pod("nominee", 1'500), 5);
  cache.nominate(nominee, "n1");
  EXPECT_EQ(judge(nominee), 0);
  EXPECT_EQ(judge(with_priority(make_pod("equal", 1'000), 5)), kByResources);
  EXPECT_EQ(judge(with_priority(make_pod("higher", 1'000), 6)), 0);
  cache.nominate(nominee, "");
  EXPECT_EQ(judge(with_priority(make_pod("equal", 1'000), 5)), 0);
}

TEST_F(SchedulerCacheTest, HostPortsClashByProtocolAndAddress) {
  cache.put(make_node("n1"));
  PodObject web = make_pod("web");
  web.constraints.host_ports = {{"10.0.0.1", "TCP", 80}};
  cache.place(web, "n1");
  PodObject other = make_pod("other");
  other.constraints.host_ports = {{"0.0.0.0", "TCP", 80}};
  EXPECT_EQ(judge(other), kByPorts);
  other.constraints.host_ports = {{"10.0.0.2", "TCP", 80}, {"0.0.0.0", "UDP", 80}};
  EXPECT_EQ(judge(other), 0);
}

TEST_F(SchedulerCacheTest, WhatIsBoundToANodeCountsBeforeAndAfterTheNodeIsKnown) {
  cache.place(make_pod("a", 1'500), "n1");
  EXPECT_EQ(cache.find("n1"), nullptr);
  cache.put(make_node("n1", 2'000));
  EXPECT_EQ(judge(make_pod("b", 1'000)), kByResources);
  cache.drop("n1");
  EXPECT_EQ(cache.find("n1"), nullptr);
  cache.put(make_node("n1", 2'000));
  EXPECT_EQ(judge(make_pod("b", 1'000)), kByResources);
}

// 1,000 nodes: 50 - 1000/125 = 42 percent.
TEST_F(SchedulerCacheTest, ASampleStopsWhenThereIsEnoughAndTheNextGoesOnFromThere) {
  for (int i = 0; i < 1'000; ++i) cache.put(make_node("n" + std::to_string(i)));
  cache.begin_cycle();
  SchedulerCache::Refusals refusals;
  const auto first = cache.sample(make_pod("p"), 0, refusals);
  ASSERT_EQ(first.size(), 420U);
  EXPECT_EQ(first.front()->object.name, "n0");
  const auto second = cache.sample(make_pod("p"), 0, refusals);
  EXPECT_EQ(second.front()->object.name, "n420");
  const auto third = cache.sample(make_pod("p"), 0, refusals);
  EXPECT_EQ(third.front()->object.name, "n840");
  EXPECT_EQ(third.back()->object.name, "n259") << "840 + 420 - 1, around the corner";
  EXPECT_EQ(refusals.by, 0);
  EXPECT_EQ(cache.sample(make_pod("p"), 100, refusals).size(), 1'000U);
}

TEST_F(SchedulerCacheTest, TheNextSampleGoesOnWhenANodeHasGone) {
  for (int i = 0; i < 1'000; ++i) cache.put(make_node("n" + std::to_string(i)));
  cache.begin_cycle();
  SchedulerCache::Refusals refusals;
  EXPECT_EQ(cache.sample(make_pod("p"), 0, refusals).size(), 420U);
  cache.drop("n999");
  cache.begin_cycle();
  EXPECT_EQ(cache.sample(make_pod("p"), 0, refusals).front()->object.name, "n420");
}

TEST_F(SchedulerCacheTest, ASampleCollectsTheReasonsOfOtherNodes) {
  cache.put(make_node("small", 100));
  NodeObject cordoned = make_node("cordoned");
  cordoned.unschedulable = true;
  cache.put(cordoned);
  cache.begin_cycle();
  SchedulerCache::Refusals refusals;
  EXPECT_TRUE(cache.sample(make_pod("p"), 0, refusals).empty());
  EXPECT_EQ(refusals.by, kByResources | kByNode);
}

TEST(FeasibleNodesToFindTest, FollowsKubeScheduler) {
  EXPECT_EQ(feasible_nodes_to_find(99, 5), 99U);
  EXPECT_EQ(feasible_nodes_to_find(100, 0), 100U);
  EXPECT_EQ(feasible_nodes_to_find(1'000, 0), 420U);
  EXPECT_EQ(feasible_nodes_to_find(5'000, 0), 500U);
  EXPECT_EQ(feasible_nodes_to_find(15'000, 0), 750U);
  EXPECT_EQ(feasible_nodes_to_find(5'000, 100), 5'000U);
  EXPECT_EQ(feasible_nodes_to_find(1'000, 1), 100U);
}

}  // namespace
}  // namespace berth::embedded
