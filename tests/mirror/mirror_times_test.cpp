#include <gtest/gtest.h>

#include "engine/consistency.h"
#include "mirror/mirror.h"
#include "support/stage.h"

// Time limits, and starts that were promised (docs/design/backfill.md).

namespace berth::mirror::times_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using support::stage;

TEST(MirrorTimesTest, TIME1APodsTermsAndStartAreThoseOfItsLastObject) {
  const auto world = stage("node n cpu=4\njob j min=1\ntask j/0 cpu=1 on=n\n");
  PodObject pod = *world->pod("default/j-0");
  const auto task = [&]() -> const Task& { return world->cluster().task(world->task(pod.uid)); };
  pod.started.reset();
  pod.times = {.deadline = hours(1), .stated = hours(2), .grace = seconds(30)};
  world->apply(pod);
  EXPECT_EQ(task().times, pod.times);
  EXPECT_EQ(task().started, TimePoint::min());

  pod.started = TimePoint(minutes(7));
  world->apply(pod);
  EXPECT_EQ(task().started, TimePoint(minutes(7)));
  const std::uint64_t stamp = world->cluster().stamp();
  world->apply(pod);
  EXPECT_EQ(world->cluster().stamp(), stamp) << "nothing is new";

  pod.times = {};
  pod.started = TimePoint(hours(-1'000'000));
  world->apply(pod);
  EXPECT_EQ(task().times, TimeTerms());
  EXPECT_EQ(task().started, TimePoint()) << "no later time is beyond counting";
  EXPECT_EQ(engine::first_inconsistency(world->cluster()), "");
}

TEST(MirrorTimesTest, TIME1WhoHasTheIdNextHasTermsOfItsOwn) {
  const auto world = stage("node n cpu=4\ntask j/0 cpu=1 on=n\n");
  PodObject pod = *world->pod("default/j-0");
  pod.times.stated = hours(1);
  pod.started = TimePoint(minutes(7));
  world->apply(pod);
  const TaskId before = world->task(pod.uid);
  world->remove("default/j-0");
  pod.name = pod.uid = "p";
  pod.times.stated.reset();
  pod.started.reset();
  world->apply(pod);
  ASSERT_EQ(world->task("p"), before);
  EXPECT_EQ(world->cluster().task(before).times.stated, std::nullopt);
  EXPECT_EQ(world->cluster().task(before).started, TimePoint::min());
}

TEST(MirrorTimesTest, TIME2TIME3GroupsAndQueuesHaveTheirLimits) {
  const auto world = stage("queue q\n");
  PodGroupObject group;
  group.name_space = "default";
  group.name = group.uid = "j";
  group.queue = "q";
  group.min_member = 1;
  group.time_limit = hours(1);
  world->apply(group);
  const auto job = [&]() -> const Job& { return world->cluster().job(world->job("default/j")); };
  EXPECT_EQ(job().time_limit, hours(1));
  group.time_limit.reset();
  world->apply(group);
  EXPECT_EQ(job().time_limit, std::nullopt);

  const auto of_queue = [&]() -> const Queue& {
    std::size_t q = 0;
    while (world->cluster().queue(QueueId(q)).name != "q") ++q;
    return world->cluster().queue(QueueId(q));
  };
  QueueObject queue = bare_queue("q");
  queue.default_time_limit = hours(2);
  queue.max_time_limit = hours(3);
  world->apply(queue);
  EXPECT_EQ(of_queue().default_time_limit, hours(2));
  EXPECT_EQ(of_queue().max_time_limit, hours(3));
  world->apply(bare_queue("q"));
  EXPECT_EQ(of_queue().default_time_limit, std::nullopt);
  EXPECT_EQ(of_queue().max_time_limit, std::nullopt);
}

class JobDeadlineTest : public ::testing::Test {
 protected:
  JobDeadlineTest()
      : world_(stage("node n cpu=9\n"
                     "task j/0..1 cpu=1 on=n owner=u kind=Job\n"
                     "pod other cpu=1 unmanaged on=n owner=u kind=Job\n"
                     "pod of-set cpu=1 on=n owner=u kind=StatefulSet\n")) {
    owner_.uid = "u";
    owner_.name_space = "default";
    owner_.deadline = JobDeadline{hours(2), TimePoint(minutes(7))};
  }
  std::optional<JobDeadline> of(const std::string& pod) const {
    return world_->cluster().task(world_->task("default/" + pod)).job_deadline;
  }

  std::unique_ptr<support::World> world_;
  OwnerObject owner_;
};

TEST_F(JobDeadlineTest, TIME7IsThatOfAllPodsThatTheJobControls) {
  EXPECT_EQ(of("j-0"), std::nullopt);
  world_->apply(owner_);
  for (const char* pod : {"j-0", "j-1", "other"}) EXPECT_EQ(of(pod), owner_.deadline) << pod;
  EXPECT_EQ(of("of-set"), std::nullopt);
  const std::uint64_t stamp = world_->cluster().stamp();
  world_->apply(owner_);
  EXPECT_EQ(world_->cluster().stamp(), stamp) << "nothing is new";

  owner_.deadline->since.reset();  // it was suspended
  world_->apply(owner_);
  EXPECT_EQ(of("j-1"), owner_.deadline);
  support::bring(*world_, "task j/2 cpu=1 owner=u kind=Job\n");
  EXPECT_EQ(of("j-2"), owner_.deadline) << "one that comes later";
  EXPECT_EQ(engine::first_inconsistency(world_->cluster()), "");

  owner_.deadline.reset();
  world_->apply(owner_);
  for (const char* pod : {"j-0", "j-1", "j-2", "other"}) EXPECT_EQ(of(pod), std::nullopt) << pod;
  owner_.deadline = JobDeadline{hours(1), {}};
  world_->apply(owner_);
  EXPECT_EQ(of("j-2"), owner_.deadline);
  world_->apply(OwnerDeleted{"u"});
  EXPECT_EQ(of("j-2"), std::nullopt);
  EXPECT_EQ(engine::first_inconsistency(world_->cluster()), "");
}

