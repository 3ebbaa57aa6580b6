#include "kubeapi/backoff.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;

TEST(Backoff, API17GrowsWithJitterUpToItsCap) {
  Backoff backoff(100ms, 5s, 7);
  Duration last = 100ms;
  Duration most{};
  std::set<Duration> waits;
  for (int i = 0; i < 200; ++i) {
    const Duration wait = backoff.next();
    EXPECT_GE(wait, 100ms);
    EXPECT_LE(wait, std::min<Duration>(5s, last * 3));
    most = std::max(most, wait);
    waits.insert(wait);
    last = wait;
  }
  EXPECT_EQ(most, Duration(5s));
  EXPECT_GT(waits.size(), 50U);
  backoff.reset();
  EXPECT_LE(backoff.next(), 300ms);
}

TEST(Backoff, SpreadsPeriods) {
  Backoff backoff(1ms, 1s, 0);
  for (int i = 0; i < 100; ++i) {
    const Duration period = backoff.spread(10s);
    EXPECT_GE(period, 10s);
    EXPECT_LE(period, 20s);
  }
}

}  // namespace
}  // namespace berth::kubeapi
