#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <string>

#include "engine/consistency.h"
#include "support/objects.h"
#include "support/stage.h"

// DIMENSION-1, DIMENSION-2: resources that no node and no queue has.

namespace berth::mirror {
namespace {

using support::stage;
using support::World;

NamedAmounts invented(int first, int count) {
  NamedAmounts amounts{{"cpu", 1000}, {"pods", 1}};
  for (int i = first; i < first + count; ++i) {
    amounts["example.com/invented-" + std::to_string(i)] = 1;
  }
  return amounts;
}

PodGroupObject hostile_group(int number, int names) {
  PodGroupObject object = group("hostile-" + std::to_string(number), 1);
  object.min_resources = invented(number * names, names);
  return object;
}

std::unique_ptr<World> many_nodes(int count) {
  std::string text;
  for (int n = 0; n < count; ++n) text += "node n" + std::to_string(n) + " cpu=8\n";
  return stage(text);
}

void settle(World& world) {
  world.mirror().settle(TimePoint());
  ASSERT_EQ(engine::first_inconsistency(world.cluster()), "");
}

void expect_no_columns(const World& world) {
  EXPECT_EQ(world.cluster().dimensions().size(), kFixedDimensions);
  EXPECT_EQ(world.cluster().idle().dimensions(), kFixedDimensions);
}

TEST(DimensionsTest, InventedNamesOfGroupsAreNoColumns) {
  const auto world = many_nodes(10);
  for (int i = 0; i < 6; ++i) world->apply(hostile_group(i, 6000));
  settle(*world);
  expect_no_columns(*world);
  const Job& job = world->cluster().job(world->mirror().find_group("ml/hostile-0"));
  EXPECT_EQ(job.unknown.size(), 6000u);
  EXPECT_EQ(job.min_resources->extent(), kFixedDimensions);
}

TEST(DimensionsTest, InventedNamesOfPodsAreNoColumnsAndGoWithThem) {
  const auto world = many_nodes(10);
  for (int i = 0; i < 20; ++i) {
    PodObject waiting = pod("", i, 1);
    waiting.request = invented(i * 3000, 1500);
    PodObject bound = pod("", 1000 + i, 1);
    bound.request = invented(i * 3000 + 1500, 1500);
    bound.scheduler_name = "default-scheduler";
    bound.node_name = "n1";
    world->apply(waiting);
    world->apply(bound);
    settle(*world);
    world->apply(PodDeleted{waiting.uid});
    world->apply(PodDeleted{bound.uid});
    settle(*world);
  }
  expect_no_columns(*world);
  for (std::size_t s = 0; s < world->cluster().shape_count(); ++s) {
    EXPECT_TRUE(world->cluster().shape(ShapeId(s)).unknown.empty());
  }
}

TEST(DimensionsTest, ANameThatANodeBringsLaterIsAsIfItHadBeenThere) {
  const std::string nodes = "node n1 cpu=4 res.example.com/fpga=4\nnode n2 cpu=4\n";
  const std::string pods =
      "queue q\n"
      "pod other unmanaged on=n1 cpu=1 res.example.com/fpga=1 res.example.com/none=5\n"
      "job a min=2 queue=q needs res.example.com/fpga=2\n"
      "task a/0..1 cpu=1 res.example.com/fpga=1\n"
      "pod leaving unmanaged on=n1 cpu=1 res.example.com/fpga=1 terminating\n"
      "pod single queue=q cpu=1 res.example.com/fpga=1\n"
      "task a/2 cpu=1 res.example.com/fpga=1 gated\n";
  const auto late = stage("node n1 cpu=4\nnode n2 cpu=4\n" + pods + nodes);
  const auto early = stage(nodes + pods);
  for (const auto* world : {&late, &early}) settle(**world);
  const auto state = [](World& world) {
    const Cluster& cluster = world.cluster();
    const Dimension fpga = cluster.dimensions().find("example.com/fpga");
    const Job& job = cluster.job(world.mirror().find_group("default/a"));
    const Queue& queue = cluster.queue(job.queue);
    return std::vector<std::int64_t>{cluster.idle().at(NodeId(0), fpga),
                                     cluster.releasing().at(NodeId(0), fpga),
                                     cluster.foreign().at(NodeId(0), fpga),
                                     cluster.available().at(NodeId(0), fpga),
                                     cluster.idle().at(NodeId(0), kUnknown),
                                     queue.demand[fpga],
                                     queue.demand[kUnknown],
                                     job.gated_request[fpga],
                                     (*job.min_resources)[fpga],
                                     (*job.min_resources)[kUnknown],
                                     cluster.total_used()[fpga],
                                     cluster.total_allocatable()[fpga],
                                     static_cast<std::int64_t>(job.unknown.size())};
  };
  EXPECT_EQ(state(*late), state(*early));
  EXPECT_EQ(state(*late), (std::vector<std::int64_t>{2, 1, 2, 2, -5, 3, 0, 1, 2, 0, 2, 4, 0}));
}

TEST(DimensionsTest, AmountsOfInventedResourcesDoNotOverflow) {
  const auto world = many_nodes(1);
  for (int i = 0; i < 100; ++i) {
    PodObject bound = running(pod("", i, 1), "n0");
    bound.scheduler_name = "default-scheduler";
    for (int k = 0; k < 100; ++k) {
      bound.request["example.com/x" + std::to_string(k)] = std::numeric_limits<std::int64_t>::max();
    }
    world->apply(bound);
  }
  settle(*world);
  EXPECT_LT(world->cluster().idle().at(NodeId(0), kUnknown), 0);
}

}  // namespace
}  // namespace berth::mirror
