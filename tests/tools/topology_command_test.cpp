#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/checkout.h"
#include "tools/berth_process.h"
#include "tools/fake_cluster.h"

namespace berth::tools::topology_command_test {
namespace {

using nlohmann::json;

const std::string kExample = support::source_file("docs/examples/topology");

Outcome topology(const std::vector<std::string>& more) {
  std::vector<std::string> words{"topology", "--cluster", kExample};
  words.insert(words.end(), more.begin(), more.end());
  return run_program(words);
}

TEST(TopologyCommand, TheTableIsThatOfTheDocument) {
  const Outcome outcome = topology({"-o", "wide", "--resource", "nvidia.com/gpu"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string document = read_text(support::source_file("docs/topology.md"));
  EXPECT_NE(document.find(outcome.out), std::string::npos) << outcome.out;
}

TEST(TopologyCommand, TheDocumentHasTreesAndWishes) {
  const Outcome outcome = topology({"-o", "json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const json document = json::parse(outcome.out);
  EXPECT_EQ(document["topologies"][0]["name"], "gpu");
  EXPECT_EQ(document["topologies"][0]["domains"].size(), 14U);
  EXPECT_EQ(document["wishes"][0]["job"], "ml/notebook");
  EXPECT_NE(document["wishes"][0]["why"], "");
  EXPECT_EQ(document["wishes"][1]["near"], "in one example.com/rack");
}

TEST(TopologyCommand, LevelsOfTheConfigurationCount) {
  const TemporaryDirectory directory;
  const std::string config =
      directory.write("berth.yaml",
                      "actions: allocate\ntiers: [{plugins: [{name: gang}]}]\n"
                      "topology: {levels: [example.com/rack]}\n");
  const json document = json::parse(topology({"-o", "json", "--config", config}).out);
  EXPECT_EQ(document["topologies"][0]["kind"], "configuration");
  EXPECT_EQ(document["topologies"][0]["domains"].size(), 2U) << "racks of one name, without blocks";
  EXPECT_EQ(document["topologies"].size(), 2U);
}

TEST(TopologyCommand, UnknownNamesAreRefused) {
  const Outcome level = topology({"--level", "example.com/rak"});
  EXPECT_EQ(level.exit_code, 2);
  EXPECT_NE(level.err.find("--level: no level \"example.com/rak\"; did you mean "
                           "\"example.com/rack\"?"),
            std::string::npos)
      << level.err;
  const Outcome resource = topology({"--resource", "nvidia.com/gpus"});
  EXPECT_EQ(resource.exit_code, 2);
  EXPECT_NE(resource.err.find("did you mean \"nvidia.com/gpu\"?"), std::string::npos)
      << resource.err;
  EXPECT_EQ(run_program({"topology"}).exit_code, 2);
}

class LiveTopology : public testing::Test {
 protected:
  LiveTopology() {
    cluster_.serve(kNodes, {node_json("n1", "r1"), node_json("n2", "r2")});
    cluster_.serve("/api/v1/pods", {pod_json("a-0", "", "n1")});
  }
  static std::string node_json(const std::string& name, const std::string& rack) {
    return R"({"kind":"Node","metadata":{"name":")" + name + R"(","labels":{"rack":")" + rack +
           R"("}},"status":{"allocatable":{"cpu":"4"}}})";
  }
  json document() {
    const Outcome outcome = cluster_.run({"topology", "-o", "json"});
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return json::parse(outcome.out, nullptr, false);
  }

  static constexpr const char* kNodes = "/api/v1/nodes";
  FakeCluster cluster_;
};

TEST_F(LiveTopology, AsksTheApiServerForWhatItServes) {
  EXPECT_EQ(document()["topologies"], json::array());
  cluster_.serve("/apis/kueue.x-k8s.io/v1beta1/topologies",
                 {R"({"metadata":{"name":"t"},"spec":{"levels":[{"nodeLabel":"rack"}]}})"});
  cluster_.serve(
      "/apis/topology.volcano.sh/v1alpha1/hypernodes",
      {R"({"metadata":{"name":"s0"},"spec":{"tier":1,"members":[{"type":"Node","selector":)"
       R"({"regexMatch":{"pattern":"^n"}}}]}})"});
  const json found = document();
  EXPECT_EQ(found["topologies"][0]["domains"].size(), 2U) << "of the older version";
  EXPECT_EQ(found["topologies"][1]["domains"][0]["nodes"], 2);
}

TEST_F(LiveTopology, NamesTheRightThatIsMissing) {
  cluster_.forbid("/apis/kai.scheduler/v1alpha1/topologies", "list", "topologies.kai.scheduler");
  const Outcome noted = cluster_.run({"topology"});
  EXPECT_EQ(noted.exit_code, 0);
  EXPECT_NE(noted.err.find("note: user \"alice\" may not list topologies.kai.scheduler"),
            std::string::npos)
      << noted.err;
  cluster_.forbid(kNodes, "list", "nodes");
  const Outcome outcome = cluster_.run({"topology"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("--clusterrole=berth-topology-view --user=alice"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace berth::tools::topology_command_test
