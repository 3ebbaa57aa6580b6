#include "kubeapi/reflector.h"

#include <gtest/gtest.h>

#include <atomic>

#include "kubeapi/follower.h"

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using testing::Awaited;
using testing::Call;
using testing::error_line;
using testing::Follower;
using testing::kThings;
using testing::Reply;
using testing::until;

void put_many(Follower& follower, int count) {
  for (int i = 0; i < count; ++i) follower.api.put(kThings, "t" + std::to_string(i));
}

// Faults for the first `times` calls that are of a kind.
auto first(int times, bool watches, std::function<void(const Call&, Reply&)> fault) {
  return [=, left = std::make_shared<std::atomic<int>>(times)](const Call& call, Reply& reply) {
    if (call.is_watch() != watches || --*left < 0) return false;
    fault(call, reply);
    return true;
  };
}

TEST(Reflector, API12ListsInPagesThenWatches) {
  Follower follower;
  put_many(follower, 1200);
  follower.start();
  ASSERT_TRUE(follower.agrees());
  follower.api.put(kThings, "new");
  follower.api.put(kThings, "t7");
  follower.api.erase(kThings, "t8");
  ASSERT_TRUE(follower.agrees());
  EXPECT_TRUE(follower.reflector->is_synced());
  EXPECT_EQ(follower.calls_with("limit=500"), 3U);
  EXPECT_EQ(follower.calls_with("watch=true&allowWatchBookmarks=true"), 1U);
  EXPECT_TRUE(until([&] { return follower.reflector->counters().events == 1203; }));
  const ReflectorCounters counters = follower.reflector->counters();
  EXPECT_EQ(counters.lists, 1U);
  EXPECT_EQ(counters.objects, 1200U);
  EXPECT_EQ(counters.failures, 0U);
}

TEST(Reflector, API12BeginsAgainWhenATokenExpired) {
  std::atomic<bool> has_expired = false;
  Follower follower;
  put_many(follower, 1200);
  follower.api.intercept([&](const Call& call, Reply&) {
    if (!call.parameter("continue").empty() && !has_expired.exchange(true)) {
      follower.api.compact();
      follower.api.erase(kThings, "t0");  // was on the first page
    }
    return false;
  });
  follower.start();
  ASSERT_TRUE(follower.agrees());
  EXPECT_EQ(follower.calls_with("limit=500"), 5U);
}

TEST(Reflector, API12AsksForAllAtOnceWhenTokensKeepExpiring) {
  Follower follower;
  put_many(follower, 600);
  follower.api.intercept([&](const Call& call, Reply&) {
    if (!call.parameter("continue").empty()) follower.api.compact();
    return false;
  });
  follower.start();
  ASSERT_TRUE(follower.agrees());
  EXPECT_EQ(follower.calls_with("limit=0"), 1U);
}

TEST(Reflector, API14ResumesAfterAnAbortInTheMiddleOfALine) {
  Follower follower;
  put_many(follower, 3);
  follower.api.intercept(first(1, true, [](const Call&, Reply& reply) {
    reply.begin_stream();
    reply.chunk(R"({"type":"ADDED","object":{"metadata":{"name":"half)");
    reply.abort();
  }));
  follower.start();
  ASSERT_TRUE(follower.agrees());
  follower.api.put(kThings, "t1");
  ASSERT_TRUE(follower.agrees());
  EXPECT_EQ(follower.reflector->counters().lists, 1U);
}

TEST(Reflector, API14ResumesFromTheLastBookmark) {
  Follower follower;
  follower.start();
  ASSERT_TRUE(follower.api.wait_for_watch(kThings));
  follower.api.put("/elsewhere", "x");  // moves the version on
  follower.api.bookmark(kThings);
  follower.api.say(kThings, error_line(500));  // ends the watch
  ASSERT_TRUE(follower.server->wait_for_calls(3));
  EXPECT_EQ(follower.server->calls().at(2).parameter("resourceVersion"), "101");
}

