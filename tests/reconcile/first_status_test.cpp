#include <gtest/gtest.h>

#include "reconcile/reconcile_fixture.h"

// STATUS-7

namespace berth::reconcile {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class FirstStatus : public ReconcileTest {
 protected:
  void SetUp() override {
    for (const char* node : {"n1", "n2"}) see(make_node(node, 4));
  }
  // Of two members, which is admitted.
  void see_new_gang(int members) {
    PodGroupObject group = make_group("new", 2);
    group.created = now_;
    see_gang(group, members);
    mirror_.settle(now_);
    Plan admits;
    admits.admitted = {mirror_.find_group("ml/new")};
    mirror_.assume(admits, now_);
  }
  Plan lack_of_pods(std::int64_t have) {
    Plan plan;
    plan.refusals = {refusal_of(mirror_, "new", Reason::too_few_tasks, have, 2)};
    return plan;
  }
};

// Operators make pods when the group is in, and not before.
TEST_F(FirstStatus, STATUS7AGroupThatLacksPodsIsSoonInqueue) {
  for (const int members : {0, 1}) {
    see_new_gang(members);
    EXPECT_TRUE(session(lack_of_pods(members)).statuses.empty());
    EXPECT_EQ(side_->reconciler.held_until(), now_ + milliseconds(300));
    const auto statuses = session_after(milliseconds(300), lack_of_pods(members)).statuses;
    ASSERT_EQ(statuses.size(), 1u);
    EXPECT_EQ(statuses[0].phase, GroupPhase::inqueue);
    EXPECT_EQ(statuses[0].reason, "");
    EXPECT_FALSE(side_->reconciler.held_until());
    const auto later = session_after(seconds(10), lack_of_pods(members)).statuses;
    ASSERT_EQ(later.size(), 1u);
    EXPECT_EQ(later[0].reason, "NotEnoughTasks");
    see(PodGroupDeleted{"ml/new"});
    start();
  }
}

TEST_F(FirstStatus, STATUS7AGangThatStartsAtOnceHasOne) {
  see_new_gang(2);
  EXPECT_TRUE(session(assume(mirror_, {{"new-0", "n1"}, {"new-1", "n1"}})).statuses.empty());
  EXPECT_TRUE(session_after(seconds(1)).statuses.empty());
  for (int i = 0; i < 2; ++i) see(running_on(make_member("new", i), "n1"));
  const auto written = session();
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_EQ(written.statuses[0].phase, GroupPhase::running);
  EXPECT_TRUE(written.statuses[0].is_scheduled);
  EXPECT_EQ(written.events.size(), 1u);
}

TEST_F(FirstStatus, STATUS7AGangWhoseBindsTakeLongIsInqueue) {
  see_new_gang(2);
  EXPECT_TRUE(session(assume(mirror_, {{"new-0", "n1"}, {"new-1", "n1"}})).statuses.empty());
  const auto statuses = session_after(seconds(2)).statuses;
  ASSERT_EQ(statuses.size(), 1u);
  EXPECT_EQ(statuses[0].phase, GroupPhase::inqueue);
}

TEST_F(FirstStatus, STATUS7NothingIsHeldByABerthdThatDoesNotLead) {
  see_new_gang(0);
  session(lack_of_pods(0));
  EXPECT_TRUE(side_->reconciler.held_until());
  side_->stop_leading();
  EXPECT_FALSE(side_->reconciler.held_until());
}

}  // namespace
}  // namespace berth::reconcile
