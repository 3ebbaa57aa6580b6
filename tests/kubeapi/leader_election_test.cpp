#include "kubeapi/leader_election.h"

#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <vector>

#include "berth/base/boot_clock.h"
#include "kubeapi/answering_transport.h"
#include "kubeapi/lease_object.h"
#include "kubeapi/machine_thread.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using testing::LeaseObject;

constexpr TimePoint kBegin(1h);

struct LeaseServer {
  LeaseObject lease;
  bool is_down = false;
};

// A process with an election of its own. Its answers come at once.
class Candidate {
 public:
  // The deadline comes after three fifths of the lease.
  Candidate(ManualClock& clock, LeaseServer& server, const std::string& identity,
            Duration lease = 1s)
      : clock_(clock), server_(server), leadership_(clock) {
    LeaseOptions options;
    options.identity = identity;
    options.lease_duration = lease;
    options.renew_deadline = lease * 3 / 5;
    options.retry_period = 50ms;
    options.unfit_patience = 200ms;
    election_.emplace(
        leadership_, clock, options,
        LeaderElection::Callbacks{[this](std::uint64_t begun) { epoch = begun; },
                                  [this] {
                                    held_at_the_end = leadership_.epoch() != 0;
                                    epoch = 0;
                                  },
                                  [](const std::string&) {}, [this] { return is_fit; }});
  }

  void run() {
    while (clock_.now() >= due_ && !has_ended_) carry_out(election_->step());
  }
  void stop() {
    while (!has_ended_) carry_out(election_->stop());
  }

  TimePoint due() const { return has_ended_ ? TimePoint::max() : due_; }
  const ports::Leadership& leadership() const { return leadership_; }
  std::uint64_t losses() const { return election_->losses(); }

  std::uint64_t epoch = 0;  // that it leads with; 0: it does not
  bool is_fit = true;
  bool held_at_the_end = false;  // the term, when it was asked to stop

 private:
  void carry_out(Step step) {
    while (step.request) {
      EXPECT_TRUE(step.request->urgent && step.request->needs_no_term);
      step =
          election_->answered(server_.is_down ? Response() : server_.lease.answer(*step.request));
    }
    has_ended_ = !step.pause;
    if (step.pause) due_ = clock_.now() + *step.pause;
  }

  ManualClock& clock_;
  LeaseServer& server_;
  ports::Leadership leadership_;
  std::optional<LeaderElection> election_;
  TimePoint due_;
  bool has_ended_ = false;
};

class LeaderElectionTest : public ::testing::Test {
 protected:
  Candidate& start(const std::string& identity, Duration lease = 1s) {
    candidates_.push_back(std::make_unique<Candidate>(clock_, server_, identity, lease));
    candidates_.back()->run();
    return *candidates_.back();
  }
  void pass(Duration time) {
    for (const TimePoint end = clock_.now() + time; clock_.now() < end;) {
      TimePoint next = end;
      for (const auto& each : candidates_) next = std::min(next, each->due());
      stall(next - clock_.now());
    }
  }
  // It leads then, and not a millisecond before.
  void leads_after(const Candidate& candidate, Duration time) {
    pass(time - 1ms);
    EXPECT_EQ(candidate.epoch, 0U);
    pass(1ms);
    EXPECT_NE(candidate.epoch, 0U);
  }
  // All processes stand still, and then look.
  void stall(Duration time) {
    clock_.advance(time);
    for (const auto& each : candidates_) each->run();
  }

  ManualClock clock_{kBegin};
  LeaseServer server_;
  std::vector<std::unique_ptr<Candidate>> candidates_;
};

TEST_F(LeaderElectionTest, WhoFindsNoLeaseMakesOneAndLeads) {
  EXPECT_EQ(start("one").epoch, 1U);
  EXPECT_EQ(server_.lease.holder(), "one");
}

TEST_F(LeaderElectionTest, ALeaseThatIsGivenBackIsTakenAtOnceWithAHigherEpoch) {
  Candidate& one = start("one");
  const auto before = one.epoch;
  Candidate& two = start("two");
  one.stop();
  EXPECT_EQ(one.epoch, 0U) << "it rests before it gives the lease back";
  pass(50ms);
  EXPECT_GT(two.epoch, before);
}

