#include "embedded/kube_scheduler.h"

#include <gtest/gtest.h>

#include <future>
#include <set>

#include "embedded/fake_extender.h"
#include "embedded/waiting.h"

namespace berth::embedded {
namespace {

using nlohmann::json;
using std::chrono::seconds;

class KubeSchedulerTest : public ::testing::Test {
 protected:
  KubeSchedulerTest() {
    options.extender_url = extender.url();
    cluster.watch(sink);
    extender.on("/commit/bind", [this](const FakeExtender::Call& call) {
      return FakeExtender::json({{"error", bind(call.body)}});
    });
  }
  ~KubeSchedulerTest() override {
    if (scheduler) scheduler->stop();
    extender.stop();
    cluster.unwatch(sink);
  }

  void start() {
    scheduler = std::make_unique<KubeSchedulerStandIn>(options, cluster, clock);
    ASSERT_TRUE(scheduler->start());
  }
  // An extender answers a bind call by posting the binding.
  std::string bind(const json& body) {
    std::promise<std::string> error;
    cluster.bind({body.at("PodNamespace"), body.at("PodName"), body.at("PodUID"), body.at("Node")},
                 [&](const ports::BindOutcome& outcome) { error.set_value(outcome.error); });
    return error.get_future().get();
  }
  void add_nodes(int count) {
    std::vector<ClusterEvent> nodes;
    for (int i = 0; i < count; ++i) nodes.emplace_back(make_node("n" + std::to_string(i)));
    cluster.apply(std::move(nodes));
  }
  std::string node_of(const std::string& pod) { return cluster.pod("default/" + pod)->node_name; }
  void reject_unless_nominated() {
    extender.on("/plan/filter", [](const FakeExtender::Call& call) {
      const bool is_planned = call.body.at("Pod").at("status").contains("nominatedNodeName");
      return FakeExtender::keep(is_planned ? call.names() : std::vector<std::string>{});
    });
  }

