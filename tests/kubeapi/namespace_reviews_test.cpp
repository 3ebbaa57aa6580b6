#include "kubeapi/namespace_reviews.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"
#include "support/jumping_clock.h"

namespace berth::kubeapi::namespace_reviews_test {
namespace {

using ports::SeenNamespaces;
using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;
using Json = nlohmann::json;
using Seen = std::shared_ptr<const SeenNamespaces>;
using Names = std::set<std::string, std::less<>>;

// An API server that lets ada get the pod groups of some namespaces ("": of all).
class NamespaceReviewsTest : public ::testing::Test {
 protected:
  static std::string namespace_in(const Call& call) {
    const Json body = Json::parse(call.body);
    return body["spec"]["resourceAttributes"]["namespace"];
  }
  static Names seen(const std::set<std::string>& namespaces, ports::Viewer& by) {
    Awaited<Seen> answer;
    by.see(namespaces, [&](const Seen& all) { answer.set(all); });
    EXPECT_TRUE(answer.wait([](const Seen& each) { return each != nullptr; }));
    const Seen got = answer.get();
    if (got == nullptr) return {"no answer"};
    return got->is_all ? Names{"all"} : got->names;
  }
  static std::set<std::string> many(const std::string& prefix, int count) {
    std::set<std::string> names;
    for (int i = 0; i < count; ++i) names.insert(prefix + std::to_string(i));
    return names;
  }
  Names seen(const std::set<std::string>& namespaces) const { return seen(namespaces, *viewer); }
  void TearDown() override { client->stop(); }

  Awaited<Names> allowed;
  Awaited<int> status;
  Awaited<bool> is_slow;
  Awaited<std::size_t> under_way;
  FakeServer server{[this](const Call& call, Reply& reply) {
    under_way.change([](std::size_t& count) { ++count; });
    EXPECT_TRUE(is_slow.wait([](bool slow) { return !slow; }));
    EXPECT_EQ(call.path(), "/apis/authorization.k8s.io/v1/subjectaccessreviews");
    const bool may = allowed.get().contains(namespace_in(call));
    const int failure = status.get();
    reply.send(failure != 0 ? failure : 201,
               may ? R"({"status":{"allowed":true}})" : R"({"status":{"allowed":false}})");
  }};
  support::JumpingClock clock;
  std::unique_ptr<RestClient> client = client_of(server);
  const Json ada{{"username", "ada"}, {"uid", "u-1"}, {"groups", {"ml"}}};
  NamespaceReviews reviews{*client, clock};
  std::shared_ptr<ports::Viewer> viewer = reviews.viewer_of(ada);

