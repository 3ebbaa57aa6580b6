#include "kubeapi/access_reviews.h"

#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <variant>
#include <vector>

#include "berth/base/text.h"
#include "berth/base/thread_executor.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi::access_reviews_test {
namespace {

using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

class Sink final : public ports::EventSink {
 public:
  void post(ClusterEvent event) override {
    events.change([&](auto& all) { all.push_back(std::move(event)); });
  }
  template <class T>
  T first() {
    EXPECT_TRUE(events.wait([](const auto& all) { return !all.empty(); }));
    const auto all = events.get();
    return all.empty() ? T() : std::get<T>(all.front());
  }
  Awaited<std::vector<ClusterEvent>> events;
};

std::unique_ptr<RestClient> client_of(const FakeServer& server) {
  Access access;
  access.server = server.url();
  return std::move(*RestClient::create(access));
}

// The answer to a question, where the server answers this.
RightAnswer asked(int status, const std::string& body, std::string* request = nullptr) {
  FakeServer server([&](const Call&, Reply& reply) { reply.send(status, body); });
  const auto client = client_of(server);
  const ScaledClock clock{TimePoint()};
  ThreadExecutor executor(clock, "timer");
  AccessReviews reviews(*client, executor);
  Sink sink;
  reviews.start(sink, false);
  reviews.ask({"ml", "trainer", "vision"});
  RightAnswer answer = sink.first<RightAnswer>();
  if (request != nullptr) *request = server.calls().at(0).target + " " + server.calls().at(0).body;
  reviews.stop();
  client->stop();
  return answer;
}

TEST(AccessReviews, API28AsksForTheAccountWithItsGroups) {
  std::string request;
  const RightAnswer answer = asked(201, R"({"status":{"allowed":true}})", &request);
  EXPECT_EQ(answer.question, (RightQuestion{"ml", "trainer", "vision"}));
  EXPECT_TRUE(answer.is_allowed);
  EXPECT_EQ(answer.error, "");
  for (const char* part :
       {"/apis/authorization.k8s.io/v1/subjectaccessreviews ",
        R"("user":"system:serviceaccount:ml:trainer")",
        R"("groups":["system:serviceaccounts","system:serviceaccounts:ml","system:authenticated"])",
        R"("verb":"reserve")", R"("resource":"queues")", R"("name":"vision")",
        R"("group":"scheduling.volcano.sh")"}) {
    EXPECT_NE(request.find(part), std::string::npos) << part << " is not in " << request;
  }
}

TEST(AccessReviews, API28OnlyAYesIsAYes) {
  EXPECT_FALSE(asked(201, R"({"status":{"allowed":false}})").is_allowed);
  EXPECT_EQ(asked(201, R"({"status":{"allowed":false}})").error, "");
  for (const char* body :
       {R"({"status":{}})", R"({"status":{"allowed":"true"}})", "[]", "no JSON"}) {
    const RightAnswer answer = asked(201, body);
    EXPECT_FALSE(answer.is_allowed) << body;
    EXPECT_EQ(answer.error, "the answer has no status.allowed") << body;
  }
  const RightAnswer forbidden = asked(403, R"({"message":"no right to ask"})");
  EXPECT_FALSE(forbidden.is_allowed);
  EXPECT_NE(forbidden.error.find("403"), std::string::npos) << forbidden.error;
  EXPECT_FALSE(asked(500, R"({"status":{"allowed":true}})").is_allowed);
}

constexpr const char* kPolicy =
    R"({"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z"},"spec":{"failurePolicy":"Fail"}})";
constexpr const char* kBinding =
    R"({"metadata":{"creationTimestamp":"2026-01-02T00:00:00Z"},)"
    R"("spec":{"policyName":"reserve.berth.dev","validationActions":["Deny"]}})";

// Since when the policy holds, where the server has these two. Empty: it is not there.
std::optional<TimePoint> since(const std::string& policy, const std::string& binding) {
  FakeServer server([&](const Call& call, Reply& reply) {
    const bool is_binding = call.path().ends_with("policybindings/reserve.berth.dev");
    const std::string& body = is_binding ? binding : policy;
    EXPECT_TRUE(is_binding || call.path().ends_with("admissionpolicies/reserve.berth.dev"));
    reply.send(body.empty() ? 404 : 200, body);
  });
  const auto client = client_of(server);
  const ScaledClock clock{TimePoint()};
  ThreadExecutor executor(clock, "timer");
  AccessReviews reviews(*client, executor);
  Sink sink;
  reviews.start(sink, true);
  const NamingPolicy found = sink.first<NamingPolicy>();
  reviews.stop();
  client->stop();
  return found.since;
}

TEST(AccessReviews, API29ThePolicyHoldsSinceBothAreThere) {
  EXPECT_EQ(since(kPolicy, kBinding), *parse_time("2026-01-02T00:00:00Z"));
}

TEST(AccessReviews, API29APolicyThatRefusesNobodyDoesNotCount) {
  EXPECT_FALSE(since("", kBinding));
  EXPECT_FALSE(since(kPolicy, ""));
  EXPECT_FALSE(since(R"({"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z"},)"
                     R"("spec":{"failurePolicy":"Ignore"}})",
                     kBinding));
  const std::string begin = R"({"metadata":{"creationTimestamp":"2026-01-02T00:00:00Z"},"spec":{)";
  for (const char* spec :
       {R"("policyName":"other","validationActions":["Deny"]}})",
        R"("policyName":"reserve.berth.dev","validationActions":["Warn","Audit"]}})",
        R"("policyName":"reserve.berth.dev"}})",
        R"("policyName":"reserve.berth.dev","validationActions":["Deny"],)"
        R"("matchResources":{"namespaceSelector":{}}}})"}) {
    EXPECT_FALSE(since(kPolicy, begin + spec)) << spec;
  }
  EXPECT_FALSE(since("no JSON", kBinding));
}

}  // namespace
}  // namespace berth::kubeapi::access_reviews_test
