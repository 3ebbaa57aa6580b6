#include "kubeapi/reflector.h"

#include <gtest/gtest.h>

#include <memory>

#include "kubeapi/follower.h"

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using testing::Call;
using testing::error_line;
using testing::Follower;
using testing::kThings;
using Answer = Follower::Answer;

void put_many(Follower& follower, int count) {
  for (int i = 0; i < count; ++i) follower.api.put(kThings, "t" + std::to_string(i));
}

// This answer to the first `times` requests of a kind.
auto first(int times, bool watches, Answer answer) {
  return [=, left = std::make_shared<int>(times)](const Call& call) {
    const bool is_one = call.is_watch() == watches && --*left >= 0;
    return is_one ? std::optional(answer) : std::nullopt;
  };
}

Answer status(int status) { return {{.status = status}}; }

TEST(Reflector, API12ListsInPagesThenWatches) {
  Follower follower;
  put_many(follower, 1200);
  follower.run();
  ASSERT_TRUE(follower.agrees());
  follower.api.put(kThings, "new");
  follower.api.put(kThings, "t7");
  follower.api.erase(kThings, "t8");
  follower.run();
  ASSERT_TRUE(follower.agrees());
  EXPECT_TRUE(follower.reflector->is_synced());
  EXPECT_FALSE(follower.reflector->is_behind());
  EXPECT_EQ(follower.calls_with("limit=500"), 3U);
  EXPECT_EQ(follower.calls_with("watch=true&allowWatchBookmarks=true"), 1U);
  const ReflectorCounters counters = follower.reflector->counters();
  EXPECT_EQ(counters.events, 1203U);
  EXPECT_EQ(counters.lists, 1U);
  EXPECT_EQ(counters.objects, 1200U);
  EXPECT_EQ(counters.failures, 0U);
}

TEST(Reflector, API12APageThatFailedIsRequestedAgain) {
  Follower follower;
  put_many(follower, 1200);
  int pages = 0;
  follower.fault = [&](const Call& call) {
    const bool fails = !call.is_watch() && (++pages == 2 || pages == 3);
    return fails ? std::optional(status(429)) : std::nullopt;
  };
  follower.run();
  EXPECT_TRUE(follower.agrees());
  EXPECT_EQ(follower.calls_with("limit=500"), 5U);
  EXPECT_EQ(follower.calls_with("continue="), 4U) << "no list began anew";
  EXPECT_EQ(follower.pauses.size(), 2U);
}

// A server that was restored from a backup may not know the version of the token for hours.
TEST(Reflector, API12BeginsAgainWhenAPageFailsAgainAndAgain) {
  Follower follower;
  put_many(follower, 600);
  int failures = 0;
  follower.fault = [&](const Call& call) {
    const bool fails = !call.parameter("continue").empty() && ++failures <= 5;
    return fails ? std::optional(status(500)) : std::nullopt;
  };
  follower.run();
  EXPECT_TRUE(follower.agrees());
  EXPECT_EQ(follower.calls_with("continue="), 6U);
  EXPECT_EQ(follower.calls_with("limit=500"), 8U) << "two lists";
}

TEST(Reflector, API12BeginsAgainWhenATokenExpired) {
  bool has_expired = false;
  Follower follower;
  put_many(follower, 1200);
  follower.fault = [&](const Call& call) {
    if (!call.parameter("continue").empty() && !std::exchange(has_expired, true)) {
      follower.api.compact();
      follower.api.erase(kThings, "t0");  // was on the first page
    }
    return std::nullopt;
  };
  follower.run();
  EXPECT_TRUE(follower.agrees());
  EXPECT_EQ(follower.calls_with("limit=500"), 5U);
}

TEST(Reflector, API12AsksForAllAtOnceWhenTokensKeepExpiring) {
  Follower follower;
  put_many(follower, 600);
  follower.fault = [&](const Call& call) {
    if (!call.parameter("continue").empty()) follower.api.compact();
    return std::nullopt;
  };
  follower.run();
  EXPECT_TRUE(follower.agrees());
  EXPECT_EQ(follower.calls_with("limit=0"), 1U);
}

