#include "kubeapi/account_token.h"

#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>

#include "berth/base/thread_executor.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;
using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

// A server of tokens "t1", "t2" and so on, and an object that asks it.
class AccountTokenTest : public ::testing::Test {
 protected:
  AccountTokenTest() {
    Access access;
    access.server = server_.url();
    client_ = std::move(*RestClient::create(access));
  }

  ~AccountTokenTest() override {
    account_.reset();
    client_->stop();
  }

  void start() {
    AccountTokenOptions options;
    options.name_space = "berth-system";
    options.name = "scheduler";
    options.retry_least = 5ms;
    options.retry_most = 20ms;
    options.refusal_pause = 1ms;
    account_ = std::make_unique<AccountToken>(
        *client_, executor_, options,
        AccountToken::Callbacks{[this](const std::string& token) {
                                  used_.change([&](auto& tokens) { tokens.push_back(token); });
                                },
                                [](const std::string&) {},
                                [this](const std::string& line) {
                                  complaints_.change([&](auto& lines) { lines.push_back(line); });
                                }});
    account_->start();
  }

  bool uses(const std::string& token) {
    return used_.wait([&](const auto& tokens) {
      return std::find(tokens.begin(), tokens.end(), token) != tokens.end();
    });
  }
  bool complains(const std::string& words) {
    return complaints_.wait([&](const auto& lines) {
      return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
        return line.find(words) != std::string::npos;
      });
    });
  }
  static std::string answer_of(const std::string& token, int seconds) {
    return Json{{"spec", {{"expirationSeconds", seconds}}}, {"status", {{"token", token}}}}.dump();
  }

  std::atomic<int> lifetime_s_ = 3600;
  std::atomic<bool> is_down_ = false;
  Awaited<std::string> answer_;  // instead of a token, with status 201
  Awaited<std::vector<std::string>> used_;
  Awaited<std::vector<std::string>> complaints_;
  std::atomic<int> issued_ = 0;
  FakeServer server_{[this](const Call&, Reply& reply) {
    if (is_down_) return reply.abort();
    if (const std::string other = answer_.get(); !other.empty()) {
      reply.send(201, other);
      return;
    }
    reply.send(201, answer_of("t" + std::to_string(++issued_), lifetime_s_));
  }};
  std::unique_ptr<RestClient> client_;
  const ScaledClock steady_clock_{TimePoint()};
  ThreadExecutor executor_{steady_clock_, "timer"};
  std::unique_ptr<AccountToken> account_;
};

TEST_F(AccountTokenTest, VIEW13ATokenOfTheAccountIsAskedForOnce) {
  start();
  ASSERT_TRUE(uses("t1"));
  EXPECT_EQ(account_->fault(), "");
  EXPECT_EQ(account_->counters().tokens, 1U);
  account_->stop();
  ASSERT_EQ(server_.calls().size(), 1U);
  const Call call = server_.calls()[0];
  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.target, "/api/v1/namespaces/berth-system/serviceaccounts/scheduler/token");
  EXPECT_EQ(Json::parse(call.body), (Json{{"apiVersion", "authentication.k8s.io/v1"},
                                          {"kind", "TokenRequest"},
                                          {"spec", {{"expirationSeconds", 3600}}}}));
}

TEST_F(AccountTokenTest, VIEW13ATokenIsReplacedBeforeItExpires) {
  lifetime_s_ = 1;
  start();
  ASSERT_TRUE(uses("t3"));
  const auto used = used_.get();
  EXPECT_EQ(std::count(used.begin(), used.end(), ""), 0) << "none has expired";
  EXPECT_TRUE(complaints_.get().empty());
}

TEST_F(AccountTokenTest, VIEW13AnExpiredTokenIsTakenBackAndTheNextOneCounts) {
  lifetime_s_ = 1;
  start();
  ASSERT_TRUE(uses("t1"));
  is_down_ = true;
  ASSERT_TRUE(uses("")) << "it was taken back";
  EXPECT_TRUE(complains("has expired"));
  EXPECT_NE(account_->fault(), "");
  EXPECT_GT(account_->counters().failures, 0U);
  const int issued = issued_;
  is_down_ = false;
  ASSERT_TRUE(uses("t" + std::to_string(issued + 1)));
  EXPECT_EQ(account_->fault(), "");
}

TEST_F(AccountTokenTest, VIEW13ARefusedTokenIsReplacedAtOnce) {
  start();
  ASSERT_TRUE(uses("t1"));
  account_->refused();
  ASSERT_TRUE(uses("t2"));
  EXPECT_EQ(account_->fault(), "");
}

TEST_F(AccountTokenTest, ARefusedTokenIsAFaultUntilItIsReplaced) {
  start();
  ASSERT_TRUE(uses("t1"));
  is_down_ = true;
  account_->refused();
  ASSERT_TRUE(complains("no token of the service account berth-system/scheduler"));
  EXPECT_NE(account_->fault().find("does not take"), std::string::npos) << account_->fault();
  is_down_ = false;
  ASSERT_TRUE(uses("t2"));
  EXPECT_EQ(account_->fault(), "");
}

TEST_F(AccountTokenTest, WhileThereIsNoneItIsAskedForAgainAndReportedOnce) {
  is_down_ = true;
  start();
  ASSERT_TRUE(server_.wait_for_calls(4));
  EXPECT_NE(account_->fault().find("no token of the service account"), std::string::npos);
  EXPECT_TRUE(used_.get().empty());
  is_down_ = false;
  ASSERT_TRUE(uses("t1"));
  EXPECT_EQ(complaints_.get().size(), 1U);
}

TEST_F(AccountTokenTest, AnAnswerThatIsNoTokenIsAFailureAndItsWordsSayWhat) {
  const std::pair<std::string, const char*> answers[] = {
      {"[]", "expected a TokenRequest"},
      {"{}", "status.token: the answer has no token"},
      {answer_of("a\nb: c", 60), "status.token: the token has the byte 0x0a"},
      {answer_of("t", 0), "spec.expirationSeconds: expected the token's lifetime"},
      {R"({"status":{"token":"t"}})", "spec.expirationSeconds: expected the token's lifetime"},
      {R"({"status":{"token":"t"},"spec":{"expirationSeconds":"60"}})", "spec.expirationSeconds"},
  };
  answer_.set(answers[0].first);
  start();
  for (const auto& [answer, words] : answers) {
    answer_.set(answer);
    EXPECT_TRUE(complains(words)) << words;
  }
  EXPECT_TRUE(used_.get().empty());
  for (const std::string& line : complaints_.get()) {
    EXPECT_EQ(line.find("b: c"), std::string::npos) << "a token is never shown";
  }
}

TEST_F(AccountTokenTest, StopDoesNotWaitForAnAnswer) {
  Awaited<bool> is_held;
  FakeServer held([&](const Call&, Reply& reply) {
    is_held.set(true);
    reply.wait_until_closed();
  });
  Access access;
  access.server = held.url();
  const auto client = std::move(*RestClient::create(access));
  AccountTokenOptions options;
  options.name = "scheduler";
  AccountToken account(*client, executor_, options,
                       {[](const std::string&) { ADD_FAILURE() << "there is no token"; },
                        [](const std::string&) {}, [](const std::string&) {}});
  account.start();
  ASSERT_TRUE(is_held.wait([](bool is) { return is; }));
  account.stop();
  client->stop();
}

}  // namespace
}  // namespace berth::kubeapi
