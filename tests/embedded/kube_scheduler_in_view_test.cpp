// The stand-in reads its pods through the view.
#include "apiview/pod_interceptor.h"
#include "embedded/scheduler_fixture.h"

namespace berth::embedded {
namespace {

struct NoAttempts final : ports::Attempts {
  Stage of(const std::string&) const override { return Stage::none; }
  bool is_quiet(const std::string&) const override { return false; }
};

struct Vetoes final : ports::EventSink {
  void post(ClusterEvent event) override { posted.push_back(std::move(event)); }
  std::vector<ClusterEvent> posted;
};

class KubeSchedulerInViewTest : public KubeSchedulerTest {
 protected:
  KubeSchedulerInViewTest() {
    add_nodes(3);
    server.put(make_pod("p"));
    start(&view);
  }
  ~KubeSchedulerInViewTest() override { scheduler.reset(); }

  // A pod may be bound to this node.
  void show(const std::string& pod, const std::string& node, bool asks_filter = false) {
    auto table = ports::ShownPods::of({{.uid = "uid-" + pod,
                                        .name_space = "default",
                                        .name = pod,
                                        .node = node,
                                        .asks_filter = asks_filter}});
    shown.store(std::make_shared<const ports::ShownPods>(std::move(table)));
    view.follow();
    agenda.run_for(milliseconds(1));
  }

  ports::Published<ports::ShownPods> shown{std::make_shared<const ports::ShownPods>()};
  NoAttempts attempts;
  Vetoes vetoes;
  apiview::PodInterceptor view{{{"berth"},
                                shown,
                                attempts,
                                vetoes,
                                [](const std::string&) {},
                                [](const std::string& what) { ADD_FAILURE() << what; }}};
};

TEST_F(KubeSchedulerInViewTest, VIEW1APodIsHiddenUntilItIsShownAndGoesToThatNodeAlone) {
  EXPECT_TRUE(filters().empty());
  show("p", "n2");
  EXPECT_EQ(node_of("p"), "n2");
  EXPECT_TRUE(filters().empty()) << "VIEW-19";
  EXPECT_TRUE(extender.calls("/plan/prioritize").empty());
}

TEST_F(KubeSchedulerInViewTest, VIEW19TheExtenderIsAskedAboutAMarkedPod) {
  show("p", "n2", true);
  EXPECT_EQ(node_of("p"), "n2");
  ASSERT_EQ(filters().size(), 1U);
  EXPECT_EQ(filters().front().names(), std::vector<std::string>{"n2"});
}

TEST_F(KubeSchedulerInViewTest, OtherSchedulersPodsAreNotHidden) {
  apply({make_pod("plain", 1'000, "default-scheduler")});
  EXPECT_NE(node_of("plain"), "");
}

TEST_F(KubeSchedulerInViewTest, ANodeWithoutRoomIsReportedAndVetoed) {
  apply({make_pod("plain", 3'500, "default-scheduler")});
  show("p", node_of("plain"));
  EXPECT_EQ(node_of("p"), "");
  ASSERT_EQ(vetoes.posted.size(), 1U);
  const auto& veto = std::get<PlacementDropped>(vetoes.posted.front());
  EXPECT_EQ(veto.pod_uid, "uid-p");
  EXPECT_TRUE(veto.is_vetoed);
  EXPECT_EQ(server.find<PodObject>("uid-p")->unschedulable, "") << "the view keeps the report";
}

}  // namespace
}  // namespace berth::embedded
