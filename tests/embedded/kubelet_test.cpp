#include "embedded/kubelet.h"

#include <gtest/gtest.h>

#include "embedded/fixture.h"

namespace berth::embedded {
namespace {

using std::chrono::seconds;

class KubeletTest : public ::testing::Test {
 protected:
  KubeletTest() { server.apply({make_node("n1")}); }

  ports::BindOutcome bind(const std::string& pod, const std::string& node) {
    return server.bind({"default", pod, "uid-" + pod, node});
  }
  const PodObject& pod(const std::string& name) { return *server.find<PodObject>("uid-" + name); }
  bool has_pod(const std::string& name) const {
    return server.find<PodObject>("uid-" + name) != nullptr;
  }

  Agenda clock{test_start()};
  ApiServer server{clock};
  Kubelet kubelet{clock, server, seconds(1)};
};

TEST_F(KubeletTest, ABoundPodRunsAtOnce) {
  server.apply({make_pod("p")});
  ASSERT_TRUE(bind("p", "n1").bound);
  clock.run_for({});
  EXPECT_EQ(pod("p").phase, PodPhase::running);
  EXPECT_EQ(pod("p").started, test_start());
}

TEST_F(KubeletTest, APodWithARunTimeSucceedsThatLongAfterItsStart) {
  PodObject brief = make_pod("brief");
  brief.run_time = seconds(90);
  server.apply({brief, make_pod("endless")});
  ASSERT_TRUE(bind("brief", "n1").bound);
  ASSERT_TRUE(bind("endless", "n1").bound);
  clock.run_for(std::chrono::milliseconds(89'999));
  EXPECT_EQ(pod("brief").phase, PodPhase::running);
  clock.run_for(std::chrono::milliseconds(1));
  EXPECT_EQ(pod("brief").phase, PodPhase::succeeded);
  EXPECT_EQ(pod("endless").phase, PodPhase::running);
}

TEST_F(KubeletTest, APodThatWasStartedLongAgoEndsAtOnce) {
  PodObject old = make_pod("old");
  old.node_name = "n1";
  old.phase = PodPhase::running;
  old.started = test_start() - std::chrono::hours(1);
  old.run_time = seconds(90);
  server.apply({old});
  clock.run_for({});
  EXPECT_EQ(pod("old").phase, PodPhase::succeeded);
}

TEST_F(KubeletTest, AnEvictedPodIsTerminatingForAWhileAndThenGone) {
  server.apply({make_pod("p")});
  ASSERT_TRUE(bind("p", "n1").bound);
  clock.run_for({});
  server.write({{.uid = "uid-another"}, ports::Eviction{"preempted"}});
  EXPECT_FALSE(pod("p").terminating);
  server.write({{.uid = "uid-p"}, ports::Eviction{"preempted"}});
  clock.run_for(std::chrono::milliseconds(999));
  EXPECT_TRUE(pod("p").terminating);
  clock.run_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(has_pod("p"));
}

TEST_F(KubeletTest, APodOnANodeThatIsNotThereIsCollected) {
  server.apply({make_pod("p")});
  ASSERT_TRUE(bind("p", "n9").bound);
  clock.run_for(seconds(19));
  EXPECT_EQ(pod("p").phase, PodPhase::pending);
  clock.run_for(seconds(1));
  EXPECT_FALSE(has_pod("p"));
}

TEST_F(KubeletTest, APodWhoseNodeComesLaterRunsThen) {
  PodObject early = make_pod("p");
  early.node_name = "n9";
  early.run_time = seconds(90);
  server.apply({early});
  clock.run_for(seconds(5));
  EXPECT_EQ(pod("p").phase, PodPhase::pending);
  server.apply({make_node("n9")});
  clock.run_for(seconds(30));
  EXPECT_EQ(pod("p").phase, PodPhase::running);
  clock.run_for(seconds(60));
  EXPECT_EQ(pod("p").phase, PodPhase::succeeded);
}

}  // namespace
}  // namespace berth::embedded
