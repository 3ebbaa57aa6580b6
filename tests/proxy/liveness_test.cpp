// Upstream freezes: it holds its connections and sends nothing.
#include "proxy/proxy_fixture.h"
#include "proxy/watch_limits.h"

namespace berth::proxy {
namespace {

using namespace testing;

const std::string kHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const std::string kFirst = kHead + "5\r\nfirst\r\n";

class LivenessTest : public ProxyTest {
 protected:
  Options short_limits(const std::string& server) const {
    Options made = options(server);
    made.watch_silence = 300ms;
    made.watch_slack = 100ms;
    return made;
  }
};

void freeze(const Received&, Answering& answering) {
  answering.send(kFirst);
  answering.wait_until_closed();
}

TEST_F(LivenessTest, AWatchWithBookmarksEndsWhenNothingComes) {
  TestUpstream upstream(freeze);
  start(short_limits(upstream.url()));
  const auto caller = client();
  Call& other = caller->get("/api/v1/nodes?watch=true");
  Call& list = caller->get("/api/v1/nodes?allowWatchBookmarks=true");
  Call& watch = caller->get("/api/v1/nodes?watch=1&allowWatchBookmarks=true&timeoutSeconds=500");
  ASSERT_TRUE(caller->run_until([&] { return watch.is_closed; }));
  EXPECT_TRUE(watch.is_answer()) << "a clean end: the client watches again and does not list";
  EXPECT_EQ(watch.body, "first");
  EXPECT_FALSE(other.is_closed) << "silence is no fault where no bookmarks come";
  EXPECT_FALSE(list.is_closed);
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.transfers_open == 2; }));
  EXPECT_EQ(proxy_->counts().dead_watches, 1U);
  EXPECT_EQ(proxy_->counts().upstream_failures, 1U);
}

TEST_F(LivenessTest, AWatchWithoutAnyAnswerEndsToo) {
  TestUpstream upstream(
      [](const Received&, Answering& answering) { answering.wait_until_closed(); });
  start(short_limits(upstream.url()));
  const auto caller = client();
  Call& watch = caller->get("/api/v1/nodes?watch=true&allowWatchBookmarks=true");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(watch.status, 429) << "the client watches again and does not list";
}

TEST_F(LivenessTest, AWatchEndsSoonAfterItsTime) {
  TestUpstream upstream(freeze);
  start(short_limits(upstream.url()));
  const auto caller = client();
  Call& endless = caller->get("/api/v1/nodes?watch=true&timeoutSeconds=0");
  Call& longer = caller->get("/api/v1/nodes?watch=true&timeoutSeconds=99999999999999999");
  Call& watch = caller->get("/api/v1/nodes?watch=true&timeoutSeconds=1");
  ASSERT_TRUE(caller->run_until([&] { return watch.is_closed; }));
  EXPECT_TRUE(watch.is_answer());
  EXPECT_FALSE(endless.is_closed);
  EXPECT_FALSE(longer.is_closed);
}

TEST_F(LivenessTest, EachByteIsASignOfLife) {
  Gate over;
  TestUpstream upstream([&](const Received& request, Answering& answering) {
    if (request.target.starts_with("/frozen")) return freeze(request, answering);
    answering.send(kHead);
    while (!over.is_open() && answering.send("1\r\nx\r\n")) {
    }
    answering.send("0\r\n\r\n");
  });
  Options made = options(upstream.url());
  made.watch_silence = 1s;
  start(made);
  const auto caller = client();
  Call& busy = caller->get("/busy?watch=true&allowWatchBookmarks=true");
  ASSERT_TRUE(caller->run_until([&] { return !busy.body.empty(); }));
  Call& frozen = caller->get("/frozen?watch=true&allowWatchBookmarks=true");
  ASSERT_TRUE(caller->run_until([&] { return frozen.is_closed; }));
  EXPECT_FALSE(busy.is_closed);
  over.open();
  ASSERT_TRUE(caller->run());
}

