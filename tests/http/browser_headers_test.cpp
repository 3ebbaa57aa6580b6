#include "http/browser_headers.h"

#include <gtest/gtest.h>

#include "http/peers.h"

namespace berth::http::browser_headers_test {
namespace {

using namespace testing;

std::size_t count_of(std::string_view text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos;
       at = text.find(part, at + part.size())) {
    ++count;
  }
  return count;
}

std::string reply_to(std::uint16_t port, const std::string& bytes) {
  RawClient client(port);
  client.send(bytes);
  return client.receive_reply();
}

TEST(BrowserHeadersTest, PAGE10_NoInlineCodeAndNoFrames) {
  const std::string policy = browser_headers().front().second;
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
}

TEST(BrowserHeadersTest, PAGE10_AnswersAndRefusalsOfAServerHaveItsHeaders) {
  ServerOptions options;
  options.headers = browser_headers();
  options.max_header_bytes = 1024;
  RunningServer running(
      [](const Request& request, Responder responder) {
        if (request.path == "/dropped") return;
        responder.answer({.headers = {{"referrer-policy", "origin"}, {"X-Own", "1"}}});
      },
      options);
  const auto get = [&](const std::string& path) {
    return reply_to(running.port, "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n");
  };
  for (const std::string& reply :
       {get("/"), get("/dropped"), get("/" + std::string(2000, 'x')), get("no-path"),
        reply_to(running.port, "GET / HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n")}) {
    for (const auto& [name, value] : browser_headers()) {
      const bool is_own = name == "Referrer-Policy" && reply.find("X-Own") != std::string::npos;
      EXPECT_EQ(count_of(reply, "\r\n" + name + ": " + value + "\r\n"), is_own ? 0 : 1) << reply;
    }
  }
  EXPECT_EQ(count_of(get("/"), "\r\nreferrer-policy: origin\r\n"), 1);
}

TEST(BrowserHeadersTest, PAGE10_AServerWithoutAFreeSlotHasThem) {
  Holder holder;
  ServerOptions options;
  options.headers = browser_headers();
  options.max_connections = 1;
  RunningServer running(holder.handler(), options);
  RawClient first(running.port);
  first.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(holder.wait_for(1));
  RawClient second(running.port);
  const std::string reply = second.receive_all();
  EXPECT_EQ(status_of(reply), 503) << reply;
  EXPECT_EQ(count_of(reply, "\r\nX-Content-Type-Options: nosniff\r\n"), 1) << reply;
  holder.answer_all({});
}

}  // namespace
}  // namespace berth::http::browser_headers_test