TEST(Reflector, API14ResumesFromTheLastBookmark) {
  Follower follower;
  follower.run();
  follower.api.put("/elsewhere", "x");  // moves the version on
  follower.api.bookmark(kThings);
  follower.run();
  follower.end_watch({.status = 200, .error = "broken off"});
  follower.run();
  ASSERT_EQ(follower.calls.size(), 3U);
  EXPECT_EQ(follower.calls[2].parameter("resourceVersion"), "101");
}

TEST(Reflector, API14ListsAgainWhenEveryWatchIsRefused) {
  Follower follower;
  follower.fault = first(3, true, status(500));
  follower.run();
  EXPECT_EQ(follower.calls.size(), 6U);
  EXPECT_EQ(follower.calls_with("limit="), 2U);
}

// While it cannot watch, one object goes, one goes and returns as another, and one comes.
TEST(Reflector, API13ListsAgainAfter410AndReportsDeletions) {
  Follower follower;
  put_many(follower, 5);
  follower.run();
  ASSERT_TRUE(follower.agrees());
  follower.clock.advance(1min);
  follower.end_watch({.status = 200, .error = "broken off"});
  follower.api.erase(kThings, "t0");
  follower.api.erase(kThings, "t1");
  follower.api.put(kThings, "t1");
  follower.api.put(kThings, "t9");
  follower.api.compact();
  follower.run(1);
  EXPECT_TRUE(follower.reflector->is_behind());
  follower.run();
  EXPECT_TRUE(follower.agrees());
  EXPECT_EQ(follower.reflector->counters().objects, 5U);
  EXPECT_FALSE(follower.reflector->is_behind());
}

TEST(Reflector, API13ListsAgainAfterAnEventOf410) {
  Follower follower;
  put_many(follower, 3);
  follower.run();
  follower.clock.advance(2s);
  follower.say(error_line(410));
  EXPECT_TRUE(follower.reflector->is_behind());
  follower.api.erase(kThings, "t1");
  follower.run();
  EXPECT_EQ(follower.calls_with("limit="), 2U);
  EXPECT_TRUE(follower.pauses.empty());
  EXPECT_TRUE(follower.agrees());
}

TEST(Reflector, API17PausesAfterA410RightAfterAList) {
  Follower follower;
  follower.run();
  follower.say(error_line(410));
  EXPECT_TRUE(follower.reflector->is_behind()) << "before the pause is over";
  follower.run();
  EXPECT_EQ(follower.calls_with("limit="), 2U);
  EXPECT_EQ(follower.pauses.size(), 1U);
}

TEST(Reflector, API13ListsAgainWhenVersionsGoBack) {
  Follower follower;
  put_many(follower, 3);
  follower.run();
  follower.api.set_version(10);
  follower.api.put(kThings, "t1");
  follower.run();
  EXPECT_TRUE(follower.agrees());
  EXPECT_EQ(follower.reflector->counters().lists, 2U);
}

TEST(Reflector, API14SurvivesALineThatIsNoJson) {
  Follower follower;
  put_many(follower, 2);
  follower.run();
  follower.say(R"({"type":"ADDED","object":{"metadata":)");
  ASSERT_EQ(follower.complaints.size(), 1U);
  EXPECT_NE(follower.complaints[0].find("expected JSON from https://test:1, got \"{\"type\":"),
            std::string::npos)
      << follower.complaints[0];
  follower.api.put(kThings, "t5");
  follower.run();
  EXPECT_TRUE(follower.agrees());
  EXPECT_EQ(follower.calls_with("limit="), 1U) << "the next watch goes on from the last version";
  EXPECT_EQ(follower.reflector->counters().failures, 1U);
}

TEST(Reflector, API20APageThatIsNoJsonIsAFailure) {
  Follower follower;
  put_many(follower, 2);
  follower.fault = first(1, false, {{.status = 200, .body = "<html>\n"}});
  follower.run();
  ASSERT_EQ(follower.complaints.size(), 1U);
  EXPECT_NE(follower.complaints[0].find("got \"<html>\": not valid JSON"), std::string::npos)
      << follower.complaints[0];
  EXPECT_TRUE(follower.agrees());
}