TEST(Reflector, API14ListsAgainWhenEveryWatchIsRefused) {
  Follower follower;
  follower.api.intercept(first(3, true, [](const Call&, Reply& reply) { reply.send(500, "no"); }));
  follower.start();
  ASSERT_TRUE(follower.server->wait_for_calls(6));
  EXPECT_EQ(follower.calls_with("limit="), 2U);
}

void expect_deletions_after(const std::function<void(Follower&)>& expire) {
  std::atomic<bool> is_held = false;
  Follower follower;
  put_many(follower, 5);
  follower.start();
  ASSERT_TRUE(follower.agrees());
  ASSERT_TRUE(follower.api.wait_for_watch(kThings));
  // During the failing watch, one object goes, one goes and returns as another, and one comes.
  follower.api.intercept([&](const Call& call, Reply& reply) {
    if (!is_held || !call.is_watch()) return false;
    reply.send(503, "later");
    return true;
  });
  is_held = true;
  follower.api.say(kThings, error_line(500));
  ASSERT_TRUE(follower.complaints.wait([](const auto& all) { return all.size() > 1; }));
  follower.api.erase(kThings, "t0");
  follower.api.erase(kThings, "t1");
  follower.api.put(kThings, "t1");
  follower.api.put(kThings, "t9");
  expire(follower);
  is_held = false;
  EXPECT_TRUE(follower.agrees());
  EXPECT_TRUE(until([&] { return follower.reflector->counters().objects == 5; }));
}

TEST(Reflector, API13ListsAgainAfter410AndReportsDeletions) {
  expect_deletions_after([](Follower& follower) { follower.api.compact(); });
}

TEST(Reflector, API13ListsAgainAfterAnEventOf410) {
  Follower follower;
  put_many(follower, 3);
  follower.start();
  ASSERT_TRUE(follower.agrees());
  ASSERT_TRUE(follower.server->wait_for_calls(2));
  follower.api.say(kThings, error_line(410));
  ASSERT_TRUE(follower.server->wait_for_calls(4));
  EXPECT_EQ(follower.calls_with("limit="), 2U);
  follower.api.erase(kThings, "t1");
  EXPECT_TRUE(follower.agrees());
}

TEST(Reflector, API13ListsAgainWhenVersionsGoBack) {
  Follower follower;
  put_many(follower, 3);
  follower.start();
  ASSERT_TRUE(follower.agrees());
  ASSERT_TRUE(follower.api.wait_for_watch(kThings));
  follower.api.set_version(10);
  follower.api.put(kThings, "t1");
  ASSERT_TRUE(follower.agrees());
  EXPECT_TRUE(until([&] { return follower.reflector->counters().lists == 2; }));
}

TEST(Reflector, API14SurvivesALineThatIsNoJson) {
  Follower follower;
  put_many(follower, 2);
  follower.start();
  ASSERT_TRUE(follower.agrees());
  ASSERT_TRUE(follower.server->wait_for_calls(2));
  follower.api.say(kThings, R"({"type":"ADDED","object":{"metadata":)");
  follower.api.put(kThings, "t5");
  ASSERT_TRUE(follower.agrees());
  EXPECT_EQ(follower.reflector->counters().lists, 1U);
  EXPECT_GE(follower.reflector->counters().failures, 1U);
}

TEST(Reflector, API17WaitsAsLongAsTheServerSays) {
  Follower follower;
  follower.api.intercept(
      first(1, false, [](const Call&, Reply& reply) { reply.send(429, "", "Retry-After: 1"); }));
  const auto begun = std::chrono::steady_clock::now();
  follower.start();
  ASSERT_TRUE(follower.server->wait_for_calls(2));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, 1s);
}

TEST(Reflector, API15SkipsAndReportsWhatCannotBeDecoded) {
  Follower follower;
  put_many(follower, 3);
  follower.start();
  ASSERT_TRUE(follower.agrees());
  const auto before = follower.api.objects(kThings);
  follower.api.put(kThings, "odd", R"(,"bad":1)");
  follower.api.put(kThings, "odd", R"(,"bad":2)");
  follower.api.erase(kThings, "odd");
  follower.api.put(kThings, "t0");
  ASSERT_TRUE(follower.agrees());
  EXPECT_EQ(follower.reflector->counters().decode_failures, 2U);
  EXPECT_EQ(follower.complaints.get(), std::vector<std::string>{"things ns/odd: it is bad"});
}

