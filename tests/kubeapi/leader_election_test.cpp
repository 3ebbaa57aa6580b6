#include "kubeapi/leader_election.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using Json = nlohmann::json;
using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

// A server that keeps one lease, by an API server's rules.
class LeaseServer {
 public:
  Json lease() {
    const std::lock_guard lock(mutex_);
    return lease_;
  }
  void set_holder(const std::string& holder, int seconds = 15) {
    const std::lock_guard lock(mutex_);
    lease_ = {
        {"metadata", {{"resourceVersion", std::to_string(++version_)}}},
        {"spec",
         {{"holderIdentity", holder}, {"leaseDurationSeconds", seconds}, {"leaseTransitions", 4}}}};
  }
  std::atomic<bool> is_down = false;

  std::string url() const { return server_.url(); }

 private:
  void handle(const Call& call, Reply& reply) {
    if (is_down) return reply.abort();
    const std::lock_guard lock(mutex_);
    if (call.method == "GET") {
      reply.send(lease_.is_null() ? 404 : 200, lease_.dump());
      return;
    }
    const Json sent = Json::parse(call.body);
    const std::string version = sent.value("/metadata/resourceVersion"_json_pointer, std::string());
    const std::string current =
        lease_.is_null() ? "" : lease_["metadata"]["resourceVersion"].get<std::string>();
    if (version != current) {
      reply.send(409, "{}");
      return;
    }
    lease_ = sent;
    lease_["metadata"]["resourceVersion"] = std::to_string(++version_);
    reply.send(200, lease_.dump());
  }

  std::mutex mutex_;
  Json lease_;
  int version_ = 0;
  FakeServer server_{[this](const Call& call, Reply& reply) { handle(call, reply); }};
};

class Candidate {
 public:
  Candidate(const LeaseServer& server, const std::string& identity) {
    Access access;
    access.server = server.url();
    client_ = std::move(*RestClient::create(access));
    LeaseOptions options;
    options.identity = identity;
    options.lease_duration = 1s;
    options.renew_deadline = 600ms;
    options.retry_period = 50ms;
    options.unfit_patience = 200ms;
    election_ = std::make_unique<LeaderElection>(
        *client_, options,
        LeaderElection::Callbacks{[this](std::uint64_t epoch) { epoch_.set(epoch); },
                                  [this] { epoch_.set(0); }, [](const std::string&) {},
                                  [this] { return is_fit.load(); }});
    election_->start();
  }
  ~Candidate() { stop(); }
  void stop() {
    election_->stop();
    client_->stop();
  }
  bool leads() {
    return epoch_.wait([](std::uint64_t epoch) { return epoch != 0; });
  }
  bool rests() {
    return epoch_.wait([](std::uint64_t epoch) { return epoch == 0; });
  }
  std::uint64_t epoch() { return epoch_.get(); }
  std::atomic<bool> is_fit = true;

 private:
  Awaited<std::uint64_t> epoch_;
  std::unique_ptr<RestClient> client_;
  std::unique_ptr<LeaderElection> election_;
};

TEST(LeaderElection, WhoFindsNoLeaseMakesOneAndLeads) {
  LeaseServer server;
  Candidate one(server, "one");
  ASSERT_TRUE(one.leads());
  EXPECT_GT(one.epoch(), 0u);
  EXPECT_EQ(server.lease()["spec"]["holderIdentity"], "one");
}

TEST(LeaderElection, ALeaseThatIsGivenBackIsTakenAtOnceWithAHigherEpoch) {
  LeaseServer server;
  Candidate one(server, "one");
  ASSERT_TRUE(one.leads());
  const auto before = one.epoch();
  Candidate two(server, "two");
  one.stop();
  EXPECT_EQ(one.epoch(), 0u) << "it rests before it gives the lease back";
  ASSERT_TRUE(two.leads());
  EXPECT_GT(two.epoch(), before);
}

TEST(LeaderElection, ALeaseThatIsNotRenewedIsTakenOver) {
  LeaseServer server;
  server.set_holder("dead", 1);
  Candidate one(server, "one");
  ASSERT_TRUE(one.leads());
  EXPECT_EQ(one.epoch(), 6u) << "four transitions before, one now, and epochs begin at one";
}

TEST(LeaderElection, WhoCannotRenewRestsBeforeOthersMayLead) {
  LeaseServer server;
  Candidate one(server, "one");
  ASSERT_TRUE(one.leads());
  server.is_down = true;
  EXPECT_TRUE(one.rests());
  server.is_down = false;
  EXPECT_TRUE(one.leads()) << "and tries again";
}

TEST(LeaderElection, WhoSeesAnotherHolderRests) {
  LeaseServer server;
  Candidate one(server, "one");
  ASSERT_TRUE(one.leads());
  server.set_holder("thief");
  EXPECT_TRUE(one.rests());
}

TEST(LeaderElection, VIEW12ALeaderWithoutAKubeSchedulerLeavesTheLeaseToAnother) {
  LeaseServer server;
  Candidate one(server, "one");
  ASSERT_TRUE(one.leads());
  Candidate two(server, "two");
  one.is_fit = false;
  ASSERT_TRUE(two.leads());
  EXPECT_EQ(one.epoch(), 0U);
  EXPECT_EQ(server.lease()["spec"]["holderIdentity"], "two");
}

TEST(LeaderElection, VIEW12TheOnlyOneLeadsAgainAlthoughItHasNoKubeScheduler) {
  LeaseServer server;
  Candidate one(server, "one");
  ASSERT_TRUE(one.leads());
  const auto before = one.epoch();
  one.is_fit = false;
  ASSERT_TRUE(one.rests());
  EXPECT_TRUE(one.leads());
  EXPECT_GT(one.epoch(), before);
}

}  // namespace
}  // namespace berth::kubeapi
