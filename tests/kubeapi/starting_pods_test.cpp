#include "kubeapi/starting_pods.h"

#include <gtest/gtest.h>

#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi {
namespace {

using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

using Pods = std::optional<std::set<std::string>>;

// None: the reader has nothing.
Pods read_from(FakeServer::Handler handler, std::vector<Call>* calls = nullptr) {
  FakeServer server(std::move(handler));
  Access access;
  access.server = server.url();
  auto client = RestClient::create(access);
  EXPECT_TRUE(client);
  StartingPodsReader reader(**client, {"berth", "volcano"});
  Awaited<std::vector<Pods>> answers;
  reader.read(
      [&](Pods pods) { answers.change([&](auto& all) { all.push_back(std::move(pods)); }); });
  EXPECT_TRUE(answers.wait([](const auto& all) { return !all.empty(); }));
  (*client)->stop();
  if (calls != nullptr) *calls = server.calls();
  EXPECT_EQ(answers.get().size(), 1U) << "exactly once";
  return answers.get().empty() ? std::nullopt : answers.get().front();
}

TEST(StartingPods, LEASE9AreReadPageByPageAndNotFromTheServersMemory) {
  std::vector<Call> calls;
  const Pods pods = read_from(
      [](const Call& call, Reply& reply) {
        if (call.parameter("continue").empty()) {
          reply.send(200, R"({"metadata":{"continue":"a/b"},"items":[
              {"metadata":{"uid":"1"},"spec":{"schedulerName":"berth","nodeName":"n1"}},
              {"metadata":{"uid":"2"},"spec":{"schedulerName":"other","nodeName":"n1"}}]})");
        } else {
          reply.send(200, R"({"metadata":{},"items":[
              {"metadata":{"uid":"3"},"spec":{"schedulerName":"volcano","nodeName":"n2"}}]})");
        }
      },
      &calls);
  ASSERT_TRUE(pods);
  EXPECT_EQ(*pods, (std::set<std::string>{"1", "3"})) << "those of our schedulers";
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].path(), "/api/v1/pods");
  EXPECT_EQ(calls[0].parameter("fieldSelector"), "spec.nodeName%21%3D%2Cstatus.phase%3DPending");
  EXPECT_EQ(calls[0].target.find("resourceVersion"), std::string::npos);
  EXPECT_EQ(calls[1].parameter("continue"), "a%2Fb");
}

TEST(StartingPods, LEASE9NoneAreThereToo) {
  for (const char* list : {R"({"metadata":{},"items":[]})", R"({"metadata":{},"items":null})"}) {
    const Pods pods = read_from([&](const Call&, Reply& reply) { reply.send(200, list); });
    ASSERT_TRUE(pods) << list;
    EXPECT_TRUE(pods->empty());
  }
}

TEST(StartingPods, WhatIsNoListIsNoAnswer) {
  for (const char* text : {"[]", "{", R"({"metadata":{}})", R"({"metadata":{},"items":{}})",
                           R"({"metadata":{},"items":[7]})"}) {
    EXPECT_FALSE(read_from([&](const Call&, Reply& reply) { reply.send(200, text); })) << text;
  }
  EXPECT_FALSE(read_from([](const Call&, Reply& reply) { reply.send(410, "{}"); }));
  EXPECT_FALSE(read_from([](const Call&, Reply& reply) { reply.abort(); }));
}

}  // namespace
}  // namespace berth::kubeapi
