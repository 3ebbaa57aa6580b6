// Answers that no API server gives. Each asker goes on, as after any failed request.
#include <gtest/gtest.h>

#include <atomic>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <sstream>

#include "berth/base/thread_executor.h"
#include "http/certificates.h"
#include "kubeapi/access.h"
#include "kubeapi/access_reviews.h"
#include "kubeapi/account_token.h"
#include "kubeapi/answering_transport.h"
#include "kubeapi/api_writer.h"
#include "kubeapi/cluster_check.h"
#include "kubeapi/discovery.h"
#include "kubeapi/exec_credential.h"
#include "kubeapi/json_text.h"
#include "kubeapi/leader_election.h"
#include "kubeapi/live_cluster.h"
#include "kubeapi/reservation_bodies.h"
#include "kubeapi/waiting.h"
#include "support/checkout.h"
#include "support/damage.h"
#include "support/seeds.h"

namespace berth::kubeapi::hostile_answers_test {
namespace {

using support::Damage;
using testing::AnsweringTransport;
using testing::Awaited;
using testing::client_with;
using testing::MadeAnswer;
using testing::until;

constexpr std::size_t kRounds = 1'500;

constexpr const char* kLease =
    R"({"kind":"Lease","metadata":{"name":"berthd","resourceVersion":"7","uid":"u"},"spec":)"
    R"({"holderIdentity":"other","leaseDurationSeconds":9,"leaseTransitions":4,)"
    R"("acquireTime":"2026-11-20T09:00:00.000000Z","renewTime":"2026-11-20T09:00:00.000000Z"}})";
constexpr const char* kTokenRequest =
    R"({"kind":"TokenRequest","spec":{"expirationSeconds":3607,"audiences":["a"]},)"
    R"("status":{"token":"abc.def","expirationTimestamp":"2026-11-20T09:00:00Z"}})";
constexpr const char* kReview =
    R"({"kind":"SubjectAccessReview","spec":{"user":"u"},"status":{"allowed":true,"reason":"r"}})";
constexpr const char* kPolicy =
    R"({"kind":"ValidatingAdmissionPolicy","metadata":{"name":"reserve.berth.dev",)"
    R"("creationTimestamp":"2026-11-20T09:00:00Z"},"spec":{"failurePolicy":"Fail"}})";
constexpr const char* kPolicyBinding =
    R"({"kind":"ValidatingAdmissionPolicyBinding","metadata":{"name":"reserve.berth.dev",)"
    R"("creationTimestamp":"2026-11-20T09:00:00Z"},"spec":{"policyName":"reserve.berth.dev",)"
    R"("validationActions":["Deny","Audit"]}})";
constexpr const char* kVersion = R"({"major":"1","minor":"36","gitVersion":"v1.36.3"})";
constexpr const char* kGroups =
    R"({"kind":"APIGroupList","groups":[{"name":"jobset.x-k8s.io","versions":[)"
    R"({"groupVersion":"jobset.x-k8s.io/v1alpha2","version":"v1alpha2"}]}]})";
constexpr const char* kResources =
    R"({"kind":"APIResourceList","groupVersion":"jobset.x-k8s.io/v1alpha2","resources":[)"
    R"({"name":"jobsets","kind":"JobSet","namespaced":true,"verbs":["list","watch"]}]})";
constexpr const char* kBudgetForbids =
    R"({"kind":"Status","status":"Failure","reason":"TooManyRequests","code":429,"message":)"
    R"("Cannot evict pod as it would violate the pod's disruption budget.","details":{"causes":[)"
    R"({"reason":"DisruptionBudget","message":"The disruption budget b needs 1 healthy pods"}]}})";
constexpr const char* kNode =
    R"({"kind":"Node","metadata":{"name":"n1","uid":"u","resourceVersion":"3","labels":{"a":"b",)"
    R"("berth.dev/locked-for":"other"},"annotations":{"x":"y"}},"spec":{"taints":[)"
    R"({"key":"k","value":"v","effect":"NoSchedule"}]}})";
constexpr const char* kBoundPod =
    R"({"kind":"Pod","metadata":{"name":"p","uid":"u"},"spec":{"nodeName":"n1"}})";

// Damaged bodies, each of a seed of its own. Any thread.
class Bodies {
 public:
  MadeAnswer next(int status, const std::string& body) {
    const std::lock_guard lock(mutex_);
    if (next_ >= seeds_.size()) return {status, body};
    return {status, Damage(seeds_[next_++]).of(body)};
  }
  bool are_used_up() const {
    const std::lock_guard lock(mutex_);
    return next_ >= seeds_.size();
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::uint64_t> seeds_ = support::seeds(kRounds);
  std::size_t next_ = 0;
};

bool has(const std::string& text, const char* part) { return text.find(part) != text.npos; }

class Sink final : public ports::EventSink {
 public:
  void post(ClusterEvent) override {
    const std::lock_guard lock(mutex_);
    ++count_;
  }
  bool wait_for(std::size_t count) {
    return until([&] {
      const std::lock_guard lock(mutex_);
      return count_ >= count;
    });
  }