TEST(Reflector, API17PausesLongerAfterEachFailureAndAsLongAsTheServerSays) {
  Follower follower;
  follower.fault = first(20, false, status(503));
  follower.run();
  ASSERT_EQ(follower.pauses.size(), 20U);
  for (const Duration pause : follower.pauses) EXPECT_TRUE(pause >= 200ms && pause <= 30s);
  EXPECT_LE(follower.pauses[0], 600ms);
  follower.fault = first(1, true, {{.status = 429, .retry_after = 1min}});
  follower.end_watch();
  follower.run();
  EXPECT_EQ(follower.pauses.back(), 1min);
}

TEST(Reflector, API15SkipsAndReportsWhatCannotBeDecoded) {
  Follower follower;
  put_many(follower, 3);
  follower.run();
  follower.api.put(kThings, "odd", R"(,"bad":1)");
  follower.api.put(kThings, "odd", R"(,"bad":2)");
  follower.api.erase(kThings, "odd");
  follower.api.put(kThings, "t0");
  follower.run();
  EXPECT_TRUE(follower.agrees());
  EXPECT_EQ(follower.reflector->counters().decode_failures, 2U);
  EXPECT_EQ(follower.complaints, std::vector<std::string>{"things ns/odd: it is bad"});
}

TEST(Reflector, API16CountsAnOptionalKindThatIsNotServedAsSynced) {
  Follower follower;
  follower.api.stop_serving(kThings);
  follower.kind.required = false;
  follower.run(1);
  EXPECT_TRUE(follower.reflector->is_synced());
  EXPECT_TRUE(follower.complaints.empty());
  follower.api.put(kThings, "late");
  follower.run();
  EXPECT_TRUE(follower.agrees());
}

TEST(Reflector, API16WaitsForARequiredKind) {
  Follower follower;
  follower.api.stop_serving(kThings);
  follower.run(3);
  EXPECT_FALSE(follower.reflector->is_synced());
  EXPECT_EQ(follower.complaints.size(), 1U);
  for (const Duration pause : follower.pauses) EXPECT_TRUE(pause >= 30s && pause <= 60s);
  follower.api.put(kThings, "late");
  follower.run();
  EXPECT_TRUE(follower.agrees());
  EXPECT_TRUE(follower.reflector->is_synced());
}

TEST(Reflector, API16DropsWhatIsServedNoLonger) {
  Follower follower;
  put_many(follower, 3);
  follower.run();
  ASSERT_TRUE(follower.agrees());
  follower.api.stop_serving(kThings);
  follower.run(20);
  EXPECT_TRUE(follower.seen.empty());
}

TEST(Reflector, API14PicksUpAServerThatReturns) {
  Follower follower;
  put_many(follower, 10);
  follower.run();
  follower.fault = first(7, true, {{.error = "no connection"}});
  follower.end_watch({.status = 200, .error = "broken off"});
  follower.api.erase(kThings, "t3");
  follower.api.put(kThings, "t4");
  follower.run();
  EXPECT_TRUE(follower.agrees());
  EXPECT_EQ(follower.reflector->counters().lists, 1U);
  EXPECT_EQ(follower.reflector->counters().failures, 8U);
}

TEST(Reflector, API31AQuietWatchEndsInGoodOrderBeforeItsSilenceCounts) {
  constexpr int kQuiet = 20;
  int left = kQuiet;
  Follower follower;
  put_many(follower, 2);
  follower.fault = [&](const Call& call) -> std::optional<Answer> {
    if (!call.is_watch() || left-- == 0) return std::nullopt;
    const std::chrono::seconds length(std::stoi(call.parameter("timeoutSeconds")));
    EXPECT_TRUE(length >= 30s && length < follower.options.idle_timeout - 20s);
    follower.clock.advance(length);
    return Answer();
  };
  follower.run();
  EXPECT_EQ(follower.calls.size(), kQuiet + 2U);
  EXPECT_TRUE(follower.pauses.empty());
  EXPECT_TRUE(follower.complaints.empty());
  EXPECT_EQ(follower.reflector->counters().failures, 0U);
  EXPECT_EQ(follower.reflector->counters().lists, 1U);
}

