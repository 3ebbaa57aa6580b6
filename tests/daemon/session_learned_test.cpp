#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "conf/config.h"
#include "daemon/configuration.h"
#include "daemon/objects.h"
#include "daemon/session_ports.h"
#include "daemon/usage_text.h"

// The use of queues over the change of leaders, by a clock that the test moves.

namespace berth::daemon::session_learned_test {
namespace {

using ports::LearnedStore;
using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

class Store final : public LearnedStore {
 public:
  void read(Read done) override { reads.push_back(std::move(done)); }
  void write(const Texts& texts, std::uint64_t epoch, Written done) override {
    writes.emplace_back(texts, epoch);
    if (answers) done({});
  }

  std::vector<Read> reads;
  std::vector<std::pair<Texts, std::uint64_t>> writes;
  bool answers = true;
};

class SessionLearnedTest : public SessionPorts {
 protected:
  explicit SessionLearnedTest(const char* plugins = "{name: fairshare}, ")
      : loop_(make_parts(), {.mirror = {}, .period = minutes(1)}, scheduler(plugins)) {
    events_.post(make_node("n1", 4));
    loop_.start_leading(7);
  }
  void run_for(Duration length) {
    const TimePoint until = clock_.now() + length;
    while (true) {
      const TimePoint next = events_.has_news() ? clock_.now() : next_;
      if (next > until) break;
      clock_.advance(std::max(Duration(), next - clock_.now()));
      next_ = loop_.step(events_.take({}), true).until;
    }
    clock_.advance(until - clock_.now());
  }
  SessionLoop::Parts make_parts() {
    SessionLoop::Parts made = parts(clock_);
    made.real_clock = &clock_;
    made.learned = &store_;
    return made;
  }
  static engine::Scheduler scheduler(const std::string& plugins) {
    const auto config = conf::load_config("actions: allocate\ntiers: [{plugins: [" + plugins +
                                              "{name: gang}, {name: predicates}]}]\n",
                                          "test", known_names());
    return std::move(*engine::Scheduler::create(config->session));
  }
  void run_a_pod() {
    PodObject pod = make_member("g", 0);
    pod.node_name = "n1";
    pod.phase = PodPhase::running;
    events_.post(make_group("g", 1));
    events_.post(std::move(pod));
  }
  // In seconds of the whole cluster.
  double written() {
    UsageTable usage;
    const auto& texts = store_.writes.back().first;
    EXPECT_TRUE(restore_usage(texts.at("fair-share"), usage, clock_.now()));
    return usage.used(usage.find("default"), clock_.now());
  }

  Store store_;
  ManualClock clock_{TimePoint(hours(400'000))};
  SessionLoop loop_;
  TimePoint next_;
};

// LEARN-1, LEARN-3
TEST_F(SessionLearnedTest, sessions_wait_for_nothing_and_use_is_written_in_ten_minutes) {
  run_a_pod();
  run_for(minutes(1));
  ASSERT_EQ(store_.reads.size(), 1U);
  EXPECT_GT(loop_.last_session().sessions, 0U) << "there is no answer yet";
  store_.reads[0]({}, {});
  run_for(minutes(8));
  EXPECT_TRUE(store_.writes.empty());
  run_for(minutes(2));
  ASSERT_EQ(store_.writes.size(), 1U);
  EXPECT_EQ(store_.writes[0].second, 7U);
  EXPECT_NEAR(written(), 150, 10) << "a quarter of the cluster for ten minutes";
  run_for(hours(1));
  EXPECT_EQ(store_.writes.size(), 7U) << "six an hour";
}

// LEARN-4, LEARN-6
TEST_F(SessionLearnedTest, the_next_leader_goes_on_from_what_was_used) {
  run_for(seconds(1));
  store_.reads[0]({{"fair-share", R"({"version":1,"accounts":[["default","",5000,1440000000]]})"}},
                  {});
  run_for(seconds(1));
  loop_.stop_leading();
  run_for(seconds(5));
  ASSERT_EQ(store_.writes.size(), 1U);
  EXPECT_NEAR(written(), 5000, 1);
  loop_.start_leading(8);
  run_for(seconds(1));
  EXPECT_EQ(store_.reads.size(), 2U);
  EXPECT_EQ(store_.writes.size(), 1U);
}

class WithoutFairShare : public SessionLearnedTest {
 protected:
  WithoutFairShare() : SessionLearnedTest("") {}
};

TEST_F(WithoutFairShare, nothing_is_written) {
  run_a_pod();
  run_for(minutes(1));
  store_.reads[0]({}, {});
  run_for(hours(1));
  EXPECT_TRUE(store_.writes.empty());
}

}  // namespace
}  // namespace berth::daemon::session_learned_test