 private:
  std::mutex mutex_;
  std::size_t count_ = 0;
};

TEST(HostileAnswers, JsonIsReadWithoutExceptions) {
  const std::string deep(200, '[');
  EXPECT_TRUE(read_json(deep + std::string(200, ']')).is_discarded());
  EXPECT_TRUE(read_json("{\"a\":" + std::string(1'000'000, '[')).is_discarded());
  EXPECT_TRUE(read_json("nul").is_discarded());
  EXPECT_TRUE(read_json("[1e999]").is_discarded());
  const nlohmann::json value = read_json(R"({"a":{"b":"c","n":7},"l":[{"b":1}]})");
  EXPECT_EQ(text_at(value, "/a/b"), "c");
  EXPECT_EQ(text_at(value, "/a/n"), "");
  EXPECT_EQ(integer_at(value, "/a/n"), 7);
  EXPECT_EQ(integer_at(value, "/a/b"), 0);
  for (const char* absent : {"/x", "/a/b/c", "/l/b", "/l/b/c"}) {
    EXPECT_TRUE(value_at(value, absent).is_null()) << absent;
  }
  EXPECT_EQ(json_text(nlohmann::ordered_json("\xff")), "\"\xEF\xBF\xBD\"");
}

TEST(HostileAnswers, OfReviewsAndPolicies) {
  Bodies bodies;
  const auto client = client_with([&](const Request& request) {
    const char* body = has(request.path, "policybindings") ? kPolicyBinding
                       : has(request.path, "policies")     ? kPolicy
                                                           : kReview;
    return bodies.next(200, body);
  });
  const ScaledClock steady_clock{TimePoint()};
  ThreadExecutor executor(steady_clock, "timer");
  while (!bodies.are_used_up()) {
    Sink sink;
    AccessReviews reviews(*client, executor);
    reviews.start(sink, true);
    reviews.ask({"ns", "account", "queue"});
    ASSERT_TRUE(sink.wait_for(2)) << "each question has its answer";
    reviews.stop();
  }
  client->stop();
}

TEST(HostileAnswers, OfDiscovery) {
  Bodies bodies;
  while (!bodies.are_used_up()) {
    std::size_t found = 0;
    Discovery discovery({"jobsets.v1alpha2.jobset.x-k8s.io"}, {},
                        [&](const ServedResource&) { ++found; });
    Step step = discovery.step();
    while (step.request || step.pause) {
      if (step.pause) {
        step = discovery.step();
      } else {
        const char* const body = step.request->path == "/apis" ? kGroups : kResources;
        step = discovery.answered({.status = 200, .body = bodies.next(200, body).body});
      }
    }
    EXPECT_EQ(found, 1U);
  }
}

TEST(HostileAnswers, OfChecksOfTheCluster) {
  Bodies bodies;
  const auto client = client_with([&](const Request& request) {
    return bodies.next(200, request.path == "/version" ? kVersion : kReview);
  });
  while (!bodies.are_used_up()) {
    check_cluster(*client, {"nominate", true, true},
                  [](const std::string& finding) { EXPECT_FALSE(finding.empty()); });
    ASSERT_TRUE(until([&] {
      const RestCounters counters = client->counters();
      return counters.queued + counters.in_flight == 0;
    }));
  }
  client->stop();
}

TEST(HostileAnswers, OfTokenRequests) {
  Bodies bodies;
  const auto client = client_with([&](const Request&) { return bodies.next(201, kTokenRequest); });
  const ScaledClock steady_clock{TimePoint()};
  ThreadExecutor executor(steady_clock, "timer");
  while (!bodies.are_used_up()) {
    const auto ignore = [](const std::string&) {};
    AccountToken token(*client, executor, {"ns", "scheduler"}, {ignore, ignore, ignore});
    token.start();
    ASSERT_TRUE(until([&] {
      const auto counters = token.counters();
      return counters.tokens + counters.failures > 0;
    }));
  }
  client->stop();
}

// An election that gets these answers, in so many attempts.
template <class Answers>
void hold_an_election(std::size_t attempts, const Answers& answers) {
  LeaseOptions options;
  options.identity = "me";
  ManualClock clock;
  ports::Leadership leadership(clock);
  LeaderElection election(leadership, clock, options,
                          {[](std::uint64_t) {}, [] {}, [](const std::string&) {}});
  Step step = election.step();
  while (attempts > 0) {
    if (step.pause) {
      --attempts;
      clock.advance(*step.pause);
      step = election.step();
    } else {
      step = election.answered(answers(*step.request));
    }
  }
}

TEST(HostileAnswers, OfTheLease) {
  Bodies bodies;
  hold_an_election(support::seeds(kRounds).size(), [&](const Request& request) {
    const MadeAnswer made = bodies.next(request.method == "GET" ? 200 : 409, kLease);
    return Response{.status = made.status, .body = made.body};
  });
  EXPECT_TRUE(bodies.are_used_up());
}

TEST(HostileAnswers, ALeaseForAgesIsNotFreeAtOnce) {
  hold_an_election(20, [&](const Request& request) {
    EXPECT_EQ(request.method, "GET");
    return Response{.status = 200,
                    .body = R"({"spec":{"holderIdentity":"other","leaseDurationSeconds":)"
                            R"(9223372036854775807}})"};
  });
}

TEST(HostileAnswers, OfWrites) {
  Bodies bodies;
  const auto client = client_with([&](const Request& request) {
    if (request.method == "GET") {
      return bodies.next(200, has(request.path, "/pods/") ? kBoundPod : kNode);
    }
    if (has(request.path, "/binding")) return bodies.next(409, kBudgetForbids);
    return bodies.next(has(request.path, "/eviction") ? 429 : 422, kBudgetForbids);
  });
  const SteadyClock clock;
  const ScaledClock steady_clock{TimePoint()};
  ThreadExecutor executor(steady_clock, "timer");
  ApiWriter writer(*client, executor, clock, "here");
  ports::NodeLock lock;
  lock.locked_for = "ns.job";
  lock.has_taint = true;
  TargetMarks marks;
  marks.is_elected = true;
  const ports::ObjectRef object{ports::ObjectKind::node, "", "n1", "u"};
  Awaited<std::size_t> answered;
  const auto done = [&](const auto&) { answered.change([](std::size_t& count) { ++count; }); };
  const std::size_t rounds = support::seeds(kRounds).size() / 4 + 1;
  for (std::uint64_t number = 0; number < rounds; ++number) {
    writer.bind({"ns", "p", "u", "n1"}, done);  // tried again after a while
    writer.write({object, ports::Eviction{"why"}, 1, number}, done);
    writer.write({object, lock, 1, number}, done);
    writer.write({object, marks, 1, number}, done);
  }
  EXPECT_TRUE(answered.wait([&](std::size_t count) { return count == 4 * rounds; }));
  EXPECT_TRUE(bodies.are_used_up());
  client->stop();
  executor.stop();
}

// A target's marks are a patch of what was read, whatever that is.
TEST(HostileAnswers, OfNodesAndGroupsBeforeTheirPatches) {
  ports::NodeLock lock;
  lock.locked_for = "ns.job";
  lock.has_taint = lock.has_queue_taint = true;
  TargetMarks marks;
  marks.is_elected = true;
  std::size_t patched = 0;
  for (const std::uint64_t seed : support::seeds(4 * kRounds)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const std::string seen = Damage(seed).of(kNode);
    if (node_lock_patch("u", lock, seen)) ++patched;
    (void)job_marks_patch("u", marks, seen);
  }
  EXPECT_GT(patched, support::seeds(4 * kRounds).size() / 25);
}

// All kinds, in pages and streams.
TEST(HostileAnswers, OfListsAndWatches) {
  std::ifstream file(support::source_file("tests/kubeapi/testdata/everything.json"));
  std::stringstream text;
  text << file.rdbuf();
  const auto all = nlohmann::ordered_json::parse(text.str());
  std::string lines;
  for (const auto& object : all["items"]) {
    lines += nlohmann::ordered_json{{"type", "ADDED"}, {"object", object}}.dump() + "\n";
  }
  const std::string list = all.dump();
  Bodies bodies;
  const auto client = client_with([&](const Request& request) {
    return bodies.next(200, has(request.path, "watch=true") ? lines : list);
  });
  LiveOptions options;
  options.budgets = options.volumes = options.selecting = true;
  options.owners = {"jobs.v1.batch", "jobsets.v1alpha2.jobset.x-k8s.io"};
  options.reflector.retry_least = options.reflector.retry_most = std::chrono::microseconds(1);
  options.reflector.streaming_list = false;
  Sink sink;
  LiveCluster cluster(*client, options);
  ASSERT_TRUE(cluster.start(sink));
  EXPECT_TRUE(until([&] { return bodies.are_used_up(); }, std::chrono::seconds(120)));
  EXPECT_TRUE(sink.wait_for(1));
  cluster.stop();
  client->stop();
}

TEST(HostileAnswers, OfKubeconfigs) {
  const http::testing::TemporaryDirectory directory;
  const std::string path = directory.file("config");
  const std::string good = R"(apiVersion: v1
kind: Config
current-context: one
contexts:
- name: one
  context: {cluster: c, user: u, namespace: team}
clusters:
- name: c
  cluster:
    server: https://10.0.0.1:6443/k8s
    certificate-authority-data: Y2E=
    tls-server-name: kubernetes
users:
- name: u
  user:
    client-certificate-data: Y3J0
    client-key-data: a2V5
    token: abc
)";
  std::size_t read = 0;
  for (const std::uint64_t seed : support::seeds(kRounds)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    std::ofstream(path, std::ios::binary) << Damage(seed).of(good);
    const auto access = load_kubeconfig(path);
    ASSERT_TRUE(access || !access.error().message.empty());
    if (access) ++read;
  }
  EXPECT_GT(read, 0U);
}

TEST(HostileAnswers, OfProgramsForCredentials) {
  const http::testing::TemporaryDirectory directory;
  const std::string path = directory.file("answer");
  ExecProgram program;
  program.command = "cat";
  program.arguments = {path};
  program.where = "kubeconfig";
  for (const std::uint64_t seed : support::seeds(kRounds / 10)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    std::ofstream(path, std::ios::binary)
        << Damage(seed).of(R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io)"
                           R"(/v1","status":{"token":"abc","clientCertificateData":"c",)"
                           R"("clientKeyData":"k","expirationTimestamp":"2026-11-20T09:00:00Z"}})");
    Access access;
    const Status run = run_exec(program, access);
    ASSERT_TRUE(run || !run.error().message.empty());
  }
}

}  // namespace
}  // namespace berth::kubeapi::hostile_answers_test
