#include <atomic>
#include <thread>

#include "proxy/proxy_fixture.h"

namespace berth::proxy {
namespace {

using namespace testing;

// The token of a kube-scheduler's account, which the proxy adds (VIEW-8, VIEW-13).
class TokenTest : public ProxyTest {
 protected:
  void start_with_token(const std::string& server, const std::string& token) {
    Options made = options(server);
    made.has_token = true;
    made.on_token_refused = [this] { ++refused_; };
    start(std::move(made));
    proxy_->set_token(token);
  }

  static TestUpstream::Handler echo() {
    return [](const Received& request, Answering& answering) {
      answering.answer(request.header("authorization"));
    };
  }

  std::atomic<int> refused_ = 0;
};

TEST_F(TokenTest, VIEW8NothingThatTheClientSaysAboutItselfGoesUpstream) {
  TestUpstream upstream(echo());
  start_with_token(upstream.url(), "of-the-account");
  const auto caller = client();
  const Headers headers{{"authorization", "Bearer of-the-caller"},
                        {"authorization", "Basic YTpi"},
                        {"impersonate-user", "admin"},
                        {"impersonate-group", "system:masters"},
                        {"impersonate-uid", "1"},
                        {"impersonate-extra-x", "y"},
                        {"x-remote-user", "admin"},
                        {"x-other", "stays"}};
  Call& get = caller->get("/api/v1/nodes", headers);
  Call& post = caller->post("/api/v1/x", "body", headers);
  Call& large = caller->post("/api/v1/x", std::string(100'000, 'x'), headers);
  ASSERT_TRUE(caller->run());
  for (const Call* call : {&get, &post, &large}) {
    EXPECT_EQ(call->body, "Bearer of-the-account");
  }
  ASSERT_EQ(upstream.requests().size(), 3U);
  for (const Received& request : upstream.requests()) {
    EXPECT_EQ(request.count("authorization"), 1U);
    EXPECT_EQ(request.header("x-other"), "stays");
    for (const Header& header : request.headers) {
      EXPECT_FALSE(header.name.starts_with("impersonate-")) << header.name;
      EXPECT_FALSE(header.name.starts_with("x-remote-")) << header.name;
    }
  }
}

TEST_F(TokenTest, VIEW13WithoutATokenNothingGoesUpstream) {
  TestUpstream upstream(echo());
  start_with_token(upstream.url(), "");
  const auto caller = client();
  const Headers own{{"authorization", "Bearer of-the-caller"}};
  Call& get = caller->get("/api/v1/nodes", own);
  Call& post = caller->post("/api/v1/x", std::string(100'000, 'x'), own);
  Call& watch = caller->get("/api/v1/nodes?watch=true", own);
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(get.status, 503);
  EXPECT_EQ(post.status, 503);
  EXPECT_EQ(watch.status, 429) << "Go's client watches again from where it was";
  for (const Call* call : {&get, &post, &watch}) EXPECT_EQ(call->header("retry-after"), "1");
  EXPECT_TRUE(upstream.requests().empty());
  EXPECT_EQ(proxy_->counts().upstream_failures, 3U);
}

TEST_F(TokenTest, VIEW13ANewTokenCountsForTheNextRequest) {
  TestUpstream upstream(echo());
  start_with_token(upstream.url(), "one");
  const auto caller = client();
  for (const std::string token : {"one", "two", "", "three"}) {
    proxy_->set_token(token);
    Call& call = caller->get("/");
    ASSERT_TRUE(caller->run());
    EXPECT_EQ(call.status, token.empty() ? 503 : 200);
    EXPECT_EQ(call.body.starts_with("Bearer " + token), !token.empty());
  }
}

TEST_F(TokenTest, VIEW13ARefusedTokenIsReportedAndIsNoAnswerForTheClient) {
  TestUpstream upstream([](const Received& request, Answering& answering) {
    if (request.header("authorization") == "Bearer good") {
      answering.answer("good");
    } else {
      answering.answer(R"({"kind":"Status","code":401})", 401);
    }
  });
  start_with_token(upstream.url(), "stale");
  const auto caller = client();
  Call& get = caller->get("/api/v1/nodes");
  Call& watch = caller->get("/api/v1/nodes?watch=true");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(get.status, 502);
  EXPECT_NE(get.body.find("does not take the token"), std::string::npos) << get.body;
  EXPECT_EQ(watch.status, 429);
  EXPECT_EQ(refused_, 2);
  proxy_->set_token("good");
  Call& later = caller->get("/api/v1/nodes");
  ASSERT_TRUE(caller->run());
  EXPECT_EQ(later.body, "good");
}

// A token that changes while many ask harms no request.
TEST_F(TokenTest, EachRequestHasOneWholeToken) {
  // The token changes at each answer, beside the requests.
  std::atomic<int> answered = 0;
  TestUpstream upstream(
      [&answered, answer = echo()](const Received& request, Answering& answering) {
        answer(request, answering);
        ++answered;
        answered.notify_one();
      });
  start_with_token(upstream.url(), std::string(500, 'a'));
  std::atomic<bool> is_over = false;
  std::thread changing([&] {
    int seen = 0;
    for (char c = 'a'; !is_over; c = c == 'z' ? 'a' : static_cast<char>(c + 1)) {
      proxy_->set_token(std::string(500, c));
      answered.wait(seen);
      seen = answered;
    }
  });
  const auto caller = client();
  for (int round = 0; round < 20; ++round) {
    std::vector<Call*> calls;
    for (int i = 0; i < 20; ++i) calls.push_back(&caller->get("/"));
    EXPECT_TRUE(caller->run());
    for (const Call* call : calls) {
      EXPECT_EQ(call->body.size(), 507U);
      EXPECT_EQ(call->body.find_first_not_of(call->body.back(), 7), std::string::npos);
    }
  }
  is_over = true;
  ++answered;
  answered.notify_one();
  changing.join();
}

}  // namespace
}  // namespace berth::proxy
