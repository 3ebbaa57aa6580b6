#include "simulation/kept_room.h"

#include <gtest/gtest.h>

#include "berth/engine/points.h"
#include "berth/engine/registry.h"
#include "mirror/memory_cluster.h"
#include "simulation/job_stream.h"

namespace berth::simulation::kept_room_test {
namespace {

using std::chrono::seconds;

NodeObject node(const std::string& name, NamedAmounts amounts) {
  NodeObject node;
  node.name = node.uid = name;
  node.labels["kubernetes.io/hostname"] = name;
  node.allocatable = std::move(amounts);
  return node;
}

PodObject pod_on(const std::string& node, NamedAmounts request) {
  PodObject pod;
  pod.name_space = "other";
  pod.name = pod.uid = "p-" + node;
  pod.node_name = node;
  pod.phase = PodPhase::running;
  pod.request = std::move(request);
  return pod;
}

// RESULT-15: the scarcest resource counts, and "pods" is none.
TEST(KeptRoom, ANodeIsIdleAsFarAsItsScarcestResourceIs) {
  mirror::MemoryCluster memory;
  memory.apply(node("a", {{"cpu", 8000}, {"nvidia.com/gpu", 4}, {"pods", 1}}));
  memory.apply(node("b", {{"cpu", 8000}, {"pods", 10}}));
  memory.apply(node("c", {{"cpu", 8000}, {"pods", 10}}));
  memory.apply(pod_on("a", {{"cpu", 1000}, {"nvidia.com/gpu", 3}, {"pods", 1}}));
  memory.apply(pod_on("c", {{"cpu", 9000}, {"pods", 1}}));
  memory.mirror().settle(TimePoint());
  const Cluster& cluster = memory.cluster();
  EXPECT_DOUBLE_EQ(idle_part(cluster, cluster.find_node("a")), 0.25);
  EXPECT_DOUBLE_EQ(idle_part(cluster, cluster.find_node("b")), 1);
  EXPECT_DOUBLE_EQ(idle_part(cluster, cluster.find_node("c")), 0) << "it has more than it can";
}

StreamJob job(const std::string& name, int submit, int run, std::int32_t pods,
              std::int64_t cpu = 1000) {
  StreamJob job;
  job.name = name;
  job.submit = seconds(submit);
  job.run = seconds(run);
  job.pods = pods;
  job.request = {{"cpu", cpu}};
  return job;
}

StreamResult run(const char* config, std::vector<StreamJob> jobs) {
  StreamRequest request;
  for (const char* name : {"n0", "n1"}) {
    request.nodes.push_back(node(name, {{"cpu", 1000}, {"pods", 110}}));
  }
  request.jobs = std::move(jobs);
  const conf::KnownNames known{engine::action_names(), engine::plugin_names(),
                               engine::points::names()};
  request.config = conf::load_config(config, "test", known).value();
  return run_stream(std::move(request)).value();
}

constexpr const char* kReservation =
    "actions: [enqueue, elect, reserve, allocate]\n"
    "tiers: [{plugins: [{name: gang}, {name: predicates},"
    " {name: reservation, arguments: {lock: cluster, wait-duration: 60s}}]}]\n";

// A whole node is idle from the election, at 70 s, to the start of `b`, at 1000 s.
TEST(KeptRoom, IdleRoomOnNodesThatAreKeptIsMeasured) {
  const StreamResult result =
      run(kReservation, {job("a", 0, 1000, 1), job("b", 10, 50, 2), job("c", 100, 5, 1)});
  EXPECT_EQ(result.jobs[1].start, seconds(1000));
  EXPECT_GE(result.jobs[2].start, seconds(1000)) << "the idle node is kept";
  EXPECT_DOUBLE_EQ(result.idle_kept, 930);
}

TEST(KeptRoom, APartOfANodeCountsAsThat) {
  const StreamResult result =
      run(kReservation, {job("a", 0, 1000, 1), job("half", 0, 270, 1, 500), job("b", 10, 50, 2)});
  EXPECT_DOUBLE_EQ(result.idle_kept, 200 * 0.5 + 730);
}

TEST(KeptRoom, WithoutLocksThereIsNone) {
  const StreamResult result =
      run("actions: [allocate]\ntiers: [{plugins: [{name: gang}, {name: predicates}]}]\n",
          {job("a", 0, 1000, 1), job("b", 10, 50, 2)});
  EXPECT_EQ(result.idle_kept, 0);
}

}  // namespace
}  // namespace berth::simulation::kept_room_test
