#include <gtest/gtest.h>

#include "reconcile/pod_condition.h"
#include "steering/steering_fixture.h"

namespace berth::steering {
namespace {

// Mode `view` (docs/design/view.md): pods come without a gate, and nothing is written on them.
class SteeringThroughTheView : public SteeringTest {
 protected:
  void SetUp() override {
    SteeringTest::SetUp();
    current_ = &viewing_;
    start_leading();
  }
  // "g-0 on n1"; nothing if the table has not changed.
  Texts shown() {
    Texts texts;
    const auto table = viewing_.take_shown();
    if (table == nullptr) return {"unchanged"};
    for (const ports::ShownPod& each : table->pods) {
      texts.push_back(each.uid + " on " + each.node + (each.is_nominated ? " if it can be" : ""));
      EXPECT_EQ(table->find(each.uid), &each);
    }
    return texts;
  }
  std::uint64_t attempt_of(const std::string& uid) {
    const auto table = viewing_.take_shown();
    const ports::ShownPod* pod = table == nullptr ? nullptr : table->find(uid);
    return pod == nullptr ? 0 : pod->attempt;
  }

  Steering viewing_{observed_, writes_, {.mode = Mode::view}};
};

TEST_F(SteeringThroughTheView, STEER11APodIsShownWhenItsGangIsPlanned) {
  post_gang(2, 2, false);
  plan({{"g-0", "n1"}});
  EXPECT_EQ(rounds(), Texts{});
  EXPECT_EQ(shown(), Texts{}) << "half a gang";
  plan({{"g-1", "n2"}});
  EXPECT_EQ(rounds(), Texts{}) << "nothing is written on pods";
  EXPECT_EQ(shown(), (Texts{"g-0 on n1", "g-1 on n2"}));
  EXPECT_EQ(shown(), Texts{"unchanged"});
}

TEST_F(SteeringThroughTheView, VIEW2APodOfAnEarlierInstallationLosesItsGateFirst) {
  api_.answers_at_once = false;
  post_gang(1, 1);
  plan({{"g-0", "n1"}});
  round();
  EXPECT_EQ(shown(), Texts{});
  ASSERT_EQ(api_.writes.size(), 1u);
  EXPECT_EQ(api_.writes[0].content.kind, Kind::commit);
  api_.writes[0].done({});
  round();
  EXPECT_EQ(shown(), Texts{"g-0 on n1"}) << "the view waits until the gate is seen to be off";
}

TEST_F(SteeringThroughTheView, AUTOSCALE2OurOwnConditionIsNoVeto) {
  post_gang(1, 1, false);
  plan({{"g-0", "n1"}});
  rounds();
  EXPECT_EQ(shown(), Texts{"g-0 on n1"});
  PodObject pod = member(0, false);  // the write comes late
  pod.not_scheduled = "Unschedulable";
  pod.unschedulable = reconcile::desired_pod_condition(true, "", TimePoint())->scheduled.message;
  post(pod);
  EXPECT_TRUE(round().empty());
  EXPECT_EQ(shown(), Texts{"unchanged"});
  EXPECT_EQ(viewing_.complaint_of("g-0"), nullptr);
}

TEST_F(SteeringThroughTheView, VIEW3AHintIsShownAsOne) {
  post(make_group("g", 1));
  PodObject pod = member(0, false);
  pod.constraints.unmodelled = {"topologySpreadConstraints"};
  post(pod);
  plan({{"g-0", "n1"}});
  rounds();
  EXPECT_EQ(shown(), Texts{"g-0 on n1 if it can be"});
}

TEST_F(SteeringThroughTheView, VIEW5APlacementThatIsDroppedAndPlannedAgainIsAnotherAttempt) {
  post_gang(1, 1, false);
  plan({{"g-0", "n1"}});
  rounds();
  const std::uint64_t first = attempt_of("g-0");
  post(PlacementDropped{"g-0", "n1", "kube-scheduler: no", true});
  EXPECT_EQ(shown(), Texts{});
  plan({{"g-0", "n1"}});
  rounds();
  EXPECT_GT(attempt_of("g-0"), first);
}

TEST_F(SteeringThroughTheView, STEER4APodIsNotShownWhereItsNodeWasTaken) {
  post_gang(1, 1, false);
  plan({{"g-0", "n1"}});
  NodeObject node = make_node("n1", 4);
  node.unschedulable = true;
  post(node);
  EXPECT_EQ(round().size(), 1u);
  EXPECT_EQ(shown(), Texts{});
}

TEST_F(SteeringThroughTheView, VIEW10NothingIsShownByABerthdThatDoesNotLead) {
  post_gang(1, 1, false);
  plan({{"g-0", "n1"}});
  rounds();
  EXPECT_EQ(shown(), Texts{"g-0 on n1"});
  viewing_.stop_leading();
  EXPECT_EQ(shown(), Texts{});
}

}  // namespace
}  // namespace berth::steering
