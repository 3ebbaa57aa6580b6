#include <set>

#include "proxy/proxy_fixture.h"

namespace berth::proxy {
namespace {

using namespace testing;

class CrowdTest : public ProxyTest {
 protected:
  // A thousand requests, each with its number, on one connection.
  void run_a_thousand(const std::string& method) { run(1000, method); }

  void run(int count, const std::string& method) {
    const auto caller = client();
    std::vector<Call*> calls;
    for (int i = 0; i < count; ++i) {
      const std::string target = "/" + std::to_string(i);
      calls.push_back(method == "POST" ? &caller->post(target, "body " + std::to_string(i))
                                       : &caller->get(target));
    }
    ASSERT_TRUE(caller->run());
    for (std::size_t i = 0; i < calls.size(); ++i) {
      EXPECT_EQ(calls[i]->status, 200);
      EXPECT_EQ(calls[i]->body, "/" + std::to_string(i) + " " +
                                    (method == "POST" ? "body " + std::to_string(i) : ""));
    }
    EXPECT_EQ(proxy_->counts().connections_accepted, 1U);
  }
};

void echo(const Received& request, Answering& answering) {
  answering.answer(request.target + " " + request.body);
}

TEST_F(CrowdTest, AThousandCallsOverHttp1UseABoundedNumberOfConnections) {
  TestUpstream upstream(echo);
  Options made = options(upstream.url());
  made.max_streams = 1000;
  start(made);
  run_a_thousand("POST");
  EXPECT_LE(upstream.most_at_once(), 16U);
}

TEST_F(CrowdTest, AThousandShortStreamsUseABoundedNumberOfConnections) {
  TestUpstream upstream(echo);
  Options made = options(upstream.url());
  made.max_streams = 1000;
  start(made);
  run_a_thousand("GET");
  EXPECT_LE(upstream.most_at_once(), 64U);
}

TEST_F(CrowdTest, AThousandCallsOverHttp2ShareAFewConnections) {
  TestUpstream last(echo);
  Options behind = options(last.url());
  behind.max_streams = 100;
  const auto second = start_http2_upstream(behind);
  Options made = http2_options(*second);
  made.max_streams = 1000;
  start(made);
  run_a_thousand("POST");
  EXPECT_LE(second->counts().connections_accepted, 16U);
  EXPECT_EQ(second->counts().requests, 1000U);

  start(made);
  const std::uint64_t before = second->counts().connections_accepted;
  run(100, "POST");
  EXPECT_EQ(second->counts().connections_accepted, before + 1);
  EXPECT_EQ(second->counts().requests, 1100U);
  EXPECT_LE(last.most_at_once(), 16U);
}

TEST_F(CrowdTest, LongStreamsDoNotHoldUpCalls) {
  TestUpstream upstream([](const Received& request, Answering& answering) {
    if (request.method == "POST") return echo(request, answering);
    answering.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    answering.wait_until_closed();
  });
  Options made = options(upstream.url());
  made.max_stream_connections = 4;
  start(made);
  const auto caller = client();
  for (int i = 0; i < 20; ++i) caller->get("/watch");
  Call& call = caller->post("/x", "");
  ASSERT_TRUE(caller->run_until([&] { return call.is_answer(); }));
  EXPECT_EQ(call.body, "/x ");
}

// Neither in plain text nor over TLS without HTTP/2.
TEST_F(CrowdTest, ACallThatIsHeldDoesNotHoldUpOthersOverHttp1) {
  const http::testing::Authority authority("authority", file("ca.crt"));
  authority.issue("api", file("api.crt"), file("api.key"));
  for (const UpstreamTls& tls : {UpstreamTls{}, UpstreamTls{file("api.crt"), file("api.key")}}) {
    Gate gate;
    TestUpstream upstream(
        [&](const Received& request, Answering& answering) {
          EXPECT_TRUE(request.target != "/held" || gate.wait());
          echo(request, answering);
        },
        tls);
    Options made = options(upstream.url());
    made.upstream.ca_file = file("ca.crt");
    start(made);
    const auto caller = client();
    Call& held = caller->post("/held", "");
    Call& other = caller->post("/other", "");
    ASSERT_TRUE(caller->run_until([&] { return other.is_answer(); })) << upstream.url();
    Call& later = caller->post("/later", "");
    ASSERT_TRUE(caller->run_until([&] { return later.is_answer(); })) << upstream.url();
    EXPECT_FALSE(held.is_closed);
    gate.open();
    ASSERT_TRUE(caller->run());
  }
}

TEST_F(CrowdTest, MoreStreamsThanAllowedAreRefusedAndTheOthersServed) {
  Gate gate;
  TestUpstream upstream([&](const Received& request, Answering& answering) {
    EXPECT_TRUE(gate.wait());
    echo(request, answering);
  });
  Options made = options(upstream.url());
  made.max_streams = 5;
  start(made);
  const auto caller = client();
  ASSERT_TRUE(caller->run_until([&] { return caller->max_streams() == 5; }));
  std::vector<Call*> calls;
  for (int i = 0; i < 5; ++i) calls.push_back(&caller->get("/"));
  ASSERT_TRUE(caller->run_until([&] { return proxy_->counts().requests == 5; }));
  gate.open();
  ASSERT_TRUE(caller->run());
  for (const Call* call : calls) EXPECT_EQ(call->status, 200);
}

TEST_F(CrowdTest, AConnectionOverTheLimitIsClosedAndTheOthersStay) {
  TestUpstream upstream(echo);
  Options made = options(upstream.url());
  made.max_connections = 2;
  start(made);
  const auto one = client();
  const auto two = client();
  const auto expect_service = [&] {
    for (const auto* each : {&one, &two}) {
      (*each)->get("/");
      EXPECT_TRUE((*each)->run());
    }
  };
  expect_service();
  EXPECT_FALSE(H2Client(proxy_->port(), identity()).is_connected());
  EXPECT_EQ(proxy_->counts().connections_refused, 1U);
  expect_service();
}

}  // namespace
}  // namespace berth::proxy
