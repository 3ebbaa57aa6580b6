#include "kubeapi/latest_writes.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi {
namespace {

using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;
using Texts = std::vector<std::string>;

constexpr const char* kBudget =
    R"({"message":"Cannot evict pod as it would violate the pod's disruption budget."})";

class LatestWritesTest : public ::testing::Test {
 protected:
  // `status` answers the n-th call, counted from 0.
  void serve(std::function<int(int)> status, std::string body = "{}") {
    server_ = std::make_unique<FakeServer>(
        [this, status, body](const Call&, Reply& reply) { reply.send(status(count_++), body); });
    Access access;
    access.server = server_->url();
    client_ = std::move(*RestClient::create(access, {.qps = 0}));
    writes_ = std::make_unique<LatestWrites>(*client_, timer_, [this](const std::string& text) {
      complaints_.change([&](auto& all) { all.push_back(text); });
    });
  }
  void TearDown() override {
    client_->stop();
    timer_.stop();
  }
  void put(WriteKind kind, const std::string& key = "it") {
    Request request;
    request.method = "POST";
    request.path = "/" + url_encoded(key);
    writes_->put(kind, key, request);
  }
  // False after 20 s without that number.
  bool settles(WriteKind kind, std::uint64_t owed) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (writes_->counters(kind).owed != owed) {
      if (std::chrono::steady_clock::now() > deadline) return false;
      std::this_thread::yield();
    }
    return true;
  }

  std::atomic<int> count_ = 0;
  Awaited<Texts> complaints_;
  Timer timer_;
  std::unique_ptr<FakeServer> server_;
  std::unique_ptr<RestClient> client_;
  std::unique_ptr<LatestWrites> writes_;
};

TEST_F(LatestWritesTest, API22AStatusIsOwedUntilItIsWrittenAlsoWithoutTheRight) {
  serve([](int n) { return n < 2 ? 403 : n < 3 ? 503 : 200; }, R"({"message":"no right"})");
  put(WriteKind::status);
  ASSERT_TRUE(server_->wait_for_calls(4));
  ASSERT_TRUE(settles(WriteKind::status, 0));
  EXPECT_EQ(complaints_.get(), Texts{"it: status 403: no right; tried again"});
  EXPECT_EQ(writes_->counters(WriteKind::status).failures, 3u);
  EXPECT_EQ(writes_->counters(WriteKind::status).given_up, 0u);
}

TEST_F(LatestWritesTest, API22AStatusThatIsRefusedForGoodIsToldAndCounted) {
  serve([](int) { return 422; }, R"({"message":"spec.x: invalid"})");
  put(WriteKind::status);
  ASSERT_TRUE(settles(WriteKind::status, 0));
  EXPECT_EQ(complaints_.get(), Texts{"it: status 422: spec.x: invalid"});
  EXPECT_EQ(server_->calls().size(), 1u);
  EXPECT_EQ(writes_->counters(WriteKind::status).given_up, 1u);
}

TEST_F(LatestWritesTest, WhatIsMadeOfWhatIsThereIsMadeAnewWhenOthersWrite) {
  server_ = std::make_unique<FakeServer>([this](const Call& call, Reply& reply) {
    if (call.method == "GET") return void(reply.send(200, std::to_string(count_)));
    reply.send(count_++ == 0 ? 409 : 200, "{}");
  });
  Access access;
  access.server = server_->url();
  client_ = std::move(*RestClient::create(access, {.qps = 0}));
  writes_ = std::make_unique<LatestWrites>(*client_, timer_, [](const std::string&) {});
  Request request;
  request.method = "PATCH";
  request.path = "/it";
  writes_->put(WriteKind::status, "it", request, [](const std::string& seen) {
    return std::optional<std::string>("made of " + seen);
  });
  ASSERT_TRUE(settles(WriteKind::status, 0));
  ASSERT_EQ(server_->calls().size(), 4u);
  EXPECT_EQ(server_->calls()[1].body, "made of 0");
  EXPECT_EQ(server_->calls()[3].body, "made of 1");
  EXPECT_EQ(writes_->counters(WriteKind::status).failures, 0u) << "others may write";

  writes_->put(WriteKind::status, "it", request,
               [](const std::string&) { return std::optional<std::string>(); });
  ASSERT_TRUE(settles(WriteKind::status, 0));
  EXPECT_EQ(server_->calls().size(), 5u) << "there was nothing to be written";
}

TEST_F(LatestWritesTest, WhatIsGoneIsNoFailure) {
  serve([](int n) { return n == 0 ? 404 : 403; }, R"({"message":"ns: it is being terminated"})");
  put(WriteKind::status);
  ASSERT_TRUE(settles(WriteKind::status, 0));
  put(WriteKind::event);
  ASSERT_TRUE(settles(WriteKind::event, 0));
  EXPECT_EQ(complaints_.get(), Texts{});
  EXPECT_EQ(writes_->counters(WriteKind::event).failures, 0u);
}

TEST_F(LatestWritesTest, API22AnEvictionThatABudgetForbidsIsToldAndTriedAgain) {
  serve([](int n) { return n < 2 ? 429 : 201; }, kBudget);
  put(WriteKind::eviction, "evict ns/p");
  ASSERT_TRUE(server_->wait_for_calls(3));
  ASSERT_TRUE(settles(WriteKind::eviction, 0));
  EXPECT_EQ(complaints_.get(), Texts{"evict ns/p: status 429: Cannot evict pod as it would violate "
                                     "the pod's disruption budget.; tried again"});
  EXPECT_EQ(writes_->counters(WriteKind::eviction).failures, 2u);
  EXPECT_EQ(writes_->counters(WriteKind::eviction).given_up, 0u);
}

TEST_F(LatestWritesTest, API22AnEvictionThatIsRefusedForGoodIsToldAndNotRepeated) {
  serve([](int) { return 403; }, R"({"message":"no right"})");
  put(WriteKind::eviction, "evict ns/p");
  ASSERT_TRUE(settles(WriteKind::eviction, 0));
  EXPECT_EQ(complaints_.get(), Texts{"evict ns/p: status 403: no right"});
  EXPECT_EQ(server_->calls().size(), 1u);
}

TEST_F(LatestWritesTest, API22AnEventIsTriedAFewTimes) {
  serve([](int) { return 500; });
  put(WriteKind::event);
  ASSERT_TRUE(settles(WriteKind::event, 0));
  EXPECT_EQ(server_->calls().size(), 6u);
  EXPECT_EQ(complaints_.get(),
            (Texts{"it: status 500: {}; tried again", "it: status 500: {}; given up"}));
  EXPECT_EQ(writes_->counters(WriteKind::event).given_up, 1u);
}

TEST_F(LatestWritesTest, ManyFailuresAreOneLine) {
  serve([](int n) { return n < 100 ? 503 : 200; });
  for (int i = 0; i < 100; ++i) put(WriteKind::status, "it" + std::to_string(i));
  ASSERT_TRUE(settles(WriteKind::status, 0));
  EXPECT_EQ(complaints_.get().size(), 1u);
  EXPECT_EQ(writes_->counters(WriteKind::status).failures, 100u);
}

TEST_F(LatestWritesTest, WhatIsForgottenIsNotTriedAgain) {
  serve([](int) { return 503; });
  put(WriteKind::status);
  ASSERT_TRUE(complaints_.wait([](const auto& all) { return !all.empty(); }));
  writes_->forget();
  EXPECT_EQ(writes_->counters(WriteKind::status).owed, 0u);
}

}  // namespace
}  // namespace berth::kubeapi