TEST(Reflector, API31AWatchThatOutlivesItsTimeInSilenceIsDead) {
  Follower follower;
  put_many(follower, 2);
  follower.run();
  follower.clock.advance(follower.options.idle_timeout);
  follower.end_watch({.status = 200, .error = "no byte within 90s", .is_silent = true});
  EXPECT_EQ(follower.complaints, std::vector<std::string>{"things: no byte within 90s"});
  follower.api.put(kThings, "t1");
  follower.run();
  EXPECT_TRUE(follower.agrees());
}

class StreamingList : public ::testing::Test {
 protected:
  StreamingList() {
    follower_.options.streaming_list = true;
    follower_.api.offer_streaming_lists();
    put_many(follower_, 3);
  }
  Follower follower_;
};

TEST_F(StreamingList, API14IsTakenWhereItIsOffered) {
  put_many(follower_, 1200);
  follower_.run();
  ASSERT_TRUE(follower_.agrees());
  follower_.api.put(kThings, "t1");
  follower_.run();
  EXPECT_TRUE(follower_.agrees());
  EXPECT_TRUE(follower_.reflector->is_synced());
  ASSERT_EQ(follower_.calls.size(), 1U);
  EXPECT_GE(std::stoi(follower_.calls[0].parameter("timeoutSeconds")), 300);
  EXPECT_EQ(follower_.reflector->counters().lists, 1U);
}

TEST_F(StreamingList, API31IsFollowedByAnotherWatchOnceItIsSilent) {
  follower_.run();
  follower_.clock.advance(follower_.options.idle_timeout);
  follower_.end_watch({.status = 200, .error = "no byte within 90s", .is_silent = true});
  follower_.run();
  ASSERT_EQ(follower_.calls.size(), 2U);
  EXPECT_LE(std::stoi(follower_.calls[1].parameter("timeoutSeconds")), 60);
  EXPECT_EQ(follower_.reflector->counters().failures, 0U);
  EXPECT_TRUE(follower_.complaints.empty());
}

TEST(Reflector, API14AsksForNoStreamingListOnceRefused) {
  Follower follower;
  follower.options.streaming_list = true;
  put_many(follower, 3);
  follower.run();
  EXPECT_TRUE(follower.agrees());
  follower.say(error_line(410));
  follower.run();
  EXPECT_EQ(follower.calls_with("sendInitialEvents=true"), 1U);
  EXPECT_EQ(follower.calls_with("limit="), 2U);
}

TEST_F(StreamingList, API13IsSyncedOnlyAtItsBookmark) {
  follower_.fault = first(
      1, true,
      {.lines = {
           R"({"type":"ADDED","object":{"metadata":{"name":"x","uid":"u","resourceVersion":"1"}}})",
           R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}})"}});
  follower_.run(1);
  EXPECT_EQ(follower_.seen.size(), 1U);
  EXPECT_FALSE(follower_.reflector->is_synced());
  follower_.run();
  EXPECT_TRUE(follower_.agrees()) << "\"x\" was reported as gone";
  EXPECT_EQ(follower_.reflector->counters().lists, 1U);
}

TEST_F(StreamingList, API14GivesWayToPagesWhenItKeepsBreaking) {
  follower_.fault = first(3, true, {{.status = 200, .error = "broken off"}});
  follower_.run();
  EXPECT_TRUE(follower_.agrees());
  EXPECT_EQ(follower_.calls_with("limit="), 1U);
}

TEST_F(StreamingList, API14GivesWayToPagesWhenItIsRefusedInAnEvent) {
  follower_.fault = first(1, true, {.lines = {error_line(504)}});
  follower_.run();
  EXPECT_TRUE(follower_.agrees());
  EXPECT_EQ(follower_.calls_with("limit="), 1U);
}

}  // namespace
}  // namespace berth::kubeapi
