#include "actions/refused_plans.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/text.h"
#include "berth/model/attempt.h"
#include "support/stage.h"

namespace berth::actions {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using support::bring;
using support::config_of;
using Nodes = std::multiset<std::string>;

constexpr Duration kMost = minutes(1);

// A cluster in which kube-scheduler refuses what is planned for a job.
class RefusedPlansTest : public testing::Test {
 protected:
  ~RefusedPlansTest() override {
    for (const std::string& fault : world_->faults()) ADD_FAILURE() << fault;
  }
  void set(const std::string& text, const std::string& actions = "enqueue allocate backfill",
           const std::string& tiers = "priority gang / predicates nodeorder") {
    world_ = support::stage(text, config_of(actions, tiers));
    world_->advance(minutes(1));  // the nodes are not new any more
  }
  const Job& job(const std::string& name) const {
    return world_->cluster().job(world_->job("default/" + name));
  }
  // The nodes of planned pods after a session.
  Nodes plan(const std::string& name = "j") {
    world_->plan();
    Nodes nodes;
    for (const TaskId id : job(name).tasks) {
      const Task& task = world_->cluster().task(id);
      const bool is_planned = task.status == TaskStatus::binding;
      if (is_planned) nodes.insert(world_->cluster().node(task.node).name);
    }
    return nodes;
  }
  // As the daemon does when kube-scheduler refuses the first planned pod on these nodes; on all if
  // none are given.
  void fail(const std::string& name = "j", std::vector<std::string> nodes = {}) {
    mirror::Mirror& mirror = world_->mirror();
    std::vector<std::string> planned;
    for (const TaskId id : job(name).tasks) {
      const Task& task = world_->cluster().task(id);
      if (task.status == TaskStatus::binding) planned.push_back(task.uid);
    }
    ASSERT_FALSE(planned.empty()) << "there is no plan that could be refused";
    const Task& first = world_->cluster().task(mirror.find_task(planned[0]));
    mirror.note_refused_plan(first.uid, world_->cluster().node(first.node).name, world_->now(),
                             kMost);
    mirror.fail_attempt(job(name).id, "3 node(s) had no device", std::move(nodes), world_->now(),
                        kMost);
    for (const std::string& pod : planned) world_->drop(pod);
  }
  // Of the last session.
  Reason reason(const std::string& name = "j") const {
    const auto& refusals = world_->last_plan().refusals;
    const auto found = refusals.find("default/" + name);
    return found == refusals.end() ? Reason::none : found->second.reason;
  }
  std::string message(const std::string& name = "j") const {
    return world_->last_plan().refusals.at("default/" + name).message;
  }

