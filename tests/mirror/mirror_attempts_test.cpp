#include <gtest/gtest.h>

#include "berth/model/attempt.h"
#include "support/stage.h"

namespace berth::mirror {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using support::bring;
using support::stage;

// Gang j on n1 and n2; times are from the beginning.
class AttemptsOfTheMirrorTest : public testing::Test {
 protected:
  void SetUp() override {
    world_ = stage(
        "node n1 cpu=2\nnode n2 cpu=2\nnode n3 cpu=2\n"
        "pod old1 cpu=1 on=n1\npod old3 cpu=1 on=n3\n"
        "job j min=2\ntask j/0..1 cpu=1 selector=a:1\n");
    world_->advance(minutes(10));  // the nodes are not new any more
    settle();
  }
  Mirror& mirror() { return world_->mirror(); }
  void settle() { mirror().settle(world_->now()); }
  JobId job() const { return world_->job("default/j"); }
  const Attempt* attempt() const { return world_->cluster().job(job()).attempt.get(); }
  void place(int member, const std::string& node) {
    Plan plan;
    plan.binds.push_back(
        {world_->task("default/j-" + std::to_string(member)), world_->cluster().find_node(node)});
    mirror().assume(plan, world_->now());
    settle();
  }
  void refuse_at(const std::string& second) {
    place(0, "n1");
    place(1, second);
    mirror().note_refused_plan("default/j-1", second, world_->now(), minutes(1));
    for (const auto& [pod, node] : {std::pair("default/j-0", "n1"), {"default/j-1", second.data()}})
      mirror().apply(PlacementDropped{pod, node, "test"});
  }
  void fail(std::vector<std::string> nodes = {"n1", "n2"}) {
    mirror().fail_attempt(job(), "no device", std::move(nodes), world_->now(), minutes(1));
  }
  void bind(const std::string& name) {
    PodObject pod = *world_->pod(name);
    pod.node_name = "n1";
    mirror().apply(pod);
    settle();
  }
  Duration pause() const { return attempt()->until - world_->now(); }
  void advance(Duration by) {
    world_->advance(by);
    settle();
  }

