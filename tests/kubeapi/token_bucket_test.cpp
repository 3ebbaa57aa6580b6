#include "kubeapi/token_bucket.h"

#include <gtest/gtest.h>

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;

TEST(TokenBucket, API10AllowsABurstAndThenTheRate) {
  TokenBucket bucket(10, 3);
  TimePoint now{1h};
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
  const Duration wait = bucket.wait(now);
  EXPECT_GT(wait, 99ms);
  EXPECT_LE(wait, 101ms);
  now += wait;
  EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
}

TEST(TokenBucket, IsNeverFullerThanItsBurst) {
  TokenBucket bucket(1000, 2);
  TimePoint now{1h};
  EXPECT_TRUE(bucket.take(now));
  now += 1h;
  EXPECT_TRUE(bucket.take(now));
  EXPECT_TRUE(bucket.take(now));
  EXPECT_FALSE(bucket.take(now));
}

TEST(TokenBucket, HoldsOnAverage) {
  TokenBucket bucket(50, 10);
  TimePoint now{1h};
  int taken = 0;
  for (; now < TimePoint{1h} + 10s; now += 1ms) taken += bucket.take(now) ? 1 : 0;
  EXPECT_GE(taken, 508);
  EXPECT_LE(taken, 510);
}

TEST(TokenBucket, DoesNotLimitWithoutARate) {
  TokenBucket bucket(0, 1);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(bucket.take(TimePoint{}));
  EXPECT_EQ(bucket.wait(TimePoint{}), Duration{});
}

}  // namespace
}  // namespace berth::kubeapi
