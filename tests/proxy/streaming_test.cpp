#include "proxy/proxy_fixture.h"

namespace berth::proxy {
namespace {

using namespace testing;

std::string chunk(const std::string& bytes) {
  char size[32];
  std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

class StreamingTest : public ProxyTest {
 protected:
  // A reply is full with little, so that tests need little.
  Options small(const std::string& server) const {
    Options made = options(server);
    made.full_at = 256 << 10;
    made.empty_at = 64 << 10;
    return made;
  }
};

TEST_F(StreamingTest, TheFirstBytesArriveBeforeTheLastAreWritten) {
  Gate seen;
  TestUpstream upstream([&](const Received&, Answering& answering) {
    answering.send(kChunkedHead + chunk("first"));
    EXPECT_TRUE(seen.wait());
    answering.send(chunk("last") + chunk(""));
  });
  start(options(upstream.url()));
  const auto caller = client();
  Call& call = caller->get("/api/v1/pods?watch=true");
  ASSERT_TRUE(caller->run_until([&] { return call.body == "first"; }));
  EXPECT_FALSE(call.is_ended);
  seen.open();
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(call.body, "firstlast");
}

TEST_F(StreamingTest, ALongRequestBodyGoesUpstreamAsItComes) {
  TestUpstream upstream(
      [](const Received& request, Answering& answering) { answering.answer(request.body); });
  start(options(upstream.url()));
  const auto caller = client();
  const std::string bytes = numbers(300'000);
  Call& call = caller->post("/", "");
  call.is_sent_whole = false;
  caller->add_body(call, bytes.substr(0, 100'000), false);
  // The client's window is 64 KiB, so all was sent only if upstream took some.
  ASSERT_TRUE(caller->run_until(
      [&] { return call.to_send.empty() && proxy_->counts().transfers_open == 1; }));
  caller->add_body(call, bytes.substr(100'000), true);
  ASSERT_TRUE(caller->run());
  EXPECT_TRUE(call.body == bytes);
  EXPECT_EQ(upstream.requests()[0].header("transfer-encoding"), "chunked");
}

TEST_F(StreamingTest, ALongRequestBodyOfKnownLengthKeepsIt) {
  TestUpstream upstream(
      [](const Received& request, Answering& answering) { answering.answer(request.body); });
  start(options(upstream.url()));
  const auto caller = client();
  Call& call = caller->post("/", numbers(300'000), {{"content-length", "300000"}});
  ASSERT_TRUE(caller->run());
  EXPECT_TRUE(call.body == numbers(300'000));
  EXPECT_EQ(upstream.requests()[0].header("content-length"), "300000");
}

TEST_F(StreamingTest, AnAnswerThatBreaksOffResetsTheStream) {
  TestUpstream upstream([](const Received& request, Answering& answering) {
    if (request.target == "/length") {
      answering.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    } else {
      answering.send(kChunkedHead + "fff\r\nhalf a line");
    }
    request.target == "/reset" ? answering.reset() : answering.close();
  });
  start(options(upstream.url()));
  const auto caller = client();
  for (const char* target : {"/length", "/chunked", "/reset"}) {
    Call& call = caller->get(target);
    ASSERT_TRUE(caller->run_until([&] { return call.is_closed; })) << target;
    EXPECT_TRUE(call.is_broken() || call.status == 502) << target;
    EXPECT_FALSE(call.is_ended && call.status == 200) << target;
  }
  EXPECT_EQ(proxy_->counts().upstream_failures, 3U);
}

TEST_F(StreamingTest, AClientThatLeavesEndsItsTransfer) {
  Gate closed;
  TestUpstream upstream([&](const Received&, Answering& answering) {
    answering.send(kChunkedHead + chunk("first"));
    EXPECT_TRUE(answering.wait_until_closed());
    closed.open();
  });
  start(options(upstream.url()));
  const auto caller = client();
  Call& call = caller->get("/");
  ASSERT_TRUE(caller->run_until([&] { return call.body == "first"; }));
  EXPECT_EQ(proxy_->counts().transfers_open, 1U);
  caller->reset(call);
  ASSERT_TRUE(caller->run_until([&] { return call.is_closed; }));
  EXPECT_TRUE(closed.wait());
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.transfers_open == 0; }));
}

TEST_F(StreamingTest, AConnectionThatIsLostEndsItsTransfers) {
  TestUpstream upstream([&](const Received&, Answering& answering) {
    answering.send(kChunkedHead + chunk("first"));
    EXPECT_TRUE(answering.wait_until_closed());
  });
  start(options(upstream.url()));
  auto caller = client();
  Call& one = caller->get("/");
  Call& two = caller->get("/");
  ASSERT_TRUE(caller->run_until([&] { return one.body == "first" && two.body == "first"; }));
  caller.reset();
  EXPECT_TRUE(eventually([](const Counts& counts) {
    return counts.transfers_open == 0 && counts.streams_open == 0 && counts.connections_open == 0;
  }));
}

// Upstream's answer is endless; it stops only where the proxy does not read it.
void send_without_end(Answering& answering) {
  answering.send(kChunkedHead);
  const std::string bytes = chunk(std::string(32 << 10, 'x'));
  while (answering.send(bytes)) {
  }
  answering.close();
}

TEST_F(StreamingTest, VIEW11AClientThatDoesNotReadPausesItsOwnStreamOnly) {
  TestUpstream upstream([](const Received& request, Answering& answering) {
    if (request.target == "/endless") return send_without_end(answering);
    answering.answer(request.target == "/large" ? numbers(3'000'000) : "short");
  });
  start(small(upstream.url()));
  const auto caller = client(64 << 10);
  Call& slow = caller->get("/endless");
  slow.reads = false;
  ASSERT_TRUE(caller->run_until([&] { return proxy_->counts().pauses > 0; }));
  Call& large = caller->get("/large");
  Call& post = caller->post("/", "x");
  ASSERT_TRUE(caller->run_until([&] { return large.is_answer() && post.is_answer(); }));
  EXPECT_TRUE(large.body == numbers(3'000'000));
  EXPECT_FALSE(slow.is_closed);
  EXPECT_LT(slow.body.size(), 80U << 10);
  // It goes on where it stopped, more than once.
  caller->read_on(slow);
  const std::uint64_t pauses = proxy_->counts().pauses;
  ASSERT_TRUE(caller->run_until([&] { return slow.body.size() > (4U << 20); }));
  slow.reads = false;
  ASSERT_TRUE(caller->run_until([&] { return proxy_->counts().pauses > pauses; }));
  EXPECT_EQ(proxy_->counts().stalled, 0U);
}

TEST_F(StreamingTest, VIEW11AStreamThatStaysPausedIsCutAndNoOther) {
  TestUpstream upstream([](const Received& request, Answering& answering) {
    if (request.target == "/endless") return send_without_end(answering);
    answering.send(kChunkedHead + chunk("quiet"));
    answering.wait_until_closed();
  });
  Options made = small(upstream.url());
  made.stall_limit = 200ms;
  start(made);
  const auto caller = client(64 << 10);
  Call& quiet = caller->get("/quiet");
  ASSERT_TRUE(caller->run_until([&] { return quiet.body == "quiet"; }));
  Call& slow = caller->get("/endless");
  slow.reads = false;
  ASSERT_TRUE(caller->run_until([&] { return slow.is_closed; }));
  EXPECT_TRUE(slow.is_broken());
  EXPECT_FALSE(quiet.is_closed) << "a stream without news is not stalled";
  EXPECT_EQ(proxy_->counts().stalled, 1U);
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.transfers_open == 1; }));
}

TEST_F(StreamingTest, VIEW11AnAnswerThatIsWholeButNotReadIsCutToo) {
  TestUpstream upstream(
      [](const Received&, Answering& answering) { answering.answer(std::string(400 << 10, 'x')); });
  Options made = small(upstream.url());
  made.stall_limit = 200ms;
  start(made);
  const auto caller = client(64 << 10);
  Call& slow = caller->get("/");
  slow.reads = false;
  ASSERT_TRUE(caller->run_until([&] { return slow.is_closed; }));
  EXPECT_TRUE(slow.is_broken());
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.streams_open == 0; }));
}

TEST_F(StreamingTest, VIEW11AClientThatDoesNotReadItsSocketIsCut) {
  TestUpstream upstream([](const Received&, Answering& answering) { send_without_end(answering); });
  Options made = small(upstream.url());
  made.stall_limit = 200ms;
  start(made);
  const auto caller = client(64 << 20);
  Call& call = caller->get("/");
  ASSERT_TRUE(caller->run_until([&] { return call.status == 200; }));
  // From here on the client does nothing.
  EXPECT_TRUE(eventually([](const Counts& counts) {
    return counts.stalled > 0 && counts.connections_open == 0 && counts.transfers_open == 0;
  }));
}

TEST_F(StreamingTest, ARequestBodyThatDoesNotComeIsCut) {
  TestUpstream upstream([](const Received&, Answering& answering) { answering.answer("x"); });
  Options made = options(upstream.url());
  made.stall_limit = 200ms;
  start(made);
  const auto caller = client();
  Call& short_one = caller->post("/", "");
  short_one.is_sent_whole = false;
  Call& long_one = caller->post("/", "");
  long_one.is_sent_whole = false;
  caller->add_body(long_one, numbers(100'000), false);
  ASSERT_TRUE(caller->run_until([&] { return short_one.is_broken() && long_one.is_broken(); }));
  EXPECT_EQ(proxy_->counts().stalled, 2U);
}

TEST_F(StreamingTest, ABudgetOfAllRepliesPausesThemBeforeTheyAreFull) {
  TestUpstream upstream([](const Received&, Answering& answering) { send_without_end(answering); });
  Options made = options(upstream.url());
  made.max_queued_bytes = 1 << 20;
  start(made);
  const auto caller = client(64 << 10);
  std::vector<Call*> calls;
  for (int i = 0; i < 10; ++i) {
    calls.push_back(&caller->get("/"));
    calls.back()->reads = false;
  }
  ASSERT_TRUE(caller->run_until([&] { return proxy_->counts().pauses >= 10; }))
      << "all pause, though none has queued 4 MiB";
  for (Call* call : calls) caller->read_on(*call);
  for (Call* call : calls) {
    ASSERT_TRUE(caller->run_until([&] { return call->body.size() > (1U << 20); }));
  }
}

TEST_F(StreamingTest, ACallWithALongAnswerIsPausedToo) {
  TestUpstream last([](const Received& request, Answering& answering) {
    answering.answer(request.target == "/large" ? numbers(2'000'000) : "short");
  });
  const auto second = start_http2_upstream(options(last.url()));
  Options made = small("");
  made.upstream = http2_options(*second).upstream;
  start(made);
  const auto caller = client(64 << 10);
  Call& slow = caller->post("/large", "");
  slow.reads = false;
  ASSERT_TRUE(caller->run_until([&] { return proxy_->counts().pauses > 0; }));
  for (int i = 0; i < 20; ++i) {
    Call& other = caller->post("/other", "");
    ASSERT_TRUE(caller->run_until([&] { return other.is_answer(); })) << i;
  }
  caller->read_on(slow);
  ASSERT_TRUE(caller->run());
  EXPECT_TRUE(slow.body == numbers(2'000'000));
}

}  // namespace
}  // namespace berth::proxy
