#include <gtest/gtest.h>

#include "steering/steering_fixture.h"

// Answers and watch events that come late.

namespace berth::steering {
namespace {

// The watch still shows the nomination that was just cleared.
TEST_F(SteeringTest, STEER7ANominationThatIsBeingClearedIsWrittenAnew) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  rounds();
  PodObject pod = member(0);
  pod.nominated_node = "n1";
  pod.planned_node = "n1";
  post(pod);
  post(PlacementDropped{"g-0", "n1", "test"});
  EXPECT_EQ(rounds(), Texts{"nominate g-0"});
  plan({{"g-0", "n1"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n1", "commit g-0 on n1"}));
}

TEST_F(SteeringTest, STEER12AnAnswerForTheNodeOfBeforeMeansNothing) {
  start_leading();
  post_last_of_two();
  plan({{"g-0", "n1"}});
  round();
  api_.take();
  api_.answers_at_once = false;
  for (int i = 0; i < 2; ++i) round();
  ASSERT_EQ(api_.writes.size(), 1u);
  const auto late = api_.writes[0].done;  // of the commit
  api_.take();
  post(PlacementMoved{"g-0", "n1", "n2"});
  late({});
  api_.answers_at_once = true;
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n2", "commit g-0 on n2"}));
}

}  // namespace
}  // namespace berth::steering
