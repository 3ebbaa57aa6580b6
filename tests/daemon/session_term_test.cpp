#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "conf/config.h"
#include "conf/default_config.h"
#include "daemon/configuration.h"
#include "daemon/objects.h"
#include "daemon/session_ports.h"
#include "support/jumping_clock.h"

// A session thread whose lease runs out, with nobody to say so but the clock.

namespace berth::daemon {
namespace {

using Written = support::RecordingWriter::Written;
using std::chrono::hours;
using std::chrono::seconds;

// Does something when it is next asked for the time.
class TrickyClock final : public Clock {
 public:
  TimePoint now() const override {
    const std::lock_guard lock(mutex_);
    if (const auto act = std::exchange(act_, nullptr)) act();
    return SystemClock().now();
  }
  void at_the_next_look(std::function<void()> act) {
    const std::lock_guard lock(mutex_);
    act_ = std::move(act);
  }

 private:
  mutable std::mutex mutex_;
  mutable std::function<void()> act_;
};

// Keeps questions until the test answers them.
class Starting final : public ports::StartingPods {
 public:
  void read(Done done) override {
    const std::lock_guard lock(mutex_);
    questions_.push_back(std::move(done));
    asked_.notify_all();
  }
  bool wait_for_question() {
    std::unique_lock lock(mutex_);
    return asked_.wait_for(lock, seconds(20), [this] { return !questions_.empty(); });
  }
  void answer(const std::set<std::string>& uids) {
    std::vector<Done> questions;
    {
      const std::lock_guard lock(mutex_);
      questions = std::exchange(questions_, {});
    }
    for (const Done& each : questions) each(uids);
  }

 private:
  std::mutex mutex_;
  std::condition_variable asked_;
  std::vector<Done> questions_;
};

class SessionTermTest : public SessionPorts {
 protected:
  ports::StartingPods* starting_ = nullptr;  // before start()
  steering::Mode mode_ = steering::Mode::nominate;
  std::string action_;  // empty: those of the default configuration

  ~SessionTermTest() override { loop_->stop(); }

