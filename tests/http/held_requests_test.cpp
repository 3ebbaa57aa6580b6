// Requests with slow answers: their resources, their ends, and the stop of a server with such
// requests.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <future>
#include <thread>

#include "http/peers.h"

namespace berth::http {
namespace {

using namespace testing;

const std::string kBind = "POST /commit/bind HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";

// "/quick" is echoed, everything else is held.
Handler quick_or(Handler held) {
  return [held = std::move(held)](const Request& request, Responder responder) {
    (request.path == "/quick" ? Handler(echo) : held)(request, std::move(responder));
  };
}

std::chrono::milliseconds since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() -
                                                               start);
}

TEST(HeldRequestsTest, TwoThousandHoldNoThread) {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
  ASSERT_GE(limit.rlim_cur, 4'200u) << "both ends of 2,000 connections are in this process";

  constexpr std::size_t kHeld = 2'000;
  Holder holder;
  RunningServer running(quick_or(holder.handler()), {.io_threads = 2});
  std::vector<RawClient> waiting;
  for (std::size_t i = 0; i < kHeld; ++i) waiting.emplace_back(running.port).send(kBind);
  ASSERT_TRUE(holder.wait_for(kHeld));
  auto client = running.client();
  for (int i = 0; i < 100; ++i) {
    auto reply = client->get("/quick", kPatience);
    ASSERT_TRUE(reply) << reply.error().to_string();
    EXPECT_EQ(reply->status, 200);
  }
  holder.answer_all({.body = "bound"});
  for (RawClient& connection : waiting) EXPECT_EQ(body_of(connection.receive_reply()), "bound");
  EXPECT_EQ(holder.disconnected(), 0u);
}

TEST(HeldRequestsTest, AClientThatClosesIsNoticed) {
  Holder holder;
  RunningServer running(holder.handler());
  RawClient client(running.port);
  client.send(kBind);
  ASSERT_TRUE(holder.wait_for(1));
  EXPECT_EQ(holder.disconnected(), 0u);
  client.close();
  EXPECT_TRUE(holder.wait_for_disconnected(1));
  holder.answer_all({.body = "to nobody"});
  EXPECT_EQ(running.server->counts().disconnects, 1u);
}

TEST(HeldRequestsTest, AClientThatResetsIsNoticedEvenBehindPipelinedBytes) {
  Holder holder;
  RunningServer running(holder.handler());
  RawClient client(running.port);
  client.send(kBind + kBind);
  ASSERT_TRUE(holder.wait_for(1));
  client.reset();
  EXPECT_TRUE(holder.wait_for_disconnected(1));
}

TEST(HeldRequestsTest, ACallbackSetAfterTheDisconnectRunsAtOnce) {
  std::promise<Responder> handed;
  std::promise<void> left;
  RunningServer running([&](const Request&, Responder responder) {
    responder.on_disconnect([&] { left.set_value(); });
    handed.set_value(std::move(responder));
  });
  RawClient client(running.port);
  client.send(kBind);
  Responder responder = handed.get_future().get();
  client.close();
  left.get_future().get();
  // The callback runs before the server forgets the connection, so the test waits for that.
  bool called = false;
  responder.on_disconnect([&] { called = true; });
  EXPECT_TRUE(called);
  responder.answer({});
}

TEST(HeldRequestsTest, AnAnsweredRequestIsNeverReportedAsDisconnected) {
  Holder holder;
  RunningServer running(holder.handler());
  RawClient client(running.port);
  client.send(kBind);
  ASSERT_TRUE(holder.wait_for(1));
  holder.answer_all({});
  EXPECT_EQ(status_of(client.receive_reply()), 200);
  client.close();
  EXPECT_TRUE(running.server->stop(kPatience));
  EXPECT_EQ(holder.disconnected(), 0u);
}

TEST(HeldRequestsTest, AnswersAndDisconnectsMayRace) {
  Holder holder;
  RunningServer running(holder.handler());
  for (int round = 0; round < 100; ++round) {
    RawClient client(running.port);
    client.send(kBind);
    ASSERT_TRUE(holder.wait_for(1));
    std::thread leaving([&] { client.close(); });
    holder.answer_all({.body = "x"});
    leaving.join();
  }
  EXPECT_LE(holder.disconnected(), 100u);
  EXPECT_EQ(running.server->counts().requests, 100u);
}

TEST(StopTest, LetsPendingAnswersFinishAndSaysThatItCloses) {
  Holder holder;
  RunningServer running(holder.handler());
  RawClient client(running.port);
  client.send(kBind);
  ASSERT_TRUE(holder.wait_for(1));
  const auto start = std::chrono::steady_clock::now();
  auto stopping = std::async(std::launch::async, [&] { return running.server->stop(kPatience); });
  EXPECT_EQ(stopping.wait_for(100ms), std::future_status::timeout);
  holder.answer_all({.body = "late"});
  const std::string reply = client.receive_all();
  EXPECT_EQ(body_of(reply), "late");
  EXPECT_NE(reply.find("Connection: close\r\n"), std::string::npos);
  EXPECT_TRUE(stopping.get());
  EXPECT_LT(since(start), kPatience / 2);
}

TEST(StopTest, CutsHeldRequestsAtTheDeadlineAndNotifiesTheirHolders) {
  Holder holder;
  RunningServer running(holder.handler());
  std::vector<RawClient> clients;
  for (int i = 0; i < 50; ++i) clients.emplace_back(running.port).send(kBind);
  ASSERT_TRUE(holder.wait_for(50));
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(running.server->stop(200ms));
  EXPECT_GE(since(start), 200ms);
  EXPECT_LT(since(start), 25s) << "an answer may take 30 s";
  EXPECT_EQ(holder.disconnected(), 50u);
  for (RawClient& client : clients) EXPECT_EQ(client.receive_all(), "");
  EXPECT_EQ(running.server->counts().connections_open, 0u);
}

TEST(StopTest, AnswersAfterTheServerHasGoneAreDropped) {
  Holder holder;
  auto running = std::make_unique<RunningServer>(holder.handler());
  RawClient client(running->port);
  client.send(kBind);
  ASSERT_TRUE(holder.wait_for(1));
  running.reset();
  EXPECT_EQ(holder.disconnected(), 1u);
  holder.answer_all({.body = "x"});
  EXPECT_EQ(client.receive_all(), "");
}

TEST(StopTest, DoesNotWaitForIdleOrHalfSentOrSilentConnections) {
  RunningServer running(echo, {.header_deadline = std::chrono::hours(1), .linger = 100ms});
  RawClient silent(running.port);
  RawClient half(running.port);
  half.send("POST / HT");
  RawClient idle(running.port);
  idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_of(idle.receive_reply()), 200);
  const auto start = std::chrono::steady_clock::now();
  EXPECT_TRUE(running.server->stop(kPatience));
  EXPECT_LT(since(start), kPatience / 2);
}

