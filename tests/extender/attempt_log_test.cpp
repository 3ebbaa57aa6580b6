#include "extender/attempt_log.h"

#include <gtest/gtest.h>

#include "extender/support.h"

namespace berth::extender::test {
namespace {

using Stage = ports::Attempts::Stage;

class AttemptLogTest : public ::testing::Test {
 protected:
  ports::Published<ports::PlanTable> plan_{PlanBuilder().gang("g", 2, 2).build()};
  RecordingBinder binder_{false};
  RecordingEvents events_;
  ManualClock clock_;
  Moves moves_;
  GangBarrier barrier_{{}, plan_, moves_, binder_, events_};
  AttemptLog attempts_{barrier_, clock_};
};

TEST_F(AttemptLogTest, VIEW5AnAcceptedFilterCallOpensAnAttempt) {
  EXPECT_EQ(attempts_.of(uid_of("g-0")), Stage::none);
  attempts_.begun(uid_of("g-0"));
  EXPECT_EQ(attempts_.of(uid_of("g-0")), Stage::open);
  attempts_.ended(uid_of("g-0"));
  EXPECT_EQ(attempts_.of(uid_of("g-0")), Stage::none);
}

TEST_F(AttemptLogTest, VIEW5AHeldBindIsOpenAndAPostedOneIsBinding) {
  const auto nothing = [](const std::string&) {};
  barrier_.arrive(binding_of("g-0", node_name(0)), clock_.now(), nothing);
  EXPECT_EQ(attempts_.of(uid_of("g-0")), Stage::open);
  barrier_.arrive(binding_of("g-1", node_name(1)), clock_.now(), nothing);
  EXPECT_EQ(attempts_.of(uid_of("g-0")), Stage::binding);
  EXPECT_EQ(attempts_.of(uid_of("g-1")), Stage::binding);
}

TEST_F(AttemptLogTest, VIEW5AnAttemptOfAKubeSchedulerThatDiedIsOverAfterAWhile) {
  attempts_.begun(uid_of("g-0"));
  clock_.advance(std::chrono::seconds(29));
  EXPECT_EQ(attempts_.of(uid_of("g-0")), Stage::open);
  clock_.advance(std::chrono::seconds(1));
  EXPECT_EQ(attempts_.of(uid_of("g-0")), Stage::none);
}

}  // namespace
}  // namespace berth::extender::test
