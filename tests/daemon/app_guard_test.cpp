#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"

namespace berth::daemon {
namespace {

using Json = nlohmann::json;

// Three members of which two are needed, each on a node of its own.
std::string elastic_yaml(int members) {
  std::string text = group_yaml("elastic", 2);
  for (int i = 0; i < members; ++i) {
    text += pod_yaml({.name = fmt::format("elastic-{}", i), .group = "elastic", .milli_cpu = 3000});
  }
  return text;
}

// How many of the nodes may give up whatever of the gangs runs there?
std::size_t nodes_to_preempt_on(BerthdProcess& berthd) {
  Json victims = Json::array();
  for (const char* pod : {"elastic-0", "elastic-1", "elastic-2", "rigid-0", "rigid-1"}) {
    victims.push_back({{"UID", std::string("uid-") + pod}});
  }
  Json nodes = Json::object();
  for (const char* node : {"n000", "n001", "n002", "n003", "n004"}) {
    nodes[node] = {{"Pods", victims}, {"NumPDBViolations", 0}};
  }
  const Json args{{"Pod",
                   {{"metadata", {{"name", "x"}, {"namespace", "ml"}, {"uid", "uid-x"}}},
                    {"spec", {{"schedulerName", "default-scheduler"}}}}},
                  {"NodeNameToMetaVictims", nodes}};
  const Json answer = Json::parse(berthd.post("/guard/preempt", args.dump()).body);
  return answer["NodeNameToMetaVictims"].size();
}

TEST(AppGuard, GUARD4KubeSchedulerMayTakeSurplusAndNoMoreAsItComesAndGoes) {
  TemporaryDirectory directory;
  directory.write("1-nodes.yaml", nodes_yaml(5, 4));
  directory.write("2-rigid.yaml", gang_yaml("rigid", 2, 3000));
  BerthdProcess berthd({"--embedded", directory.path().string()});
  ASSERT_TRUE(berthd.says("job ml/rigid is Running: 2 of 2")) << berthd.printed();
  ASSERT_TRUE(berthd.eventually([&] { return nodes_to_preempt_on(berthd) == 3; }))
      << "nothing of ours is on the other three";
  directory.write("3-elastic.yaml", elastic_yaml(2));
  ASSERT_TRUE(berthd.eventually([&] { return nodes_to_preempt_on(berthd) == 1; }));
  directory.write("3-elastic.yaml", elastic_yaml(3));
  ASSERT_TRUE(berthd.eventually([&] { return nodes_to_preempt_on(berthd) == 3; }))
      << "any one of the three may go";
  directory.write("3-elastic.yaml", elastic_yaml(2));
  ASSERT_TRUE(berthd.eventually([&] { return nodes_to_preempt_on(berthd) == 1; }));
}

}  // namespace
}  // namespace berth::daemon
