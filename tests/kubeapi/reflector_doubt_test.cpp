#include <gtest/gtest.h>

#include "kubeapi/follower.h"
#include "kubeapi/reflector.h"

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using testing::Call;
using testing::error_line;
using testing::Follower;
using testing::kThings;
using Answer = Follower::Answer;

TEST(Reflector, API41IsBehindUntilAShortWatchHasEndedInGoodOrder) {
  Follower follower;
  follower.run();
  follower.end_watch({.status = 200, .error = "broken off"});
  EXPECT_TRUE(follower.reflector->is_behind()) << "before the pause is over";
  follower.api.put(kThings, "new");
  follower.run();
  EXPECT_TRUE(follower.reflector->is_behind()) << "more events may be on their way";
  EXPECT_EQ(follower.calls_with("timeoutSeconds=1&"), 1U);
  follower.clock.advance(1s);
  follower.end_watch();
  EXPECT_FALSE(follower.reflector->is_behind());
  EXPECT_EQ(follower.pauses.size(), 1U) << "only after the failure";
  follower.run();
  EXPECT_EQ(follower.calls_with("timeoutSeconds=1&"), 1U);
  EXPECT_EQ(follower.calls_with("watch=true"), 3U);
}

// LEASE-9: a berthd that begins to lead needs what was before.
TEST(Reflector, API41AProofHoldsForQuestionsOfEarlierTimes) {
  Follower follower;
  follower.run();
  follower.clock.advance(3s);
  EXPECT_FALSE(follower.reflector->doubt(4s)) << "it has listed since";
  EXPECT_TRUE(follower.reflector->doubt(3s));
  EXPECT_TRUE(follower.reflector->is_behind());
  EXPECT_FALSE(follower.reflector->is_behind(4s));
  follower.end_watch({.status = 200, .error = "cancelled", .is_silent = true});
  follower.run();
  follower.clock.advance(1s);
  follower.end_watch();
  follower.run();
  follower.clock.advance(2s);
  EXPECT_FALSE(follower.reflector->doubt(4s));
  follower.end_watch({.status = 200, .error = "broken off"});
  EXPECT_TRUE(follower.reflector->is_behind());
  EXPECT_TRUE(follower.reflector->is_behind(3s)) << "the short watch began three seconds ago";
  EXPECT_FALSE(follower.reflector->is_behind(4s));
  EXPECT_FALSE(follower.reflector->doubt(4s)) << "the pause may last";
  EXPECT_TRUE(follower.reflector->doubt());
}

// By a server that is about to stop.
TEST(Reflector, API41AnEndBeforeItsTimeProvesNothing) {
  Follower follower;
  follower.run();
  follower.end_watch({.status = 200, .error = "broken off"});
  follower.run();
  follower.end_watch();
  EXPECT_TRUE(follower.reflector->is_behind());
  follower.run();
  EXPECT_EQ(follower.pauses.size(), 2U);
  EXPECT_EQ(follower.calls_with("timeoutSeconds=1&"), 2U);
}

TEST(Reflector, API41TheEndMayHaveCutOffALongBacklog) {
  Follower follower;
  follower.run();
  follower.end_watch({.status = 200, .error = "broken off"});
  for (int tests = 1; tests <= 5; ++tests) {
    for (int i = 0; i < 1000; ++i) follower.api.put(kThings, "t" + std::to_string(i));
    follower.run();
    EXPECT_TRUE(follower.reflector->is_behind());
    follower.clock.advance(1s);
    follower.end_watch();
  }
  EXPECT_FALSE(follower.reflector->is_behind()) << "so many events come each second";
}

// A busy server finds the first events and the end at once, and may take the end.
TEST(Reflector, API41AShortWatchThatIsLateProvesNothing) {
  Follower follower;
  follower.run();
  follower.end_watch({.status = 200, .error = "broken off"});
  for (int tests = 1; tests <= 5; ++tests) {
    follower.run();
    EXPECT_TRUE(follower.reflector->is_behind());
    follower.clock.advance(2s);
    follower.end_watch();
  }
  EXPECT_FALSE(follower.reflector->is_behind()) << "the server is always so slow";
}

// A connection may take long, and each watch has its own.
TEST(Reflector, API41AShortWatchLastsFromItsAnswerOn) {
  Follower follower;
  follower.run();
  follower.end_watch({.status = 200, .error = "broken off"});
  follower.run();
  follower.clock.advance(2s);
  follower.end_watch({.status = 200, .since_head = 1s});
  EXPECT_FALSE(follower.reflector->is_behind());
}

