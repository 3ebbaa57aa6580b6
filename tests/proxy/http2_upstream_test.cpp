#include "proxy/proxy_fixture.h"

namespace berth::proxy {
namespace {

using namespace testing;

class Http2UpstreamTest : public ProxyTest {};

TEST_F(Http2UpstreamTest, CallsPassWithTheirHeadersAndBodies) {
  TestUpstream last([](const Received& request, Answering& answering) {
    answering.answer(request.method + " " + request.target + " " + request.header("authorization") +
                         " " + request.body,
                     201, "X-Kind: y\r\n");
  });
  const auto second = start_http2_upstream(options(last.url()));
  start(http2_options(*second));
  const auto caller = client();
  Call& call = caller->post("/a?b=%20", "body", {{"authorization", "Bearer x"}});
  Call& empty = caller->post("/b", "");
  Call& large = caller->post("/c", numbers(60'000));
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(call.status, 201);
  EXPECT_EQ(call.body, "POST /a?b=%20 Bearer x body");
  EXPECT_EQ(call.header("x-kind"), "y");
  EXPECT_EQ(empty.body, "POST /b  ");
  EXPECT_TRUE(large.body == "POST /c  " + numbers(60'000));
}

TEST_F(Http2UpstreamTest, AnAnswerThatBreaksOffResetsTheStreamAndNoOther) {
  Gate broken;
  TestUpstream last([&](const Received& request, Answering& answering) {
    if (request.target == "/broken") {
      answering.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
      answering.close();
    } else {
      EXPECT_TRUE(broken.wait());
      answering.answer("whole");
    }
  });
  const auto second = start_http2_upstream(options(last.url()));
  start(http2_options(*second));
  const auto caller = client();
  Call& other = caller->post("/other", "");
  Call& call = caller->post("/broken", "");
  ASSERT_TRUE(caller->run_until([&] { return call.is_closed; }));
  EXPECT_TRUE(call.is_broken() || call.status == 502);
  broken.open();
  ASSERT_TRUE(caller->run_until([&] { return other.is_closed; }));
  EXPECT_EQ(other.body, "whole");
  EXPECT_EQ(second->counts().connections_accepted, 1U);
}

TEST_F(Http2UpstreamTest, AServerThatSendsItsClientsAwayIsConnectedAgain) {
  Gate asked;
  Gate gate;
  TestUpstream last([&](const Received&, Answering& answering) {
    asked.open();
    EXPECT_TRUE(gate.wait());
    answering.answer("answer");
  });
  Options behind = options(last.url());
  behind.drain = kPatience;
  auto second = start_http2_upstream(behind);
  start(http2_options(*second));
  const auto caller = client();
  Call& before = caller->post("/", "before");
  ASSERT_TRUE(caller->run_until([&] { return second->counts().requests == 1; }));
  ASSERT_TRUE(asked.wait());
  std::thread stopping([&] { second->stop(); });  // GOAWAY, with a call under way
  gate.open();
  EXPECT_TRUE(caller->run_until([&] { return before.is_answer(); }));
  EXPECT_EQ(before.body, "answer");
  stopping.join();

  behind.port = second->port();
  second.reset();
  std::unique_ptr<Proxy> first = std::move(proxy_);
  second = start_http2_upstream(behind);
  Call& after = caller->post("/", "after");
  ASSERT_TRUE(caller->run_until([&] { return after.is_answer(); }));
  EXPECT_EQ(after.status, 200);
  EXPECT_EQ(after.body, "answer");
}

}  // namespace
}  // namespace berth::proxy
