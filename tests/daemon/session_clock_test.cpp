// The session loop without its thread: what it does when, by a clock that the test moves.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>

#include "conf/config.h"
#include "conf/default_config.h"
#include "daemon/configuration.h"
#include "daemon/objects.h"
#include "daemon/session_ports.h"

namespace berth::daemon {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

class SessionClockTest : public SessionPorts {
 protected:
  SessionClockTest() {
    loop_.start_leading(1);
    events_.post(make_node("n1", 4));
  }
  // Steps as the loop asks for them.
  void run_for(Duration length) {
    const TimePoint until = clock_.now() + length;
    while (true) {
      const TimePoint next = events_.size() > 0 ? clock_.now() : next_;
      if (next > until) break;
      clock_.advance(std::max(Duration(), next - clock_.now()));
      next_ = loop_.step(events_.take({}), true).until;
    }
    clock_.advance(until - clock_.now());
  }
  void post_gang(const std::string& name) {
    events_.post(make_group(name, 2));
    for (int i = 0; i < 2; ++i) events_.post(make_member(name, i));
  }
  bool has_logged(const std::string& part) {
    const auto lines = ports_.take().lines;
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line.find(part) != std::string::npos;
    });
  }
  std::uint64_t sessions() const { return loop_.last_session().sessions; }
  SessionLoop::Parts parts_by_clock() {
    SessionLoop::Parts by_clock = parts(clock_);
    by_clock.real_clock = &clock_;
    return by_clock;
  }
  static engine::Scheduler scheduler() {
    auto config = conf::load_config(conf::default_config_text(), "default", known_names());
    return std::move(*engine::Scheduler::create(config->session));
  }

  static constexpr const char* kNobodyCame = "nobody came to bind it";

  ManualClock clock_{TimePoint(hours(500'000))};
  SessionLoop loop_{
      parts_by_clock(), {.mirror = {}, .period = hours(1), .patience = seconds(10)}, scheduler()};
  TimePoint next_;
};

TEST_F(SessionClockTest, WithoutAnEventOrAnEndByTheClockNoSessionFollows) {
  run_for(seconds(1));
  const std::uint64_t before = sessions();
  run_for(hours(1) - seconds(2));
  EXPECT_EQ(sessions(), before);
  run_for(seconds(2));
  EXPECT_EQ(sessions(), before + 1);
}

TEST_F(SessionClockTest, APlanThatNobodyBindsEndsAfterItsPatienceWhateverThePeriod) {
  post_gang("g");
  run_for(seconds(29));
  EXPECT_EQ(loop_.last_session().pods_planned, 2U);
  EXPECT_FALSE(has_logged(kNobodyCame));
  run_for(seconds(4));
  EXPECT_TRUE(has_logged(kNobodyCame));
  run_for(seconds(10));
  EXPECT_EQ(loop_.last_session().pods_planned, 2U) << "after its pause it is planned again";
}

TEST_F(SessionClockTest, LEASE3ThePatienceOfAnotherTermBeginsAnew) {
  post_gang("g");
  run_for(seconds(20));
  loop_.stop_leading();
  run_for(seconds(1));
  EXPECT_EQ(published_.load()->pods.size(), 0U);
  run_for(seconds(60));
  loop_.start_leading(2);
  events_.post(make_node("n1", 4));
  run_for(seconds(29));
  EXPECT_EQ(loop_.last_session().pods_planned, 2U);
  EXPECT_FALSE(has_logged(kNobodyCame));
  run_for(seconds(4));
  EXPECT_TRUE(has_logged(kNobodyCame));
}

}  // namespace
}  // namespace berth::daemon
