#include "kubeapi/token_reviews.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"
#include "support/jumping_clock.h"

namespace berth::kubeapi::token_reviews_test {
namespace {

using ports::CallerVerdict;
using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

constexpr const char* kKnown =
    R"({"status":{"authenticated":true,"user":{"username":"ada","uid":"u-1",)"
    R"("groups":["ml","system:authenticated"],"extra":{"scopes":["a"]}}}})";
constexpr const char* kAllowed = R"({"status":{"allowed":true}})";

// An API server that answers reviews, and those who ask it.
class TokenReviewsTest : public ::testing::Test {
 protected:
  struct Answer {
    int status = 201;
    std::string body;
  };

  CallerVerdict asked(const std::string& token, const std::string& path = "/queues") {
    Awaited<std::optional<CallerVerdict>> verdict;
    reviews.ask(token, path, [&](const CallerVerdict& answer) { verdict.set(answer); });
    EXPECT_TRUE(verdict.wait([](const auto& answer) { return answer.has_value(); }));
    return verdict.get().value_or(CallerVerdict{0, "no answer"});
  }
  std::size_t count_of(const std::string& resource) const {
    std::size_t count = 0;
    for (const Call& call : server.calls()) count += call.path().ends_with(resource) ? 1U : 0U;
    return count;
  }
  void SetUp() override {
    who.set({201, kKnown});
    may.set({201, kAllowed});
  }
  void TearDown() override { client->stop(); }

  Awaited<Answer> who;
  Awaited<Answer> may;
  Awaited<bool> is_slow;
  FakeServer server{[this](const Call& call, Reply& reply) {
    EXPECT_TRUE(is_slow.wait([](bool slow) { return !slow; }));
    const bool is_token = call.path() == "/apis/authentication.k8s.io/v1/tokenreviews";
    EXPECT_TRUE(is_token || call.path() == "/apis/authorization.k8s.io/v1/subjectaccessreviews");
    const Answer answer = (is_token ? who : may).get();
    reply.send(answer.status, answer.body);
  }};
  support::JumpingClock clock;
  std::unique_ptr<RestClient> client = client_of(server);
  TokenReviews reviews{*client, clock};

