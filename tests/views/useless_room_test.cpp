#include "views/useless_room.h"

#include <gtest/gtest.h>

#include "mirror/mirror.h"

namespace berth::views {
namespace {

const char* const kGpu = "nvidia.com/gpu";

class UselessRoomTest : public testing::Test {
 protected:
  void add_node(const std::string& name, std::int64_t cpu, std::int64_t gpus) {
    NodeObject node;
    node.name = node.uid = name;
    node.allocatable = {{"cpu", cpu * 1000}, {"pods", 110}, {kGpu, gpus}};
    mirror_.apply(node);
  }
  PodObject& add_pod(const std::string& name, std::int64_t cpu, std::int64_t gpus,
                     const std::string& on = "") {
    PodObject& pod = pods_.emplace_back();
    pod.name_space = "ml";
    pod.name = pod.uid = name;
    pod.scheduler_name = "berth";
    pod.request = {{"cpu", cpu * 1000}, {"pods", 1}};
    if (gpus > 0) pod.request[kGpu] = gpus;
    pod.node_name = on;
    if (!on.empty()) pod.phase = PodPhase::running;
    return pod;
  }
  std::map<std::string, IdleRoom> rooms() {
    for (const PodObject& pod : pods_) mirror_.apply(pod);
    mirror_.settle(TimePoint());
    return idle_room(mirror_.cluster_for_session());
  }

  mirror::Mirror mirror_;
  std::vector<PodObject> pods_;
};

TEST_F(UselessRoomTest, IdleGpusWithoutCpuForAnyPodAreUseless) {
  add_node("n1", 16, 8);
  add_node("n2", 16, 8);
  add_pod("cpu", 15, 0, "n1");
  add_pod("runs", 2, 2, "n2");
  EXPECT_EQ(rooms(), (std::map<std::string, IdleRoom>{{kGpu, {14, 8}}}));
}

TEST_F(UselessRoomTest, TheSmallestPodDecides) {
  add_node("n1", 16, 8);
  add_pod("large", 2, 8);
  add_pod("busy", 1, 4, "n1");
  EXPECT_EQ(rooms(), (std::map<std::string, IdleRoom>{{kGpu, {4, 0}}}));
}

TEST_F(UselessRoomTest, APodThatMayNotRunThereIsNoUse) {
  add_node("n1", 16, 8);
  add_pod("p", 1, 1).constraints.node_selector = {{"zone", "a"}};
  EXPECT_EQ(rooms(), (std::map<std::string, IdleRoom>{{kGpu, {8, 8}}}));
}

TEST_F(UselessRoomTest, AResourceThatNobodyAsksForIsLeftOut) {
  add_node("n1", 16, 8);
  add_pod("p", 1, 0);
  EXPECT_TRUE(rooms().empty());
}

}  // namespace
}  // namespace berth::views
