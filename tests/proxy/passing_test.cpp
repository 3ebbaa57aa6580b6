#include "proxy/proxy_fixture.h"

namespace berth::proxy {
namespace {

using namespace testing;

class PassingTest : public ProxyTest {};

TEST_F(PassingTest, RequestAndAnswerPassWithTheirHeadersAndBodies) {
  TestUpstream upstream([](const Received& request, Answering& answering) {
    answering.answer("answer to " + request.body, 201,
                     "Content-Type: text/x\r\nWarning: one\r\nWarning: two\r\n"
                     "Connection: keep-alive\r\nKeep-Alive: 5\r\n");
  });
  start(options(upstream.url()));
  const auto caller = client();
  Call& call = caller->post("/api/v1/x?a=%20b", "question",
                            {{"authorization", "Bearer token"},
                             {"content-type", "application/vnd.kubernetes.protobuf"},
                             {"impersonate-user", "me"},
                             {"empty", ""},
                             {"x-remote-user", "admin"}});
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(call.status, 201);
  EXPECT_EQ(call.body, "answer to question");
  EXPECT_EQ(call.header("content-type"), "text/x");
  EXPECT_EQ(call.header("content-length"), "18");
  EXPECT_EQ(call.header("connection") + call.header("keep-alive"), "");
  EXPECT_EQ(call.headers.size(), 4U) << "two warnings";

  ASSERT_EQ(upstream.requests().size(), 1U);
  const Received received = upstream.requests()[0];
  EXPECT_EQ(received.method, "POST");
  EXPECT_EQ(received.target, "/api/v1/x?a=%20b");
  EXPECT_EQ(received.body, "question");
  EXPECT_EQ(received.header("authorization"), "Bearer token");
  EXPECT_EQ(received.header("content-type"), "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(received.header("impersonate-user"), "me");
  EXPECT_EQ(received.count("empty"), 1U);
  EXPECT_EQ("http://" + received.header("host"), upstream.url());
  for (const char* name : {"x-remote-user", "accept", "user-agent", "expect", "accept-encoding"}) {
    EXPECT_EQ(received.count(name), 0U) << name;
  }
  EXPECT_EQ(received.count("content-length"), 1U);
}

TEST_F(PassingTest, EachMethodPassesWithAndWithoutABody) {
  TestUpstream upstream([](const Received& request, Answering& answering) {
    answering.answer(request.method + " " + request.body);
  });
  start(options(upstream.url()));
  const auto caller = client();
  for (const std::string method : {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}) {
    for (const std::string body : {"", "body"}) {
      Call& call = caller->send(
          {{":method", method}, {":scheme", "https"}, {":authority", "x"}, {":path", "/"}}, body,
          !body.empty());
      ASSERT_TRUE(caller->run()) << method;
      EXPECT_EQ(call.body, method + " " + body);
    }
  }
}

TEST_F(PassingTest, AnswersWithoutABodyEnd) {
  TestUpstream upstream([](const Received& request, Answering& answering) {
    if (request.method == "HEAD") {
      answering.send("HTTP/1.1 200 OK\r\nContent-Length: 1234\r\n\r\n");
    } else {
      answering.send("HTTP/1.1 " + request.target.substr(1) + " X\r\n\r\n");
    }
  });
  start(options(upstream.url()));
  const auto caller = client();
  Call& head = caller->send(
      {{":method", "HEAD"}, {":scheme", "https"}, {":authority", "x"}, {":path", "/"}});
  Call& none = caller->get("/204");
  Call& same = caller->get("/304");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.header("content-length"), "1234");
  EXPECT_EQ(none.status, 204);
  EXPECT_EQ(same.status, 304);
}

TEST_F(PassingTest, RedirectsErrorsAndCompressedBodiesPassAsTheyAre) {
  TestUpstream upstream([](const Received& request, Answering& answering) {
    if (request.target == "/redirect") answering.answer("", 302, "Location: /else\r\n");
    if (request.target == "/busy") answering.answer("no", 429, "Retry-After: 1\r\n");
    if (request.target == "/gzip")
      answering.answer("\x1f\x8b..", 200, "Content-Encoding: gzip\r\n");
  });
  start(options(upstream.url()));
  const auto caller = client();
  Call& redirect = caller->get("/redirect");
  Call& busy = caller->get("/busy");
  Call& gzip = caller->get("/gzip", {{"accept-encoding", "gzip"}});
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(redirect.status, 302);
  EXPECT_EQ(redirect.header("location"), "/else");
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(busy.header("retry-after"), "1");
  EXPECT_EQ(gzip.header("content-encoding"), "gzip");
  EXPECT_EQ(gzip.body, "\x1f\x8b..");
  EXPECT_EQ(upstream.requests().size(), 3U);
}

TEST_F(PassingTest, InterimAnswersAndTrailersAreDropped) {
  TestUpstream upstream([](const Received&, Answering& answering) {
    answering.send(
        "HTTP/1.1 103 Early\r\nX: early\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
        "Trailer: X\r\n\r\n3\r\nabc\r\n0\r\nX: late\r\n\r\n");
  });
  start(options(upstream.url()));
  const auto caller = client();
  Call& call = caller->get("/");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(call.status, 200);
  EXPECT_EQ(call.body, "abc");
  EXPECT_TRUE(call.headers.empty());
}

TEST_F(PassingTest, TheServersPathComesBeforeTheTarget) {
  TestUpstream upstream(
      [](const Received& request, Answering& answering) { answering.answer(request.target); });
  start(options(upstream.url() + "/k8s/clusters/c-1/"));
  const auto caller = client();
  Call& call = caller->get("/api/v1/pods?x=/..//%2fy");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(call.body, "/k8s/clusters/c-1/api/v1/pods?x=/..//%2fy");
}

TEST_F(PassingTest, LargeBodiesPassBothWays) {
  TestUpstream upstream(
      [](const Received& request, Answering& answering) { answering.answer(request.body); });
  start(options(upstream.url()));
  const auto caller = client();
  for (const std::size_t size : {65'535U, 65'536U, 65'537U, 3'000'000U}) {
    Call& call = caller->post("/", numbers(size));
    ASSERT_TRUE(caller->run()) << size;
    EXPECT_TRUE(call.body == numbers(size)) << size;
  }
}

TEST_F(PassingTest, ConnectionsToUpstreamAreUsedAgain) {
  TestUpstream upstream([](const Received&, Answering& answering) { answering.answer("x"); });
  start(options(upstream.url()));
  const auto caller = client();
  for (int i = 0; i < 20; ++i) {
    caller->get("/");
    caller->post("/", "x");
    ASSERT_TRUE(caller->run());
  }
  EXPECT_EQ(upstream.connections(), 2U) << "one for streams, one for calls";
  EXPECT_EQ(proxy_->counts().requests, 40U);
}

TEST_F(PassingTest, AConnectionThatUpstreamHasClosedIsReplaced) {
  TestUpstream upstream([](const Received&, Answering& answering) {
    answering.answer("x");
    answering.close();
  });
  start(options(upstream.url()));
  const auto caller = client();
  for (int i = 0; i < 20; ++i) {
    caller->get("/");
    Call& call = caller->post("/", numbers(50'000));
    ASSERT_TRUE(caller->run());
    EXPECT_EQ(call.status, 200);
  }
}

TEST_F(PassingTest, AServerThatIsNotThereIs502) {
  std::string url;
  {
    TestUpstream gone([](const Received&, Answering&) {});
    url = gone.url();
  }
  start(options(url));
  const auto caller = client();
  Call& call = caller->get("/api/v1/pods");
  Call& post = caller->post("/", "x");
  Call& watch = caller->get("/api/v1/nodes?resourceVersion=7&watch=true");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(call.status, 502);
  EXPECT_EQ(watch.status, 429) << "the client watches again, and does not list";
  EXPECT_EQ(post.status, 502);
  EXPECT_EQ(call.header("content-type"), "application/json");
  EXPECT_EQ(call.header("retry-after"), "");
  EXPECT_NE(call.body.find(R"("reason":"ServiceUnavailable","code":502})"), std::string::npos);
  EXPECT_NE(call.body.find(url), std::string::npos) << call.body;
  EXPECT_EQ(proxy_->counts().upstream_failures, 3U);
}

TEST_F(PassingTest, AnAnswerThatIsNoneIs502) {
  TestUpstream upstream([](const Received& request, Answering& answering) {
    if (request.target == "/garbage") answering.send("\x01\x02\x03 garbage\r\n\r\n");
    if (request.target == "/headers") {
      std::string headers = "HTTP/1.1 200 OK\r\n";
      for (int i = 0; i < 300; ++i) headers += "A: b\r\n";
      answering.send(headers + "\r\n");
    }
    answering.close();
  });
  start(options(upstream.url()));
  const auto caller = client();
  for (const char* target : {"/garbage", "/headers", "/nothing"}) {
    Call& call = caller->get(target);
    ASSERT_TRUE(caller->run()) << target;
    EXPECT_EQ(call.status, 502) << target;
  }
}

TEST(ProxyOptionsTest, MustMakeSense) {
  NoInterceptor interceptor;
  Options options;
  options.certificate_file = "/nowhere/view.crt";
  auto made = Proxy::create(options, interceptor);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().where, "/nowhere/view.crt");
}

class ServerAddressTest : public ProxyTest, public ::testing::WithParamInterface<const char*> {};

TEST_P(ServerAddressTest, IsRefusedWithTheExpectedForm) {
  NoInterceptor interceptor;
  auto made = Proxy::create(options(GetParam()), interceptor);
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().to_string(),
            std::string(GetParam()) +
                ": malformed address of a server; expected https://host:port/prefix");
}

INSTANTIATE_TEST_SUITE_P(Malformed, ServerAddressTest,
                         ::testing::Values("127.0.0.1:6443", "ftp://x", "https://", "https://a b",
                                           "https://x?y=z", "https://x#y", "https://me@x"));

}  // namespace
}  // namespace berth::proxy