 private:
  static std::unique_ptr<RestClient> client_of(const FakeServer& server) {
    Access access;
    access.server = server.url();
    return std::move(*RestClient::create(access));
  }
};

TEST_F(TokenReviewsTest, API38AsksWhoTheBearerIsAndWhatHeMayGet) {
  EXPECT_EQ(asked("secret").status, 200);
  const std::vector<Call> calls = server.calls();
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_NE(calls[0].body.find(R"("spec":{"token":"secret"})"), std::string::npos);
  for (const char* const part :
       {R"("user":"ada")", R"("uid":"u-1")", R"("groups":["ml","system:authenticated"])",
        R"("extra":{"scopes":["a"]})",
        R"("nonResourceAttributes":{"path":"/queues","verb":"get"})"}) {
    EXPECT_NE(calls[1].body.find(part), std::string::npos) << part << " in " << calls[1].body;
  }
}

TEST_F(TokenReviewsTest, API38OnlyAYesIsAYes) {
  for (const char* const body :
       {R"({"status":{"authenticated":false}})", R"({"status":{"error":"expired"}})", "[]",
        R"({"status":{"authenticated":"true","user":{"username":"ada"}}})",
        R"({"status":{"authenticated":true,"user":{"username":""}}})"}) {
    who.set({201, body});
    clock.advance(TokenReviews::kCounts);
    EXPECT_EQ(asked("secret").status, 401) << body;
  }
  EXPECT_EQ(count_of("subjectaccessreviews"), 0U);
  who.set({201, kKnown});
  for (const char* const body : {R"({"status":{"allowed":false}})", R"({"status":{}})", "{}"}) {
    may.set({201, body});
    clock.advance(TokenReviews::kCounts);
    const CallerVerdict verdict = asked("secret", "/starts");
    EXPECT_EQ(verdict.status, 403) << body;
    EXPECT_NE(verdict.why.find("ada may not get /starts"), std::string::npos) << verdict.why;
  }
}

TEST_F(TokenReviewsTest, API38AServerThatCannotAnswerIsNoVerdict) {
  may.set({500, kAllowed});
  EXPECT_EQ(asked("secret").status, 503);
  who.set({403, R"({"message":"no right to ask"})"});
  const CallerVerdict verdict = asked("secret");
  EXPECT_EQ(verdict.status, 503);
  EXPECT_NE(verdict.why.find("no right to ask"), std::string::npos) << verdict.why;
  who.set({201, kKnown});
  may.set({201, kAllowed});
  EXPECT_EQ(asked("secret").status, 200);
}

TEST_F(TokenReviewsTest, API38WhatIsNoTokenIsNotSent) {
  for (const std::string& odd : {std::string(), std::string("a\nb"), std::string(1 << 20, 'a')}) {
    EXPECT_EQ(asked(odd).status, 401);
  }
  EXPECT_TRUE(server.calls().empty());
}

TEST_F(TokenReviewsTest, API39AnAnswerCountsForAWhileForThatTokenAndPath) {
  EXPECT_EQ(asked("secret").status, 200);
  EXPECT_EQ(asked("secret").status, 200);
  EXPECT_EQ(count_of("tokenreviews"), 1U);
  EXPECT_EQ(asked("secret", "/starts").status, 200);
  EXPECT_EQ(asked("other").status, 200);
  EXPECT_EQ(count_of("tokenreviews"), 3U);
  clock.advance(TokenReviews::kCounts);
  may.set({201, "{}"});
  EXPECT_EQ(asked("secret").status, 403);
  EXPECT_EQ(count_of("tokenreviews"), 4U);
}

TEST_F(TokenReviewsTest, API39SoManyAndNotMoreAreUnderReview) {
  is_slow.set(true);
  Awaited<std::vector<int>> answers;
  const auto note = [&](const CallerVerdict& verdict) {
    answers.change([&](auto& all) { all.push_back(verdict.status); });
  };
  for (std::size_t i = 0; i < TokenReviews::kWaitingMost; ++i) reviews.ask("same", "/queues", note);
  for (std::size_t i = 1; i < TokenReviews::kAskedMost; ++i) {
    reviews.ask("token" + std::to_string(i), "/queues", note);
  }
  EXPECT_TRUE(answers.get().empty());
  EXPECT_EQ(asked("same").status, 503);
  EXPECT_EQ(asked("another").status, 503);
  is_slow.set(false);
  const std::size_t all = TokenReviews::kWaitingMost + TokenReviews::kAskedMost - 1;
  EXPECT_TRUE(answers.wait([&](const auto& each) { return each.size() == all; }));
  for (const int status : answers.get()) EXPECT_EQ(status, 200);
  EXPECT_EQ(count_of("tokenreviews"), TokenReviews::kAskedMost);
}

TEST_F(TokenReviewsTest, API39AFloodOfTokensCostsNoMoreThanItsRate) {
  std::size_t refused = 0;
  for (int i = 0; i < 100; ++i) refused += asked(std::to_string(i)).status == 503 ? 1U : 0U;
  EXPECT_EQ(refused, 80U);
  EXPECT_EQ(count_of("tokenreviews"), 20U);
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(asked("later").status, 200);
}

TEST_F(TokenReviewsTest, API39AFloodOfTokensShutsOutNobodyWhoWasKnown) {
  EXPECT_EQ(asked("secret").status, 200);
  clock.advance(TokenReviews::kCounts);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(asked(std::to_string(i)).status, 200);
  EXPECT_EQ(asked("another").status, 503);
  EXPECT_EQ(asked("secret").status, 200);
}

}  // namespace
}  // namespace berth::kubeapi::token_reviews_test