TEST_F(LeaderElectionTest, ALeaseThatIsNotRenewedIsTakenOver) {
  server_.lease.set_holder("dead", 1);
  const Candidate& one = start("one");
  pass(999ms);
  EXPECT_EQ(one.epoch, 0U);
  pass(51ms);
  EXPECT_EQ(one.epoch, 6U) << "four transitions before, one now, and epochs begin at one";
}

TEST_F(LeaderElectionTest, WhoCannotRenewRestsBeforeOthersMayLead) {
  const Candidate& one = start("one");
  server_.is_down = true;
  pass(600ms);
  EXPECT_EQ(one.epoch, 0U);
  server_.is_down = false;
  pass(1s);
  EXPECT_NE(one.epoch, 0U) << "and tries again";
}

TEST_F(LeaderElectionTest, WhoSeesAnotherHolderRests) {
  const Candidate& one = start("one");
  server_.lease.set_holder("thief");
  pass(50ms);
  EXPECT_EQ(one.epoch, 0U);
  EXPECT_FALSE(one.held_at_the_end);
  EXPECT_EQ(one.losses(), 1U);
}

TEST_F(LeaderElectionTest, VIEW12ALeaderWithoutAKubeSchedulerLeavesTheLeaseToAnother) {
  Candidate& one = start("one");
  const Candidate& two = start("two");
  one.is_fit = false;
  pass(300ms);
  EXPECT_NE(two.epoch, 0U);
  EXPECT_EQ(one.epoch, 0U);
  EXPECT_EQ(server_.lease.holder(), "two");
}

TEST_F(LeaderElectionTest, VIEW12TheOnlyOneLeadsAgainAlthoughItHasNoKubeScheduler) {
  Candidate& one = start("one");
  const auto before = one.epoch;
  one.is_fit = false;
  pass(200ms);
  ASSERT_EQ(one.epoch, 0U);
  pass(999ms);
  EXPECT_EQ(one.epoch, 0U) << "for as long as a lease";
  pass(51ms);
  EXPECT_GT(one.epoch, before);
}

TEST_F(LeaderElectionTest, LEASE1AStallEndsTheTermBeforeAnythingElseIsDone) {
  const Candidate& one = start("one");
  const auto before = one.epoch;
  ASSERT_TRUE(one.leadership().holds(before));
  clock_.advance(600ms);
  EXPECT_FALSE(one.leadership().holds(before)) << "whatever thread looks first";
  stall(0ms);
  EXPECT_EQ(one.epoch, 0U);
  EXPECT_FALSE(one.held_at_the_end);
  EXPECT_EQ(one.losses(), 1U);
}

TEST_F(LeaderElectionTest, LEASE1ALeaseThatNobodyTookMeanwhileBeginsANewTerm) {
  const Candidate& one = start("one");
  const auto before = one.epoch;
  stall(600ms);
  ASSERT_EQ(one.epoch, 0U);
  pass(1s);
  EXPECT_GT(one.epoch, before);
  EXPECT_TRUE(one.leadership().holds(one.epoch));
  EXPECT_FALSE(one.leadership().holds(before));
}

TEST_F(LeaderElectionTest, LEASE1ARenewalExtendsTheTerm) {
  const Candidate& one = start("one");
  const auto epoch = one.epoch;
  for (int times = 0; times < 4; ++times) stall(400ms);
  EXPECT_TRUE(one.leadership().holds(epoch));
  EXPECT_EQ(one.epoch, epoch);
  EXPECT_EQ(one.losses(), 0U);
}

