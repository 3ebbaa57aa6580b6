#include "kubeapi/api_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "berth/base/text.h"
#include "kubeapi/bodies.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"

// Faults that a real server cannot show. The tests against a real server are in tests/e2e.

namespace berth::kubeapi {
namespace {

using Json = nlohmann::json;
using Outcome = ports::WriteOutcome;
using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

class ApiWriterTest : public ::testing::Test {
 protected:
  void serve(FakeServer::Handler handler) {
    server_ = std::make_unique<FakeServer>(std::move(handler));
    Access access;
    access.server = server_->url();
    auto client = RestClient::create(access, {.qps = 0});
    ASSERT_TRUE(client) << client.error().to_string();
    client_ = std::move(client).value();
    writer_ =
        std::make_unique<ApiWriter>(*client_, clock_, "here", [this](const std::string& text) {
          complaints_.change([&](auto& all) { all.push_back(text); });
        });
  }
  void TearDown() override {
    if (client_ != nullptr) client_->stop();
  }
  ports::BindOutcome bind() {
    Awaited<std::vector<ports::BindOutcome>> outcomes;
    writer_->bind({"ns", "p", "uid-p", "n1"}, [&](ports::BindOutcome outcome) {
      outcomes.change([&](auto& all) { all.push_back(std::move(outcome)); });
    });
    EXPECT_TRUE(outcomes.wait([](const auto& all) { return !all.empty(); }));
    client_->stop();
    EXPECT_EQ(outcomes.get().size(), 1u) << "exactly once";
    return outcomes.get().empty() ? ports::BindOutcome{} : outcomes.get().front();
  }
  Outcome write(const ports::PodWrite& what) {
    Awaited<std::vector<Outcome>> outcomes;
    writer_->write(what, [&](Outcome outcome) {
      outcomes.change([&](auto& all) { all.push_back(std::move(outcome)); });
    });
    EXPECT_TRUE(outcomes.wait([](const auto& all) { return !all.empty(); }));
    client_->stop();
    return outcomes.get().empty() ? Outcome{} : outcomes.get().front();
  }

