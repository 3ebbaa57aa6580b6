#include "apiview/pod_interceptor.h"

#include <gtest/gtest.h>

#include <string>

#include "apiview/fixture.h"
#include "podview/captured.h"

namespace berth::apiview {
namespace {

TEST_F(PodInterceptorTest, VIEW1OnlyReadsOfAllPodsAreTaken) {
  Client client;
  for (const char* target : {"/api/v1/nodes", "/api/v1/namespaces/ml/pods", "/api/v1/pods/x",
                             "/api/v1/podtemplates", "/api"}) {
    proxy::Request request{"GET", target, {{"accept", "application/vnd.kubernetes.protobuf"}}};
    EXPECT_EQ(interceptor_.intercept(request, client), nullptr) << target;
    EXPECT_EQ(request.headers.size(), 1u) << target;
  }
  proxy::Request post{"POST", "/api/v1/pods", {}};
  EXPECT_EQ(interceptor_.intercept(post, client), nullptr);
}

TEST_F(PodInterceptorTest, VIEW16TheDeprecatedFormOfAWatchIsRefused) {
  for (const char* target : {"/api/v1/watch/pods", "/api/v1/watch/pods?resourceVersion=9"}) {
    Client client;
    proxy::Request request{"GET", target, {}};
    EXPECT_NE(interceptor_.intercept(request, client), nullptr);
    EXPECT_EQ(client.status, 400) << target;
    EXPECT_TRUE(client.has_ended);
  }
}

// As Go reads them: the first value of a name counts, and what is malformed is left out.
TEST_F(PodInterceptorTest, VIEW1TheQueryIsReadAsTheServerReadsIt) {
  EXPECT_TRUE(get("watch=1&watch=0&resourceVersion=77").client->has_ended) << "a watch";
  EXPECT_TRUE(get("watch=false;&watch=1&resourceVersion=77").client->has_ended);
  EXPECT_TRUE(get("%77atch=%31&resourceVersio%6e=77").client->has_ended);
  EXPECT_FALSE(get("watch=0&watch=1&resourceVersion=77").client->has_ended) << "a list";
  EXPECT_FALSE(get("wa%tch=1&Watch=1&resourceVersion=77").client->has_ended);
  list("9", {{.name = "waits", .version = "5"}}).close();
  EXPECT_FALSE(get("watch=1&resourceVersion=9&resourceVersion=77").client->has_ended);
}

TEST_F(PodInterceptorTest, VIEW1UpstreamIsAskedForAFormatThatTheViewReads) {
  const auto accepted = [](const Open& open) {
    std::string text;
    for (const auto& [name, value] : open.sent.headers) text += name + "=" + value + ";";
    return text;
  };
  EXPECT_EQ(accepted(get("", "application/vnd.kubernetes.protobuf, */*")),
            "user-agent=scheduler;accept=application/vnd.kubernetes.protobuf;");
}

TEST_F(PodInterceptorTest, VIEW18AClientThatDoesNotTakeProtobufIsRefused) {
  for (const char* query : {"", "watch=true", "watch=true&resourceVersion=9"}) {
    for (const char* accept : {"", "*/*", "application/json;as=Table,application/json"}) {
      const Open open = get(query, accept);
      EXPECT_EQ(open.client->status, 406) << accept;
      EXPECT_TRUE(open.client->has_ended) << "upstream is not asked";
    }
  }
}

// Taken for a list, a watch would be collected until it ends.
TEST_F(PodInterceptorTest, VIEW1AWatchIsWhatTheServerTakesForOne) {
  for (const char* query : {"watch", "watch=True", "watch=yes", "w%61tch=1"}) {
    Open watch = get(query + std::string("&sendInitialEvents=T"));
    watch.answer(event("ADDED", {.name = "bound", .version = "3", .node = "n1"}));
    EXPECT_EQ(watch.events().size(), 1u) << query;
  }
  Open listing = get("watch=False&labelSelector=watch=1");
  listing.answer(event("ADDED", {.name = "bound", .version = "3", .node = "n1"}));
  EXPECT_EQ(listing.client->text, "");
}

TEST_F(PodInterceptorTest, VIEW2AWatchAfterAListShowsAPodWhenItIsPlanned) {
  Open listing = list(
      "9", {{.name = "bound", .version = "3", .node = "n1"}, {.name = "waits", .version = "5"}});
  EXPECT_EQ(podview::testing::items_of(listing.client->text).size(), 2u)
      << "the bound pod, and the version";
  EXPECT_TRUE(listing.client->has_ended);
  listing.close();

  Open watch = get("watch=true&resourceVersion=9");
  EXPECT_EQ(watch.sent.target, "/api/v1/pods?watch=true&resourceVersion=9");
  watch.answer("");
  EXPECT_EQ(watch.events(), Texts{});
  show({on("waits", "n2")});
  const Texts seen = watch.events();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_TRUE(seen[0].starts_with("ADDED waits 9 (metadata.name In n2)")) << seen[0];
  show({});
  EXPECT_EQ(watch.events().size(), 1u) << "withdrawn";
}

TEST_F(PodInterceptorTest, VIEW7AWatchGoesOnWhereTheLastOneEnded) {
  list("9", {{.name = "waits", .version = "5"}}).close();
  Open first = get("watch=true&resourceVersion=9");
  first.answer(event("ADDED", {.name = "hidden", .version = "12"}));
  show({on("waits", "n2")});
  EXPECT_EQ(first.events().size(), 1u);
  first.exchange->on_end();
  EXPECT_TRUE(first.client->has_ended);
  first.close();

  show({});
  Open second = get("resourceVersion=12&watch=true");
  EXPECT_EQ(second.sent.target, "/api/v1/pods?resourceVersion=12&watch=true");
  second.answer("");
  EXPECT_EQ(second.events().size(), 1u) << "the difference: the pod is withdrawn";
}

TEST_F(PodInterceptorTest, VIEW7AWatchOfAnUnknownStateExpires) {
  Open watch = get("watch=true&resourceVersion=77");
  EXPECT_EQ(watch.client->status, 200);
  EXPECT_TRUE(watch.client->has_ended);
  EXPECT_NE(watch.client->text.find("Expired"), std::string::npos);
}

TEST_F(PodInterceptorTest, VIEW7AfterAnUndeliveredStreamTheClientListsAgain) {
  list("9", {{.name = "waits", .version = "5"}}).close();
  Open first = get("watch=true&resourceVersion=9");
  first.answer("");
  first.exchange->on_end();
  first.close(false);
  EXPECT_TRUE(get("watch=true&resourceVersion=9").client->has_ended);
}

TEST_F(PodInterceptorTest, VIEW7AStreamThatUpstreamBreaksEndsCleanly) {
  list("9", {{.name = "waits", .version = "5"}}).close();
  Open first = get("watch=true&resourceVersion=9");
  first.answer(std::string("\0\0\1\0k8s", 7));
  first.exchange->on_failure("reset");
  EXPECT_TRUE(first.client->has_ended);
  EXPECT_FALSE(first.client->is_broken);
  first.close();
  EXPECT_FALSE(get("watch=true&resourceVersion=9").client->has_ended);
}

TEST_F(PodInterceptorTest, VIEW9ARefusalIsAVetoAndIsNotWritten) {
  list("9", {{.name = "waits", .version = "5", .uid = "u-1"}}).close();
  Open watch = get("watch=true&resourceVersion=9");
  watch.answer("");
  show({{"u-1", "default", "waits", "n2", false, 1}});
  const auto answer = patch("waits", "Unschedulable", "0/3 nodes are available: no volume");
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 200);
  EXPECT_EQ(ended_, Texts{"u-1"});
  ASSERT_EQ(events_.posted.size(), 1u);
  const auto& dropped = std::get<PlacementDropped>(events_.posted[0]);
  EXPECT_EQ(dropped.pod_uid, "u-1");
  EXPECT_EQ(dropped.node, "n2");
  EXPECT_TRUE(dropped.is_vetoed);
  EXPECT_NE(dropped.reason.find("no volume"), std::string::npos);
}

TEST_F(PodInterceptorTest, VIEW9WhatTheExtenderRefusedIsNoVeto) {
  list("9", {{.name = "waits", .version = "5"}}).close();
  Open watch = get("watch=true&resourceVersion=9");
  watch.answer("");
  show({on("waits", "n2")});
  EXPECT_TRUE(patch("waits", "Unschedulable", "1 berth has not planned this pod yet"));
  EXPECT_TRUE(patch("waits", "SchedulerError", "its gang was not complete within 25s"));
  show({});
  EXPECT_TRUE(patch("waits", "Unschedulable", "no node")) << "the end of a withdrawn attempt";
  EXPECT_TRUE(events_.posted.empty());
}

// The hint's node refused it, and the extender refused the others.
TEST_F(PodInterceptorTest, VIEW9ARefusedHintIsAVetoAlthoughWeRefusedOtherNodes) {
  list("9", {{.name = "waits", .version = "5", .uid = "u-1"}}).close();
  Open watch = get("watch=true&resourceVersion=9");
  watch.answer("");
  show({{"u-1", "default", "waits", "n2", true, 1}});
  EXPECT_TRUE(patch("waits", "Unschedulable", "0/2: 1 berth has not planned this pod yet"));
  EXPECT_TRUE(events_.posted.empty());
  EXPECT_TRUE(patch("waits", "Unschedulable",
                    "0/2 nodes are available: 1 berth has locked this node for a target job, 1 "
                    "node(s) didn't match pod affinity rules"));
  EXPECT_EQ(events_.posted.size(), 1U);
}

TEST_F(PodInterceptorTest, VIEW9AReportBetweenTwoStreamsCountsToo) {
  list("9", {{.name = "waits", .version = "5"}}).close();
  Open first = get("watch=true&resourceVersion=9");
  first.answer("");
  show({on("waits", "n2")});
  first.exchange->on_end();
  first.close();
  EXPECT_TRUE(patch("waits", "Unschedulable", "after a clean end"));
  EXPECT_TRUE(get("watch=true&resourceVersion=8").client->has_ended) << "the client must list";
  EXPECT_TRUE(patch("waits", "Unschedulable", "before the list"));

  Open listing = get("limit=500");
  EXPECT_TRUE(patch("waits", "Unschedulable", "while the list is asked for"));
  listing.answer(podview::testing::list("10", {{.name = "waits", .version = "5"}}));
  EXPECT_TRUE(patch("waits", "Unschedulable", "before the list is whole"));
  listing.exchange->on_end();
  EXPECT_TRUE(patch("waits", "Unschedulable", "while the list is read"));
  listing.close();

  Open streaming = get("watch=true&sendInitialEvents=true");
  streaming.answer(event("ADDED", {.name = "waits", .version = "5"}));
  EXPECT_TRUE(patch("waits", "Unschedulable", "during a streaming list"));
  EXPECT_EQ(ended_, Texts(6, "waits"));
  EXPECT_EQ(events_.posted.size(), 6u) << "kube-scheduler knows the pod all the time";
}

// VIEW-20
class NewEventsTest : public PodInterceptorTest {
 protected:
  static proxy::Request request(const std::string& path, const char* type = kProtobuf) {
    return {"POST", path, {{"content-type", type}}};
  }
  static constexpr const char* kPath = "/apis/events.k8s.io/v1/namespaces/ml/events";
  const std::string body_ = podview::testing::captured_event();
};

TEST_F(NewEventsTest, VIEW20ThatOfAQuietPodIsNotWritten) {
  calls_.quiet = podview::testing::kBoundUid;
  ASSERT_TRUE(interceptor_.reads_body(request(kPath)));
  const auto answer = interceptor_.answer(request(kPath), body_);
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->status, 201);
  EXPECT_EQ(answer->body, body_) << "kube-scheduler goes on with the event that it gets";
  EXPECT_EQ(proxy::value_of(answer->headers, "content-type"), kProtobuf);
}

