#include <algorithm>
#include <atomic>

#include "proxy/proxy_fixture.h"

namespace berth::proxy {
namespace {

using namespace testing;

// The calls that an exchange got. The test reads them on the proxy's thread, or after it has ended.
struct Seen {
  std::vector<std::string> calls;
  Reply* reply = nullptr;
};

// Writes upstream's answer in capitals.
class Capitals : public Exchange {
 public:
  Capitals(Reply& reply, Seen& seen) : reply_(reply), seen_(seen) { seen_.reply = &reply; }
  ~Capitals() override { seen_.reply = nullptr; }

  void on_head(int status, Headers headers) override {
    seen_.calls.push_back("head " + std::to_string(status));
    std::erase_if(headers, [](const Header& header) { return header.name == "content-length"; });
    reply_.head(status, std::move(headers));
  }

  void on_body(std::string_view bytes) override {
    if (bytes.find("abort") != bytes.npos) reply_.abort();
    if (bytes.find("enough") != bytes.npos) reply_.end();
    std::string text(bytes);
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    reply_.body(std::move(text));
  }

  void on_end() override {
    seen_.calls.push_back("end");
    reply_.body("!");
    reply_.end();
  }

  void on_failure(const std::string&) override {
    seen_.calls.push_back("failure");
    reply_.abort();
  }

  void on_closed(bool is_delivered) override {
    seen_.calls.push_back(is_delivered ? "delivered" : "lost");
  }

 private:
  Reply& reply_;
  Seen& seen_;
};

// Intercepts GET /pods..., answers POST /veto by its body, and 410 to GET /gone.
class TestInterceptor : public Interceptor {
 public:
  std::unique_ptr<Exchange> intercept(Request& request, Reply& reply) override {
    if (request.target == "/gone") {
      auto exchange = std::make_unique<Capitals>(reply, seen);
      reply.head(410, {});
      reply.body("gone");
      reply.end();
      return exchange;
    }
    if (!request.target.starts_with("/pods")) return nullptr;
    request.target += "?changed";
    request.headers = {{"accept", "other"}};
    return std::make_unique<Capitals>(reply, seen);
  }

  bool reads_body(const Request& request) const override { return request.target == "/veto"; }

  std::optional<Answer> answer(const Request&, std::string_view body) override {
    ++bodies;
    if (body.find("veto") == body.npos) return std::nullopt;
    return Answer{200, {{"content-type", "application/json"}}, "noted " + std::string(body)};
  }

  std::optional<Answer> refusal(const Request& request) override {
    if (!is_closed_to_writes || request.method == "GET") return std::nullopt;
    return Answer{503, {}, "not now"};
  }

  Seen seen;
  std::size_t bodies = 0;
  std::atomic<bool> is_closed_to_writes = false;
};

class InterceptorTest : public ProxyTest {
 protected:
  ~InterceptorTest() override { proxy_.reset(); }

  void start_with(TestUpstream::Handler handler) {
    upstream_ = std::make_unique<TestUpstream>(std::move(handler));
    start(options(upstream_->url()), interceptor_);
  }

  // Runs on the proxy's thread and waits for it.
  void on_proxy(const std::function<void()>& task) {
    Gate done;
    proxy_->post([&] {
      task();
      done.open();
    });
    ASSERT_TRUE(done.wait());
  }

  using Calls = std::vector<std::string>;

  // Waits for `last`: the client may have an answer before the proxy learns that it was sent.
  Calls calls_until(const std::string& last) {
    Calls copy;
    eventually([&](const Counts&) {
      on_proxy([&] { copy = interceptor_.seen.calls; });
      return !copy.empty() && copy.back() == last;
    });
    return copy;
  }

