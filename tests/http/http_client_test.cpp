#include "http/http_client.h"

#include <gtest/gtest.h>

#include <future>
#include <stop_token>
#include <thread>

#include "berth/base/text.h"
#include "http/peers.h"

namespace berth::http {
namespace {

using namespace testing;

const std::string kOk = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

std::unique_ptr<HttpClient> client_of(const std::string& url, Duration timeout = kPatience) {
  ClientOptions options{.url = url};
  options.timeout = timeout;
  return std::move(HttpClient::create(std::move(options))).value();
}

// A call that follows at once may come before the library has taken the connection back.
TEST(HttpClientTest, FiftyCallsInSequenceUseAFewConnections) {
  RunningServer running(echo);
  auto client = running.client();
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(client->post("/plan/filter", "{}"));
  EXPECT_LE(running.server->counts().connections_accepted, 10u);
}

TEST(HttpClientTest, ConcurrentCallsAreNotLimited) {
  constexpr std::size_t kCalls = 200;
  Holder holder;
  RunningServer running(holder.handler());
  auto client = running.client();
  std::vector<std::thread> callers;
  for (std::size_t i = 0; i < kCalls; ++i) {
    callers.emplace_back([&] {
      auto reply = client->post("/commit/bind", "{}");
      ASSERT_TRUE(reply) << reply.error().to_string();
      EXPECT_EQ(reply->status, 200);
    });
  }
  ASSERT_TRUE(holder.wait_for(kCalls));
  holder.answer_all({.body = "{}"});
  for (std::thread& caller : callers) caller.join();
}

TEST(HttpClientTest, EveryStatusIsAReply) {
  RunningServer running([](const Request& request, Responder responder) {
    responder.answer(text_response(request.path == "/ok" ? 200 : 503, "x"));
  });
  auto client = running.client();
  for (int i = 0; i < 3; ++i) EXPECT_EQ(client->get("/busy").value().status, 503);
}

TEST(HttpClientTest, TheRequestIsSentAsItIs) {
  ScriptedServer server({{kOk}});
  ASSERT_TRUE(client_of(server.url())->post("/plan/filter", "{\"a\":1}"));
  const std::string request = server.requests().front();
  const std::string header = lowered(request);
  EXPECT_TRUE(request.starts_with("POST /plan/filter HTTP/1.1\r\n")) << request;
  EXPECT_NE(header.find("\r\nhost: " + server.url().substr(7) + "\r\n"), std::string::npos)
      << request;
  EXPECT_NE(header.find("\r\ncontent-length:7\r\n"), std::string::npos) << request;
  EXPECT_NE(header.find("\r\ncontent-type:application/json\r\n"), std::string::npos) << request;
  EXPECT_TRUE(request.ends_with("\r\n\r\n{\"a\":1}")) << request;
}

TEST(HttpClientTest, AChunkedReplyIsRead) {
  const std::string reply =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n";
  ScriptedServer server({{reply}});
  EXPECT_EQ(client_of(server.url())->post("/", "{}").value().body, "abc");
}

TEST(HttpClientTest, AConnectionTheServerClosedWhileIdleIsNotUsed) {
  ScriptedServer server({{kOk, true}, {kOk, true}, {kOk, true}});
  auto client = client_of(server.url());
  for (std::size_t i = 1; i <= 3; ++i) {
    ASSERT_TRUE(client->get("/"));
    ASSERT_TRUE(server.wait_for_closed(i));
  }
  EXPECT_EQ(server.requests().size(), 3u);
}

TEST(HttpClientTest, AReplyWithoutLengthEndsWithTheConnection) {
  ScriptedServer server({{"HTTP/1.1 200 OK\r\n\r\nabc", true}});
  EXPECT_EQ(client_of(server.url())->get("/").value().body, "abc");
}

TEST(HttpClientTest, ABrokenReplyIsAnError) {
  ScriptedServer server(
      {{"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", true}, {"nonsense\r\n\r\n", true}});
  auto client = client_of(server.url());
  for (int i = 0; i < 2; ++i) {
    const auto reply = client->post("/", "{}");
    ASSERT_FALSE(reply);
    EXPECT_NE(reply.error().message, "");
  }
}

TEST(HttpClientTest, TheTimeoutCoversTheWholeExchange) {
  Holder holder;
  RunningServer running(holder.handler());
  auto client = client_of(running.url(), 100ms);
  auto reply = client->post("/", "{}");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "timed out");
  EXPECT_TRUE(holder.wait_for_disconnected(1)) << "the server sees it leave";
  ASSERT_FALSE(client->post("/", "{}", 50ms));
}

TEST(HttpClientTest, ACallThatIsStoppedEndsAtOnce) {
  Holder holder;
  RunningServer running(holder.handler());
  auto client = client_of(running.url(), kPatience);
  std::stop_source stop;
  auto reply =
      std::async(std::launch::async, [&] { return client->get("/", {}, stop.get_token()); });
  ASSERT_TRUE(holder.wait_for(1));
  stop.request_stop();
  ASSERT_EQ(reply.wait_for(kPatience / 2), std::future_status::ready);
  const auto ended = reply.get();
  ASSERT_FALSE(ended);
  EXPECT_EQ(ended.error().message, "given up");
  EXPECT_TRUE(holder.wait_for_disconnected(1)) << "the server sees it leave";
  EXPECT_FALSE(client->get("/", {}, stop.get_token())) << "before it begins";
}

TEST(HttpClientTest, NobodyListeningIsAnError) {
  std::string url;
  {
    RunningServer running(echo);
    url = running.url();
  }
  auto reply = client_of(url)->get("/");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().to_string(), url + ": cannot connect");
}

TEST(HttpClientTest, AMalformedUrlIsRefused) {
  for (const char* url : {"", "127.0.0.1:80", "ftp://x", "http://", "http://:80", "http://x/plan",
                          "http://::1]:80", "http://x]:80"}) {
    EXPECT_FALSE(HttpClient::create({.url = url})) << url;
  }
  EXPECT_FALSE(HttpClient::create({.url = "https://x:1"})) << "no authority given";
  EXPECT_TRUE(HttpClient::create({.url = "http://[::1]:80/"}));
}

TEST(HttpClientTest, IPv6Works) {
  RunningServer running(echo, {.address = "::1"});
  auto client = client_of("http://[::1]:" + std::to_string(running.port));
  EXPECT_EQ(client->get("/x").value().body, "GET /x ");
}

}  // namespace
}  // namespace berth::http