// The API server may queue it under load.
TEST(Reflector, API41AShortWatchWithoutAnAnswerIsWaitedForLongerNextTime) {
  Follower follower;
  follower.run();
  bool is_refused = true;
  follower.fault = [&](const Call&) {
    if (!std::exchange(is_refused, false)) follower.clock.advance(follower.deadlines.back());
    return std::optional(Answer{{.error = "no answer"}});
  };
  follower.deadlines.clear();
  follower.end_watch({.status = 200, .error = "broken off"});
  follower.run(6);
  EXPECT_EQ(follower.deadlines, (std::vector<Duration>{5s, 5s, 10s, 20s, 40s, 40s}))
      << "the first is refused at once";
}

// Each of them would end the short watch before it has proved anything.
TEST(Reflector, API41AShortWatchIsNotDoubted) {
  Follower follower;
  follower.run();
  follower.clock.advance(3s);
  EXPECT_TRUE(follower.reflector->doubt());
  follower.end_watch({.status = 200, .error = "cancelled", .is_silent = true});
  follower.run();
  follower.clock.advance(3s);
  EXPECT_FALSE(follower.reflector->doubt());
  follower.end_watch({.status = 200, .error = "no byte within 5s", .is_silent = true});
  follower.run();
  EXPECT_EQ(follower.calls_with("timeoutSeconds=1&"), 2U) << "the connection was dead";
  EXPECT_TRUE(follower.pauses.empty());
}

TEST(Reflector, API41APauseBeforeAListIsInterruptedAsWell) {
  Follower follower;
  follower.run();
  follower.say(error_line(410));  // right after its list
  EXPECT_TRUE(follower.reflector->doubt());
  follower.run(1);
  EXPECT_FALSE(follower.reflector->doubt()) << "it has just listed";
}

TEST(Reflector, API41AListInPagesIsAsOldAsItsFirstPage) {
  Follower follower;
  follower.api.put(kThings, "a");
  follower.api.put(kThings, "b");
  follower.options.page_size = 1;
  follower.fault = [&](const Call& call) -> std::optional<Answer> {
    if (!call.is_watch()) follower.clock.advance(3s);
    return std::nullopt;
  };
  follower.run();
  EXPECT_TRUE(follower.reflector->is_behind());
  EXPECT_EQ(follower.calls_with("timeoutSeconds=1&"), 1U);
  follower.clock.advance(1s);
  follower.end_watch();
  EXPECT_FALSE(follower.reflector->is_behind());
}

// An answer that was lost would be waited for until its deadline.
TEST(Reflector, API41AListThatIsSilentIsGivenUpEachTimeLater) {
  Follower follower;
  follower.run();
  follower.api.compact();
  std::vector<Duration> silences;
  follower.fault = [&](const Call& call) -> std::optional<Answer> {
    if (call.is_watch() || silences.size() == 5) return std::nullopt;
    const TimePoint asked_at = follower.clock.now();
    for (int s = 0; s < 60 && !follower.reflector->doubt(); ++s) follower.clock.advance(1s);
    silences.push_back(follower.clock.now() - asked_at);
    return Answer{{.error = "given up", .is_silent = true}};
  };
  follower.say(error_line(410));
  follower.run();
  EXPECT_EQ(silences, (std::vector<Duration>{5s, 10s, 20s, 40s, 40s}));
  EXPECT_TRUE(follower.agrees());
}

TEST(Reflector, API41AKindThatIsNotServedIsNeitherBehindNorDoubted) {
  Follower follower;
  follower.kind.required = false;
  follower.fault = [](const Call&) { return std::optional(Answer{{.status = 404}}); };
  follower.run(1);
  follower.clock.advance(1min);
  EXPECT_FALSE(follower.reflector->doubt());
  EXPECT_FALSE(follower.reflector->is_behind());
}

TEST(Reflector, API41AKindThatIsServedNoLongerIsNotBehindForEver) {
  Follower follower;
  follower.kind.required = false;
  follower.run();
  follower.fault = [](const Call&) { return std::optional(Answer{{.status = 404}}); };
  follower.end_watch({.status = 200, .error = "broken off"});
  EXPECT_TRUE(follower.reflector->is_behind());
  follower.run(5);
  EXPECT_FALSE(follower.reflector->is_behind());
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
