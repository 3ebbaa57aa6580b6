#include <gtest/gtest.h>

#include "berth/base/text.h"
#include "engine/consistency.h"
#include "mirror/mirror.h"
#include "support/open_session.h"
#include "support/stage.h"

namespace berth::mirror {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using support::bring;
using support::stage;

class EvictionTermsTest : public ::testing::Test {
 protected:
  void set(const std::string& text) {
    if (world_ == nullptr) world_ = stage("node n1 cpu=9\n");
    bring(*world_, text);
    settle();
  }
  void settle(Duration later = Duration(0)) {
    world_->mirror().settle(world_->now() + later);
    EXPECT_EQ(engine::first_inconsistency(world_->cluster()), "");
  }
  const Task& task(const std::string& name) const {
    return world_->cluster().task(world_->task("default/" + name));
  }
  TimePoint after(Duration by) const { return world_->now() + by; }

  std::unique_ptr<support::World> world_;
};

TEST_F(EvictionTermsTest, TERM1ThePodsWordCountsBeforeItsGroups) {
  set("job j min=1 not-preemptable\n"
      "task j/0 cpu=1 on=n1\ntask j/1 cpu=1 on=n1 preemptable\n"
      "job k min=1\ntask k/0 cpu=1 on=n1 not-preemptable\ntask k/1 cpu=1 on=n1\n");
  EXPECT_FALSE(task("j-0").is_preemptable);
  EXPECT_TRUE(task("j-1").is_preemptable);
  EXPECT_FALSE(task("k-0").is_preemptable);
  EXPECT_TRUE(task("k-1").is_preemptable);
}

TEST_F(EvictionTermsTest, TERM1AGroupOrAPodMayChangeItsMind) {
  set("job j min=1 not-preemptable\ntask j/0 cpu=1 on=n1\ntask j/1 cpu=1 on=n1 not-preemptable\n");
  set("job j min=1\n");
  EXPECT_TRUE(task("j-0").is_preemptable);
  EXPECT_FALSE(task("j-1").is_preemptable);
  set("task j/1 cpu=1 on=n1\n");
  EXPECT_TRUE(task("j-1").is_preemptable);
  set("job j min=1 not-preemptable\n");
  EXPECT_FALSE(task("j-0").is_preemptable);
  set("delete job j\n");
  EXPECT_TRUE(task("j-0").is_preemptable);
}

TEST_F(EvictionTermsTest, TERM1HoldsForAPodInNoGroup) {
  set("pod p cpu=1 on=n1 not-preemptable cooldown=5m\npod q cpu=1 on=n1\n");
  EXPECT_FALSE(task("p").is_preemptable);
  EXPECT_EQ(task("p").cooldown_until, after(minutes(5)));
  EXPECT_TRUE(task("q").is_preemptable);
  EXPECT_EQ(task("q").cooldown_until, TimePoint::min());
}

TEST_F(EvictionTermsTest, TERM2BeginsWithTheNode) {
  set("job j min=1 cooldown=10m\n"
      "task j/0 cpu=1 on=n1\ntask j/1 cpu=1\ntask j/2 cpu=1 on=n1 cooldown=1h\n");
  EXPECT_EQ(task("j-0").cooldown_until, after(minutes(10)));
  EXPECT_EQ(task("j-1").cooldown_until, TimePoint::min()) << "it waits";
  EXPECT_EQ(task("j-2").cooldown_until, after(hours(1)));
  world_->advance(minutes(3));
  set("task j/1 cpu=1 on=n1\njob j min=1 cooldown=20m\n");
  EXPECT_EQ(task("j-1").cooldown_until, after(minutes(20)));
  EXPECT_EQ(task("j-0").cooldown_until, after(minutes(17)));
}

TEST_F(EvictionTermsTest, TERM2OfThreeCenturiesIsNoOverflow) {
  set("pod p cpu=1 on=n1 cooldown=2562047h\n");
  EXPECT_EQ(task("p").cooldown_until, TimePoint::max());
}

TEST_F(EvictionTermsTest, TERM3TheConditionCountsThenTheStartThenWhatIsSeen) {
  set("job j min=1 cooldown=10m\ntask j/0 cpu=1 on=n1\n");
  PodObject pod = *world_->pod("default/j-0");
  pod.scheduled = after(-minutes(7));
  pod.started = after(-minutes(6));
  const auto until = [&] {
    world_->apply(pod);
    settle(minutes(1));
    return task("j-0").cooldown_until;
  };
  EXPECT_EQ(until(), after(minutes(3)));
  pod.scheduled.reset();
  EXPECT_EQ(until(), after(minutes(4)));
  pod.started.reset();
  EXPECT_EQ(until(), after(minutes(4))) << "as it was known";
  world_->remove("default/j-0");
  EXPECT_EQ(until(), after(minutes(11)));
  settle(minutes(5));
  EXPECT_EQ(until(), after(minutes(11))) << "since it was first seen";
}

TEST_F(EvictionTermsTest, TERM3IsKnownOfEachPodOfAJob) {
  set("job j min=1\ntask j/0 cpu=1 on=n1\ntask j/1 cpu=1\n");
  EXPECT_EQ(task("j-0").scheduled_at, after(Duration()));
  EXPECT_EQ(task("j-1").scheduled_at, TimePoint::min()) << "it waits";
  settle(minutes(2));
  PodObject pod = *world_->pod("default/j-0");
  pod.started.reset();
  pod.scheduled.reset();
  world_->apply(pod);
  settle(minutes(2));
  EXPECT_EQ(task("j-0").scheduled_at, after(Duration())) << "as it was known";
  world_->remove("default/j-0");
  world_->apply(pod);
  settle(minutes(3));
  EXPECT_EQ(task("j-0").scheduled_at, after(minutes(3))) << "when it was seen";
}

TEST_F(EvictionTermsTest, TERM4IsOfThePodOrOfTheClassThatItsPriorityComesFrom) {
  set("priorityclass meek value=5 never-preempts\npriorityclass bold value=5\n"
      "job j min=1\ntask j/0 cpu=1 class=meek\ntask j/1 cpu=1 class=bold\n"
      "task j/2 cpu=1 class=bold never-preempts\ntask j/3 cpu=1 class=meek priority=5\n");
  EXPECT_TRUE(task("j-0").never_preempts);
  EXPECT_FALSE(task("j-1").never_preempts);
  EXPECT_TRUE(task("j-2").never_preempts);
  EXPECT_FALSE(task("j-3").never_preempts) << "admission has seen it";
  set("priorityclass meek value=5\npriorityclass bold value=7 never-preempts\n");
  EXPECT_FALSE(task("j-0").never_preempts);
  EXPECT_TRUE(task("j-1").never_preempts);
  EXPECT_EQ(task("j-1").priority, 7);
}

TEST(Labels, AreThoseOfThePodAsItWasSeenLast) {
  const auto world = stage("node n1 cpu=4\njob j min=1\ntask j/0..2 cpu=1 labels=app:web\n");
  const Cluster& cluster = world->cluster();
  const auto app_of = [&](const std::string& name) {
    return *cluster.relations().labels().find(cluster.task(world->task("default/" + name)).labels,
                                              "app");
  };
  EXPECT_EQ(cluster.relations().labels().set_count(), 1u);
  bring(*world, "task j/1 cpu=1 labels=app:db\n");
  EXPECT_EQ(app_of("j-0"), "web");
  EXPECT_EQ(app_of("j-1"), "db");
  for (const char* gone : {"j-0", "j-1", "j-2"}) world->remove(std::string("default/") + gone);
  EXPECT_EQ(cluster.relations().labels().set_count(), 0u);
}

TEST(Budgets, AreThoseOfTheApi) {
  const auto world = stage("budget b allowed=1 selects=app:web\nbudget ns:b allowed=2\n");
  const auto& budgets = world->cluster().budgets();
  ASSERT_EQ(budgets.size(), 2u);
  EXPECT_EQ(budgets.at("default/b").allowed, 1);
  const std::uint64_t before = world->cluster().stamp();
  bring(*world, "budget b allowed=1 selects=app:web\ndelete budget nobodys\n");
  EXPECT_EQ(world->cluster().stamp(), before) << "the same again";
  bring(*world, "budget b allowed=0 selects=app:web\ndelete budget ns:b\n");
  EXPECT_NE(world->cluster().stamp(), before) << "what was decided may not hold";
  EXPECT_EQ(budgets.at("default/b").allowed, 0);
  EXPECT_EQ(budgets.size(), 1u);
  world->restart();
  EXPECT_EQ(world->cluster().budgets().size(), 1u);
}

class EvictionRefusalTest : public ::testing::Test {
 protected:
  EvictionRefusalTest() : world_(stage("node n1 cpu=4\njob j min=1\ntask j/0 cpu=1 on=n1\n")) {}
  const Task& task() const { return world_->cluster().task(world_->task("default/j-0")); }
  Mirror& mirror() { return world_->mirror(); }
  // Refused now; for how long is it not chosen?
  Duration refused(const std::string& words = "no") {
    mirror().assume_eviction(task_id(), world_->now());
    world_->apply(EvictionRefused{"default/j-0", words});
    mirror().settle(world_->now());
    EXPECT_EQ(task().status, TaskStatus::running);
    return task().eviction_refused_until - world_->now();
  }
  TaskId task_id() const { return world_->task("default/j-0"); }
  void wait(Duration by) {
    world_->advance(by);
    mirror().settle(world_->now());
  }