  // The cluster's clock runs 60 times as fast as the test's, unless a test sets another speed.
  ScaledClock clock{test_start(), 60};
  EmbeddedCluster cluster{clock};
  RecordingSink sink;
  FakeExtender extender;
  KubeSchedulerOptions options;
  std::unique_ptr<KubeSchedulerStandIn> scheduler;
};

TEST_F(KubeSchedulerTest, SpeaksInGosNamesAndBindsWhereTheExtenderSays) {
  add_nodes(3);
  extender.on("/plan/filter", [](const FakeExtender::Call&) {
    return http::Response{200, "application/json", R"({"nodenames":["n1"],"other":1} trailing)"};
  });
  cluster.apply({make_pod("p")});
  start();
  ASSERT_TRUE(sink.wait_for_bound("p"));
  EXPECT_EQ(node_of("p"), "n1");

  const json filter = extender.calls("/plan/filter").at(0).body;
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
  cluster.apply({make_pod("p")});
  start();
  ASSERT_TRUE(sink.wait_for_bound("p"));
  EXPECT_EQ(node_of("p"), "n2");
}

TEST_F(KubeSchedulerTest, ANominatedNodeIsAskedAboutAlone) {
  add_nodes(5);
  PodObject pod = make_pod("p");
  pod.nominated_node = "n3";
  cluster.apply({pod});
  start();
  ASSERT_TRUE(sink.wait_for_bound("p"));
  EXPECT_EQ(node_of("p"), "n3");
  ASSERT_EQ(extender.calls("/plan/filter").size(), 1U);
  EXPECT_EQ(extender.calls("/plan/filter").at(0).names(), std::vector<std::string>{"n3"});
}

TEST_F(KubeSchedulerTest, ANominationThatTheExtenderTurnsDownIsFollowedByACallWithAll) {
  add_nodes(3);
  extender.on("/plan/filter", [](const FakeExtender::Call& call) {
    return FakeExtender::keep(call.names().size() == 1 ? std::vector<std::string>{}
                                                       : std::vector<std::string>{"n2"});
  });
  PodObject pod = make_pod("p");
  pod.nominated_node = "n1";
  cluster.apply({pod});
  start();
  ASSERT_TRUE(sink.wait_for_bound("p"));
  EXPECT_EQ(node_of("p"), "n2");
  EXPECT_EQ(extender.calls("/plan/filter").size(), 2U);
}

TEST_F(KubeSchedulerTest, ANominatedNodeThatIsFullIsNotAskedAboutAlone) {
  add_nodes(2);
  PodObject big = make_pod("big", 3'500);
  big.node_name = "n0";
  PodObject pod = make_pod("p");
  pod.nominated_node = "n0";
  cluster.apply({big, pod});
  start();
  ASSERT_TRUE(sink.wait_for_bound("p"));
  ASSERT_EQ(extender.calls("/plan/filter").size(), 1U);
  EXPECT_EQ(extender.calls("/plan/filter").at(0).names(), std::vector<std::string>{"n1"});
}

TEST_F(KubeSchedulerTest, OfAThousandNodesUnmanagedPodsSeeASampleAndManagedOnesAll) {
  add_nodes(1'000);
  cluster.apply({make_pod("managed"), make_pod("plain", 1'000, "default-scheduler")});
  start();
  ASSERT_TRUE(sink.wait_for_bound("managed"));
  ASSERT_TRUE(sink.wait_for_bound("plain"));
  for (const FakeExtender::Call& call : extender.calls("/plan/filter")) {
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
  cluster.apply({make_pod("huge", 99'000), make_pod("p")});
  start();
  ASSERT_TRUE(sink.wait_for_bound("p"));
  ASSERT_EQ(extender.calls("/plan/filter").size(), 1U);
  EXPECT_EQ(extender.calls("/plan/filter").at(0).pod(), "p");
}

TEST_F(KubeSchedulerTest, ARejectedPodIsLeftAloneUntilANominationWakesIt) {
  add_nodes(3);
  reject_unless_nominated();
  cluster.apply({make_pod("p")});
  start();
  ASSERT_TRUE(extender.wait_for_calls("/plan/filter", 1));
  // Half a minute of the cluster's: three times the longest backoff.
  EXPECT_FALSE(extender.wait_for_calls("/plan/filter", 2, std::chrono::milliseconds(500)));

  nominate(cluster, "uid-p", "n2");
  ASSERT_TRUE(sink.wait_for_bound("p"));
  EXPECT_EQ(node_of("p"), "n2");
  ASSERT_EQ(extender.calls("/plan/filter").size(), 2U);
  EXPECT_EQ(extender.calls("/plan/filter").at(1).names(), std::vector<std::string>{"n2"});
}

TEST_F(KubeSchedulerTest, ARejectedPodIsTriedAgainWhenAnotherIsPlaced) {
  add_nodes(3);
  extender.on("/plan/filter", [](const FakeExtender::Call& call) {
    return FakeExtender::keep(call.pod() == "p" ? std::vector<std::string>{} : call.names());
  });
  cluster.apply({make_pod("p")});
  start();
  ASSERT_TRUE(extender.wait_for_calls("/plan/filter", 1));
  cluster.apply({make_pod("q")});
  ASSERT_TRUE(sink.wait_for_bound("q"));
  EXPECT_TRUE(extender.wait_for_calls("/plan/filter", 3));
}

TEST_F(KubeSchedulerTest, AnErrorIsFollowedByAWaitThatNothingShortens) {
  options.plan_is_ignorable = false;
  add_nodes(3);
  std::vector<TimePoint> asked;
  extender.on("/plan/filter", [&](const FakeExtender::Call& call) {
    asked.push_back(clock.now());
    if (asked.size() < 4) return http::Response{503, "text/plain", "not synced"};
    return FakeExtender::keep(call.names());
  });
  PodObject pod = make_pod("p");
  pod.nominated_node = "n9";  // there is none: the cycle makes one call
  cluster.apply({pod});
  start();
  ASSERT_TRUE(extender.wait_for_calls("/plan/filter", 1));
  cluster.apply({make_node("another")});
  ASSERT_TRUE(sink.wait_for_bound("p"));
  scheduler->stop();
  ASSERT_EQ(asked.size(), 4U);
  EXPECT_GE(asked[1] - asked[0], seconds(1));
  EXPECT_GE(asked[2] - asked[1], seconds(2));
  EXPECT_GE(asked[3] - asked[2], seconds(4));
  EXPECT_EQ(scheduler->counts().errors, 3U);
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
  cluster.apply({pod});
  start();
  ASSERT_TRUE(sink.wait_for_bound("p"));
  const auto calls = extender.calls("/plan/filter");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].names().size(), 1U);
  EXPECT_EQ(calls[1].names().size(), 2U);
  EXPECT_TRUE(
      sink.wait_for_pod("p", [](const PodObject& seen) { return seen.nominated_node.empty(); }));
}

TEST_F(KubeSchedulerTest, HeldBindsKeepTheirRoomAndStopNobody) {
  add_nodes(1);  // of 4 cpu
  extender.hold_binds();
  cluster.apply({make_pod("a", 1'500), make_pod("b", 1'500)});
  start();
  ASSERT_TRUE(extender.wait_for_calls("/commit/bind", 2));
  cluster.apply({make_pod("c", 1'500), make_pod("d", 500)});
  ASSERT_TRUE(extender.wait_for_calls("/commit/bind", 3));
  EXPECT_EQ(extender.calls("/commit/bind").at(2).pod(), "d") << "there is no room for c";
  EXPECT_EQ(scheduler->counts().outstanding_binds, 3U);
  const auto begin = std::chrono::steady_clock::now();
  scheduler->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(1));
}

TEST_F(KubeSchedulerTest, APodThatIsDeletedWhileItsBindIsHeldGivesItsRoomBack) {
  add_nodes(1);
  extender.hold_binds();
  cluster.apply({make_pod("a", 3'000)});
  start();
  ASSERT_TRUE(extender.wait_for_calls("/commit/bind", 1));
  cluster.apply({make_pod("b", 3'000)});
  cluster.write({{.uid = "uid-a"}, ports::Eviction{"preempted"}},
                [](const ports::WriteOutcome&) {});
  EXPECT_TRUE(extender.wait_for_calls("/commit/bind", 2));
}

TEST_F(KubeSchedulerTest, WithTheExtenderDownUnmanagedPodsAreBoundAndManagedOnesWait) {
  add_nodes(2);
  extender.stop();
  cluster.apply({make_pod("managed"), make_pod("plain", 1'000, "default-scheduler")});
  start();
  ASSERT_TRUE(sink.wait_for_bound("plain"));
  EXPECT_EQ(node_of("managed"), "");
  EXPECT_EQ(cluster.pod("default/managed")->phase, PodPhase::pending);
}

TEST_F(KubeSchedulerTest, HigherPriorityGoesFirst) {
  add_nodes(3);
  PodObject low = make_pod("a-low");
  low.priority = 1;
  PodObject high = make_pod("z-high");
  high.priority = 9;
  cluster.apply({low, high});
  start();
  ASSERT_TRUE(sink.wait_for_bound("a-low"));
  EXPECT_EQ(extender.calls("/plan/filter").at(0).pod(), "z-high");
}

TEST_F(KubeSchedulerTest, ANominatedGatedPodKeepsItsRoomAndIsTriedOnceItsGateIsGone) {
  add_nodes(1);
  PodObject gated = make_pod("gated", 3'000);
  gated.gates = {"berth.dev/plan"};
  cluster.apply({gated});
  start();
  nominate(cluster, "uid-gated", "n0");
  cluster.apply({make_pod("rival", 2'000), make_pod("small", 1'000)});
  ASSERT_TRUE(sink.wait_for_bound("small"));
  EXPECT_EQ(node_of("rival"), "");
  EXPECT_EQ(extender.calls("/plan/filter").size(), 1U);
  gated.gates.clear();
  cluster.apply({gated});
  ASSERT_TRUE(sink.wait_for_bound("gated"));
  EXPECT_EQ(node_of("rival"), "");
}

TEST_F(KubeSchedulerTest, ConnectionsAreKeptForFilterCalls) {
  add_nodes(3);
  for (int i = 0; i < 10; ++i) {
    cluster.apply({make_pod("p" + std::to_string(i), 100, "default-scheduler")});
  }
  start();
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(sink.wait_for_bound("p" + std::to_string(i)));
  EXPECT_LT(extender.counts().connections_accepted, 10U);  // cpprestsdk takes one back a bit late
}

TEST_F(KubeSchedulerTest, AUrlThatIsNoneIsAnErrorAtStart) {
  options.extender_url = "nonsense";
  KubeSchedulerStandIn broken(options, cluster, clock);
  EXPECT_FALSE(broken.start());
}

}  // namespace
}  // namespace berth::embedded