  SystemClock clock_;
  // Used by handlers, so they outlive the server.
  std::atomic<int> count_ = 0;
  Awaited<bool> may_answer_;
  Awaited<std::vector<std::string>> complaints_;
  std::unique_ptr<FakeServer> server_;
  std::unique_ptr<RestClient> client_;
  std::unique_ptr<ApiWriter> writer_;
};

std::string pod_on(const std::string& uid, const std::string& node) {
  Json pod{{"metadata", {{"uid", uid}}}, {"spec", Json::object()}};
  if (!node.empty()) pod["spec"]["nodeName"] = node;
  return pod.dump();
}

TEST_F(ApiWriterTest, ABindCarriesTheUidAndTheNode) {
  serve([](const Call&, Reply& reply) { reply.send(201, "{}"); });
  EXPECT_TRUE(bind().bound);
  const Call call = server_->calls().at(0);
  EXPECT_EQ(call.target, "/api/v1/namespaces/ns/pods/p/binding");
  const Json body = Json::parse(call.body);
  EXPECT_EQ(body["metadata"]["uid"], "uid-p");
  EXPECT_EQ(body["target"]["name"], "n1");
}

TEST_F(ApiWriterTest, ABindWhoseAnswerWasLostIsLookedUp) {
  serve([](const Call& call, Reply& reply) {
    if (call.method == "POST") return reply.abort();
    reply.send(200, pod_on("uid-p", "n1"));
  });
  EXPECT_TRUE(bind().bound);
}

TEST_F(ApiWriterTest, ABindThatTheServerHadNoTimeForIsPostedAgain) {
  serve([&](const Call& call, Reply& reply) {
    if (call.method == "GET") {
      reply.send(200, pod_on("uid-p", ""));
    } else {
      reply.send(++count_ < 3 ? 503 : 201, "{}");
    }
  });
  EXPECT_TRUE(bind().bound);
  EXPECT_EQ(count_, 3);
}

TEST_F(ApiWriterTest, ABindIsGivenUpAfterSomeAttempts) {
  serve([](const Call& call, Reply& reply) {
    reply.send(call.method == "GET" ? 200 : 503, pod_on("uid-p", ""));
  });
  EXPECT_FALSE(bind().bound);
}

TEST_F(ApiWriterTest, AConflictIsABindOnlyOnTheSameNode) {
  serve([](const Call& call, Reply& reply) {
    reply.send(call.method == "GET" ? 200 : 409, pod_on("uid-p", "n2"));
  });
  const auto outcome = bind();
  EXPECT_FALSE(outcome.bound);
  EXPECT_NE(outcome.error.find("409"), std::string::npos) << outcome.error;
}

TEST_F(ApiWriterTest, AnotherPodOfTheSameNameIsNotOurs) {
  serve([](const Call& call, Reply& reply) {
    reply.send(call.method == "GET" ? 200 : 409, pod_on("uid-other", "n1"));
  });
  EXPECT_FALSE(bind().bound);
}

TEST_F(ApiWriterTest, ACommitTakesTheGateOffAndPutsThePlanOn) {
  serve([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  ports::PodWrite commit{.kind = ports::PodWrite::Kind::commit, .name_space = "ns", .name = "p"};
  commit.uid = "uid-p";
  commit.node = "n1";
  commit.only_nodes = {"n1", "n2"};
  commit.epoch = 3;
  commit.sequence = 17;
  EXPECT_EQ(write(commit).result, Outcome::Result::done);
  const Call call = server_->calls().at(0);
  EXPECT_EQ(call.method, "PATCH");
  EXPECT_EQ(call.target, "/api/v1/namespaces/ns/pods/p");
  EXPECT_EQ(call.headers.at("content-type"), "application/strategic-merge-patch+json");
  const Json patch = Json::parse(call.body);
  EXPECT_EQ(patch["metadata"]["uid"], "uid-p");
  EXPECT_EQ(patch["metadata"]["annotations"]["berth.dev/plan"],
            R"({"node":"n1","epoch":3,"plan":17})");
  EXPECT_EQ(patch["spec"]["schedulingGates"][0]["$patch"], "delete");
  EXPECT_EQ(patch
                .at("/spec/affinity/nodeAffinity/requiredDuringSchedulingIgnoredDuringExecution/"
                    "nodeSelectorTerms"_json_pointer)
                .size(),
            2u);
}

TEST_F(ApiWriterTest, ATolerationIsAddedToThoseThatAreThere) {
  serve([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  ports::PodWrite tolerate{.kind = ports::PodWrite::Kind::tolerate};
  tolerate.name_space = "ns";
  tolerate.name = "p";
  tolerate.uid = "uid-p";
  tolerate.locked_for = "job.g";
  EXPECT_EQ(write(tolerate).result, Outcome::Result::done);
  const Call call = server_->calls().at(0);
  EXPECT_EQ(call.headers.at("content-type"), "application/json-patch+json");
  const Json toleration{{"key", "berth.dev/locked-for"},
                        {"operator", "Equal"},
                        {"value", "job.g"},
                        {"effect", "NoSchedule"}};
  const Json is_that_pod{{"op", "test"}, {"path", "/metadata/uid"}, {"value", "uid-p"}};
  EXPECT_EQ(
      Json::parse(call.body),
      (Json{is_that_pod, {{"op", "add"}, {"path", "/spec/tolerations/-"}, {"value", toleration}}}));
  tolerate.is_first_toleration = true;
  EXPECT_EQ(
      Json::parse(toleration_patch(tolerate)),
      (Json{is_that_pod,
            {{"op", "test"}, {"path", "/spec/tolerations"}, {"value", nullptr}},
            {{"op", "add"}, {"path", "/spec/tolerations"}, {"value", Json::array({toleration})}}}));
}

TEST_F(ApiWriterTest, API23ALockIsMadeOfTheNodeAsItIs) {
  serve([this](const Call& call, Reply& reply) {
    if (call.method == "PATCH") return void(reply.send(count_ == 1 ? 409 : 200, "{}"));
    reply.send(200, R"({"metadata":{"uid":"u","resourceVersion":")" + std::to_string(++count_) +
                        R"("},"spec":{"taints":[{"key":"gpu","effect":"NoSchedule"}]}})");
  });
  writer_->write(ports::NodeLock{"n1", "u", "job.g", TimePoint(), true});
  ASSERT_TRUE(server_->wait_for_calls(4));
  client_->stop();
  const Call call = server_->calls().at(3);
  EXPECT_EQ(call.target, "/api/v1/nodes/n1");
  EXPECT_EQ(call.headers.at("content-type"), kMergePatch);
  const Json patch = Json::parse(call.body);
  EXPECT_EQ(patch["metadata"]["resourceVersion"], "2");
  EXPECT_EQ(patch["spec"]["taints"].size(), 2U);
}

TEST_F(ApiWriterTest, API23MarksAreWrittenOnThePodOrTheGroupOfEitherApi) {
  serve([](const Call&, Reply& reply) {
    reply.send(200, R"({"metadata":{"uid":"u","resourceVersion":"1"}})");
  });
  ports::JobMarks marks{ports::Event::About::pod, "ns", "p", "u", true, {}};
  marks.marks.elected_at = TimePoint();
  writer_->write(marks);
  ASSERT_TRUE(server_->wait_for_calls(2));
  marks.about = ports::Event::About::pod_group;
  writer_->write(marks);
  ASSERT_TRUE(server_->wait_for_calls(4));
  marks.is_volcano = false;
  writer_->write(marks);
  ASSERT_TRUE(server_->wait_for_calls(6));
  client_->stop();
  const auto calls = server_->calls();
  EXPECT_EQ(calls[1].target, "/api/v1/namespaces/ns/pods/p");
  EXPECT_EQ(calls[3].target, "/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups/p");
  EXPECT_EQ(calls[5].target, "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ns/podgroups/p");
  EXPECT_EQ(calls[5].method, "PATCH");
}

TEST_F(ApiWriterTest, ANominationIsClearedWithNull) {
  serve([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  ports::PodWrite clear{.name_space = "ns", .name = "p", .uid = "uid-p"};
  write(clear);
  const Call call = server_->calls().at(0);
  EXPECT_EQ(call.target, "/api/v1/namespaces/ns/pods/p/status");
  EXPECT_TRUE(Json::parse(call.body)["status"]["nominatedNodeName"].is_null());
}

TEST_F(ApiWriterTest, AWriteOnAnotherPodOfTheSameNameIsGoneAndNotFailed) {
  serve([](const Call&, Reply& reply) {
    reply.send(
        409, R"({"message":"Precondition failed: UID in precondition: a, UID in object meta: b"})");
  });
  EXPECT_EQ(write({.name_space = "ns", .name = "p", .uid = "a"}).result, Outcome::Result::gone);
}

TEST_F(ApiWriterTest, AnyOtherRefusalIsForTheNextRound) {
  serve([](const Call&, Reply& reply) { reply.send(403, R"({"message":"forbidden"})"); });
  const Outcome outcome = write({.name_space = "ns", .name = "p", .uid = "a"});
  EXPECT_EQ(outcome.result, Outcome::Result::failed);
  EXPECT_EQ(outcome.error, "nominate ns/p: status 403: forbidden");
}

ports::GroupStatus status_of(std::int32_t running) {
  ports::GroupStatus status;
  status.name_space = "ns";
  status.name = "g";
  status.uid = "uid-g";
  status.running = running;
  return status;
}

// The status of scheduling.x-k8s.io, as its controller would write it.
Json foreign_status(const ports::GroupStatus& status) {
  return Json::parse(group_status_patch(status))["status"];
}

TEST_F(ApiWriterTest, AGroupOfTheOtherApiIsWrittenInItsWords) {
  serve([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  ports::GroupStatus status;
  status.name_space = "ns";
  status.name = "g";
  status.is_volcano = false;
  writer_->write(status);
  writer_->record({"ns", "g", "uid-g", 1, false}, [](const Outcome&) {});
  ASSERT_TRUE(server_->wait_for_calls(2));
  const std::string path = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ns/podgroups/g";
  std::set<std::string> targets;
  for (const Call& call : server_->calls()) targets.insert(call.target);
  EXPECT_EQ(targets, (std::set<std::string>{path, path + "/status"}));
}

TEST(ForeignStatus, HasItsOwnPhasesAndCountersAndNoConditions) {
  ports::GroupStatus status;
  status.is_volcano = false;
  status.min_member = 2;
  EXPECT_EQ(
      foreign_status(status),
      Json::parse(R"({"phase":"Pending","scheduled":0,"running":0,"succeeded":0,"failed":0})"));
  status.phase = GroupPhase::inqueue;
  status.started = *parse_time("2026-11-21T09:00:00.5Z");
  EXPECT_EQ(foreign_status(status)["phase"], "PreScheduling");
  EXPECT_EQ(foreign_status(status)["scheduleStartTime"], "2026-11-21T09:00:00Z");
  status.scheduled = 1;
  EXPECT_EQ(foreign_status(status)["phase"], "Scheduling");
  status.is_scheduled = true;
  EXPECT_EQ(foreign_status(status)["phase"], "Scheduled");
  status.phase = GroupPhase::running;
  EXPECT_EQ(foreign_status(status)["phase"], "Running");
  status.phase = GroupPhase::unknown;
  EXPECT_EQ(foreign_status(status)["phase"], "Unknown");
  status.phase = GroupPhase::completed;
  EXPECT_EQ(foreign_status(status)["phase"], "Failed");
  status.succeeded = 2;
  EXPECT_EQ(foreign_status(status)["phase"], "Finished");
}

TEST(ForeignStatus, IsToldOfByEventsOnItsOwnKind) {
  ports::Event event;
  event.is_volcano = false;
  const Json body = Json::parse(event_body(event, TimePoint(), "here"));
  EXPECT_EQ(body["involvedObject"]["apiVersion"], "scheduling.x-k8s.io/v1alpha1");
}

TEST_F(ApiWriterTest, OfStatusesThatPileUpTheLatestIsWritten) {
  serve([&](const Call&, Reply& reply) {
    EXPECT_TRUE(may_answer_.wait([](bool may) { return may; }));
    reply.send(200, "{}");
  });
  for (int i = 0; i < 50; ++i) writer_->write(status_of(i));
  ASSERT_TRUE(server_->wait_for_calls(1));
  may_answer_.set(true);
  ASSERT_TRUE(server_->wait_for_calls(2));
  client_->stop();
  const auto calls = server_->calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(Json::parse(calls[1].body)["status"]["running"], 49);
}

TEST_F(ApiWriterTest, AStatusThatFailedIsWrittenAgainAsItThenIs) {
  serve([&](const Call&, Reply& reply) { reply.send(++count_ == 1 ? 500 : 200, "{}"); });
  writer_->write(status_of(1));
  ASSERT_TRUE(server_->wait_for_calls(2));
  EXPECT_EQ(Json::parse(server_->calls()[1].body)["status"]["running"], 1);
}

}  // namespace
}  // namespace berth::kubeapi