TEST_F(NewEventsTest, VIEW20OthersPass) {
  EXPECT_FALSE(interceptor_.answer(request(kPath), body_)) << "of a pod with an event";
  calls_.quiet = podview::testing::kBoundUid;
  EXPECT_FALSE(interceptor_.answer(request(kPath), "no event"));
  EXPECT_FALSE(interceptor_.reads_body(request(kPath, "application/json")));
  EXPECT_FALSE(interceptor_.reads_body(request("/api/v1/namespaces/ml/events")));
  EXPECT_FALSE(interceptor_.reads_body(request(std::string(kPath) + "/e")));
  EXPECT_FALSE(interceptor_.reads_body(request("/apis/events.k8s.io/v1/namespaces/ml/others")));
}

TEST_F(PodInterceptorTest, VIEW9ReportsAboutPodsOfOthersPass) {
  list("9", {{.name = "other", .version = "5", .scheduler = "other"}}).close();
  Open watch = get("watch=true&resourceVersion=9");
  watch.answer("");
  EXPECT_FALSE(patch("other", "Unschedulable", "no node"));
  EXPECT_FALSE(patch("unknown", "Unschedulable", "no node"));
}

TEST_F(PodInterceptorTest, VIEW5OnlyDeferredPodsWantAnotherLook) {
  list("9", {{.name = "waits", .version = "5"}, {.name = "stays", .version = "5"}}).close();
  Open first = get("watch=true&resourceVersion=9");
  first.answer("");
  show({on("stays", "n3"), on("waits", "n1")});
  EXPECT_FALSE(interceptor_.has_deferred());
  calls_.stages["waits"] = ports::Attempts::Stage::open;
  show({on("stays", "n3")});
  show({on("stays", "n3"), on("waits", "n2")});
  EXPECT_TRUE(interceptor_.has_deferred());
  first.exchange->on_end();
  first.close();
  interceptor_.follow();
  EXPECT_FALSE(interceptor_.has_deferred());

  Open second = get("watch=true&resourceVersion=9");
  EXPECT_FALSE(interceptor_.has_deferred()) << "nothing is written before upstream answers";
  second.answer("");
  EXPECT_TRUE(interceptor_.has_deferred());
  calls_.stages.clear();
  interceptor_.follow();
  EXPECT_FALSE(interceptor_.has_deferred());
  calls_.stages["new"] = ports::Attempts::Stage::open;
  show({on("stays", "n3"), on("waits", "n2"), on("new", "n1")});
  second.answer(event("ADDED", {.name = "new", .version = "12"}));
  EXPECT_TRUE(interceptor_.has_deferred()) << "by an event";
}

TEST_F(PodInterceptorTest, UpstreamsRefusalsPassAsTheyAre) {
  Open listing = get("limit=500");
  listing.exchange->on_head(403, {{"content-type", "application/json"}});
  listing.exchange->on_body("forbidden");
  listing.exchange->on_end();
  EXPECT_EQ(listing.client->status, 403);
  EXPECT_EQ(listing.client->text, "forbidden");
  Open watch = get("watch=true&sendInitialEvents=true");
  watch.exchange->on_failure("nobody is there");
  EXPECT_EQ(watch.client->status, 429) << "the client watches again, and does not list";
  EXPECT_NE(watch.client->text.find("nobody is there"), std::string::npos);
}

TEST_F(PodInterceptorTest, AnUnreadableAnswerBreaksTheStreamAndIsReported) {
  Open watch = get("watch=true&sendInitialEvents=true");
  watch.answer(std::string("\0\0\0\2\x0a\x09", 6));
  EXPECT_TRUE(watch.client->is_broken);
  EXPECT_EQ(complaints_.size(), 1u);
}

}  // namespace
}  // namespace berth::apiview