  TestInterceptor interceptor_;
  std::unique_ptr<TestUpstream> upstream_;
};

TEST_F(InterceptorTest, AnExchangeRewritesRequestAndAnswer) {
  start_with([](const Received&, Answering& answering) { answering.answer("some pods"); });
  const auto caller = client();
  Call& call = caller->get("/pods", {{"accept", "x"}, {"authorization", "y"}});
  Call& other = caller->get("/nodes");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(call.body, "SOME PODS!");
  EXPECT_EQ(other.body, "some pods");
  const std::vector<Received> requests = upstream_->requests();
  const auto changed = std::find_if(requests.begin(), requests.end(), [](const Received& each) {
    return each.target == "/pods?changed";
  });
  ASSERT_NE(changed, requests.end());
  EXPECT_EQ(changed->header("accept"), "other");
  EXPECT_EQ(changed->count("authorization"), 0U);
  EXPECT_EQ(proxy_->counts().intercepted, 1U);
  EXPECT_EQ(calls_until("delivered"), (Calls{"head 200", "end", "delivered"}));
}

TEST_F(InterceptorTest, BytesCanBeWrittenWhileUpstreamIsSilent) {
  start_with([](const Received&, Answering& answering) {
    answering.send(kChunkedHead);
    answering.wait_until_closed();
  });
  const auto caller = client();
  Call& call = caller->get("/pods");
  ASSERT_TRUE(caller->run_until([&] { return call.status == 200; }));
  for (const std::string text : {"one ", "two ", "three"}) {
    const std::size_t before = call.body.size();
    on_proxy([&] { interceptor_.seen.reply->body(text); });
    ASSERT_TRUE(caller->run_until([&] { return call.body.size() > before; }));
  }
  EXPECT_EQ(call.body, "one two three");
  on_proxy([&] { interceptor_.seen.reply->end(); });
  ASSERT_TRUE(caller->run());
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.transfers_open == 0; }))
      << "a reply that has ended ends upstream's";
  EXPECT_EQ(calls_until("delivered"), (Calls{"head 200", "delivered"}));
}

TEST_F(InterceptorTest, AnExchangeMayAnswerWithoutUpstream) {
  start_with([](const Received&, Answering& answering) { answering.answer("x"); });
  const auto caller = client();
  Call& call = caller->get("/gone");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(call.status, 410);
  EXPECT_EQ(call.body, "gone");
  EXPECT_TRUE(upstream_->requests().empty());
  EXPECT_EQ(calls_until("delivered"), (Calls{"delivered"}));
}

TEST_F(InterceptorTest, AReplyMayEndOrBreakOffWhileUpstreamIsRead) {
  start_with([](const Received& request, Answering& answering) {
    const std::string word =
        request.target == "/pods?changed" ? "6\r\nenough\r\n" : "5\r\nabort\r\n";
    answering.send(kChunkedHead + word);
    while (answering.send("5\r\nbytes\r\n")) {
    }
    answering.close();
  });
  const auto caller = client();
  Call& ended = caller->get("/pods");
  Call& broken = caller->get("/pods/x");
  ASSERT_TRUE(caller->run_until([&] { return ended.is_closed && broken.is_closed; }));
  EXPECT_TRUE(ended.is_answer());
  EXPECT_EQ(ended.body, "");
  EXPECT_TRUE(broken.is_broken());
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.transfers_open == 0; }));
}

TEST_F(InterceptorTest, ABodyIsAnsweredHereOrPasses) {
  start_with([](const Received& request, Answering& answering) { answering.answer(request.body); });
  const auto caller = client();
  Call& veto = caller->post("/veto", "a veto");
  Call& other = caller->post("/veto", "something else");
  Call& empty = caller->post("/veto", "");
  Call& large = caller->post("/veto", "veto" + numbers(kBodyMost));
  Call& nearly = caller->post("/veto", "veto" + numbers(kBodyMost - 4));
  Call& elsewhere = caller->post("/else", "a veto");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(veto.body, "noted a veto");
  EXPECT_EQ(veto.header("content-type"), "application/json");
  EXPECT_EQ(other.body, "something else");
  EXPECT_EQ(empty.body, "");
  EXPECT_TRUE(large.body == "veto" + numbers(kBodyMost)) << "passes unseen";
  EXPECT_TRUE(nearly.body == "noted veto" + numbers(kBodyMost - 4));
  EXPECT_EQ(elsewhere.body, "a veto");
  EXPECT_EQ(proxy_->counts().answered_locally, 2U);
  on_proxy([&] { EXPECT_EQ(interceptor_.bodies, 4U); });
}