  std::unique_ptr<support::World> world_;
};

TEST_F(RefusedPlansTest, HINT4TheJobWaitsAndOthersHaveItsRoom) {
  set("node n1 cpu=2\njob j min=2\ntask j/0..1 cpu=1\n");
  ASSERT_EQ(plan(), (Nodes{"n1", "n1"}));
  fail();
  bring(*world_, "job later min=2\ntask later/0..1 cpu=1\n");
  EXPECT_EQ(plan(), Nodes{});
  EXPECT_EQ(plan("later"), (Nodes{"n1", "n1"}));
}

TEST_F(RefusedPlansTest, HINT6ItsReasonIsKubeSchedulersWithTheTimeOfTheNextAttempt) {
  set("node n1 cpu=2\nnode n2 cpu=2\njob j min=2\ntask j/0..1 cpu=1\n");
  plan();
  fail();
  plan();
  EXPECT_EQ(reason(), Reason::refused_by_scheduler);
  const TimePoint again = std::chrono::ceil<seconds>(job("j").attempt->until);
  EXPECT_EQ(message(),
            "kube-scheduler refused its last plan: 3 node(s) had no device (tried again "
            "after " +
                format_time(again) + ")");
}

TEST_F(RefusedPlansTest, HINT5TheNextPlanIsAnother) {
  set("node n1 cpu=4\nnode n2 cpu=4\njob j min=2\ntask j/0..1 cpu=1\n");
  std::set<Nodes> seen;
  for (int attempt = 0; attempt < 2; ++attempt) {
    const Nodes planned = plan();
    ASSERT_EQ(planned.size(), 2U) << "attempt " << attempt;
    EXPECT_TRUE(seen.insert(planned).second) << "attempt " << attempt;
    fail();
    world_->advance(seconds(2));
  }
  EXPECT_EQ(plan(), Nodes{}) << "with the first member where it was, each place was refused";
  EXPECT_EQ(reason(), Reason::refused_by_scheduler);
}

TEST_F(RefusedPlansTest, HINT5TheOldestComesAgainAfterTheLongestPause) {
  set("node n1 cpu=4\nnode n2 cpu=4\njob j min=2\ntask j/0..1 cpu=1\n");
  const Nodes first = plan();
  fail();
  world_->advance(seconds(2));
  EXPECT_NE(plan(), first);
  fail();
  world_->advance(seconds(59));
  EXPECT_EQ(plan(), Nodes{});
  world_->advance(seconds(1));
  EXPECT_EQ(plan(), first);
}

TEST_F(RefusedPlansTest, HINT5AJobOfOnePodGoesToAnotherNode) {
  set("node n1 cpu=4\nnode n2 cpu=4\npod p cpu=1\n");
  EXPECT_EQ(plan("p"), Nodes{"n1"});
  fail("p");
  world_->advance(seconds(1));
  EXPECT_EQ(plan("p"), Nodes{"n2"});
}

TEST_F(RefusedPlansTest, HINT5AMemberIsPlacedAnewOnlyWhereItFits) {
  set("node n1 cpu=4\nnode n2 cpu=4 taints=key:value:NoSchedule\nnode n3 cpu=1\n"
      "pod p cpu=2\n");
  EXPECT_EQ(plan("p"), Nodes{"n1"});
  fail("p");
  world_->advance(seconds(1));
  EXPECT_EQ(plan("p"), Nodes{});
  bring(*world_, "node n4 cpu=2\n");
  EXPECT_EQ(plan("p"), Nodes{"n4"}) << "a node came";
}

TEST_F(RefusedPlansTest, HINT5HoldsForRoomThatWasClaimed) {
  set("node n1 cpu=1\nnode n2 cpu=1\njob j min=2\ntask j/0..1 cpu=1\n");
  ASSERT_EQ(plan(), (Nodes{"n1", "n2"}));
  fail("j", {"n2"});
  bring(*world_, "pod old cpu=1 on=n1 terminating\n");
  world_->advance(seconds(2));
  EXPECT_EQ(plan(), Nodes{});
  EXPECT_FALSE(job("j").claims.empty()) << "room that is being vacated";
  bring(*world_, "delete pod old\n");
  EXPECT_EQ(plan(), Nodes{});
  EXPECT_EQ(reason(), Reason::refused_by_scheduler);
}

TEST_F(RefusedPlansTest, HINT5APodThatLeftANodeThatRefusedMayMakeTheSamePlanGood) {
  set("node n1 cpu=3\njob j min=2\ntask j/0..1 cpu=1\npod old cpu=1 on=n1\n");
  const Nodes first = plan();
  fail();
  world_->advance(seconds(10));
  EXPECT_EQ(plan(), Nodes{});
  world_->remove("default/old");
  EXPECT_EQ(plan(), first);
}

TEST_F(RefusedPlansTest, HINT8TheJobEvictsNobody) {
  set("node n1 cpu=2\npriorityclass high value=10\njob j min=2 priority=high\n"
      "task j/0..1 cpu=1\n",
      "enqueue allocate preempt");
  ASSERT_EQ(plan().size(), 2U);
  fail();
  bring(*world_, "job low min=1\ntask low/0 cpu=2 on=n1\n");
  world_->plan();
  EXPECT_EQ(world_->last_plan().evictions, std::vector<std::string>{});
  world_->advance(seconds(1));
  world_->plan();
  EXPECT_EQ(world_->last_plan().evictions.size(), 1U) << "after the pause it may";
}

// The pod would leave for its queue's sake, and the plan would be the one that was refused.
TEST_F(RefusedPlansTest, HINT5NobodyLeavesForThePlanThatWasRefused) {
  set("queue q capability=cpu:2\nnode n1 cpu=2 labels=gpu:a\nnode n2 cpu=1\n"
      "priorityclass high value=10\njob j queue=q min=2 priority=high\n"
      "task j/0..1 cpu=1 selector=gpu:a\n",
      "enqueue allocate preempt", "priority gang / proportion predicates nodeorder");
  ASSERT_EQ(plan(), (Nodes{"n1", "n1"}));
  fail("j", {"n1"});
  bring(*world_, "job low queue=q min=1\ntask low/0 cpu=1 on=n2\n");
  world_->advance(seconds(10));
  world_->plan();
  EXPECT_EQ(world_->last_plan().evictions, std::vector<std::string>{});
  world_->advance(minutes(1));
  world_->plan();
  EXPECT_EQ(world_->last_plan().evictions.size(), 1U) << "after the longest pause it may";
}

TEST_F(RefusedPlansTest, HINT8TheJobHoldsNoClaims) {
  set("node n1 cpu=2\nnode n2 cpu=2\njob j min=2\ntask j/0..1 cpu=2\n");
  ASSERT_EQ(plan().size(), 2U);
  fail();
  bring(*world_, "pod old cpu=2 on=n1 terminating\n");
  EXPECT_EQ(plan(), Nodes{});
  EXPECT_TRUE(job("j").claims.empty());
  world_->advance(seconds(1));
  EXPECT_EQ(plan(), Nodes{});
  EXPECT_FALSE(job("j").claims.empty());
}

const std::string kElects = "elect enqueue reserve allocate backfill";
const std::string kReservation = "priority gang reservation / predicates nodeorder";

// Another job's claims are taken up after targets have tried their own nodes.
TEST_F(RefusedPlansTest, HINT5ATargetLeavesRoomThatIsClaimed) {
  set("node n1 cpu=4\nnode n2 cpu=4\npod old cpu=1 on=n1\npod o1 cpu=4 on=n2\n"
      "job big min=2 named\ntask big/0..1 cpu=2\n",
      kElects, "priority gang reservation(nodes=1) / predicates nodeorder");
  ASSERT_EQ(plan("big"), Nodes{});
  world_->remove("default/old");
  ASSERT_EQ(plan("big"), (Nodes{"n1", "n1"}));
  fail("big");
  bring(*world_, "job w min=2\ntask w/0..1 cpu=2\ndelete pod o1\npod o2 cpu=2 on=n2 terminating\n");
  plan("w");
  ASSERT_EQ(job("w").claims.size(), 2U);
  world_->advance(seconds(2));
  EXPECT_FALSE(plan("big").contains("n2"));
  EXPECT_EQ(job("w").claims.size(), 2U);
}

TEST_F(RefusedPlansTest, HINT5MembersStayNearEachOther) {
  set("topology gpu levels=rack\nnode a1 cpu=2 labels=rack:r1\nnode a2 cpu=1 labels=rack:r1\n"
      "node b1 cpu=1 labels=rack:r2\njob j min=2 together=rack\ntask j/0..1 cpu=1\n");
  ASSERT_EQ(plan(), (Nodes{"a1", "a1"}));
  fail();
  world_->advance(seconds(2));
  EXPECT_EQ(plan(), (Nodes{"a1", "a2"}));
  fail();
  world_->advance(seconds(4));
  EXPECT_EQ(plan(), Nodes{}) << "b1 is in another rack";
}

// Its members are in no rack since a label was taken away (TOPO-19).
TEST_F(RefusedPlansTest, HINT5TheSamePlanComesAgainForAGangThatIsApart) {
  set("topology gpu levels=rack\nnode a1 cpu=2 labels=rack:r1\nnode b1 cpu=1 labels=rack:r2\n"
      "job j min=2 together=rack\ntask j/0..1 cpu=1 on=a1\n");
  plan();
  bring(*world_, "node a1 cpu=2\ntask j/2 cpu=1\n");
  ASSERT_EQ(plan(), Nodes{"b1"});
  fail();
  world_->advance(minutes(2));
  EXPECT_EQ(plan(), Nodes{"b1"});
}

TEST_F(RefusedPlansTest, HINT8ATargetIsReleasedWhenItHasFailedThreeTimes) {
  set("node n1 cpu=2\nnode n2 cpu=2\npod old cpu=1 on=n2\n"
      "job big min=2 named\ntask big/0..1 cpu=2\n",
      kElects, kReservation);
  plan("big");
  world_->remove("default/old");
  for (int times = 1; times <= 3; ++times) {
    ASSERT_EQ(plan("big").size(), 2U) << times;
    ASSERT_TRUE(job("big").election) << times;
    fail("big");
    plan("big");
    EXPECT_EQ(job("big").election.has_value(), times < 3) << times;
    world_->advance(minutes(2));
  }
}

TEST_F(RefusedPlansTest, HINT8AJobThatWaitsIsNotElected) {
  set("node n1 cpu=2\nnode n2 cpu=2\njob big min=2\ntask big/0..1 cpu=2\n", kElects, kReservation);
  ASSERT_EQ(plan("big").size(), 2U);
  ASSERT_FALSE(job("big").election);
  fail("big");
  bring(*world_, "job big min=2 named\n");
  plan("big");
  EXPECT_FALSE(job("big").election);
  world_->advance(seconds(1));
  plan("big");
  EXPECT_TRUE(job("big").election);
}

}  // namespace
}  // namespace berth::actions
