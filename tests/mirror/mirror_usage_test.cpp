#include <gtest/gtest.h>

#include "mirror/mirror.h"
#include "support/stage.h"

namespace berth::mirror::mirror_usage_test {
namespace {

using std::chrono::hours;
using support::bring;
using support::stage;
using support::World;

// In hours of the whole cluster; the half-life is long.
double used(const World& world, const char* queue, const char* user = "") {
  const UsageTable& usage = world.cluster().usage();
  return usage.used(usage.find(queue, user), world.now()) / 3600;
}

class MirrorUsage : public testing::Test {
 protected:
  void SetUp() override {
    world_ = stage(
        "queue a\nqueue b\nnode n1 cpu=4\n"
        "job x:j1 queue=a min=1\ntask x:j1/0..1 cpu=1\n"
        "job y:j2 queue=a min=1\ntask y:j2/0 cpu=1\n");
  }
  // Time passes, with a look before and after.
  void pass(int count) {
    world_->mirror().settle(world_->now());
    world_->advance(hours(count));
    world_->mirror().settle(world_->now());
  }

  std::unique_ptr<World> world_;
};

// USAGE-1, USAGE-3. A plan counts from the time at which it is assumed; a pod that ends does not
// count from then on. No session need be run in between.
TEST_F(MirrorUsage, counts_what_jobs_have_from_their_plan_to_their_end) {
  pass(1);
  EXPECT_EQ(used(*world_, "a"), 0) << "they wait";
  world_->plan();
  pass(1);
  EXPECT_NEAR(used(*world_, "a"), 0.75, 0.01);
  EXPECT_NEAR(used(*world_, "a", "x"), 0.5, 0.01);
  EXPECT_NEAR(used(*world_, "a", "y"), 0.25, 0.01);
  world_->carry_out();
  pass(1);
  world_->finish("x/j1-0", true);
  pass(1);
  EXPECT_NEAR(used(*world_, "a", "x"), 1.25, 0.03);
  EXPECT_NEAR(used(*world_, "a", "y"), 0.75, 0.03);
}

// USAGE-3. Without an event nothing is done, and time passes all the same.
TEST_F(MirrorUsage, goes_on_without_events) {
  world_->run();
  world_->advance(hours(2));
  EXPECT_NEAR(used(*world_, "a"), 1.5, 0.03);
}

// USAGE-4
TEST_F(MirrorUsage, belongs_to_the_queue_that_the_job_was_in) {
  world_->run();
  pass(1);
  bring(*world_, "job x:j1 queue=b min=1\n");
  pass(1);
  EXPECT_NEAR(used(*world_, "a", "x"), 0.5, 0.02);
  EXPECT_NEAR(used(*world_, "b", "x"), 0.5, 0.02);
  bring(*world_, "delete queue b\n");
  pass(2);
  EXPECT_NEAR(used(*world_, "b"), 0.5, 0.02) << "its jobs are in no queue";
  bring(*world_, "queue b\n");
  pass(1);
  EXPECT_NEAR(used(*world_, "b"), 1, 0.03) << "and in it again from now on";
}

// USAGE-2
TEST(MirrorUsageHalfLife, is_that_of_the_options) {
  Options options;
  options.usage_half_life = hours(5);
  EXPECT_EQ(Mirror(options).cluster().usage().half_life(), hours(5));
}

}  // namespace
}  // namespace berth::mirror::mirror_usage_test