TEST(StopTest, UnderLoadEveryCallIsAnsweredOrRefusedAndItEnds) {
  for (int round = 0; round < 5; ++round) {
    RunningServer running(echo);
    auto client = running.client();
    std::atomic<int> answered = 0;
    std::promise<void> warm;
    std::vector<std::thread> callers;
    for (int i = 0; i < 8; ++i) {
      callers.emplace_back([&] {
        for (;;) {
          auto reply = client->post("/", "{}");
          if (!reply) return;
          EXPECT_EQ(reply->status, 200);
          if (++answered == 200) warm.set_value();
        }
      });
    }
    warm.get_future().wait();
    const auto start = std::chrono::steady_clock::now();
    EXPECT_TRUE(running.server->stop(kPatience));
    EXPECT_LT(since(start), kPatience / 2);
    for (std::thread& caller : callers) caller.join();
  }
}

TEST(StopTest, AHandlerThatDoesNotReturnIsReportedAndDoesNotHangIt) {
  std::promise<void> entered, release, left;
  auto released = release.get_future();
  auto running = std::make_unique<RunningServer>([&](const Request&, Responder responder) {
    entered.set_value();
    released.wait();
    responder.answer({});
    left.set_value();
  });
  RawClient client(running->port);
  client.send(kBind);
  entered.get_future().wait();
  const auto start = std::chrono::steady_clock::now();
  const Status stopped = running->server->stop(100ms);
  EXPECT_LT(since(start), 25s);
  EXPECT_FALSE(stopped);
  running.reset();
  release.set_value();
  left.get_future().wait();
  client.receive_all();  // its thread has run to its end when the connection is closed
}

TEST(StopTest, TwiceAndBeforeStartAreHarmless) {
  auto server = make_http_server({}, echo);
  EXPECT_TRUE(server->stop(1s));
  EXPECT_TRUE(server->start());
  EXPECT_TRUE(server->stop(1s));
  EXPECT_TRUE(server->stop(1s));
}

}  // namespace
}  // namespace berth::http
