// VIEW-17: an exchange that goes on without upstream.
#include <algorithm>

#include "proxy/proxy_fixture.h"

namespace berth::proxy {
namespace {

using namespace testing;

const std::string kHeadOfChunks = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";

// The test reads it on the proxy's thread.
struct Account {
  std::vector<std::string> calls;
  Reply* reply = nullptr;
  std::size_t left_to_write = 0;
};

// Passes upstream's answer up to the word "leave". On its own it writes what the test says.
class Leaving final : public Exchange {
 public:
  Leaving(Reply& reply, Account& seen) : reply_(reply), seen_(seen) { seen_.reply = &reply; }
  ~Leaving() override { seen_.reply = nullptr; }

  void on_head(int status, Headers headers) override {
    seen_.calls.push_back("head");
    reply_.head(status, std::move(headers));
  }
  void on_body(std::string_view bytes) override {
    reply_.body(std::string(bytes));
    if (bytes.find("leave") == bytes.npos) return;
    seen_.calls.push_back("leave");
    reply_.leave_upstream();
  }
  void on_end() override {
    seen_.calls.push_back("end");
    reply_.body("!");
    reply_.end();
  }
  void on_failure(const std::string&) override { seen_.calls.push_back("failure"); }
  void on_room() override {
    if (seen_.calls.empty() || seen_.calls.back() != "room") seen_.calls.push_back("room");
    write_on();
  }
  void on_closed(bool is_delivered) override {
    seen_.calls.push_back(is_delivered ? "delivered" : "lost");
  }

  void write_on() {
    constexpr std::size_t kPiece = 50'000;
    while (seen_.left_to_write > 0 && !reply_.is_full()) {
      const std::size_t size = std::min(kPiece, seen_.left_to_write);
      seen_.left_to_write -= size;
      reply_.body(std::string(size, 'x'));
    }
  }

 private:
  Reply& reply_;
  Account& seen_;
};

// Requests of /own... never go upstream, and those of /later... leave it.
class LeavingInterceptor final : public NoInterceptor {
 public:
  std::unique_ptr<Exchange> intercept(Request& request, Reply& reply) override {
    auto exchange = std::make_unique<Leaving>(reply, seen);
    if (!request.target.starts_with("/own")) return exchange;
    reply.leave_upstream();
    reply.head(200, {{"content-type", "x"}});
    reply.body("first ");
    exchange->write_on();
    return exchange;
  }

  Account seen;
};

class LeavingTest : public ProxyTest {
 protected:
  ~LeavingTest() override { proxy_.reset(); }

  void on_proxy(const std::function<void()>& task) {
    Gate done;
    proxy_->post([&] {
      task();
      done.open();
    });
    ASSERT_TRUE(done.wait());
  }
  using Calls = std::vector<std::string>;

  Calls calls_until(const std::string& last) {
    Calls copy;
    eventually([&](const Counts&) {
      on_proxy([&] { copy = interceptor_.seen.calls; });
      return !copy.empty() && copy.back() == last;
    });
    return copy;
  }

  LeavingInterceptor interceptor_;
};

TEST_F(LeavingTest, VIEW17UpstreamIsNotAskedAndTheWatchEndsInItsTime) {
  TestUpstream upstream([](const Received&, Answering& answering) { answering.answer("never"); });
  Options made = options(upstream.url());
  made.watch_silence = 100ms;
  start(made, interceptor_);
  const auto caller = client();
  Call& call = caller->get("/own?watch=true&allowWatchBookmarks=true&timeoutSeconds=1");
  ASSERT_TRUE(caller->run_until([&] { return call.body == "first "; }));
  EXPECT_EQ(call.header("content-type"), "x");
  on_proxy([&] { interceptor_.seen.reply->body("second"); });
  ASSERT_TRUE(caller->run_until([&] { return call.body == "first second"; }));
  EXPECT_FALSE(call.is_ended);
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(call.body, "first second!");
  EXPECT_EQ(calls_until("delivered"), (Calls{"end", "delivered"}));
  EXPECT_EQ(upstream.connections(), 0U);
  EXPECT_EQ(proxy_->counts().dead_watches, 0U) << "its own silence is no fault";
  EXPECT_EQ(proxy_->counts().intercepted, 1U);
}

TEST_F(LeavingTest, VIEW17UpstreamIsLeftInTheMiddle) {
  Gate closed;
  TestUpstream upstream([&](const Received&, Answering& answering) {
    answering.send(kHeadOfChunks + "5\r\nleave\r\n");
    while (answering.send("5\r\nafter\r\n")) {
    }
    closed.open();
    answering.close();
  });
  start(options(upstream.url()), interceptor_);
  const auto caller = client();
  Call& call = caller->get("/later?watch=true&timeoutSeconds=1");
  ASSERT_TRUE(caller->run_until([&] { return call.body.starts_with("leave"); }));
  EXPECT_TRUE(closed.wait()) << "the connection to upstream is closed";
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.transfers_open == 0; }));
  on_proxy([&] { interceptor_.seen.reply->body(" and more"); });
  ASSERT_TRUE(caller->run());
  EXPECT_TRUE(call.body.ends_with(" and more!"));
  EXPECT_EQ(calls_until("delivered"), (Calls{"head", "leave", "end", "delivered"}));
  EXPECT_EQ(proxy_->counts().upstream_failures, 0U);
}