TEST_F(LivenessTest, VIEW11APausedWatchIsNotDead) {
  TestUpstream upstream([](const Received& request, Answering& answering) {
    if (request.target.starts_with("/frozen")) return freeze(request, answering);
    answering.send(kHead + "40000\r\n" + std::string(256 << 10, 'x') + "\r\n");
    answering.send("3\r\nend\r\n0\r\n\r\n");
  });
  Options made = options(upstream.url());
  made.watch_silence = 1s;
  made.full_at = 64 << 10;
  made.empty_at = 16 << 10;
  start(made);
  const auto caller = client(16 << 10);
  Call& slow = caller->get("/large?watch=true&allowWatchBookmarks=true");
  slow.reads = false;
  ASSERT_TRUE(caller->run_until([&] { return proxy_->counts().pauses > 0; }));
  Call& frozen = caller->get("/frozen?watch=true&allowWatchBookmarks=true");
  ASSERT_TRUE(caller->run_until([&] { return frozen.is_closed; }));
  EXPECT_FALSE(slow.is_closed) << "it is silent for longer";
  caller->read_on(slow);
  ASSERT_TRUE(caller->run_until([&] { return slow.is_closed; }));
  EXPECT_TRUE(slow.is_answer());
  EXPECT_EQ(slow.body.size(), (256U << 10) + 3);
}

TEST_F(LivenessTest, AWatchThatBreaksOffEndsInGoodOrder) {
  TestUpstream upstream([](const Received&, Answering& answering) {
    answering.send(kFirst + "ff\r\nhalf of an event");
    answering.close();
  });
  start(options(upstream.url()));
  const auto caller = client();
  Call& watch = caller->get("/api/v1/nodes?watch=true");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(watch.body, "firsthalf of an event") << "a client sees that the event is not whole";
  EXPECT_EQ(proxy_->counts().upstream_failures, 1U);
}

class WatchLimitsTest : public ::testing::Test {
 protected:
  static WatchLimits limits(const std::string& query) {
    return {{"GET", "/api/v1/nodes?watch=1&" + query}, Options(), kStart};
  }
  static constexpr Steady::time_point kStart{1000s};
};

TEST_F(WatchLimitsTest, SilenceCountsFromTheLastByteAndFromAPause) {
  WatchLimits watch = limits("allowWatchBookmarks=true");
  EXPECT_EQ(watch.fault(kStart + 90s), "");
  EXPECT_NE(watch.fault(kStart + 91s), "");
  watch.heard(kStart + 60s);
  EXPECT_EQ(watch.fault(kStart + 150s), "");
  EXPECT_NE(watch.fault(kStart + 151s), "");
  watch.resumed(kStart + 500s);
  EXPECT_EQ(watch.fault(kStart + 590s), "");
  EXPECT_NE(watch.fault(kStart + 591s), "");
  EXPECT_EQ(limits("allowWatchBookmarks=false").fault(kStart + 24h), "");
}

TEST_F(WatchLimitsTest, AWatchMayOutliveItsTimeALittle) {
  WatchLimits watch = limits("timeoutSeconds=300");
  watch.heard(kStart + 329s);
  EXPECT_EQ(watch.fault(kStart + 330s), "");
  EXPECT_NE(watch.fault(kStart + 331s), "");
  watch.resumed(kStart + 400s);
  EXPECT_EQ(watch.fault(kStart + 430s), "") << "what was paused must be read first";
  EXPECT_NE(watch.fault(kStart + 431s), "");
  for (const char* none : {"timeoutSeconds=0", "timeoutSeconds=-5", "timeoutSeconds=x",
                           "timeoutSeconds=99999999999999999999", "x"}) {
    EXPECT_EQ(limits(none).fault(kStart + 24h), "") << none;
  }
}

}  // namespace
}  // namespace berth::proxy
