#include "kubeapi/api_writer.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "berth/base/text.h"
#include "berth/base/thread_executor.h"
#include "kubeapi/bodies.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"

// Faults that a real server cannot show. The tests against a real server are in tests/e2e.

namespace berth::kubeapi::api_writer_test {
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
    writer_ = std::make_unique<ApiWriter>(*client_, executor_, clock_, "here");
  }
  void TearDown() override {
    if (client_ != nullptr) client_->stop();
    executor_.stop();
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
  Outcome write(const ports::ObjectRef& object, ports::Content content) {
    Awaited<std::vector<Outcome>> outcomes;
    writer_->write({object, std::move(content), 3, 17}, [&](Outcome outcome) {
      outcomes.change([&](auto& all) { all.push_back(std::move(outcome)); });
    });
    EXPECT_TRUE(outcomes.wait([](const auto& all) { return !all.empty(); }));
    return outcomes.get().empty() ? Outcome{} : outcomes.get().front();
  }
  // Of any write that is answered so.
  Outcome answered_with(int status, const std::string& body) {
    serve([=](const Call&, Reply& reply) { reply.send(status, body); });
    return write(kPod, ports::PodWrite());
  }

  static inline const ports::ObjectRef kPod{ports::ObjectKind::pod, "ns", "p", "uid-p"};
  SystemClock clock_;
  // Used by handlers, so they outlive the server.
  std::atomic<int> count_ = 0;
  std::unique_ptr<FakeServer> server_;
  std::unique_ptr<RestClient> client_;
  const ScaledClock steady_clock_{TimePoint()};
  ThreadExecutor executor_{steady_clock_, "timer"};
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

TEST_F(ApiWriterTest, ABindIsNotGivenUpWhileNobodyKnowsItsOutcome) {
  serve([&](const Call&, Reply& reply) {
    constexpr int kSilent = 9;  // four Bindings, four looks, and one look more
    if (++count_ <= kSilent) return reply.abort();
    reply.send(200, pod_on("uid-p", "n1"));
  });
  EXPECT_TRUE(bind().bound);
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
  const ports::PodWrite commit{.kind = ports::PodWrite::Kind::commit, .node = "n1"};
  EXPECT_EQ(write(kPod, commit).result, Outcome::Result::done);
  const Call call = server_->calls().at(0);
  EXPECT_EQ(call.method, "PATCH");
  EXPECT_EQ(call.target, "/api/v1/namespaces/ns/pods/p");
  EXPECT_EQ(call.headers.at("content-type"), "application/strategic-merge-patch+json");
  const Json patch = Json::parse(call.body);
  EXPECT_EQ(patch["metadata"]["uid"], "uid-p");
  EXPECT_EQ(patch["metadata"]["annotations"]["berth.dev/plan"],
            R"({"node":"n1","epoch":3,"plan":17})");
  EXPECT_EQ(patch["spec"]["schedulingGates"][0]["$patch"], "delete");
}

TEST_F(ApiWriterTest, STEER6ACommitThatWakesByALabelHasItsOwn) {
  serve([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  ports::PodWrite commit{.kind = ports::PodWrite::Kind::commit, .node = "n1"};
  write(kPod, commit);
  commit.wakes_by_label = true;
  write(kPod, commit);
  EXPECT_FALSE(Json::parse(server_->calls().at(0).body)["metadata"].contains("labels"));
  EXPECT_EQ(Json::parse(server_->calls().at(1).body)["metadata"]["labels"]["berth.dev/attempt"],
            "3.17");
}

TEST_F(ApiWriterTest, OWNED11_AGroupIsMadeChangedAndRemoved) {
  Awaited<std::vector<std::string>> calls;
  serve([&](const Call& call, Reply& reply) {
    calls.change([&](auto& all) { all.push_back(call.method + " " + call.target); });
    reply.send(200, "{}");
  });
  using Verb = ports::GroupSpec::Verb;
  for (const Verb verb : {Verb::make, Verb::change, Verb::remove}) {
    write({ports::ObjectKind::pod_group, "ns", "g", "u"}, ports::GroupSpec{verb, {}, 2, "q"});
  }
  const std::string groups = "/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups";
  EXPECT_EQ(calls.get(), (std::vector<std::string>{"POST " + groups, "PATCH " + groups + "/g",
                                                   "DELETE " + groups + "/g"}));
}

TEST_F(ApiWriterTest, ATolerationIsAddedToThoseThatAreThere) {
  serve([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  ports::PodWrite tolerate{.kind = ports::PodWrite::Kind::tolerate};
  tolerate.locked_for = "job.g";
  EXPECT_EQ(write(kPod, tolerate).result, Outcome::Result::done);
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
      Json::parse(toleration_patch(kPod, tolerate)),
      (Json{is_that_pod,
            {{"op", "test"}, {"path", "/spec/tolerations"}, {"value", nullptr}},
            {{"op", "add"}, {"path", "/spec/tolerations"}, {"value", Json::array({toleration})}}}));
  tolerate.locked_for = "queue.q";
  EXPECT_EQ(Json::parse(toleration_patch(kPod, tolerate))[2]["value"][0],
            (Json{{"key", "berth.dev/locked-for-queue"},
                  {"operator", "Equal"},
                  {"value", "q"},
                  {"effect", "NoSchedule"}}));
}

TEST_F(ApiWriterTest, API23ALockIsMadeOfTheNodeAsItIs) {
  serve([](const Call& call, Reply& reply) {
    if (call.method == "PATCH") return void(reply.send(200, "{}"));
    reply.send(200, R"({"metadata":{"uid":"u","resourceVersion":"2"},)"
                    R"("spec":{"taints":[{"key":"gpu","effect":"NoSchedule"}]}})");
  });
  const ports::ObjectRef node{ports::ObjectKind::node, "", "n1", "u"};
  EXPECT_EQ(write(node, ports::NodeLock{"job.g", TimePoint(), true}).result, Outcome::Result::done);
  const Call call = server_->calls().at(1);
  EXPECT_EQ(call.target, "/api/v1/nodes/n1");
  EXPECT_EQ(call.headers.at("content-type"), kMergePatch);
  const Json patch = Json::parse(call.body);
  EXPECT_EQ(patch["metadata"]["resourceVersion"], "2");
  EXPECT_EQ(patch["spec"]["taints"].size(), 2U);
}

TEST_F(ApiWriterTest, API23ALockThatIsThereAlreadyIsReadAndNotWritten) {
  serve([](const Call&, Reply& reply) {
    reply.send(200, R"({"metadata":{"uid":"u","resourceVersion":"2","labels":{},)"
                    R"("annotations":{}},"spec":{}})");
  });
  const ports::ObjectRef node{ports::ObjectKind::node, "", "n1", "u"};
  EXPECT_EQ(write(node, ports::NodeLock()).result, Outcome::Result::done);
  EXPECT_EQ(server_->calls().size(), 1u);
}

TEST_F(ApiWriterTest, API23AnObjectThatChangedMeanwhileIsOvertaken) {
  serve([](const Call& call, Reply& reply) {
    if (call.method == "PATCH") return void(reply.send(409, R"({"message":"has been modified"})"));
    reply.send(200, R"({"metadata":{"uid":"u","resourceVersion":"2"}})");
  });
  const ports::ObjectRef node{ports::ObjectKind::node, "", "n1", "u"};
  const Outcome outcome = write(node, ports::NodeLock{"job.g", TimePoint(), true});
  EXPECT_EQ(outcome.result, Outcome::Result::conflict);
}

TEST_F(ApiWriterTest, API23MarksAreWrittenOnThePodOrTheGroupOfEitherApi) {
  serve([](const Call&, Reply& reply) {
    reply.send(200, R"({"metadata":{"uid":"u","resourceVersion":"1"}})");
  });
  TargetMarks marks;
  marks.elected_at = TimePoint();
  for (const auto kind :
       {ports::ObjectKind::pod, ports::ObjectKind::pod_group, ports::ObjectKind::sig_pod_group}) {
    EXPECT_EQ(write({kind, "ns", "p", "u"}, marks).result, Outcome::Result::done);
  }
  const auto calls = server_->calls();
  ASSERT_EQ(calls.size(), 6u);
  EXPECT_EQ(calls[1].target, "/api/v1/namespaces/ns/pods/p");
  EXPECT_EQ(calls[3].target, "/apis/scheduling.volcano.sh/v1beta1/namespaces/ns/podgroups/p");
  EXPECT_EQ(calls[5].target, "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ns/podgroups/p");
  EXPECT_EQ(calls[5].method, "PATCH");
}

TEST_F(ApiWriterTest, ANominationIsClearedWithNull) {
  serve([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  write(kPod, ports::PodWrite());
  const Call call = server_->calls().at(0);
  EXPECT_EQ(call.target, "/api/v1/namespaces/ns/pods/p/status");
  EXPECT_TRUE(Json::parse(call.body)["status"]["nominatedNodeName"].is_null());
}

TEST_F(ApiWriterTest, AUTOSCALE2AConditionIsMergedIntoThePodsStatus) {
  serve([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  write(kPod, ports::PodCondition{{false, "Unschedulable", "why", {}}});
  const Call call = server_->calls().at(0);
  EXPECT_EQ(call.method, "PATCH");
  EXPECT_EQ(call.target, "/api/v1/namespaces/ns/pods/p/status");
  EXPECT_EQ(Json::parse(call.body)["status"]["conditions"][0]["type"], "PodScheduled");
}

TEST_F(ApiWriterTest, AnEvictionCarriesTheUid) {
  serve([](const Call&, Reply& reply) { reply.send(201, "{}"); });
  EXPECT_EQ(write(kPod, ports::Eviction{"why"}).result, Outcome::Result::done);
  const Call call = server_->calls().at(0);
  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.target, "/api/v1/namespaces/ns/pods/p/eviction");
  EXPECT_EQ(Json::parse(call.body)["deleteOptions"]["preconditions"]["uid"], "uid-p");
}

TEST_F(ApiWriterTest, AnEventOnAnObjectWithoutNamespaceIsMadeInTheNamespaceDefault) {
  serve([](const Call&, Reply& reply) { reply.send(201, "{}"); });
  const ports::ObjectRef queue{ports::ObjectKind::queue, "", "q", "uid-q"};
  EXPECT_EQ(write(queue, ports::Event{false, "NodesReserved", "why"}).result,
            Outcome::Result::done);
  const Call call = server_->calls().at(0);
  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.target, "/api/v1/namespaces/default/events");
}

TEST_F(ApiWriterTest, AWriteOnAnotherPodOfTheSameNameIsGoneAndNotFailed) {
  const Outcome outcome = answered_with(
      409, R"({"message":"Precondition failed: UID in precondition: a, UID in object meta: b"})");
  EXPECT_EQ(outcome.result, Outcome::Result::gone);
}

TEST_F(ApiWriterTest, API22AMissingRightIsReported) {
  const Outcome outcome = answered_with(403, R"({"message":"forbidden"})");
  EXPECT_EQ(outcome.result, Outcome::Result::forbidden);
  EXPECT_EQ(outcome.error, "nominate ns/p: status 403: forbidden");
}

TEST_F(ApiWriterTest, API22InANamespaceThatEndsTheObjectIsGone) {
  EXPECT_EQ(answered_with(403, R"({"message":"ns: it is being terminated"})").result,
            Outcome::Result::gone);
}

TEST_F(ApiWriterTest, API22AnInvalidWriteIsRefusedForGood) {
  EXPECT_EQ(answered_with(422, R"({"message":"spec.x: invalid"})").result,
            Outcome::Result::refused);
}

TEST_F(ApiWriterTest, EVICT3AnEvictionThatABudgetForbidsIsRefusedAtOnce) {
  std::string body;
  int status = 429;
  serve([&](const Call&, Reply& reply) { reply.send(status, body); });
  const auto evict = [&] { return write(kPod, ports::Eviction{"why"}); };
  body = R"({"message":"Cannot evict pod as it would violate the pod's disruption budget.",
    "details":{"retryAfterSeconds":10,"causes":[{"reason":"DisruptionBudget",
    "message":"The disruption budget web needs 2 healthy pods and has 2 currently"}]}})";
  const Outcome outcome = evict();
  EXPECT_EQ(outcome.result, Outcome::Result::refused);
  EXPECT_EQ(outcome.error,
            "evict ns/p: status 429: Cannot evict pod as it would violate the pod's disruption "
            "budget. The disruption budget web needs 2 healthy pods and has 2 currently");
  body = R"({"message":"Cannot evict pod as it would violate the pod's disruption budget."})";
  EXPECT_EQ(evict().result, Outcome::Result::refused) << "without a cause";
  status = 500;
  body = R"({"message":"This pod has more than one PodDisruptionBudget, which the eviction )"
         R"(subresource does not support."})";
  EXPECT_EQ(evict().result, Outcome::Result::refused);
}

TEST_F(ApiWriterTest, EVICT3AnEvictionThatIsPutOffByARateLimitIsNotRefused) {
  std::string body;
  int status = 429;
  serve([&](const Call&, Reply& reply) { reply.send(status, body); });
  for (const char* each :
       {R"({"message":"too many requests","details":{"causes":[{"reason":"Other"}, 3]}})", "[]",
        R"({"message":7,"details":{"causes":{}}})", "too many", ""}) {
    body = each;
    EXPECT_EQ(write(kPod, ports::Eviction{"why"}).result, Outcome::Result::failed) << body;
  }
  status = 500;
  EXPECT_EQ(write(kPod, ports::Eviction{"why"}).result, Outcome::Result::failed);
}

const ports::ObjectRef kGroup{ports::ObjectKind::pod_group, "ns", "g", "uid-g"};
const ports::ObjectRef kSigGroup{ports::ObjectKind::sig_pod_group, "ns", "g", "uid-g"};

const ports::ObjectRef kKubeGroup{ports::ObjectKind::kube_pod_group, "ns", "g", "uid-g"};

TEST_F(ApiWriterTest, AGroupOfTheOtherApiIsWrittenInItsWords) {
  serve([](const Call&, Reply& reply) {
    reply.send(200, R"({"metadata":{"uid":"uid-g","resourceVersion":"1"}})");
  });
  const auto patches = [this] {  // marks are read before
    std::vector<Call> calls = server_->calls();
    std::erase_if(calls, [](const Call& call) { return call.method != "PATCH"; });
    return calls;
  };
  TargetMarks marks;
  marks.claims = "some";
  write(kSigGroup, ports::GroupStatus());
  write(kSigGroup, marks);
  const std::string path = "/apis/scheduling.x-k8s.io/v1alpha1/namespaces/ns/podgroups/g";
  std::set<std::string> targets;
  for (const Call& call : patches()) targets.insert(call.target);
  EXPECT_EQ(targets, (std::set<std::string>{path, path + "/status"}));

  // KUBEGROUP-5. Its conditions merge by their type.
  write(kKubeGroup, ports::GroupStatus());
  write(kKubeGroup, marks);
  const std::vector<Call> calls = patches();
  ASSERT_EQ(calls.size(), 4U);
  const std::string own = "/apis/scheduling.k8s.io/v1beta1/namespaces/ns/podgroups/g";
  EXPECT_EQ(calls[2].target, own + "/status");
  EXPECT_EQ(calls[2].headers.at("content-type"), "application/strategic-merge-patch+json");
  EXPECT_EQ(calls[3].target, own);
  write({ports::ObjectKind::kube_alpha_pod_group, "ns", "g", "uid-g"}, marks);
  EXPECT_EQ(patches().back().target, "/apis/scheduling.k8s.io/v1alpha2/namespaces/ns/podgroups/g");
}

}  // namespace
}  // namespace berth::kubeapi::api_writer_test