TEST_F(LeavingTest, VIEW17AClientMayGoAfterUpstreamWasLeft) {
  TestUpstream upstream([](const Received&, Answering& answering) {
    answering.send(kHeadOfChunks + "5\r\nleave\r\n");
    answering.wait_until_closed();
  });
  start(options(upstream.url()), interceptor_);
  const auto caller = client();
  Call& call = caller->get("/later?watch=true");
  ASSERT_TRUE(caller->run_until([&] { return call.body == "leave"; }));
  EXPECT_TRUE(eventually([&](const Counts& counts) { return counts.transfers_open == 0; }));
  EXPECT_FALSE(call.is_closed);
  caller->reset(call);
  ASSERT_TRUE(caller->run_until([&] { return call.is_closed; }));
  EXPECT_EQ(calls_until("lost"), (Calls{"head", "leave", "lost"}));
  EXPECT_TRUE(eventually([&](const Counts& counts) { return counts.streams_open == 0; }));
}

TEST_F(LeavingTest, VIEW17AnExchangeGoesOnWhenItsReplyHasRoom) {
  TestUpstream upstream([](const Received&, Answering& answering) { answering.answer("never"); });
  Options made = options(upstream.url());
  made.full_at = 256 << 10;
  made.empty_at = 64 << 10;
  start(made, interceptor_);
  const auto caller = client(64 << 10);
  constexpr std::size_t kAll = 3'000'000;
  on_proxy([&] { interceptor_.seen.left_to_write = kAll; });
  Call& call = caller->get("/own?watch=true");
  call.reads = false;
  ASSERT_TRUE(caller->run_until([&] { return proxy_->counts().pauses == 1; }));
  std::size_t left = 0;
  on_proxy([&] { left = interceptor_.seen.left_to_write; });
  EXPECT_GT(left, kAll - (500U << 10)) << "it waits for room";
  caller->read_on(call);
  ASSERT_TRUE(caller->run_until([&] { return call.body.size() == kAll + 6; }));
  EXPECT_GT(proxy_->counts().pauses, 5U);
  on_proxy([&] { interceptor_.seen.reply->end(); });
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(calls_until("delivered"), (Calls{"room", "delivered"}));
}

TEST_F(LeavingTest, VIEW11AClientThatDoesNotReadIsCutWithoutUpstreamToo) {
  TestUpstream upstream([](const Received&, Answering& answering) { answering.answer("never"); });
  Options made = options(upstream.url());
  made.full_at = 256 << 10;
  made.empty_at = 16 << 10;
  made.stall_limit = 200ms;
  start(made, interceptor_);
  const auto caller = client(64 << 10);
  on_proxy([&] { interceptor_.seen.left_to_write = 3'000'000; });
  Call& call = caller->get("/own?watch=true&timeoutSeconds=1");
  call.reads = false;
  ASSERT_TRUE(caller->run_until([&] { return call.is_closed; }));
  EXPECT_TRUE(call.is_broken());
  EXPECT_EQ(proxy_->counts().stalled, 1U);
  EXPECT_EQ(calls_until("lost").back(), "lost");
}

}  // namespace
}  // namespace berth::proxy