 private:
  static std::unique_ptr<RestClient> client_of(const FakeServer& server) {
    Access access;
    access.server = server.url();
    RestOptions options;
    options.qps = 0;
    return std::move(*RestClient::create(access, options));
  }
};

TEST_F(NamespaceReviewsTest, API40AsksForEachNamespaceWhetherTheUserMayGetItsPodGroups) {
  allowed.set({"ml", "web"});
  EXPECT_EQ(seen({"ml", "bio", "web"}), (Names{"ml", "web"}));
  const std::vector<Call> calls = server.calls();
  ASSERT_EQ(calls.size(), 4U);
  EXPECT_EQ(namespace_in(calls[0]), "") << "first for all namespaces";
  for (const char* const part :
       {R"("user":"ada")", R"("uid":"u-1")", R"("groups":["ml"])", R"("verb":"get")",
        R"("group":"scheduling.volcano.sh")", R"("resource":"podgroups")"}) {
    EXPECT_NE(calls[1].body.find(part), std::string::npos) << part << " in " << calls[1].body;
  }
}

TEST_F(NamespaceReviewsTest, API40OneReviewIsEnoughForOneWhoMayGetAll) {
  allowed.set({""});
  EXPECT_EQ(seen({"ml", "bio", "web"}), Names{"all"});
  EXPECT_EQ(server.calls().size(), 1U);
}

TEST_F(NamespaceReviewsTest, API40AnAnswerCountsForAWhile) {
  allowed.set({"ml"});
  EXPECT_EQ(seen({"ml", "bio"}), Names{"ml"});
  allowed.set({"ml", "bio", "web"});
  EXPECT_EQ(seen({"ml", "bio", "web"}), (Names{"ml", "web"}));
  EXPECT_EQ(server.calls().size(), 4U);
  clock.advance(NamespaceReviews::kAgain);
  EXPECT_EQ(seen({"ml", "bio", "web"}), (Names{"bio", "ml", "web"}));
  EXPECT_EQ(server.calls().size(), 8U);
  const auto other = reviews.viewer_of({{"username", "bob"}});
  allowed.set({});
  EXPECT_EQ(seen({"ml"}, *other), Names{});
}

TEST_F(NamespaceReviewsTest, API40ANamespaceThatNobodyCouldAnswerForIsNotSeenAndIsAskedAgain) {
  allowed.set({"ml"});
  status.set(500);
  EXPECT_EQ(seen({"ml"}), Names{});
  status.set(0);
  EXPECT_EQ(seen({"ml"}), Names{"ml"});
}

TEST_F(NamespaceReviewsTest, API40SoManyAndNotMoreAreUnderReview) {
  const std::set<std::string> names = many("n", 40);
  allowed.set(Names(names.begin(), names.end()));
  EXPECT_EQ(seen({}), Names{});  // all namespaces
  under_way.set(0);
  is_slow.set(true);
  Awaited<std::vector<std::size_t>> answers;
  for (int i = 0; i < 3; ++i) {
    viewer->see(names, [&](const Seen& all) {
      answers.change([&](auto& each) { each.push_back(all->names.size()); });
    });
  }
  EXPECT_TRUE(under_way.wait([](std::size_t n) { return n >= NamespaceReviews::kAtOnceMost; }));
  EXPECT_EQ(under_way.get(), NamespaceReviews::kAtOnceMost);
  is_slow.set(false);
  EXPECT_TRUE(answers.wait([](const auto& each) { return each.size() == 3; }));
  EXPECT_EQ(answers.get(), (std::vector<std::size_t>{40, 40, 40}));
  EXPECT_EQ(server.calls().size(), 41U) << "those who ask together share the answers";
}

TEST_F(NamespaceReviewsTest, API40AnOldAnswerCountsUntilANewOneIsThere) {
  allowed.set({"ml"});
  EXPECT_EQ(seen({"ml"}), Names{"ml"});
  status.set(500);
  clock.advance(NamespaceReviews::kAgain);
  EXPECT_EQ(seen({"ml"}), Names{"ml"});
  clock.advance(NamespaceReviews::kCounts - NamespaceReviews::kAgain);
  EXPECT_EQ(seen({"ml"}), Names{}) << "nobody knows any more";
  status.set(0);
  EXPECT_EQ(seen({"ml"}), Names{"ml"});
  allowed.set({});
  clock.advance(NamespaceReviews::kAgain);
  EXPECT_EQ(seen({"ml"}), Names{}) << "a no counts at once";
}

TEST_F(NamespaceReviewsTest, API40WhatIsKnownOfAUserIsKnownWhenHisTokenIsReviewedAgain) {
  allowed.set({"ml"});
  EXPECT_EQ(seen({"ml"}), Names{"ml"});
  const std::size_t calls = server.calls().size();
  EXPECT_EQ(seen({"ml"}, *reviews.viewer_of(ada)), Names{"ml"});
  EXPECT_EQ(server.calls().size(), calls);
  Json in_another_group = ada;
  in_another_group["groups"] = {"web"};
  EXPECT_EQ(seen({"ml"}, *reviews.viewer_of(in_another_group)), Names{"ml"});
  EXPECT_EQ(server.calls().size(), calls + 2);
}

TEST_F(NamespaceReviewsTest, API40ManyNamespacesCostNoMoreThanTheirRate) {
  const std::set<std::string> names = many("n", 600);
  allowed.set(Names(names.begin(), names.end()));
  EXPECT_EQ(seen(names).size(), 500U);
  clock.advance(std::chrono::seconds(1));
  EXPECT_EQ(seen(names).size(), 550U);
}

TEST_F(NamespaceReviewsTest, API40AnAdministratorWaitsForNobodysManyNamespaces) {
  EXPECT_EQ(seen(many("n", 600)).size(), 0U);
  allowed.set({""});
  EXPECT_EQ(seen({"ml"}, *reviews.viewer_of({{"username", "admin"}})), Names{"all"});
}

TEST_F(NamespaceReviewsTest, API40NoNamespaceOfManyIsLeftOutOrForgotten) {
  const std::set<std::string> names = many("n", 600);
  allowed.set(Names(names.begin(), names.end()));
  std::size_t fewest = 0;
  for (int second = 0; second < 45; second += 9) {
    const std::size_t count = seen(names).size();
    EXPECT_GE(count, fewest) << "after " << second << " s";
    fewest = count;
    clock.advance(std::chrono::seconds(9));
  }
  EXPECT_EQ(fewest, names.size());
}

}  // namespace
}  // namespace berth::kubeapi::namespace_reviews_test
