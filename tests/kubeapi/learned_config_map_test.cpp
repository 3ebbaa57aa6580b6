#include "kubeapi/learned_config_map.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi::learned_config_map_test {
namespace {

using ports::LearnedStore;
using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

struct Answer {
  LearnedStore::Texts texts;
  LearnedStore::Fault fault;
};

// The texts that the store reads, or its answer to a write of `texts`.
Answer ask(FakeServer::Handler handler, const LearnedStore::Texts* texts,
           std::vector<Call>* calls) {
  FakeServer server(std::move(handler));
  Access access;
  access.server = server.url();
  auto client = RestClient::create(access);
  EXPECT_TRUE(client);
  LearnedConfigMap store(**client, "berth-system");
  Awaited<std::vector<Answer>> answers;
  const auto take = [&](Answer answer) {
    answers.change([&](auto& all) { all.push_back(std::move(answer)); });
  };
  if (texts == nullptr) {
    store.read([&](LearnedStore::Texts read, const LearnedStore::Fault& fault) {
      take({std::move(read), fault});
    });
  } else {
    store.write(*texts, 7, [&](const LearnedStore::Fault& fault) { take({{}, fault}); });
  }
  EXPECT_TRUE(answers.wait([](const auto& all) { return !all.empty(); }));
  (*client)->stop();
  if (calls != nullptr) *calls = server.calls();
  EXPECT_EQ(answers.get().size(), 1U) << "exactly once";
  return answers.get().empty() ? Answer() : answers.get().front();
}

FakeServer::Handler always(int status, const std::string& body) {
  return [=](const Call&, Reply& reply) { reply.send(status, body); };
}

// LEARN-7
TEST(LearnedConfigMap, has_a_text_for_each_key) {
  std::vector<Call> calls;
  const Answer answer = ask(
      always(200, R"({"kind":"ConfigMap","data":{"fair-share":"{}\n","odd":3}})"), nullptr, &calls);
  EXPECT_EQ(answer.texts, (LearnedStore::Texts{{"fair-share", "{}\n"}}));
  EXPECT_EQ(answer.fault.why, "");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].method, "GET");
  EXPECT_EQ(calls[0].path(), "/api/v1/namespaces/berth-system/configmaps/berth-learned");
}

TEST(LearnedConfigMap, may_be_missing_or_empty) {
  for (const auto& [status, body] :
       {std::pair(404, R"({"message":"not found"})"), std::pair(200, R"({"kind":"ConfigMap"})"),
        std::pair(200, R"({"data":null})"), std::pair(200, R"({"data":[1]})")}) {
    const Answer answer = ask(always(status, body), nullptr, nullptr);
    EXPECT_TRUE(answer.texts.empty()) << body;
    EXPECT_EQ(answer.fault.why, "") << body;
  }
}

TEST(LearnedConfigMap, says_what_is_wrong_and_whether_it_may_pass) {
  const Answer forbidden = ask(always(403, R"({"message":"no right"})"), nullptr, nullptr);
  EXPECT_EQ(forbidden.fault.why, "ConfigMap berth-system/berth-learned: status 403: no right");
  EXPECT_FALSE(forbidden.fault.may_pass);
  EXPECT_TRUE(ask(always(503, "{}"), nullptr, nullptr).fault.may_pass);
  EXPECT_TRUE(ask(always(200, "<html>"), nullptr, nullptr).fault.may_pass);
}

TEST(LearnedConfigMap, is_patched_so_that_other_keys_stay) {
  const LearnedStore::Texts texts{{"fair-share", "a\"b\n"}};
  std::vector<Call> calls;
  EXPECT_EQ(ask(always(200, "{}"), &texts, &calls).fault.why, "");
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].method, "PATCH");
  EXPECT_EQ(calls[0].path(), "/api/v1/namespaces/berth-system/configmaps/berth-learned");
  EXPECT_EQ(nlohmann::json::parse(calls[0].body),
            nlohmann::json({{"data", {{"fair-share", "a\"b\n"}}}}));
}

TEST(LearnedConfigMap, is_created_by_the_first_write) {
  const LearnedStore::Texts texts{{"fair-share", "x"}};
  std::vector<Call> calls;
  const Answer answer = ask(
      [](const Call& call, Reply& reply) { reply.send(call.method == "PATCH" ? 404 : 201, "{}"); },
      &texts, &calls);
  EXPECT_EQ(answer.fault.why, "");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[1].method, "POST");
  EXPECT_EQ(calls[1].path(), "/api/v1/namespaces/berth-system/configmaps");
  const auto body = nlohmann::json::parse(calls[1].body);
  EXPECT_EQ(body["kind"], "ConfigMap");
  EXPECT_EQ(body["metadata"]["name"], "berth-learned");
  EXPECT_EQ(body["data"]["fair-share"], "x");
  EXPECT_EQ(ask(always(404, "{}"), &texts, nullptr).fault.may_pass, false);
}

}  // namespace
}  // namespace berth::kubeapi::learned_config_map_test
