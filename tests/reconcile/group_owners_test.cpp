#include <gtest/gtest.h>

#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {
namespace {

class GroupOwnersTest : public ReconcileTest {
 protected:
  RecordingWriter::Written report() { return session_after(std::chrono::minutes(1)); }
};

// Issue 9, row 2.
TEST_F(GroupOwnersTest, WritesNothingOnGroupsThatAreNotOurs) {
  PodGroupObject group = make_group("g", 2);
  group.scheduler.clear();
  see(group);
  EXPECT_TRUE(report().statuses.empty()) << "it is unclaimed";
  for (const int index : {0, 1}) {
    PodObject pod = running_on(make_member("g", index), "n1");
    pod.scheduler_name = "volcano";
    see(pod);
  }
  EXPECT_TRUE(report().statuses.empty());
  group.phase = GroupPhase::running;
  group.written.running = 2;
  see(group);
  EXPECT_TRUE(report().statuses.empty()) << "its scheduler writes";
}

TEST_F(GroupOwnersTest, BeginsWithWhatTheOtherWroteWhenAGroupBecomesOurs) {
  PodGroupObject group = make_group("g", 2);
  group.scheduler = "volcano";
  see(group);
  EXPECT_TRUE(report().statuses.empty());
  group.phase = GroupPhase::inqueue;
  see(group);
  group.scheduler = "berth";
  see(group);
  EXPECT_TRUE(report().statuses.empty()) << "it is Inqueue already";
  see(make_member("g", 0));
  see(make_member("g", 1));
  EXPECT_TRUE(report().statuses.empty());
  see(running_on(make_member("g", 0), "n1"));
  see(running_on(make_member("g", 1), "n1"));
  const auto written = report();
  ASSERT_EQ(written.statuses.size(), 1u);
  EXPECT_EQ(written.statuses[0].phase, GroupPhase::running);
}

// Issue 9, row 12.
TEST_F(GroupOwnersTest, SaysOnceWhatIsNotHonoured) {
  PodGroupObject group = make_group("g", 2);
  group.not_honoured = {"spec.networkTopology (hard)", "spec.subGroupPolicy"};
  see(group);
  const auto written = report();
  ASSERT_EQ(written.statuses.size(), 1u);
  const WrittenCondition& honoured = written.statuses[0].honoured;
  EXPECT_EQ(honoured.reason, "FieldsNotHonoured");
  EXPECT_FALSE(honoured.holds);
  EXPECT_EQ(honoured.message,
            "spec.networkTopology (hard) and spec.subGroupPolicy are not honoured; the job is "
            "placed without them");
  ASSERT_EQ(written.events.size(), 1u);
  EXPECT_TRUE(written.events[0].is_warning);
  EXPECT_EQ(written.events[0].message, honoured.message);

  group.written.honoured = honoured;
  start();
  see(group);
  const auto again = report();
  EXPECT_TRUE(again.statuses.empty());
  EXPECT_TRUE(again.events.empty());

  group.not_honoured.clear();
  see(group);
  const auto over = report();
  ASSERT_EQ(over.statuses.size(), 1u);
  EXPECT_EQ(over.statuses[0].honoured, WrittenCondition());
  EXPECT_TRUE(over.events.empty());
}

}  // namespace
}  // namespace berth::reconcile
