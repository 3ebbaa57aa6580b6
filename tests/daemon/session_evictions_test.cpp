#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "conf/config.h"
#include "conf/default_config.h"
#include "daemon/configuration.h"
#include "daemon/objects.h"
#include "daemon/session_ports.h"
#include "support/jumping_clock.h"

namespace berth::daemon {
namespace {

using Written = support::RecordingWriter::Written;

// n1 has 1 cpu, which ml/old uses. ml/new has a higher priority.
class SessionEvictionsTest : public SessionPorts {
 protected:
  bool never_preempts_ = false;  // before start()
  std::optional<TimePoint> old_since_;
  const Clock* clock_ = &system_clock_;

  ~SessionEvictionsTest() override { loop_->stop(); }

  void start() {
    auto config = conf::load_config(conf::default_config_text(), "default", known_names());
    config->session.actions = {{"enqueue", "test"}, {"allocate", "test"}, {"preempt", "test"}};
    SessionLoop::Parts parts = this->parts(*clock_);
    parts.evicted_jobs = &evicted_jobs_;
    const SessionLoop::Settings settings{.mirror = {},
                                         .period = std::chrono::hours(1),
                                         .patience = std::chrono::seconds(10),
                                         .steering = {},
                                         .veto_memory = {}};
    loop_ = std::make_unique<SessionLoop>(std::move(parts), settings,
                                          *engine::Scheduler::create(config->session));
    source_.set_synced();
    events_.post(make_node("n1", 1));
    events_.post(make_group("old", 1));
    PodObject old = running_on(make_member("old", 0), "n1");
    old.scheduled = old_since_;
    events_.post(old);
    events_.post(make_group("new", 1));
    PodObject urgent = make_member("new", 0);
    urgent.priority = 10;
    urgent.gates = {kPlanGate};
    urgent.never_preempts = never_preempts_;
    events_.post(urgent);
    loop_->start();
    loop_->start_leading(1);
  }
  bool wait_for_event(const std::string& object, const std::string& reason,
                      const std::string& message) {
    return ports_.wait([&](const Written& written) {
      return std::any_of(written.events.begin(), written.events.end(), [&](const auto& event) {
        return event.object.full_name() == object && event.reason == reason &&
               event.message.starts_with(message);
      });
    });
  }
  bool has_line(const std::string& line) {
    return ("\n" + metrics_.expose({})).find("\n" + line + "\n") != std::string::npos;
  }

