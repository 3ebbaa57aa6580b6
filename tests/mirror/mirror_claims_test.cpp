#include <gtest/gtest.h>

#include "berth/base/text.h"
#include "engine/consistency.h"
#include "mirror/mirror.h"
#include "support/stage.h"

namespace berth::mirror {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using support::stage;

class EvictionTest : public ::testing::Test {
 protected:
  EvictionTest() : world_(stage("node n1 cpu=4\njob j min=1\ntask j/0 cpu=1 on=n1\n")) {
    mirror().assume_eviction(pod(), world_->now());
  }
  Mirror& mirror() { return world_->mirror(); }
  TaskId pod() const { return world_->task("default/j-0"); }
  TaskStatus status(Duration later = Duration(0)) {
    mirror().settle(world_->now() + later);
    EXPECT_EQ(engine::first_inconsistency(world_->cluster()), "");
    return world_->cluster().task(pod()).status;
  }
  // The API shows it once more.
  void see(PodPhase phase, bool terminating = false) {
    PodObject object = *world_->pod("default/j-0");
    object.phase = phase;
    object.terminating = terminating;
    world_->apply(object);
  }

  std::unique_ptr<support::World> world_;
};

TEST_F(EvictionTest, EVICT1ItsRoomIsBeingVacated) {
  EXPECT_EQ(status(), TaskStatus::releasing);
  EXPECT_EQ(world_->cluster().idle().at(NodeId(0), kCpu), 3000);
  EXPECT_EQ(world_->cluster().releasing().at(NodeId(0), kCpu), 1000);
  EXPECT_TRUE(world_->cluster().task(pod()).is_evicted);
}

TEST_F(EvictionTest, EVICT1AnotherIsNotAssumedOfOneThatLeaves) {
  mirror().assume_eviction(pod(), world_->now() + minutes(4));
  EXPECT_EQ(status(kEvictionPatience), TaskStatus::running) << "the first counts";
}

TEST_F(EvictionTest, EVICT2OtherNewsOfItChangeNothing) {
  see(PodPhase::pending);
  EXPECT_EQ(status(), TaskStatus::releasing);
  world_->apply(EvictionRefused{"default/j-0", "disruption budget"});
  EXPECT_EQ(status(), TaskStatus::bound) << "as it was seen last";
}

TEST_F(EvictionTest, EVICT2ItEndsWhenItIsSeenToLeave) {
  see(PodPhase::running, true);
  EXPECT_EQ(status(), TaskStatus::releasing);
  EXPECT_FALSE(world_->cluster().task(pod()).is_evicted);
  EXPECT_EQ(status(kEvictionPatience), TaskStatus::releasing) << "however long it takes";
}

TEST_F(EvictionTest, EVICT2ItEndsWhenItHasFinished) {
  see(PodPhase::succeeded);
  EXPECT_EQ(status(), TaskStatus::succeeded);
  EXPECT_FALSE(world_->cluster().task(pod()).is_evicted);
}

TEST_F(EvictionTest, EVICT2WhoHasItsIdNextIsNotEvicted) {
  world_->remove("default/j-0");
  support::bring(*world_, "task j/0 cpu=1 on=n1\n");
  EXPECT_EQ(status(), TaskStatus::running);
  EXPECT_EQ(status(kEvictionPatience), TaskStatus::running);
}

TEST_F(EvictionTest, EVICT3ARefusalOfAnotherPodSaysNothing) {
  world_->apply(EvictionRefused{"default/nobody", "disruption budget"});
  EXPECT_EQ(status(), TaskStatus::releasing);
  world_->apply(EvictionRefused{"default/j-0", "disruption budget"});
  EXPECT_EQ(status(), TaskStatus::running);
  world_->apply(EvictionRefused{"default/j-0", "disruption budget"});
  EXPECT_EQ(status(), TaskStatus::running) << "nobody asked it to leave";
}

TEST_F(EvictionTest, EVICT4AfterAWhileItCountsAsItDid) {
  EXPECT_EQ(status(kEvictionPatience - seconds(1)), TaskStatus::releasing);
  EXPECT_EQ(status(kEvictionPatience), TaskStatus::running);
}

TEST_F(EvictionTest, IsForgottenWhenAnotherLeads) {
  mirror().forget_plans();
  EXPECT_EQ(status(), TaskStatus::running);
}

class ClaimsTest : public ::testing::Test {
 protected:
  ClaimsTest() : world_(stage("node n1 cpu=4\nnode n2 cpu=4\njob j min=2\ntask j/0..2 cpu=1\n")) {}
  Mirror& mirror() { return world_->mirror(); }
  // The same, after a session.
  std::string claims_after(std::vector<Placement> pipelined, Duration later = Duration(0)) {
    Plan plan;
    plan.pipelined = std::move(pipelined);
    mirror().assume(plan, world_->now() + later);
    return claims();
  }
  std::string claims() {
    mirror().settle(world_->now());
    EXPECT_EQ(engine::first_inconsistency(world_->cluster()), "");
    return claims_of(world_->cluster(), job());
  }
  const Job& job() const { return world_->cluster().job(world_->job("default/j")); }
  TaskId task(const std::string& name) const { return world_->task("default/" + name); }
  std::string at(Duration later) const { return format_time(world_->now() + later); }

