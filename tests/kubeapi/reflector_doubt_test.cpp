#include <gtest/gtest.h>

#include "kubeapi/follower.h"
#include "kubeapi/reflector.h"

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using testing::Follower;
using testing::kThings;

TEST(Reflector, API41IsBehindFromAFailedWatchToTheNextEvent) {
  Follower follower;
  follower.run();
  follower.end_watch({.status = 200, .error = "broken off"});
  EXPECT_TRUE(follower.reflector->is_behind()) << "before the pause is over";
  follower.run();
  EXPECT_TRUE(follower.reflector->is_behind()) << "events may be on their way";
  follower.api.put(kThings, "new");
  follower.run();
  EXPECT_FALSE(follower.reflector->is_behind());
}

TEST(Reflector, API41IsBehindUntilAShortWatchHasEndedInGoodOrder) {
  Follower follower;
  follower.run();
  follower.end_watch({.status = 200, .error = "broken off"});
  follower.run();
  EXPECT_EQ(follower.calls_with("timeoutSeconds=1&"), 1U);
  follower.end_watch();
  EXPECT_FALSE(follower.reflector->is_behind());
  EXPECT_EQ(follower.pauses.size(), 1U) << "only after the failure";
  follower.run();
  EXPECT_EQ(follower.calls_with("timeoutSeconds=1&"), 1U);
  EXPECT_EQ(follower.calls_with("watch=true"), 3U);
}

TEST(Reflector, API41OnlyALongSilenceIsDoubted) {
  Follower follower;
  follower.run();
  follower.clock.advance(20s);
  follower.api.put(kThings, "new");
  follower.run();
  EXPECT_FALSE(follower.reflector->doubt());
  EXPECT_FALSE(follower.reflector->is_behind());
  follower.clock.advance(2s);
  EXPECT_TRUE(follower.reflector->doubt());
  EXPECT_TRUE(follower.reflector->is_behind());
  follower.end_watch({.status = 200, .error = "cancelled", .is_silent = true});
  follower.run();
  EXPECT_EQ(follower.calls_with("timeoutSeconds=1&"), 1U);
  EXPECT_TRUE(follower.pauses.empty());
}

}  // namespace
}  // namespace berth::kubeapi