  std::unique_ptr<support::World> world_;
};

TEST(RecentEvictions, LIMIT1TheyCountForAMinuteByTheQueueOfThePod) {
  const auto world = stage(
      "queue q\nnode n1 cpu=4\npod a cpu=1 queue=q on=n1\n"
      "pod b cpu=1 queue=q on=n1\npod c cpu=1 on=n1\n");
  Mirror& mirror = world->mirror();
  Plan plan;
  for (const char* name : {"default/a", "default/b", "default/c"}) {
    plan.evictions.emplace_back();
    plan.evictions.back().task = world->task(name);
  }
  const QueueId queue =
      world->cluster().queue_of(world->cluster().task(plan.evictions[0].task).job);
  mirror.assume(plan, world->now());
  const auto& entries = world->cluster().recent_evictions().entries();
  ASSERT_EQ(entries.size(), 2u);
  EXPECT_EQ(entries[0].queue, queue);
  EXPECT_EQ(entries[0].pods, 2);
  EXPECT_EQ(entries[1].pods, 1);
  world->apply(EvictionRefused{"default/b", "no"});
  EXPECT_EQ(entries[0].pods, 1) << "a refused one does not count";
  world->apply(QueueDeleted{"q"});
  EXPECT_FALSE(entries[0].queue.is_valid()) << "another queue may have its id";
  mirror.settle(world->now() + minutes(1) - Duration(1));
  EXPECT_EQ(entries.size(), 2u);
  mirror.settle(world->now() + minutes(1));
  EXPECT_TRUE(entries.empty());
}

TEST(RecentEvictions, LIMIT7WhoLeavesWhenLeadingBeginsCounts) {
  const auto world = stage(
      "node n1 cpu=4\npod a cpu=1 on=n1\npod b cpu=1 on=n1 terminating\n"
      "pod c unmanaged cpu=1 on=n1 terminating\n");
  world->restart();
  ASSERT_EQ(world->cluster().recent_evictions().entries().size(), 1u);
  EXPECT_EQ(world->cluster().recent_evictions().entries()[0].pods, 1);
}

TEST_F(EvictionRefusalTest, EVICT3EachFurtherRefusalDoublesTheTime) {
  EXPECT_EQ(mirror().eviction_refusal(task_id()), nullptr);
  for (const int expected : {1, 2, 4, 8, 16, 16}) {
    EXPECT_EQ(refused("budget " + std::to_string(expected)), minutes(expected));
    ASSERT_NE(mirror().eviction_refusal(task_id()), nullptr);
    EXPECT_EQ(*mirror().eviction_refusal(task_id()), "budget " + std::to_string(expected));
    const TimePoint until = task().eviction_refused_until;
    wait(minutes(expected) / 2);
    EXPECT_EQ(task().eviction_refused_until, until);
    wait(minutes(expected) / 2);
  }
}

TEST_F(EvictionRefusalTest, EVICT3NoSessionChoosesItMeanwhile) {
  const auto may_evict = [&] {
    support::OpenSession open(*world_, {});
    return open.session.may_evict(task()).reason;
  };
  EXPECT_EQ(may_evict(), engine::pass().reason);
  refused();
  EXPECT_EQ(may_evict(), Reason::eviction_refused);
  wait(minutes(1));
  EXPECT_EQ(may_evict(), engine::pass().reason);
}

TEST_F(EvictionRefusalTest, EVICT3ItIsForgottenAfterAWhile) {
  EXPECT_EQ(refused(), minutes(1));
  EXPECT_EQ(refused(), minutes(2));
  wait(minutes(2 + 16));
  EXPECT_EQ(task().eviction_refused_until, TimePoint::min());
  EXPECT_EQ(mirror().eviction_refusal(task_id()), nullptr);
  EXPECT_EQ(refused(), minutes(1));
}

TEST_F(EvictionRefusalTest, EVICT6ItTakesLongerIfOthersOfItsJobHaveLeft) {
  bring(*world_, "job j min=2\ntask j/1 cpu=1 on=n1\n");
  EXPECT_EQ(refused(), minutes(1)) << "nobody has left";
  const auto leaves = [&](const std::string& other) {
    bring(*world_, "delete task j/1\ntask j/" + other + " cpu=1 on=n1\n");
    mirror().settle(world_->now());
    mirror().assume_eviction(world_->task("default/j-" + other), world_->now());
  };
  leaves("2");
  EXPECT_EQ(refused(), minutes(2 * 16));
  bring(*world_, "delete task j/2\n");
  wait(minutes(2 * 16 + 15 * 16));
  leaves("3");
  EXPECT_EQ(refused(), minutes(4 * 16));
  bring(*world_, "delete task j/3\n");
  wait(minutes(4 * 16 + 16 * 16));
  EXPECT_EQ(task().eviction_refused_until, TimePoint::min());
}

TEST_F(EvictionRefusalTest, EVICT3WhoHasItsIdNextWasNotRefused) {
  refused();
  world_->remove("default/j-0");
  bring(*world_, "task j/0 cpu=1 on=n1\n");
  wait(minutes(0));
  EXPECT_EQ(task().eviction_refused_until, TimePoint::min());
  EXPECT_EQ(mirror().eviction_refusal(task_id()), nullptr);
}

}  // namespace
}  // namespace berth::mirror