TEST_F(InterceptorTest, AnExchangeLearnsThatUpstreamBroke) {
  start_with([](const Received&, Answering& answering) {
    answering.send(kChunkedHead + "5\r\nabcde\r\n");
    answering.reset();
  });
  const auto caller = client();
  Call& call = caller->get("/pods");
  ASSERT_TRUE(caller->run_until([&] { return call.is_closed; }));
  EXPECT_TRUE(call.is_broken());
  const Calls seen = calls_until("lost");
  ASSERT_GE(seen.size(), 2U);
  EXPECT_EQ(seen[seen.size() - 2], "failure");
  EXPECT_EQ(seen.back(), "lost");
}

TEST_F(InterceptorTest, AnExchangeLearnsThatItsClientHasGone) {
  start_with([](const Received&, Answering& answering) {
    answering.send(kChunkedHead);
    answering.wait_until_closed();
  });
  auto caller = client();
  Call& call = caller->get("/pods");
  ASSERT_TRUE(caller->run_until([&] { return call.status == 200; }));
  caller->reset(call);
  ASSERT_TRUE(caller->run_until([&] { return call.is_closed; }));
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.streams_open == 0; }));
  EXPECT_EQ(calls_until("lost"), (Calls{"head 200", "lost"}));
  on_proxy([&] { EXPECT_EQ(interceptor_.seen.reply, nullptr) << "destroyed"; });
}

TEST_F(InterceptorTest, AnAnswerThatTheClientDidNotTakeIsLost) {
  start_with(
      [](const Received&, Answering& answering) { answering.answer(std::string(1'000'000, 'x')); });
  auto caller = client(64 << 10);
  Call& call = caller->get("/pods");
  call.reads = false;
  ASSERT_TRUE(caller->run_until([&] { return call.body.size() >= (64U << 10); }));
  caller.reset();
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.streams_open == 0; }));
  EXPECT_EQ(calls_until("lost").back(), "lost");
}

TEST_F(InterceptorTest, WhatIsQueuedIsKnown) {
  start_with([](const Received&, Answering& answering) {
    answering.send(kChunkedHead);
    answering.wait_until_closed();
  });
  auto caller = client(64 << 10);
  Call& call = caller->get("/pods");
  call.reads = false;
  ASSERT_TRUE(caller->run_until([&] { return call.status == 200; }));
  std::size_t queued = 0;
  on_proxy([&] {
    interceptor_.seen.reply->body(std::string(200 << 10, 'x'));
    queued = interceptor_.seen.reply->queued();
  });
  EXPECT_EQ(queued, 200U << 10);
  ASSERT_TRUE(caller->run_until([&] { return call.body.size() == (64U << 10); }));
  on_proxy([&] { queued = interceptor_.seen.reply->queued(); });
  EXPECT_EQ(queued, 136U << 10) << "the client's window is full";
}

TEST_F(InterceptorTest, StopDestroysExchangesAndSendsClientsAway) {
  start_with([](const Received&, Answering& answering) {
    answering.send(kChunkedHead);
    answering.wait_until_closed();
  });
  const auto caller = client();
  Call& call = caller->get("/pods");
  ASSERT_TRUE(caller->run_until([&] { return call.status == 200; }));
  proxy_->stop();
  EXPECT_EQ(interceptor_.seen.reply, nullptr);
  EXPECT_EQ(interceptor_.seen.calls, (Calls{"head 200", "lost"}));
  EXPECT_FALSE(caller->run_until([] { return false; }));
  EXPECT_TRUE(caller->was_sent_away());
  EXPECT_FALSE(call.is_ended);
  const Counts counts = proxy_->counts();
  EXPECT_EQ(counts.streams_open, 0U);
  EXPECT_EQ(counts.transfers_open, 0U);
  EXPECT_EQ(counts.connections_open, 0U);
  proxy_->stop();
}

