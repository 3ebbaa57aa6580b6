#include "kubeapi/pending_pods.h"

#include <gtest/gtest.h>

#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi {
namespace {

using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

using Pods = std::optional<std::vector<ports::PendingPod>>;

// None: the reader has nothing.
Pods read_from(FakeServer::Handler handler, std::vector<Call>* calls = nullptr) {
  FakeServer server(std::move(handler));
  Access access;
  access.server = server.url();
  auto client = RestClient::create(access);
  EXPECT_TRUE(client);
  PendingPodsReader reader(**client);
  Awaited<std::vector<Pods>> answers;
  reader.read(
      [&](Pods pods) { answers.change([&](auto& all) { all.push_back(std::move(pods)); }); });
  EXPECT_TRUE(answers.wait([](const auto& all) { return !all.empty(); }));
  (*client)->stop();
  if (calls != nullptr) *calls = server.calls();
  EXPECT_EQ(answers.get().size(), 1U) << "exactly once";
  return answers.get().empty() ? std::nullopt : answers.get().front();
}

TEST(PendingPods, LEASE9AreReadPageByPageAndNotFromTheServersMemory) {
  std::vector<Call> calls;
  const Pods pods = read_from(
      [](const Call& call, Reply& reply) {
        if (call.parameter("continue").empty()) {
          reply.send(200, R"({"metadata":{"continue":"a/b"},"items":[
              {"metadata":{"uid":"1"},"spec":{"schedulerName":"berth"}},
              {"metadata":{"uid":"2"},"spec":{"schedulerName":"berth","nodeName":"n1"}}]})");
        } else {
          reply.send(200, R"({"metadata":{},"items":[
              {"metadata":{"uid":"3"},"spec":{"schedulerName":"other","nodeName":"n2"}}]})");
        }
      },
      &calls);
  ASSERT_TRUE(pods);
  ASSERT_EQ(pods->size(), 3U);
  EXPECT_EQ((*pods)[0].uid, "1");
  EXPECT_EQ((*pods)[0].node, "");
  EXPECT_EQ((*pods)[1].node, "n1");
  EXPECT_EQ((*pods)[2].scheduler, "other");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].path(), "/api/v1/pods");
  EXPECT_EQ(calls[0].parameter("fieldSelector"), "status.phase%3DPending");
  EXPECT_EQ(calls[0].target.find("resourceVersion"), std::string::npos);
  EXPECT_EQ(calls[1].parameter("continue"), "a%2Fb");
}

TEST(PendingPods, LEASE9NoneAreThereToo) {
  for (const char* list : {R"({"metadata":{},"items":[]})", R"({"metadata":{},"items":null})"}) {
    const Pods pods = read_from([&](const Call&, Reply& reply) { reply.send(200, list); });
    ASSERT_TRUE(pods) << list;
    EXPECT_TRUE(pods->empty());
  }
}

TEST(PendingPods, WhatIsNoListIsNoAnswer) {
  for (const char* text : {"[]", "{", R"({"metadata":{}})", R"({"metadata":{},"items":{}})",
                           R"({"metadata":{},"items":[7]})"}) {
    EXPECT_FALSE(read_from([&](const Call&, Reply& reply) { reply.send(200, text); })) << text;
  }
  EXPECT_FALSE(read_from([](const Call&, Reply& reply) { reply.send(410, "{}"); }));
  EXPECT_FALSE(read_from([](const Call&, Reply& reply) { reply.abort(); }));
}

}  // namespace
}  // namespace berth::kubeapi
