#include "reconcile/unclaimed_groups.h"

#include <gtest/gtest.h>

#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {
namespace {

using std::chrono::seconds;

class UnclaimedGroupsTest : public ReconcileTest {
 protected:
  void put(const std::string& name, GroupPhase phase = GroupPhase::pending) {
    PodGroupObject group = make_group(name, 1);
    group.scheduler.clear();
    group.phase = phase;
    mirror_.apply(group);
  }
  void report_after(Duration time) {
    now_ += time;
    mirror_.settle(now_);
    unclaimed_.report(mirror_.take_changes(), mirror_.cluster(), now_);
    for (const std::string& line : writer_.take().lines) lines_.push_back(line);
  }

  std::vector<std::string> lines_;
  UnclaimedGroups unclaimed_{side_->announcer.events()};
};

// Issue 9, row 2.
TEST_F(UnclaimedGroupsTest, AreLoggedOnceWhenTheyHaveWaitedForAWhile) {
  put("b");
  put("a");
  put("over", GroupPhase::completed);
  report_after(seconds(0));
  EXPECT_TRUE(lines_.empty());
  report_after(seconds(30));
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(
      lines_[0],
      "2 pod groups without pods are ignored, because nothing names their scheduler: ml/a, ml/b; "
      "set the annotation berth.dev/scheduler on the group or its queue");
  report_after(seconds(60));
  EXPECT_EQ(lines_.size(), 1u);
}

TEST_F(UnclaimedGroupsTest, AreNotLoggedIfTheirPodsCame) {
  put("a");
  put("b");
  report_after(seconds(0));
  mirror_.apply(make_member("a", 0));
  PodObject other = make_member("b", 0);
  other.scheduler_name = "volcano";
  mirror_.apply(other);
  report_after(seconds(30));
  EXPECT_TRUE(lines_.empty());
}

}  // namespace
}  // namespace berth::reconcile