// The proxy's thread is busy while a timer expires and the stop is asked for, so it finds both.
TEST_F(InterceptorTest, StopEndsThoughATimerHasExpired) {
  using Now = std::chrono::steady_clock;
  Options made = options("http://127.0.0.1:1");
  made.stall_limit = std::chrono::milliseconds(20);  // and so the least period of its timer
  for (int i = 0; i < 5; ++i) {
    start(made, interceptor_);
    Gate busy;
    proxy_->post([&busy] {
      busy.open();
      for (const auto end = Now::now() + std::chrono::milliseconds(30); Now::now() < end;) continue;
    });
    ASSERT_TRUE(busy.wait());
    proxy_->stop();
  }
}

TEST_F(InterceptorTest, StopLetsAnAnswerFinish) {
  Gate asked;
  Gate gate;
  start_with([&](const Received&, Answering& answering) {
    asked.open();
    EXPECT_TRUE(gate.wait());
    answering.answer("whole");
  });
  proxy_.reset();
  Options made = options(upstream_->url());
  made.drain = kPatience;
  start(made, interceptor_);
  const auto caller = client();
  Call& call = caller->get("/x");
  ASSERT_TRUE(caller->run_until([&] { return proxy_->counts().requests == 1; }));
  ASSERT_TRUE(asked.wait());
  std::thread stopping([&] { proxy_->stop(); });
  EXPECT_TRUE(caller->run_until([&] { return caller->was_sent_away(); }));
  gate.open();
  EXPECT_TRUE(caller->run_until([&] { return call.is_answer(); }));
  EXPECT_EQ(call.body, "whole");
  stopping.join();
}

TEST_F(InterceptorTest, ARequestIsRefusedBeforeItGoesUpstream) {
  start_with([](const Received&, Answering& answering) { answering.answer("done"); });
  interceptor_.is_closed_to_writes = true;
  const auto caller = client();
  Call& write = caller->post("/a", "{}");
  Call& large = caller->post("/b", numbers(100'000));
  Call& noted = caller->post("/veto", "veto");
  Call& read = caller->get("/c");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(write.status, 503);
  EXPECT_EQ(write.body, "not now");
  EXPECT_EQ(large.status, 503);
  EXPECT_EQ(noted.status, 200) << "the interceptor's own answers go on";
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(upstream_->requests().size(), 1U);
  EXPECT_EQ(proxy_->counts().refused, 2U);
  EXPECT_EQ(proxy_->counts().upstream_failures, 0U);
}

// The first has the only connection.
TEST_F(InterceptorTest, ARequestThatWaitsForAConnectionIsRefusedOnIt) {
  Gate may_answer;
  upstream_ = std::make_unique<TestUpstream>([&](const Received&, Answering& answering) {
    EXPECT_TRUE(may_answer.wait());
    answering.answer("done");
  });
  Options one = options(upstream_->url());
  one.max_call_connections = 1;
  start(std::move(one), interceptor_);
  const auto caller = client();
  Call& first = caller->post("/first", "{}");
  ASSERT_TRUE(caller->run_until([&] { return upstream_->requests().size() == 1; }));
  Call& second = caller->post("/second", "{}");
  ASSERT_TRUE(caller->run_until([&] { return proxy_->counts().transfers_open == 2; }));
  interceptor_.is_closed_to_writes = true;
  may_answer.open();
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(first.status, 200) << "it had been sent";
  EXPECT_EQ(second.status, 503);
  EXPECT_EQ(second.body, "not now");
  EXPECT_EQ(upstream_->requests().size(), 1U);
}

}  // namespace
}  // namespace berth::proxy
