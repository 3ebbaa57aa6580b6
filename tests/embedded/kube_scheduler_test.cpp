#include "embedded/kube_scheduler.h"

#include <set>

#include "embedded/scheduler_fixture.h"

namespace berth::embedded {
namespace {

using nlohmann::json;

TEST_F(KubeSchedulerTest, SpeaksInGosNamesAndBindsWhereTheExtenderSays) {
  add_nodes(3);
  extender.on("/plan/filter", [](const FakeExtender::Call&) {
    return http::Response{200, "application/json", R"({"nodenames":["n1"],"other":1} trailing)"};
  });
  apply({make_pod("p")});
  start();
  ASSERT_NE(node_of("p"), "");
  EXPECT_EQ(node_of("p"), "n1");

  const json filter = filters().at(0).body;
  EXPECT_EQ(filter.size(), 3U);
  EXPECT_TRUE(filter.at("Nodes").is_null());
  EXPECT_EQ(filter.at("NodeNames"), (json{"n0", "n1", "n2"}));
  EXPECT_EQ(filter.at("Pod").at("spec").at("schedulerName"), "berth");
  EXPECT_FALSE(filter.at("Pod").contains("kind"));
  const json bind = extender.calls("/commit/bind").at(0).body;
  const json expected = {
      {"PodName", "p"}, {"PodNamespace", "default"}, {"PodUID", "uid-p"}, {"Node", "n1"}};
  EXPECT_EQ(bind, expected);
  EXPECT_TRUE(extender.calls("/plan/prioritize").empty()) << "one node was left";
}

TEST_F(KubeSchedulerTest, OfSeveralNodesTheBestScoredIsTaken) {
  add_nodes(3);
  extender.on("/plan/prioritize", [](const FakeExtender::Call&) {
    return FakeExtender::json({{{"host", "n0"}, {"score", 2}},
                               {{"Host", "n2"}, {"Score", 9}},
                               {{"Host", "elsewhere"}, {"Score", 10}}});
  });
  apply({make_pod("p")});
  start();
  ASSERT_NE(node_of("p"), "");
  EXPECT_EQ(node_of("p"), "n2");
}

TEST_F(KubeSchedulerTest, ANominatedNodeIsAskedAboutAlone) {
  add_nodes(5);
  PodObject pod = make_pod("p");
  pod.nominated_node = "n3";
  apply({pod});
  start();
  ASSERT_NE(node_of("p"), "");
  EXPECT_EQ(node_of("p"), "n3");
  ASSERT_EQ(filters().size(), 1U);
  EXPECT_EQ(filters().at(0).names(), std::vector<std::string>{"n3"});
}

TEST_F(KubeSchedulerTest, ANominationThatTheExtenderTurnsDownIsFollowedByACallWithAll) {
  add_nodes(3);
  extender.on("/plan/filter", [](const FakeExtender::Call& call) {
    return FakeExtender::keep(call.names().size() == 1 ? std::vector<std::string>{}
                                                       : std::vector<std::string>{"n2"});
  });
  PodObject pod = make_pod("p");
  pod.nominated_node = "n1";
  apply({pod});
  start();
  ASSERT_NE(node_of("p"), "");
  EXPECT_EQ(node_of("p"), "n2");
  EXPECT_EQ(filters().size(), 2U);
}

TEST_F(KubeSchedulerTest, ANominatedNodeThatIsFullIsNotAskedAboutAlone) {
  add_nodes(2);
  PodObject big = make_pod("big", 3'500);
  big.node_name = "n0";
  PodObject pod = make_pod("p");
  pod.nominated_node = "n0";
  apply({big, pod});
  start();
  ASSERT_NE(node_of("p"), "");
  ASSERT_EQ(filters().size(), 1U);
  EXPECT_EQ(filters().at(0).names(), std::vector<std::string>{"n1"});
}

TEST_F(KubeSchedulerTest, OfAThousandNodesUnmanagedPodsSeeASampleAndManagedOnesAll) {
  add_nodes(1'000);
  apply({make_pod("managed"), make_pod("plain", 1'000, "default-scheduler")});
  start();
  ASSERT_NE(node_of("managed"), "");
  ASSERT_NE(node_of("plain"), "");
  for (const FakeExtender::Call& call : filters()) {
    const std::set<std::string> names = [&] {
      const auto list = call.names();
      return std::set<std::string>(list.begin(), list.end());
    }();
    EXPECT_EQ(names.size(), call.pod() == "managed" ? 1'000U : 420U);
  }
  EXPECT_EQ(extender.calls("/commit/bind").size(), 1U) << "plain pods are bound by the stand-in";
}

TEST_F(KubeSchedulerTest, TheExtenderIsNotAskedWhenNoNodeIsLeft) {
  add_nodes(2);
  apply({make_pod("huge", 99'000), make_pod("p")});
  start();
  ASSERT_NE(node_of("p"), "");
  ASSERT_EQ(filters().size(), 1U);
  EXPECT_EQ(filters().at(0).pod(), "p");
}

// Its own report wakes it once, as the real one's may.
TEST_F(KubeSchedulerTest, ARejectedPodIsLeftAloneUntilANominationWakesIt) {
  add_nodes(3);
  reject_unless_nominated();
  apply({make_pod("p")});
  start();
  EXPECT_EQ(server.find<PodObject>("uid-p")->unschedulable,
            "0/3 nodes are available: berth has not planned this pod yet.");
  agenda.run_for(minutes(4));
  const std::size_t tried = filters().size();
  EXPECT_LE(tried, 2U);

  nominate(server, "uid-p", "n2");
  agenda.run_for(seconds(10));
  EXPECT_EQ(node_of("p"), "n2");
  ASSERT_EQ(filters().size(), tried + 1);
  EXPECT_EQ(filters().back().names(), std::vector<std::string>{"n2"});
}

TEST_F(KubeSchedulerTest, ARejectedPodIsTriedAgainWhenAnotherIsPlaced) {
  add_nodes(3);
  extender.on("/plan/filter", [](const FakeExtender::Call& call) {
    return FakeExtender::keep(call.pod() == "p" ? std::vector<std::string>{} : call.names());
  });
  apply({make_pod("p")});
  start();
  agenda.run_for(seconds(30));
  const std::size_t tried = filters().size();
  apply({make_pod("q")});
  agenda.run_for(seconds(30));
  EXPECT_NE(node_of("q"), "");
  EXPECT_GE(filters().size(), tried + 2);
}

TEST_F(KubeSchedulerTest, AnErrorIsFollowedByAWaitThatNothingShortens) {
  options.plan_is_ignorable = false;
  add_nodes(3);
  std::vector<TimePoint> asked;
  extender.on("/plan/filter", [&](const FakeExtender::Call& call) {
    asked.push_back(agenda.now());
    if (asked.size() < 4) return http::Response{503, "text/plain", "not synced"};
    return FakeExtender::keep(call.names());
  });
  PodObject pod = make_pod("p");
  pod.nominated_node = "n9";  // there is none: the cycle makes one call
  apply({pod});
  start();
  ASSERT_EQ(asked.size(), 1U);
  apply({make_node("another")});
  agenda.run_for(seconds(20));
  EXPECT_NE(node_of("p"), "");
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_GE(asked[1] - asked[0], seconds(1));
  EXPECT_GE(asked[2] - asked[1], seconds(2));
  EXPECT_GE(asked[3] - asked[2], seconds(4));
}

TEST_F(KubeSchedulerTest, AnEntryThatIsIgnorablePassesAllNodesWhenItFails) {
  add_nodes(3);
  extender.hold("/plan/filter");
  apply({make_pod("p", 1'000, "default-scheduler")});
  start();
  EXPECT_EQ(node_of("p"), "");
  agenda.run_for(seconds(1));
  EXPECT_EQ(extender.hung_up(), 1U);
  EXPECT_NE(node_of("p"), "");
}

TEST_F(KubeSchedulerTest, ABindThatFailsIsForgottenAndTriedAgainWithoutItsNomination) {
  add_nodes(2);
  bool first = true;
  extender.on("/commit/bind", [&](const FakeExtender::Call& call) {
    if (std::exchange(first, false)) return FakeExtender::json({{"Error", "gang incomplete"}});
    return FakeExtender::json({{"Error", bind(call.body)}});
  });
  PodObject pod = make_pod("p");
  pod.nominated_node = "n1";
  apply({pod});
  start();
  EXPECT_EQ(server.find<PodObject>("uid-p")->nominated_node, "");
  agenda.run_for(seconds(2));
  EXPECT_NE(node_of("p"), "");
  ASSERT_EQ(filters().size(), 2U);
  EXPECT_EQ(filters()[0].names().size(), 1U);
  EXPECT_EQ(filters()[1].names().size(), 2U);
}

TEST_F(KubeSchedulerTest, HeldBindsKeepTheirRoomAndStopNobody) {
  add_nodes(1);  // of 4 cpu
  extender.hold("/commit/bind");
  apply({make_pod("a", 1'500), make_pod("b", 1'500)});
  start();
  ASSERT_EQ(extender.calls("/commit/bind").size(), 2U);
  apply({make_pod("c", 1'500), make_pod("d", 500)});
  ASSERT_EQ(extender.calls("/commit/bind").size(), 3U);
  EXPECT_EQ(extender.calls("/commit/bind").at(2).pod(), "d") << "there is no room for c";
  scheduler.reset();
  EXPECT_EQ(extender.hung_up(), 3U);
}

TEST_F(KubeSchedulerTest, ABindThatIsHeldForTooLongIsHungUp) {
  add_nodes(1);
  extender.hold("/commit/bind");
  apply({make_pod("a")});
  start();
  agenda.run_for(seconds(29));
  EXPECT_EQ(extender.hung_up(), 0U);
  agenda.run_for(seconds(1));
  EXPECT_EQ(extender.hung_up(), 1U);
  agenda.run_for(seconds(2));
  EXPECT_EQ(extender.calls("/commit/bind").size(), 2U) << "it is tried again";
}

TEST_F(KubeSchedulerTest, APodThatIsDeletedWhileItsBindIsHeldGivesItsRoomBack) {
  add_nodes(1);
  extender.hold("/commit/bind");
  apply({make_pod("a", 3'000)});
  start();
  ASSERT_EQ(extender.calls("/commit/bind").size(), 1U);
  apply({make_pod("b", 3'000)});
  ASSERT_EQ(extender.calls("/commit/bind").size(), 1U);
  apply({PodDeleted{"uid-a"}});
  agenda.run_for(seconds(2));
  ASSERT_EQ(extender.calls("/commit/bind").size(), 2U);
  EXPECT_EQ(extender.calls("/commit/bind").back().pod(), "b");
}

TEST_F(KubeSchedulerTest, HigherPriorityGoesFirst) {
  add_nodes(3);
  PodObject low = make_pod("a-low");
  low.priority = 1;
  PodObject high = make_pod("z-high");
  high.priority = 9;
  apply({low, high});
  start();
  EXPECT_NE(node_of("a-low"), "");
  EXPECT_EQ(filters().at(0).pod(), "z-high");
}

TEST_F(KubeSchedulerTest, ANominatedGatedPodKeepsItsRoomAndIsTriedOnceItsGateIsGone) {
  add_nodes(1);
  PodObject gated = make_pod("gated", 3'000);
  gated.gates = {"berth.dev/plan"};
  apply({gated});
  start();
  nominate(server, "uid-gated", "n0");
  apply({make_pod("rival", 2'000), make_pod("small", 1'000)});
  EXPECT_NE(node_of("small"), "");
  EXPECT_EQ(node_of("rival"), "");
  EXPECT_EQ(filters().size(), 1U);
  gated.gates.clear();
  apply({gated});
  EXPECT_NE(node_of("gated"), "");
  EXPECT_EQ(node_of("rival"), "");
}

TEST_F(KubeSchedulerTest, AWatchThatIsTooLateListsAgain) {
  add_nodes(1);
  start();
  server.put(make_pod("gone"));
  server.compact();  // before its watch has read this
  server.put(make_pod("p"));
  server.erase<PodObject>("uid-gone");
  server.compact();
  agenda.run_for(seconds(5));
  EXPECT_NE(node_of("p"), "");
  for (const FakeExtender::Call& call : filters()) EXPECT_NE(call.pod(), "gone");
}

}  // namespace
}  // namespace berth::embedded