  std::unique_ptr<support::World> world_;
};

TEST_F(AttemptsOfTheMirrorTest, HINT4ThePausesDoubleUpToTheLimit) {
  Duration wanted = seconds(1);
  for (int times = 1; times <= 12; ++times) {
    fail();
    EXPECT_EQ(attempt()->times, times);
    EXPECT_LE(pause(), wanted);
    EXPECT_GE(pause(), wanted * 9 / 10);
    EXPECT_TRUE(attempt()->is_waiting(attempt()->until - Duration(1)));
    EXPECT_FALSE(attempt()->is_waiting(attempt()->until));
    wanted = std::min<Duration>(2 * wanted, minutes(1));
  }
}

TEST_F(AttemptsOfTheMirrorTest, HINT4JobsThatWereRefusedTogetherDoNotMeetAgain) {
  bring(*world_, "job k min=2\n");
  fail();
  const JobId other = world_->job("default/k");
  mirror().fail_attempt(other, "no device", {}, world_->now(), minutes(1));
  EXPECT_NE(attempt()->until, world_->cluster().job(other).attempt->until);
}

TEST_F(AttemptsOfTheMirrorTest, HINT4ANewNodeEndsThePauseYetNotAtOnce) {
  for (int times = 0; times < 5; ++times) fail();
  const TimePoint failed = world_->now();
  advance(milliseconds(100));
  bring(*world_, "node n4 cpu=2\n");
  settle();
  EXPECT_EQ(attempt()->until, failed + seconds(1));
  fail();
  EXPECT_LE(pause(), seconds(1)) << "kube-scheduler may not have known the node";
  advance(seconds(1));
  fail();
  EXPECT_GT(pause(), seconds(53)) << "the length of the next one stays";
}

TEST_F(AttemptsOfTheMirrorTest, HINT4SoDoesANodeThatIsChanged) {
  for (int times = 0; times < 5; ++times) fail();
  bring(*world_, "node n3 cpu=2\n");
  settle();
  EXPECT_GT(pause(), seconds(10)) << "it is as it was";
  bring(*world_, "node n3 cpu=2 labels=a:1\n");
  settle();
  EXPECT_EQ(pause(), seconds(1));
}

TEST_F(AttemptsOfTheMirrorTest, HINT4APodThatLeavesANodeThatRefusedEndsIt) {
  for (int times = 0; times < 5; ++times) fail();
  bring(*world_, "delete pod old3\n");
  settle();
  const Duration before = pause();
  EXPECT_GT(before, seconds(14)) << "n3 did not refuse it";
  bring(*world_, "delete pod old1\n");
  settle();
  EXPECT_EQ(pause(), before / 8) << "no sooner: in a busy cluster a pod always leaves";
}

TEST_F(AttemptsOfTheMirrorTest, HINT4WhereAllNodesRefusedAnyPodThatEndsDoes) {
  fail({});
  fail({});
  world_->finish("default/old3", true);
  settle();
  EXPECT_EQ(pause(), seconds(1));
}

TEST_F(AttemptsOfTheMirrorTest, HINT4AJobThatIsChangedIsTriedSooner) {
  for (const char* change : {"job j min=1\n", "task j/2 cpu=1\n", "delete task j/2\n"}) {
    for (int times = 0; times < 5; ++times) fail();
    bring(*world_, change);
    settle();
    EXPECT_EQ(pause(), seconds(1)) << change;
  }
}

TEST_F(AttemptsOfTheMirrorTest, HINT4AMemberThatIsBoundBeginsTheLengthsAnew) {
  fail();
  fail();
  const TimePoint until = attempt()->until;
  bind("default/j-0");
  EXPECT_EQ(attempt()->times, 0);
  EXPECT_EQ(attempt()->until, until) << "this pause stays";
  bind("default/j-1");
  EXPECT_EQ(attempt(), nullptr) << "nothing waits any more";
}

TEST_F(AttemptsOfTheMirrorTest, HINT5EightPlansAreRemembered) {
  for (const char* node : {"n1", "n2", "n3", "n1"}) refuse_at(node);
  ASSERT_EQ(attempt()->places.size(), 3U) << "each once";
  const std::uint64_t shape = world_->cluster().shape_of(world_->task("default/j-0")).lasting_key;
  EXPECT_EQ(attempt()->places.front(), place_of(shape, "n1") + place_of(shape, "n2"));
  EXPECT_EQ(attempt()->places.back(), 2 * place_of(shape, "n1")) << "the last is the youngest";
  for (int n = 4; n < 14; ++n) {
    bring(*world_, "node n" + std::to_string(n) + " cpu=2\n");
    settle();
    refuse_at("n" + std::to_string(n));
  }
  EXPECT_EQ(attempt()->places.size(), 8U);
}

TEST_F(AttemptsOfTheMirrorTest, HINT5WhenANodeComesOnlyTheLastPlanIsRemembered) {
  refuse_at("n2");
  refuse_at("n3");
  fail();
  const std::uint64_t last = attempt()->places.back();
  bring(*world_, "node n4 cpu=2\n");
  settle();
  EXPECT_EQ(attempt()->places, std::vector<std::uint64_t>{last});
}

TEST_F(AttemptsOfTheMirrorTest, HINT5APlanMayComeAgainAfterTheLimit) {
  refuse_at("n2");
  EXPECT_EQ(attempt()->repeats_at, world_->now() + minutes(1));
  fail();
  EXPECT_EQ(attempt()->repeats_at, world_->now() + minutes(1));
}

// kube-scheduler may not have known yet.
TEST_F(AttemptsOfTheMirrorTest, HINT5ARefusalJustAfterAChangeMayBeOutdated) {
  bring(*world_, "delete pod old1\n");
  settle();
  refuse_at("n2");
  fail();
  EXPECT_EQ(attempt()->repeats_at, attempt()->until);
  advance(seconds(5));
  refuse_at("n2");
  fail();
  EXPECT_EQ(attempt()->repeats_at, world_->now() + minutes(1));
}

TEST_F(AttemptsOfTheMirrorTest, HINT5WhatIsNotPlannedIsNoRefusedPlan) {
  mirror().note_refused_plan("default/j-0", "n1", world_->now(), minutes(1));
  mirror().note_refused_plan("default/nobody", "n1", world_->now(), minutes(1));
  place(0, "n2");
  mirror().note_refused_plan("default/j-0", "n1", world_->now(), minutes(1));
  EXPECT_EQ(attempt(), nullptr);
}

TEST_F(AttemptsOfTheMirrorTest, AnotherGroupOfTheNameAndAnotherLeaderKnowNothing) {
  fail();
  mirror().forget_plans();
  EXPECT_EQ(attempt(), nullptr);
  fail();
  PodGroupObject another;
  another.name_space = "default";
  another.name = "j";
  another.uid = "another";
  another.scheduler = "berth";
  mirror().apply(another);
  settle();
  EXPECT_EQ(attempt(), nullptr);
}

}  // namespace
}  // namespace berth::mirror
