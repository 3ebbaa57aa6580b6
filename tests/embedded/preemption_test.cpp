// The stand-in's preemption; recorded_cluster_test.cpp compares it with kube-scheduler's.
#include "embedded/preemption.h"

#include "embedded/scheduler_fixture.h"

namespace berth::embedded {
namespace {

PodObject pod_with(const std::string& name, std::int32_t priority, std::int64_t cpu = 4'000) {
  PodObject pod = make_pod(name, cpu, "default-scheduler");
  pod.priority = priority;
  return pod;
}

// A network that loses all requests after the first ones.
class LosingLink final : public Link {
 public:
  Fate fate_of_call() override { return --answered < 0 ? Fate::lost_request : Fate::done; }
  int answered = 1'000;
};

class PreemptionTest : public KubeSchedulerTest {
 protected:
  PreemptionTest() {
    server.follow([this](const ApiServer::Change& change) {
      if (change.kind == Kind::pod && !change.is_deletion() && change.pod().terminating) {
        left.insert(change.pod().name);
      }
    });
  }
  // Nodes of 4 cpu, and a pod on each of the first ones.
  void occupy(int nodes, std::vector<PodObject> pods) {
    add_nodes(nodes);
    for (std::size_t i = 0; i < pods.size(); ++i) {
      pods[i].node_name = "n" + std::to_string(i);
      server.put(pods[i]);
    }
    start();
    agenda.run_for(milliseconds(1));
  }
  void protect(const std::string& app, std::int32_t allowed) {
    const std::vector<Expression> selector = {{"app", Operator::in, {app}}};
    server.put(BudgetObject{"default", app, app, selector, allowed, {}});
  }
  std::string nominated(const std::string& pod) {
    return server.find<PodObject>("uid-" + pod)->nominated_node;
  }
  std::set<std::string> left;  // pods that are terminating
};

TEST_F(PreemptionTest, APodOfLowerPriorityLeavesAndTheRoomIsKept) {
  occupy(1, {pod_with("low", 1)});
  apply({pod_with("high", 5)});
  EXPECT_EQ(left, std::set<std::string>{"low"});
  EXPECT_EQ(nominated("high"), "n0");
  EXPECT_EQ(node_of("high"), "") << "low still stops";
  apply({pod_with("other", 4)});
  agenda.run_for(seconds(30));
  EXPECT_EQ(node_of("high"), "n0");
  EXPECT_EQ(node_of("other"), "");
}

TEST_F(PreemptionTest, NobodyLeavesForAPodOfEqualPriorityOneOfBerthOrOneThatNeverPreempts) {
  occupy(1, {pod_with("low", 1)});
  PodObject planned = make_pod("planned", 4'000);
  planned.priority = 5;
  PodObject modest = pod_with("modest", 5);
  modest.never_preempts = true;
  apply({planned, modest, pod_with("equal", 1), pod_with("too-large", 5, 4'001)});
  agenda.run_for(seconds(30));
  EXPECT_TRUE(left.empty());
}

TEST_F(PreemptionTest, TheNodeIsTakenWhereTheLeastImportantLeaves) {
  occupy(3, {pod_with("a", 3), pod_with("b", 1), pod_with("c", 2)});
  apply({pod_with("high", 5)});
  EXPECT_EQ(left, std::set<std::string>{"b"});
}

TEST_F(PreemptionTest, NoMoreLeaveThanMustAndTheYoungerFirst) {
  add_nodes(1);
  for (int i = 0; i < 4; ++i) {
    PodObject pod = pod_with("p" + std::to_string(i), 1, 1'000);
    pod.started = test_start() - seconds(100 - i);
    pod.node_name = "n0";
    server.put(pod);
  }
  start();
  apply({pod_with("high", 5, 2'000)});
  EXPECT_EQ(left, (std::set<std::string>{"p2", "p3"}));
}

TEST_F(PreemptionTest, ABudgetIsViolatedOnlyIfThereIsNoOtherWay) {
  PodObject web = pod_with("web", 1);
  web.labels = {{"app", "web"}};
  occupy(2, {web, pod_with("b", 3)});
  protect("web", 0);
  apply({pod_with("high", 5)});
  EXPECT_EQ(left, std::set<std::string>{"b"});
  apply({pod_with("second", 5)});
  EXPECT_EQ(left, (std::set<std::string>{"b", "web"}));
}

TEST_F(PreemptionTest, TheGuardSaysWhereThereMayBePreemption) {
  extender.on("/guard/preempt", [](const FakeExtender::Call& call) {
    nlohmann::json nodes = call.body.at("NodeNameToMetaVictims");
    nodes.erase("n0");
    return FakeExtender::json({{"NodeNameToMetaVictims", nodes}});
  });
  occupy(2, {pod_with("a", 1), pod_with("b", 3)});
  apply({pod_with("high", 5)});
  EXPECT_EQ(left, std::set<std::string>{"b"});
}

TEST_F(PreemptionTest, ANominationOfLowerPriorityEndsThere) {
  occupy(1, {pod_with("low", 1)});
  PodObject nominee = pod_with("nominee", 2);
  nominee.never_preempts = true;
  nominee.nominated_node = "n0";
  apply({nominee});
  ASSERT_EQ(nominated("nominee"), "n0");
  apply({pod_with("high", 5)});
  EXPECT_EQ(nominated("nominee"), "");
  EXPECT_EQ(nominated("high"), "n0");
}

TEST(Preemption, ARequestThatIsLostIsMadeAgain) {
  Agenda agenda{test_start()};
  LosingLink link;
  ApiServer server{agenda};
  ListingInformer informer;
  PodObject low = pod_with("low", 1);
  low.node_name = "n0";
  server.put(make_node("n0"));
  server.put(low);
  server.put(pod_with("high", 5));
  link.answered = 0;
  KubeScheduler scheduler({}, {agenda, link, server, nullptr, nullptr, informer});
  server.follow([&](const ApiServer::Change& change) { scheduler.server_changed(change); });
  agenda.run_for(milliseconds(1));
  EXPECT_FALSE(server.find<PodObject>("uid-low")->terminating);
  link.answered = 1'000;
  agenda.run_for(seconds(30));
  EXPECT_TRUE(server.find<PodObject>("uid-low")->terminating);
}

}  // namespace
}  // namespace berth::embedded
