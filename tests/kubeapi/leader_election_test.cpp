#include "kubeapi/leader_election.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "berth/base/boot_clock.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"
#include "support/jumping_clock.h"

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
  // Attempts of candidates from now on, from end to end.
  bool wait_for_attempts(int count) {
    const int before = calls_;
    return testing::until([&] { return calls_ > before + count; });
  }

  std::string url() const { return server_.url(); }

 private:
  void handle(const Call& call, Reply& reply) {
    ++calls_;
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
  std::atomic<int> calls_ = 0;
  FakeServer server_{[this](const Call& call, Reply& reply) { handle(call, reply); }};
};

class Candidate {
 public:
  // Without a clock: real time. The deadline comes after three fifths of the lease.
  Candidate(const LeaseServer& server, const std::string& identity, const Clock* clock = nullptr,
            Duration lease = 1s)
      : leadership_(clock != nullptr ? *clock : real_time_) {
    Access access;
    access.server = server.url();
    client_ = std::move(*RestClient::create(access));
    LeaseOptions options;
    options.identity = identity;
    options.lease_duration = lease;
    options.renew_deadline = lease * 3 / 5;
    options.retry_period = 50ms;
    options.unfit_patience = 200ms;
    election_ = std::make_unique<LeaderElection>(
        *client_, leadership_, options,
        LeaderElection::Callbacks{[this](std::uint64_t epoch) { epoch_.set(epoch); },
                                  [this] {
                                    held_at_the_end = leadership_.epoch() != 0;
                                    epoch_.set(0);
                                  },
                                  [](const std::string&) {}, [this] { return is_fit.load(); }});
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
  const ports::Leadership& leadership() const { return leadership_; }
  std::uint64_t losses() const { return election_->losses(); }
  std::atomic<bool> is_fit = true;
  std::atomic<bool> held_at_the_end = false;  // the term, when it was asked to stop

 private:
  const BootClock real_time_;
  ports::Leadership leadership_;
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

// Time that the test moves.
class LeaderElectionByTheClock : public ::testing::Test {
 protected:
  support::JumpingClock clock_;
  LeaseServer server_;
};

TEST_F(LeaderElectionByTheClock, LEASE1AStallEndsTheTermBeforeAnythingElseIsDone) {
  Candidate one(server_, "one", &clock_);
  ASSERT_TRUE(one.leads());
  const auto before = one.epoch();
  ASSERT_TRUE(one.leadership().holds(before));
  clock_.advance(600ms);
  EXPECT_FALSE(one.leadership().holds(before)) << "whatever thread looks first";
  ASSERT_TRUE(one.rests());
  EXPECT_FALSE(one.held_at_the_end);
  EXPECT_EQ(one.losses(), 1U);
}

TEST_F(LeaderElectionByTheClock, LEASE1ALeaseThatNobodyTookMeanwhileBeginsANewTerm) {
  Candidate one(server_, "one", &clock_);
  ASSERT_TRUE(one.leads());
  const auto before = one.epoch();
  clock_.advance(600ms);
  ASSERT_TRUE(one.rests());
  ASSERT_TRUE(one.leads());
  EXPECT_GT(one.epoch(), before);
  EXPECT_TRUE(one.leadership().holds(one.epoch()));
  EXPECT_FALSE(one.leadership().holds(before));
}

TEST_F(LeaderElectionByTheClock, LEASE1ARenewalExtendsTheTerm) {
  Candidate one(server_, "one", &clock_);
  ASSERT_TRUE(one.leads());
  const auto epoch = one.epoch();
  for (int times = 0; times < 4; ++times) {
    clock_.advance(400ms);
    ASSERT_TRUE(server_.wait_for_attempts(4));  // two requests each
  }
  EXPECT_TRUE(one.leadership().holds(epoch));
  EXPECT_EQ(one.epoch(), epoch);
  EXPECT_EQ(one.losses(), 0U);
}

TEST_F(LeaderElectionByTheClock, LEASE7TheTermHoldsUntilTheLastWritesHaveEnded) {
  Candidate one(server_, "one", &clock_);
  ASSERT_TRUE(one.leads());
  one.stop();
  EXPECT_TRUE(one.held_at_the_end) << "writes under way may end";
  EXPECT_EQ(one.leadership().epoch(), 0U) << "then it is over";
  EXPECT_EQ(server_.lease()["spec"]["holderIdentity"], "");
  EXPECT_EQ(one.losses(), 0U);
}

TEST_F(LeaderElectionByTheClock, ALeaseThatIsAnothersEndsTheTermAtOnce) {
  Candidate one(server_, "one", &clock_);
  ASSERT_TRUE(one.leads());
  server_.set_holder("thief");
  ASSERT_TRUE(one.rests());
  EXPECT_FALSE(one.held_at_the_end);
  EXPECT_EQ(one.losses(), 1U);
}

// The lease has run out while the API server was away. The last writes of its holder may be carried
// out now: those have the time between the deadline and the lease's end, 400 ms.
TEST_F(LeaderElectionByTheClock, LEASE8ALeaseIsTakenWhenTheServerHasAnsweredForAWhile) {
  server_.set_holder("other", 1);
  Candidate one(server_, "one", &clock_);
  ASSERT_TRUE(server_.wait_for_attempts(2));
  server_.is_down = true;
  ASSERT_TRUE(server_.wait_for_attempts(2));
  clock_.advance(10s);
  ASSERT_TRUE(server_.wait_for_attempts(2));
  server_.is_down = false;
  ASSERT_TRUE(server_.wait_for_attempts(5));
  EXPECT_EQ(one.epoch(), 0U);
  clock_.advance(399ms);
  ASSERT_TRUE(server_.wait_for_attempts(5));
  EXPECT_EQ(one.epoch(), 0U);
  clock_.advance(1ms);
  EXPECT_TRUE(one.leads());
}

// The watches of a process that stood still are behind, too.
TEST_F(LeaderElectionByTheClock, LEASE8ACandidateThatStoodStillWaits) {
  server_.set_holder("other", 1);
  Candidate one(server_, "one", &clock_);
  ASSERT_TRUE(server_.wait_for_attempts(2));
  clock_.advance(10s);
  ASSERT_TRUE(server_.wait_for_attempts(5));
  EXPECT_EQ(one.epoch(), 0U);
  clock_.advance(400ms);
  EXPECT_TRUE(one.leads());
}

// Its own configuration has a longer lease than that of the holder.
TEST_F(LeaderElectionByTheClock, LEASE8TheWaitIsNoLongerThanTheLeaseThatHasRunOut) {
  server_.set_holder("other", 3);
  Candidate one(server_, "one", &clock_, 600s);
  ASSERT_TRUE(server_.wait_for_attempts(2));
  clock_.advance(2999ms);
  ASSERT_TRUE(server_.wait_for_attempts(5));
  EXPECT_EQ(one.epoch(), 0U);
  clock_.advance(1ms);
  EXPECT_TRUE(one.leads());
}

TEST_F(LeaderElectionByTheClock, LEASE8TheWaitIsFiveSecondsAtMost) {
  server_.set_holder("other", 60);
  Candidate one(server_, "one", &clock_, 600s);
  ASSERT_TRUE(server_.wait_for_attempts(2));
  clock_.advance(1000s);
  ASSERT_TRUE(server_.wait_for_attempts(5));
  clock_.advance(4999ms);
  ASSERT_TRUE(server_.wait_for_attempts(5));
  EXPECT_EQ(one.epoch(), 0U);
  clock_.advance(1ms);
  EXPECT_TRUE(one.leads());
}

TEST_F(LeaderElectionByTheClock, LEASE8TheFormerHolderWaitsLikeAnyOther) {
  Candidate one(server_, "one", &clock_);
  ASSERT_TRUE(one.leads());
  server_.is_down = true;
  clock_.advance(600ms);
  ASSERT_TRUE(one.rests());
  ASSERT_TRUE(server_.wait_for_attempts(2));
  server_.is_down = false;
  ASSERT_TRUE(server_.wait_for_attempts(5));
  EXPECT_EQ(one.epoch(), 0U);
  clock_.advance(400ms);
  EXPECT_TRUE(one.leads());
}

}  // namespace
}  // namespace berth::kubeapi
