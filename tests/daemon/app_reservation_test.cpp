#include <gtest/gtest.h>

#include <filesystem>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"

namespace berth::daemon {
namespace {

constexpr const char* kReserving =
    "actions: \"elect, enqueue, reserve, allocate\"\n"
    "tiers: [{plugins: [{name: gang}, {name: predicates}, {name: reservation, arguments:"
    " {lock: multi-node, nodes: 2}}]}]\n";

// Two nodes have room for pods of others, and keep it for a gang that needs both.
void run_with(const std::string& over) {
  TemporaryDirectory directory;
  directory.write("1-nodes.yaml", nodes_yaml(2, 4));
  directory.write("2-old.yaml", gang_yaml("old", 2, 3000, "1h"));
  TemporaryDirectory config;
  const std::string file = config.write("berth.yaml", kReserving + over);
  BerthdProcess berthd({"--embedded", directory.path().string(), "--config", file});
  ASSERT_TRUE(berthd.says("job ml/old is Running: 2 of 2")) << berthd.printed();
  directory.write("3-big.yaml", gang_yaml("big", 2, 3500));
  ASSERT_TRUE(berthd.says("job ml/big: locked for it: n000, n001; 2 nodes in all"))
      << berthd.printed();
  directory.write("4-other.yaml",
                  pod_yaml({.name = "other", .scheduler = "default-scheduler", .milli_cpu = 600}));
  if (over.empty()) {
    EXPECT_TRUE(berthd.eventually([&] {
      return berthd.metric("berth_extender_calls_total{outcome=\"trimmed\",verb=\"filter\"}") >= 1;
    })) << berthd.printed();
  }
  std::filesystem::remove(directory.path() / "2-old.yaml");
  EXPECT_TRUE(berthd.says("job ml/big is Running: 2 of 2")) << berthd.printed();
  EXPECT_TRUE(
      berthd.says("job ml/big: a target no longer: it has its minimum; open again: "
                  "n000, n001"))
      << berthd.printed();
}

TEST(AppReservation, NodesAreKeptFromPodsOfOthersUntilTheTargetHasStarted) { run_with(""); }

// The stand-in looks at taints before it asks anybody.
TEST(AppReservation, LocksThatAreTaintsAreToleratedByTheTarget) {
  run_with("reservation: {enforce: taint}\n");
}

}  // namespace
}  // namespace berth::daemon