TEST_F(LeaderElectionTest, LEASE1ALeaseThatIsMadeAnewGoesOnWithItsEpochs) {
  server_.lease.set_holder("dead", 1);
  Candidate& one = start("one");
  pass(1050ms);
  const auto before = one.epoch;
  ASSERT_EQ(before, 6U);
  server_.lease.erase();
  pass(50ms);
  EXPECT_EQ(server_.lease.epoch(), before) << "its holder makes it anew";
  const Candidate& two = start("two");
  one.stop();
  pass(50ms);
  EXPECT_EQ(two.epoch, before + 1);
  server_.lease.erase();
  stall(10s);
  pass(1s);
  EXPECT_GT(two.epoch, before + 1) << "so does a candidate";
}

TEST_F(LeaderElectionTest, LEASE7TheTermHoldsUntilTheLastWritesHaveEnded) {
  Candidate& one = start("one");
  one.stop();
  EXPECT_TRUE(one.held_at_the_end) << "writes under way may end";
  EXPECT_EQ(one.leadership().epoch(), 0U) << "then it is over";
  EXPECT_EQ(server_.lease.holder(), "");
  EXPECT_EQ(one.losses(), 0U);
}

// The lease has run out while the API server was away. The last writes of its holder may be carried
// out now: those have the time between the deadline and the lease's end, 400 ms.
TEST_F(LeaderElectionTest, LEASE8ALeaseIsTakenWhenTheServerHasAnsweredForAWhile) {
  server_.lease.set_holder("other", 1);
  const Candidate& one = start("one");
  server_.is_down = true;
  pass(10s);
  server_.is_down = false;
  pass(400ms);
  EXPECT_EQ(one.epoch, 0U);
  pass(50ms);
  EXPECT_NE(one.epoch, 0U);
}

// The watches of a process that stood still are behind, too.
TEST_F(LeaderElectionTest, LEASE8ACandidateThatStoodStillWaits) {
  server_.lease.set_holder("other", 1);
  const Candidate& one = start("one");
  stall(10s);
  leads_after(one, 400ms);
}

// Its own configuration has a longer lease than that of the holder.
TEST_F(LeaderElectionTest, LEASE8TheWaitIsNoLongerThanTheLeaseThatHasRunOut) {
  server_.lease.set_holder("other", 3);
  const Candidate& one = start("one", 600s);
  leads_after(one, 3s);
}

TEST_F(LeaderElectionTest, LEASE8TheWaitIsFiveSecondsAtMost) {
  server_.lease.set_holder("other", 60);
  const Candidate& one = start("one", 600s);
  stall(1000s);
  leads_after(one, 5s);
}

TEST_F(LeaderElectionTest, LEASE8TheFormerHolderWaitsLikeAnyOther) {
  const Candidate& one = start("one");
  server_.is_down = true;
  stall(600ms);
  ASSERT_EQ(one.epoch, 0U);
  pass(100ms);
  server_.is_down = false;
  pass(399ms);
  EXPECT_EQ(one.epoch, 0U);
  pass(51ms);
  EXPECT_NE(one.epoch, 0U);
}

// By its thread, a lease is held until the end and then given back.
TEST(ElectionThread, HoldsALeaseUntilItIsStopped) {
  std::mutex mutex;
  LeaseObject lease;
  const auto client = testing::client_with([&](const Request& request) {
    const std::lock_guard lock(mutex);
    const Response response = lease.answer(request);
    return testing::MadeAnswer{response.status, response.body};
  });
  const auto holder = [&] {
    const std::lock_guard lock(mutex);
    return lease.holder();
  };
  const BootClock clock;
  ports::Leadership leadership(clock);
  testing::Awaited<std::uint64_t> epoch;
  LeaseOptions options;
  options.identity = "one";
  LeaderElection election(leadership, clock, options,
                          {[&](std::uint64_t begun) { epoch.set(begun); }, [&] { epoch.set(0); },
                           [](const std::string&) {}});
  MachineThread thread(*client, election, "lease");
  thread.start();
  EXPECT_TRUE(epoch.wait([](std::uint64_t begun) { return begun == 1; }));
  EXPECT_EQ(holder(), "one");
  thread.stop();
  EXPECT_EQ(epoch.get(), 0U);
  EXPECT_EQ(holder(), "");
}

}  // namespace
}  // namespace berth::kubeapi