TEST(Reflector, API16CountsAnOptionalKindThatIsNotServedAsSynced) {
  Follower follower;
  follower.api.stop_serving(kThings);
  follower.kind.required = false;
  follower.start();
  EXPECT_TRUE(until([&] { return follower.reflector->is_synced(); }));
  follower.api.put(kThings, "late");
  EXPECT_TRUE(follower.agrees());
}

TEST(Reflector, API16WaitsForARequiredKind) {
  Follower follower;
  follower.api.stop_serving(kThings);
  follower.start();
  ASSERT_TRUE(follower.server->wait_for_calls(3));
  EXPECT_FALSE(follower.reflector->is_synced());
  EXPECT_EQ(follower.complaints.get().size(), 1U);
  follower.api.put(kThings, "late");
  EXPECT_TRUE(follower.agrees());
  EXPECT_TRUE(until([&] { return follower.reflector->is_synced(); }));
}

TEST(Reflector, API16DropsWhatIsServedNoLonger) {
  Follower follower;
  put_many(follower, 3);
  follower.start();
  ASSERT_TRUE(follower.agrees());
  follower.api.stop_serving(kThings);
  EXPECT_TRUE(follower.agrees());
}

TEST(Reflector, API14PicksUpAServerThatReturns) {
  Follower follower;
  put_many(follower, 10);
  follower.start();
  ASSERT_TRUE(follower.agrees());
  follower.stop_server();
  ASSERT_TRUE(follower.complaints.wait([](const auto& all) { return !all.empty(); }));
  follower.api.erase(kThings, "t3");
  follower.api.put(kThings, "t4");
  follower.start_server();
  EXPECT_TRUE(follower.agrees());
  EXPECT_EQ(follower.reflector->counters().lists, 1U);
}

TEST(Reflector, API31AQuietWatchEndsInGoodOrderBeforeItsSilenceCounts) {
  constexpr int kQuiet = 20;
  Follower follower;
  put_many(follower, 2);
  std::atomic<int> in_time = 0;
  follower.api.intercept(first(kQuiet, true, [&](const Call& call, Reply& reply) {
    const std::chrono::seconds length(std::stoi(call.parameter("timeoutSeconds")));
    if (length >= 1s && length < follower.options.idle_timeout - 20s) ++in_time;
    reply.begin_stream();
    reply.end_stream();
  }));
  follower.start();
  ASSERT_TRUE(follower.agrees());
  ASSERT_TRUE(follower.server->wait_for_calls(kQuiet + 2));
  follower.api.put(kThings, "t1");
  EXPECT_TRUE(follower.agrees());
  EXPECT_EQ(in_time, kQuiet);
  EXPECT_TRUE(follower.complaints.get().empty());
  EXPECT_EQ(follower.reflector->counters().failures, 0U);
  EXPECT_EQ(follower.reflector->counters().lists, 1U);
}

TEST(Reflector, API31AWatchThatOutlivesItsTimeInSilenceIsDead) {
  Follower follower;
  put_many(follower, 2);
  follower.options.watch_length = Duration{};
  follower.options.idle_timeout = 1100ms;  // longer than the least length that can be requested
  follower.api.intercept(first(1, true, [](const Call&, Reply& reply) {
    reply.begin_stream();
    reply.wait_until_closed();
  }));
  follower.start();
  ASSERT_TRUE(follower.complaints.wait([](const auto& all) { return !all.empty(); }));
  EXPECT_NE(follower.complaints.get().front().find("no byte within 1.1s"), std::string::npos)
      << follower.complaints.get().front();
  follower.api.put(kThings, "t1");
  EXPECT_TRUE(follower.agrees());
}

