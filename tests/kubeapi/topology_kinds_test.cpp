#include <chrono>

#include "kubeapi/live_cluster_fixture.h"

// Topologies of an API server that serves them.

namespace berth::kubeapi::topology_kinds_test {
namespace {

constexpr const char* kHyperNodes = "/apis/topology.volcano.sh/v1alpha1/hypernodes";
constexpr const char* kTopologies = "/apis/kueue.x-k8s.io/v1beta2/topologies";

class Topologies : public LiveClusterTest {
 protected:
  Topologies() {
    api_.serve(kQueues);
    api_.serve(kGroups);
    options_.discover_again = std::chrono::milliseconds(5);
  }
  void serve_topologies() {
    api_.serve(kHyperNodes);
    api_.serve(kTopologies);
    api_.intercept([](const Call& call, Reply& reply) {
      if (call.path() == "/apis") {
        reply.send(200, R"({"groups":[{"versions":[{"groupVersion":"kueue.x-k8s.io/v1beta2"}]},)"
                        R"({"versions":[{"groupVersion":"topology.volcano.sh/v1alpha1"}]}]})");
      } else if (call.path() == "/apis/kueue.x-k8s.io/v1beta2") {
        reply.send(200, R"({"resources":[{"name":"topologies","kind":"Topology"}]})");
      } else if (call.path() == "/apis/topology.volcano.sh/v1alpha1") {
        reply.send(200, R"({"resources":[{"name":"hypernodes","kind":"HyperNode"}]})");
      } else {
        return false;
      }
      return true;
    });
  }
};

TEST_F(Topologies, API37AreReadAndFollowedWhereTheyAreServed) {
  serve_topologies();
  api_.put(
      kHyperNodes, "s0",
      R"(,"spec":{"tier":1,"members":[{"type":"Node","selector":{"exactMatch":{"name":"n"}}}]})");
  api_.put(kTopologies, "t", R"(,"spec":{"levels":[{"nodeLabel":"rack"}]})");
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  EXPECT_TRUE(events_.wait_for<TopologyObject>([](const TopologyObject& object) {
    const auto* const hyper_node = std::get_if<HyperNodeObject>(&object.object);
    return hyper_node != nullptr && hyper_node->name == "s0" && hyper_node->members.size() == 1;
  }));
  EXPECT_TRUE(events_.wait_for<TopologyObject>([](const TopologyObject& object) {
    const auto* const levels = std::get_if<LevelsObject>(&object.object);
    return levels != nullptr && levels->levels == std::vector<TopologyLevel>{{"rack"}};
  }));
  api_.erase(kHyperNodes, "s0");
  EXPECT_TRUE(events_.wait_for<TopologyDeleted>([](const TopologyDeleted& gone) {
    return gone.kind == TopologyKind::volcano && gone.name.ends_with("s0");  // "ns/s0" here
  }));
  cluster.stop();
}

TEST_F(Topologies, API37KeepNobodyWaitingWhereTheyAreNot) {
  LiveCluster cluster(*client_, options_);
  ASSERT_TRUE(cluster.start(events_));
  EXPECT_TRUE(until([&] { return cluster.is_synced(); }, std::chrono::seconds(9)));
  for (const KindCounters& kind : cluster.counters()) {
    EXPECT_EQ(kind.kind.find("topolog"), std::string::npos) << kind.kind;
  }
  cluster.stop();
}

}  // namespace
}  // namespace berth::kubeapi::topology_kinds_test