  std::unique_ptr<support::World> world_;
};

TEST_F(ClaimsTest, CLAIM1AreWhatTheLastPlanHolds) {
  const std::uint64_t before = world_->cluster().stamp();
  EXPECT_EQ(claims_after({{task("j-1"), NodeId(1)}, {task("j-0"), NodeId(0)}}),
            at(Duration(0)) + " n1 n2");
  EXPECT_NE(world_->cluster().stamp(), before);
  EXPECT_EQ(world_->cluster().claimants(), std::vector<JobId>{job().id});
  EXPECT_EQ(claims_after({}, seconds(1)), "");
  EXPECT_TRUE(world_->cluster().claimants().empty());
}

TEST_F(ClaimsTest, CLAIM1AreAsOldAsTheyStand) {
  claims_after({{task("j-0"), NodeId(0)}, {task("j-1"), NodeId(0)}});
  claims_after({{task("j-0"), NodeId(0)}, {task("j-1"), NodeId(1)}}, seconds(5));
  EXPECT_EQ(job().claims[0].since, world_->now());
  EXPECT_EQ(job().claims[1].since, world_->now() + seconds(5));
}

TEST_F(ClaimsTest, CLAIM5EndWithTheirPodsAndNodes) {
  claims_after({{task("j-0"), NodeId(0)}, {task("j-1"), NodeId(1)}});
  world_->apply(NodeDeleted{"n1"});
  EXPECT_EQ(claims(), at(Duration(0)) + " n2");
  world_->remove("default/j-1");
  EXPECT_EQ(claims(), "");
}

TEST_F(ClaimsTest, CLAIM5EndWithTheirJob) {
  claims_after({{task("j-0"), NodeId(0)}, {task("j-1"), NodeId(1)}});
  world_->apply(PodGroupDeleted{"default/j"});
  EXPECT_EQ(claims(), "");
}

TEST_F(ClaimsTest, CLAIM8AreReadWhenItBeginsToLead) {
  PodGroupObject group;
  group.name_space = "default";
  group.name = "j";
  group.uid = "group:default/j";
  group.min_member = 2;
  group.marks.claims = at(seconds(9)) + " gone n2 n1";
  world_->apply(group);
  EXPECT_EQ(claims(), "");
  mirror().restore_claims(world_->now());
  EXPECT_EQ(claims(), at(Duration(0)) + " n2 n1") << "not younger than now; j-0 lost its node";
  EXPECT_EQ(job().claims.front().task, task("j-1"));
  mirror().forget_plans();
  EXPECT_EQ(claims(), "");
}

// Claims are of pods that wait. Another member may have been there before.
TEST_F(ClaimsTest, CLAIM8AMemberThatWasThereBeforeHasNoneOfThem) {
  PodGroupObject group;
  group.name_space = "default";
  group.name = "j";
  group.uid = "group:default/j";
  group.min_member = 2;
  group.marks.claims = at(seconds(0)) + " n1 +evicted";
  world_->apply(group);
  PodObject bound = *world_->pod("default/j-1");
  bound.node_name = "n1";
  world_->apply(bound);
  mirror().restore_claims(world_->now());
  EXPECT_EQ(claims(), at(Duration(0)) + " n1 +evicted");
}

// The write that took the older one away was lost.
TEST_F(ClaimsTest, CLAIM8OfTwoClaimsOnTheSameRoomTheYoungerOneStands) {
  support::bring(*world_, "job k min=1\ntask k/0 cpu=4\njob l min=1\ntask l/0 cpu=1\n");
  const auto claim = [&](const std::string& name, const std::string& text) {
    PodGroupObject group;
    group.name_space = "default";
    group.name = name;
    group.uid = "group:default/" + name;
    group.min_member = 1;
    group.marks.claims = text;
    world_->apply(group);
  };
  claim("j", at(seconds(0)) + " n2 +evicted");
  claim("k", at(seconds(2)) + " n2 +evicted");
  claim("l", at(seconds(1)) + " n1 +evicted");
  mirror().settle(world_->now());
  mirror().restore_claims(world_->now() + seconds(20));
  EXPECT_EQ(claims(), "");
  EXPECT_EQ(world_->cluster().job(world_->job("default/k")).claims.size(), 1U);
  EXPECT_EQ(world_->cluster().job(world_->job("default/l")).claims.size(), 1U);
}

// A leader was killed while it bound the job.
TEST_F(ClaimsTest, CLAIM8OfThoseThatAreReadMembersHaveSomeAlready) {
  PodGroupObject group;
  group.name_space = "default";
  group.name = "j";
  group.uid = "group:default/j";
  group.min_member = 2;
  group.marks.claims = at(seconds(0)) + " n1 n2*2 +evicted";
  world_->apply(group);
  PodObject bound = *world_->pod("default/j-1");
  bound.node_name = "n1";
  world_->apply(bound);
  mirror().restore_claims(world_->now());
  EXPECT_EQ(claims(), at(Duration(0)) + " n2*2 +evicted");
  EXPECT_EQ(job().claims.front().task, task("j-0"));
}

}  // namespace
}  // namespace berth::mirror