  void start() {
    SessionLoop::Parts parts = this->parts(clock_);
    parts.leadership = &leadership_;
    parts.starting_pods = starting_;
    SessionLoop::Settings settings;
    settings.period = hours(1);
    settings.steering = mode_;
    loop_ = std::make_unique<SessionLoop>(std::move(parts), settings, scheduler(action_));
    source_.set_synced();
    events_.post(make_node("n1", 4));
    loop_->start();
    lead(1);
  }
  void lead(std::uint64_t epoch) {
    leadership_.begin(epoch, lease_clock_.now() + seconds(6));
    loop_->start_leading(epoch);
  }
  void run_out() { lease_clock_.advance(seconds(6)); }
  void post_gang(const std::string& name) {
    events_.post(make_group(name, 2));
    for (int i = 0; i < 2; ++i) events_.post(make_member(name, i));
  }
  bool wait_for_nominations(std::size_t count) {
    return ports_.wait([&](const Written& written) { return written.nominations.size() >= count; });
  }
  bool wait_for_line(const std::string& part) {
    return ports_.wait([&](const Written& written) {
      return std::any_of(written.lines.begin(), written.lines.end(), [&](const std::string& line) {
        return line.find(part) != std::string::npos;
      });
    });
  }
  // The thread goes round, from end to end.
  bool goes_round() {
    for (int times = 0; times < 3; ++times) {
      events_.wake();
      if (!source_.wait_for_questions(1)) return false;
    }
    return true;
  }
  static bool until(const std::function<bool()>& is_so) {
    const auto deadline = std::chrono::steady_clock::now() + seconds(20);
    while (!is_so() && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    return is_so();
  }
  static engine::Scheduler scheduler(const std::string& only_action = "") {
    auto config = conf::load_config(conf::default_config_text(), "default", known_names());
    if (!only_action.empty()) config->session.actions = {{only_action, "test"}};
    return std::move(*engine::Scheduler::create(config->session));
  }

  TrickyClock clock_;
  support::JumpingClock lease_clock_;
  ports::Leadership leadership_{lease_clock_};
  Starting questions_;
  std::unique_ptr<SessionLoop> loop_;
};

TEST_F(SessionTermTest, LEASE3AfterItsTermTheLoopDecidesNothing) {
  start();
  post_gang("g");
  ASSERT_TRUE(wait_for_nominations(2));
  ASSERT_TRUE(goes_round()) << "so the session has ended";
  EXPECT_TRUE(published_.load()->is_in_force());
  run_out();
  EXPECT_FALSE(published_.load()->is_in_force()) << "LEASE-5, before the thread has looked";
  ports_.take();
  const auto sessions = loop_->last_session().sessions;
  post_gang("h");
  ASSERT_TRUE(until([&] { return !published_.load()->ready; }));
  ASSERT_TRUE(goes_round());
  EXPECT_EQ(loop_->last_session().sessions, sessions);
  EXPECT_TRUE(published_.load()->pods.empty());
  EXPECT_TRUE(ports_.take().nominations.empty());
}

TEST_F(SessionTermTest, LEASE3ItBeginsAnewUnderANewEpoch) {
  start();
  post_gang("g");
  ASSERT_TRUE(wait_for_nominations(2));
  run_out();
  ports_.take();
  loop_->stop_leading();
  events_.post(NodeDeleted{"n1"});
  events_.post(make_node("n2", 4));
  lead(2);
  ASSERT_TRUE(wait_for_nominations(2));
  const auto table = published_.load();
  EXPECT_TRUE(table->is_in_force());
  EXPECT_EQ(table->term.epoch(), 2U);
  for (const auto& [uid, pod] : table->pods) EXPECT_EQ(pod.node, "n2") << uid;
}

TEST_F(SessionTermTest, LEASE3APlanIsNotPublishedIfTheTermEndsInItsSession) {
  action_ = "enqueue";  // admits and places nothing
  start();
  post_gang("g");
  ASSERT_TRUE(wait_for_line("job ml/g is Inqueue"));
  ASSERT_TRUE(goes_round());
  std::atomic<std::uint64_t> epoch_in_session = 0;
  clock_.at_the_next_look([&] {
    epoch_in_session = leadership_.epoch();
    run_out();
  });
  loop_->replace(scheduler(), hours(1));
  ASSERT_TRUE(goes_round());
  EXPECT_EQ(epoch_in_session, 1U) << "it had begun";
  EXPECT_TRUE(published_.load()->pods.empty());
  EXPECT_FALSE(published_.load()->ready);
  EXPECT_TRUE(ports_.take().nominations.empty());
}

TEST_F(SessionTermTest, LEASE5PodsAreShownUnderTheTermThatTheyWerePlannedUnder) {
  mode_ = steering::Mode::view;
  start();
  post_gang("g");
  ASSERT_TRUE(until([&] { return !shown_.load()->pods.empty(); }));
  const auto table = shown_.load();
  EXPECT_NE(table->find("g-0"), nullptr);
  run_out();
  EXPECT_EQ(table->find("g-0"), nullptr);
}

TEST_F(SessionTermTest, LEASE9TheFirstSessionWaitsForTheWatches) {
  starting_ = &questions_;
  start();
  post_gang("g");
  ASSERT_TRUE(questions_.wait_for_question());
  ASSERT_TRUE(goes_round());
  EXPECT_EQ(loop_->last_session().sessions, 0U);
  // An earlier leader has bound a pod that the watches have not shown, so n1 has less room.
  questions_.answer({"old-0"});
  ASSERT_TRUE(goes_round());
  EXPECT_EQ(loop_->last_session().sessions, 0U);
  EXPECT_TRUE(published_.load()->pods.empty());
  events_.post(make_group("old", 1));
  events_.post(running_on(make_member("old", 0, 3), "n1"));
  ASSERT_TRUE(wait_for_line("job ml/g waits: "));
  EXPECT_TRUE(ports_.take().nominations.empty());
}

TEST_F(SessionTermTest, LEASE9TheTermMayEndMeanwhile) {
  starting_ = &questions_;
  start();
  ASSERT_TRUE(questions_.wait_for_question());
  run_out();
  loop_->stop_leading();
  questions_.answer({});
  ASSERT_TRUE(goes_round());
  EXPECT_EQ(loop_->last_session().sessions, 0U);
  lead(2);
  ASSERT_TRUE(questions_.wait_for_question());
  questions_.answer({});
  post_gang("g");
  EXPECT_TRUE(wait_for_nominations(2));
}

}  // namespace
}  // namespace berth::daemon