TEST(Reflector, API17StopsWhileTheServerStalls) {
  Follower follower;
  follower.api.intercept([](const Call&, Reply& reply) {
    reply.wait_until_closed();
    return true;
  });
  follower.start();
  ASSERT_TRUE(follower.server->wait_for_calls(1));
  const auto begun = std::chrono::steady_clock::now();
  follower.reflector->stop();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, 10s);
}

TEST(StreamingList, API14IsTakenWhereItIsOffered) {
  Follower follower;
  follower.options.streaming_list = true;
  follower.api.offer_streaming_lists();
  put_many(follower, 1200);
  follower.start();
  ASSERT_TRUE(follower.agrees());
  follower.api.put(kThings, "t1");
  ASSERT_TRUE(follower.agrees());
  EXPECT_TRUE(until([&] { return follower.reflector->is_synced(); }));
  EXPECT_EQ(follower.server->calls().size(), 1U);
  EXPECT_EQ(follower.reflector->counters().lists, 1U);
}

TEST(StreamingList, API31IsFollowedByAnotherWatchOnceItIsSilent) {
  Awaited<std::vector<std::string>> lengths;  // of watches without a list
  Follower follower;
  follower.options.streaming_list = true;
  follower.options.idle_timeout = 2s;
  follower.api.offer_streaming_lists();
  put_many(follower, 2);
  follower.api.intercept([&](const Call& call, Reply&) {
    if (!call.parameter("resourceVersion").empty()) {
      lengths.change([&](auto& all) { all.push_back(call.parameter("timeoutSeconds")); });
    }
    return false;
  });
  follower.start();
  ASSERT_TRUE(lengths.wait([](const auto& all) { return !all.empty(); }));
  EXPECT_GE(std::stoi(follower.server->calls()[0].parameter("timeoutSeconds")), 300);
  EXPECT_LE(std::stoi(lengths.get()[0]), 60);
  // On a slow machine, a list may itself be silent for too long. It fails and is requested again;
  // the silence after the list is no failure.
  const std::size_t lists =
      follower.calls_with("sendInitialEvents=") + follower.calls_with("limit=");
  EXPECT_EQ(follower.reflector->counters().failures + 1, lists);
  EXPECT_EQ(follower.complaints.get().empty(), lists == 1);
}

TEST(StreamingList, API14IsNotAskedForAgainOnceRefused) {
  Follower follower;
  follower.options.streaming_list = true;
  put_many(follower, 3);
  follower.start();
  ASSERT_TRUE(follower.agrees());
  ASSERT_TRUE(follower.server->wait_for_calls(3));
  follower.api.say(kThings, error_line(410));
  ASSERT_TRUE(follower.server->wait_for_calls(5));
  EXPECT_EQ(follower.calls_with("sendInitialEvents=true"), 1U);
  EXPECT_EQ(follower.calls_with("limit="), 2U);
}

TEST(StreamingList, API13IsSyncedOnlyAtItsBookmark) {
  Follower follower;
  follower.options.streaming_list = true;
  follower.api.offer_streaming_lists();
  put_many(follower, 3);
  follower.api.intercept(first(1, true, [](const Call&, Reply& reply) {
    reply.begin_stream();
    reply.line(R"({"type":"ADDED","object":{"metadata":{"name":"gone","uid":"u","resourceVersion":)"
               R"("1"}}})");
    reply.line(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"5"}}})");
    reply.end_stream();
  }));
  follower.start();
  ASSERT_TRUE(follower.agrees());  // "gone" was reported as gone
  EXPECT_TRUE(until([&] { return follower.reflector->counters().lists == 1; }));
}

TEST(StreamingList, API14GivesWayToPagesWhenItKeepsBreaking) {
  Follower follower;
  follower.options.streaming_list = true;
  follower.api.offer_streaming_lists();
  put_many(follower, 3);
  follower.api.intercept(first(3, true, [](const Call&, Reply& reply) {
    reply.begin_stream();
    reply.abort();
  }));
  follower.start();
  ASSERT_TRUE(follower.agrees());
  EXPECT_EQ(follower.calls_with("limit="), 1U);
}

}  // namespace
}  // namespace berth::kubeapi
