#include "simulation/cluster_copy.h"

#include <gtest/gtest.h>

#include "support/objects.h"

namespace berth::simulation {
namespace {

TaskStatus status_of(const ClusterCopy& copy, const PodObject& pod) {
  for (std::size_t t = 0; t < copy.cluster().task_slots(); ++t) {
    if (copy.cluster().task(TaskId(t)).uid == pod.uid) {
      return copy.cluster().task(TaskId(t)).status;
    }
  }
  ADD_FAILURE() << pod.uid << " is not there";
  return TaskStatus::failed;
}

TaskId task_of(const ClusterCopy& copy, const PodObject& pod) {
  for (std::size_t t = 0; t < copy.cluster().task_slots(); ++t) {
    if (copy.cluster().task(TaskId(t)).uid == pod.uid) return TaskId(t);
  }
  return {};
}

TEST(ClusterCopy, WhatIsBoundRunsAndEndsItsRunTimeLater) {
  PodObject timed = pod("", 1, 2);
  timed.run_time = std::chrono::seconds(5);
  ClusterCopy copy({node("n1", 4), timed}, {}, second(100));
  copy.begin_cycle(second(100));
  Plan plan;
  plan.admitted = {copy.find_job("ml/1")};
  plan.binds = {{task_of(copy, timed), copy.cluster().find_node("n1")}};
  copy.carry_out(plan, second(100));
  EXPECT_EQ(status_of(copy, timed), TaskStatus::running);
  EXPECT_EQ(copy.cluster().job(copy.find_job("ml/1")).phase, GroupPhase::running);
  copy.begin_cycle(second(104));
  EXPECT_EQ(status_of(copy, timed), TaskStatus::running);
  copy.begin_cycle(second(105));
  EXPECT_EQ(status_of(copy, timed), TaskStatus::succeeded);
  EXPECT_EQ(copy.cluster().idle().at(NodeId(0), kCpu), 4000);
}

TEST(ClusterCopy, ARunTimeCountsFromTheKnownStart) {
  PodObject started = running(pod("", 1, 2), "n1");
  started.run_time = std::chrono::seconds(5);
  started.started = second(97);
  PodObject unknown = running(pod("", 2, 2), "n1");
  unknown.run_time = std::chrono::seconds(5);
  ClusterCopy copy({node("n1", 4), started, unknown}, {}, second(100));
  copy.begin_cycle(second(102));
  EXPECT_EQ(status_of(copy, started), TaskStatus::succeeded);
  EXPECT_EQ(status_of(copy, unknown), TaskStatus::running);
  copy.begin_cycle(second(105));
  EXPECT_EQ(status_of(copy, unknown), TaskStatus::succeeded);
}

TEST(ClusterCopy, TheEvictedHoldTheirRoomUntilTheNextCycle) {
  const PodObject victim = running(pod("", 1, 3), "n1");
  ClusterCopy copy({node("n1", 4), victim}, {}, second(0));
  copy.begin_cycle(second(0));
  Plan plan;
  plan.evictions = {{task_of(copy, victim), NodeId(0), JobId(), "preempt"}};
  copy.carry_out(plan, second(0));
  EXPECT_EQ(status_of(copy, victim), TaskStatus::releasing);
  EXPECT_EQ(copy.cluster().idle().at(NodeId(0), kCpu), 1000);
  copy.begin_cycle(second(1));
  EXPECT_FALSE(task_of(copy, victim).is_valid());
  EXPECT_FALSE(copy.find_job("ml/1").is_valid());
  EXPECT_EQ(copy.cluster().idle().at(NodeId(0), kCpu), 4000);
}

TEST(ClusterCopy, WhatTerminatesFromTheFirstIsThereForOneCycle) {
  PodObject leaving = running(pod("", 1, 3), "n1");
  leaving.terminating = true;
  ClusterCopy copy({node("n1", 4), leaving}, {}, second(0));
  copy.begin_cycle(second(0));
  EXPECT_EQ(status_of(copy, leaving), TaskStatus::releasing);
  copy.carry_out({}, second(0));
  copy.begin_cycle(second(1));
  EXPECT_FALSE(task_of(copy, leaving).is_valid());
}

TEST(ClusterCopy, ItsObjectsMakeAnotherCopyInTheSameState) {
  const PodObject first = pod("g", 0, 1);
  ClusterCopy copy({node("n1", 4), group("g", 2), first, pod("g", 1, 9)}, {}, second(0));
  copy.begin_cycle(second(0));
  Plan plan;
  plan.admitted = {copy.find_job("ml/g")};
  plan.binds = {{task_of(copy, first), NodeId(0)}};
  copy.carry_out(plan, second(0));
  ClusterCopy other(copy.objects(), {}, second(1));
  other.begin_cycle(second(1));
  const Job& job = other.cluster().job(other.find_job("ml/g"));
  EXPECT_EQ(job.phase, GroupPhase::inqueue);
  EXPECT_EQ(job.placed_count(), 1);
  EXPECT_EQ(other.cluster().idle(), copy.cluster().idle());
}

TEST(ClusterCopy, WhatIsCreatedLaterComesThen) {
  PodGroupObject late = group("g", 1);
  late.created = second(105);
  PodObject member = pod("g", 0, 1);
  member.created = second(105);
  NodeObject node2 = node("n2", 4);
  node2.created = second(110);
  ClusterCopy copy({node("n1", 4), late, member, node2}, {}, second(100));
  copy.begin_cycle(second(104));
  EXPECT_FALSE(copy.find_job("ml/g").is_valid());
  EXPECT_EQ(copy.comes_at("ml/g"), second(105));
  EXPECT_EQ(copy.comes_at("ml/other"), std::nullopt);
  EXPECT_EQ(copy.objects().size(), 1U) << "what is not there yet is no part of the state";
  copy.begin_cycle(second(105));
  EXPECT_EQ(copy.cluster().job(copy.find_job("ml/g")).task_count(), 1);
  EXPECT_EQ(copy.cluster().job(copy.find_job("ml/g")).first_seen, second(105));
  EXPECT_EQ(copy.comes_at("ml/g"), std::nullopt);
  EXPECT_EQ(copy.cluster().node_count(), 1U);
  copy.begin_cycle(second(111));
  EXPECT_EQ(copy.cluster().node_count(), 2U);
}

// ml/big (a group) and ml/7 (a pod in none) are targets; n1 and n2 are kept for them.
Plan two_targets(const ClusterCopy& copy) {
  Plan plan;
  plan.reservations.resize(2);
  plan.reservations[0].job = copy.find_job("ml/big");
  plan.reservations[0].election = {second(0), "it is the largest"};
  plan.reservations[0].nodes = {copy.cluster().find_node("n1")};
  plan.reservations[1].job = copy.find_job("ml/7");
  plan.reservations[1].election = {second(0), "it is the next"};
  plan.reservations[1].nodes = {copy.cluster().find_node("n2")};
  return plan;
}

std::vector<ClusterEvent> for_two_targets() {
  NodeObject foreign = node("n3", 4);
  foreign.locked_for = "queue.research";
  return {node("n1", 4), node("n2", 4), foreign, group("big", 2), pod("big", 0, 4), pod("", 7, 9)};
}

TEST(ClusterCopy, KeepsReservationsFromCycleToCycle) {
  ClusterCopy copy(for_two_targets(), {}, second(0));
  copy.begin_cycle(second(0));
  copy.carry_out(two_targets(copy), second(0));
  copy.begin_cycle(second(1));
  EXPECT_EQ(copy.cluster().targets().size(), 2U);
  EXPECT_EQ(copy.cluster().node(NodeId(0)).lock.job, copy.find_job("ml/big"));
  Plan plan = two_targets(copy);
  plan.reservations.pop_back();
  plan.ended.resize(1);
  plan.ended[0].job = copy.find_job("ml/7");
  copy.carry_out(plan, second(1));
  EXPECT_EQ(copy.cluster().targets().size(), 1U);
  EXPECT_EQ(copy.cluster().node(NodeId(0)).lock.since, second(0)) << "kept since the first cycle";
  EXPECT_FALSE(copy.cluster().node(NodeId(1)).lock.job.is_valid());
}

TEST(ClusterCopy, ItsObjectsShowTargetsAndLocks) {
  ClusterCopy copy(for_two_targets(), {}, second(10));
  copy.begin_cycle(second(10));
  copy.carry_out(two_targets(copy), second(10));
  ClusterCopy other(copy.objects(), {}, second(11));
  other.begin_cycle(second(11));
  for (const char* name : {"ml/big", "ml/7"}) {
    const Job& before = copy.cluster().job(copy.find_job(name));
    const Job& after = other.cluster().job(other.find_job(name));
    EXPECT_EQ(marks_of(other.cluster(), after), marks_of(copy.cluster(), before)) << name;
    EXPECT_TRUE(after.election) << name;
  }
  EXPECT_EQ(other.cluster().node(NodeId(0)).lock.job, other.find_job("ml/big"));
  EXPECT_EQ(other.cluster().node(NodeId(1)).lock.job, other.find_job("ml/7"));
  EXPECT_TRUE(other.cluster().node(NodeId(2)).lock.is_foreign);
}

}  // namespace
}  // namespace berth::simulation