  SystemClock system_clock_;
  ports::Published<views::EvictedJobs> evicted_jobs_{nullptr};
  std::unique_ptr<SessionLoop> loop_;
};

TEST_F(SessionEvictionsTest, EVENT1TheVictimAndTheJobNameEachOther) {
  start();
  EXPECT_TRUE(wait_for_event("ml/new", "Evicting", "preempt evicts 1 pod for it: ml/old-0"));
  EXPECT_TRUE(wait_for_event("ml/old-0", "Evicted", "Evicted by preempt for ml/new: "));
  loop_->stop();
  EXPECT_TRUE(has_line("berth_evictions_total{action=\"preempt\",as=\"whole_job\"} 1"))
      << metrics_.expose({});
}

// volcano 31
TEST_F(SessionEvictionsTest, APodThatOnlyHasAClaimIsNeitherNominatedNorCommitted) {
  const auto is_steered = [](const Written& written) {
    return !written.nominations.empty() || !written.commits.empty();
  };
  start();
  ASSERT_TRUE(wait_for_event("ml/old-0", "Evicted", ""));
  EXPECT_FALSE(is_steered(ports_.take()));
  events_.post(make_group("later", 2));
  ASSERT_TRUE(ports_.wait([](const Written& written) {
    return std::any_of(written.statuses.begin(), written.statuses.end(),
                       [](const auto& each) { return each.object.full_name() == "ml/later"; });
  })) << "a second session";
  EXPECT_FALSE(is_steered(ports_.take()));
  events_.post(PodDeleted{make_member("old", 0).uid});
  EXPECT_TRUE(ports_.wait(is_steered));
}

TEST_F(SessionEvictionsTest, EVENT3ARefusalIsPublishedAndCounted) {
  ports_.outcome = {ports::WriteOutcome::Result::refused, "its budget"};
  start();
  EXPECT_TRUE(
      wait_for_event("ml/old-0", "EvictionRefused", "eviction for ml/new was refused: its budget"));
  EXPECT_TRUE(
      wait_for_event("ml/new", "EvictionRefused", "eviction of ml/old-0 was refused: its budget"));
  loop_->stop();
  EXPECT_TRUE(has_line("berth_evictions_refused_total{reason=\"refused\"} 1"))
      << metrics_.expose({});
}

TEST_F(SessionEvictionsTest, EVENT5WhatDoesNotHelpIsLoggedAndCounted) {
  never_preempts_ = true;
  start();
  EXPECT_TRUE(ports_.wait([](const Written& written) {
    return std::any_of(written.lines.begin(), written.lines.end(), [](const std::string& line) {
      return line.starts_with("job ml/new: preempt evicts nobody for it: ");
    });
  }));
  loop_->stop();
  EXPECT_TRUE(has_line("berth_evictions_in_vain{action=\"preempt\",reason=\"never_preempts\"} 1"))
      << metrics_.expose({});
}

TEST_F(SessionEvictionsTest, TheWorkThatIsLostIsCountedWhenTheEvictionIsAccepted) {
  support::JumpingClock clock;
  clock_ = &clock;
  old_since_ = clock.now() - std::chrono::seconds(40);
  start();
  ASSERT_TRUE(wait_for_event("ml/old-0", "Evicted", ""));
  loop_->stop();
  EXPECT_TRUE(has_line("berth_lost_work_seconds_total{resource=\"cpu\"} 40"))
      << metrics_.expose({});
  EXPECT_TRUE(has_line("berth_evicted_pod_age_seconds_count 1"));
}

TEST_F(SessionEvictionsTest, NoWorkIsLostByAnEvictionThatIsRefused) {
  ports_.outcome = {ports::WriteOutcome::Result::refused, "its budget"};
  support::JumpingClock clock;
  clock_ = &clock;
  old_since_ = clock.now() - std::chrono::seconds(40);
  start();
  ASSERT_TRUE(wait_for_event("ml/old-0", "EvictionRefused", ""));
  loop_->stop();
  EXPECT_TRUE(has_line("berth_evicted_pod_age_seconds_count 0")) << metrics_.expose({});
}

// A controller makes the evicted pod anew, and it is evicted again.
TEST_F(SessionEvictionsTest, EVENT9AJobThatIsEvictedAgainAndAgainIsNamed) {
  support::JumpingClock clock;
  clock_ = &clock;
  start();
  PodObject victim = running_on(make_member("old", 0), "n1");
  PodObject urgent = make_member("new", 0);
  urgent.priority = 10;
  urgent.gates = {kPlanGate};
  for (std::size_t round = 1;; ++round) {
    ASSERT_TRUE(ports_.wait([&](const Written& written) {
      return std::any_of(written.events.begin(), written.events.end(), [&](const auto& event) {
        return event.reason == "Evicted" && event.object.uid == victim.uid;
      });
    })) << round;
    if (round == 5) break;
    clock.advance(std::chrono::seconds(11));
    events_.post(PodDeleted{urgent.uid});
    events_.post(PodDeleted{victim.uid});
    victim.uid = "old-" + std::to_string(round);
    urgent.uid = "new-" + std::to_string(round);
    events_.post(victim);
    events_.post(urgent);
  }
  EXPECT_TRUE(wait_for_event("ml/old", "EvictedRepeatedly",
                             "evicted 5 times within an hour, 5 pods in all; the last time by "
                             "preempt for ml/new"));
  loop_->stop_leading();
  EXPECT_EQ(evicted_jobs_.load(), nullptr) << "another leads";
  loop_->stop();
}

}  // namespace
}  // namespace berth::daemon