TEST_F(JobDeadlineTest, TIME7AnyUidMayStandInOwnerReferencesSoTheNamespaceCounts) {
  owner_.name_space = "elsewhere";
  world_->apply(owner_);
  EXPECT_EQ(of("j-0"), std::nullopt);
  owner_.name_space = "default";
  world_->apply(owner_);
  EXPECT_EQ(of("j-0"), owner_.deadline);
}

TEST_F(JobDeadlineTest, TIME7AnotherOwnersPodHasItNoMore) {
  world_->apply(owner_);
  PodObject pod = *world_->pod("default/j-0");
  pod.owner.uid = pod.owner.name = "v";
  world_->apply(pod);
  EXPECT_EQ(of("j-0"), std::nullopt);
  world_->remove("default/j-1");
  world_->apply(OwnerDeleted{"u"});
  EXPECT_EQ(of("j-0"), std::nullopt);
  EXPECT_EQ(of("other"), std::nullopt);
}

const Queue& queue_of(const Mirror& mirror, const std::string& name) {
  const Cluster& cluster = mirror.cluster();
  for (std::size_t q = 0; q < cluster.queue_slots(); ++q) {
    const Queue& queue = cluster.queue(QueueId(q));
    if (queue.exists && queue.name == name) return queue;
  }
  ADD_FAILURE() << "no queue " << name;
  return cluster.queue(QueueId(0));
}

TEST(MirrorTimesTest, TheDefaultQueueIsFifoAsConfiguredWhileItHasNoObject) {
  for (const bool is_fifo : {false, true}) {
    Options options;
    options.default_queue = "usual";
    options.default_queue_is_fifo = is_fifo;
    Mirror mirror(options);
    EXPECT_EQ(queue_of(mirror, "usual").is_fifo, is_fifo);
    QueueObject object = bare_queue("usual");
    object.is_fifo = !is_fifo;
    mirror.apply(object);
    EXPECT_EQ(queue_of(mirror, "usual").is_fifo, !is_fifo) << "its object counts";
    mirror.apply(QueueDeleted{"usual"});
    EXPECT_EQ(queue_of(mirror, "usual").is_fifo, is_fifo);
    mirror.apply(bare_queue("other"));
    EXPECT_FALSE(queue_of(mirror, "other").is_fifo);
  }
}

class PromiseTest : public ::testing::Test {
 protected:
  PromiseTest() : world_(stage("job a min=1\ntask a/0 cpu=1\njob b min=1\ntask b/0 cpu=1\n")) {}

  JobId job(const std::string& name) const { return world_->job("default/" + name); }
  std::optional<TimePoint> promised(const std::string& name) const {
    return world_->cluster().job(job(name)).promised_start;
  }
  void assume(std::vector<PromisedStart> promises) {
    Plan plan;
    plan.promises = std::move(promises);
    world_->mirror().assume(plan, world_->now());
    EXPECT_EQ(engine::first_inconsistency(world_->cluster()), "");
  }

  const TimePoint early_{hours(1)}, late_{hours(2)};
  std::unique_ptr<support::World> world_;
};

TEST_F(PromiseTest, BEHIND6AreKeptReplacedAndForgotten) {
  EXPECT_EQ(promised("a"), std::nullopt);
  assume({{job("a"), early_}, {job("b"), late_}});
  EXPECT_EQ(promised("a"), early_);
  EXPECT_EQ(promised("b"), late_);
  const std::uint64_t version = world_->cluster().job(job("a")).version;
  assume({{job("b"), early_}, {job("a"), early_}});
  EXPECT_EQ(promised("b"), early_);
  EXPECT_EQ(world_->cluster().job(job("a")).version, version) << "it keeps what it had";
  assume({{job("b"), early_}});
  EXPECT_EQ(promised("a"), std::nullopt);
  EXPECT_EQ(promised("b"), early_);
  assume({});
  EXPECT_EQ(promised("b"), std::nullopt);
}

TEST_F(PromiseTest, BEHIND6AreForgottenByOneThatCeasesToLead) {
  assume({{job("a"), early_}});
  world_->mirror().forget_plans();
  EXPECT_EQ(promised("a"), std::nullopt);
  EXPECT_EQ(engine::first_inconsistency(world_->cluster()), "");
}

TEST_F(PromiseTest, BEHIND6WhoHasTheIdNextWasPromisedNothing) {
  assume({{job("a"), early_}, {job("b"), late_}});
  const JobId before = job("a");
  world_->remove("default/a-0");
  world_->apply(PodGroupDeleted{"default/a"});
  assume({{job("b"), late_}});
  support::bring(*world_, "job c min=1\ntask c/0 cpu=1\n");
  ASSERT_EQ(job("c"), before);
  EXPECT_EQ(promised("c"), std::nullopt);
  assume({{job("c"), late_}});
  EXPECT_EQ(promised("c"), late_);
  EXPECT_EQ(promised("b"), std::nullopt);
}

}  // namespace
}  // namespace berth::mirror::times_test
