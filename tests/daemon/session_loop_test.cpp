#include "daemon/session_loop.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "conf/config.h"
#include "conf/default_config.h"
#include "daemon/configuration.h"
#include "daemon/objects.h"
#include "daemon/session_ports.h"

namespace berth::daemon {
namespace {

using Written = support::RecordingWriter::Written;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Of the default configuration, but for what is given.
engine::Scheduler scheduler_with(const std::string& action,
                                 const std::vector<std::string>& plugins = {}) {
  auto config = conf::load_config(conf::default_config_text(), "default", known_names());
  if (!action.empty()) config->session.actions = {{action, "test"}};
  if (!plugins.empty()) {
    config->session.tiers = {{}};
    config->session.actions = {{"enqueue", "test"}, {"allocate", "test"}, {"backfill", "test"}};
  }
  for (const std::string& plugin : plugins) {
    config->session.tiers[0].push_back(
        {.plugin = {plugin, "test"}, .disabled_points = {}, .arguments = {}});
  }
  return std::move(*engine::Scheduler::create(config->session));
}

class SessionLoopTest : public SessionPorts {
 protected:
  // Before start(): what the default is not to be.
  SessionLoop::Settings settings_{
      .mirror = {}, .period = hours(1), .patience = seconds(10), .steering = {}, .veto_memory = {}};
  std::string action_;  // empty: those of the default configuration
  std::vector<std::string> plugins_;

  void start() {
    const auto count = [this] { ++publications_; };
    loop_ = std::make_unique<SessionLoop>(parts(clock_, count), settings_,
                                          scheduler_with(action_, plugins_));
    loop_->start();
    loop_->start_leading(1);
  }
  void post_gang(const std::string& name, int members) {
    events_.post(make_group(name, members));
    for (int i = 0; i < members; ++i) events_.post(make_member(name, i));
  }
  bool wait_for_line(const std::string& part) {
    return ports_.wait([&](const Written& written) {
      return std::any_of(written.lines.begin(), written.lines.end(), [&](const std::string& line) {
        return line.find(part) != std::string::npos;
      });
    });
  }
  bool wait_for_nominations(std::size_t count) {
    return ports_.wait([&](const Written& written) { return written.nominations.size() >= count; });
  }
  // Two sessions more, so one from end to end, of events that change nothing.
  bool run_two_sessions() {
    const auto before = loop_->last_session().sessions;
    const auto deadline = std::chrono::steady_clock::now() + seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
      if (loop_->last_session().sessions >= before + 2) return true;
      if (events_.size() == 0) events_.post(PodDeleted{"nobody"});
      std::this_thread::yield();
    }
    return false;
  }

  SystemClock clock_;
  std::atomic<int> publications_ = 0;
  std::unique_ptr<SessionLoop> loop_;
};

TEST_F(SessionLoopTest, RunsNoSessionBeforeTheSourceIsSynced) {
  settings_.period = milliseconds(1);
  events_.post(make_node("n1", 4));
  post_gang("g", 2);
  start();
  ASSERT_TRUE(source_.wait_for_questions(5));
  EXPECT_EQ(loop_->last_session().sessions, 0u);
  EXPECT_FALSE(published_.load()->ready);
  source_.set_synced();
  ASSERT_TRUE(wait_for_nominations(2));
  EXPECT_TRUE(published_.load()->ready);
  EXPECT_EQ(published_.load()->pods.size(), 2u);
}

TEST_F(SessionLoopTest, AnEmptyClusterIsReadyToo) {
  source_.set_synced();
  start();
  ASSERT_TRUE(run_two_sessions());
  EXPECT_TRUE(published_.load()->ready);
  EXPECT_EQ(publications_, 1);
}

TEST_F(SessionLoopTest, APlanIsPublishedBeforeAnybodyIsNominated) {
  std::atomic<int> unpublished = 0;
  ports_.on_nominate = [&](const std::string& pod) {
    if (published_.load()->find(pod) == nullptr || publications_ == 0) ++unpublished;
  };
  source_.set_synced();
  events_.post(make_node("n1", 4));
  post_gang("g", 3);
  start();
  ASSERT_TRUE(wait_for_nominations(3));
  EXPECT_EQ(unpublished, 0);
}

TEST_F(SessionLoopTest, AnEventWakesItLongBeforeItsPeriod) {
  source_.set_synced();
  start();
  ASSERT_TRUE(run_two_sessions());
  events_.post(make_node("n1", 4));
  post_gang("g", 2);
  EXPECT_TRUE(wait_for_nominations(2));
}

TEST_F(SessionLoopTest, ASessionComesAfterThePeriodWithoutNews) {
  settings_.period = milliseconds(5);
  source_.set_synced();
  start();
  ASSERT_TRUE(source_.wait_for_questions(5));
  EXPECT_GE(loop_->last_session().sessions, 3u);
}

TEST_F(SessionLoopTest, WhereNothingChangesNothingIsPublishedOrWritten) {
  source_.set_synced();
  events_.post(make_node("n1", 1));
  post_gang("g", 3);
  start();
  ASSERT_TRUE(wait_for_line("job ml/g waits: "));
  ASSERT_TRUE(run_two_sessions());
  const int publications = publications_;
  const auto epoch = published_.load()->epoch;
  ports_.take();
  ASSERT_TRUE(run_two_sessions());
  EXPECT_EQ(publications_, publications);
  EXPECT_EQ(published_.load()->epoch, epoch);
  const Written written = ports_.take();
  EXPECT_TRUE(written.nominations.empty());
  EXPECT_TRUE(written.statuses.empty());
  EXPECT_TRUE(written.lines.empty());
}

TEST_F(SessionLoopTest, TheLastSessionCountsWaitingJobsAndPlannedPods) {
  source_.set_synced();
  events_.post(make_node("n1", 2));
  post_gang("fits", 2);
  post_gang("waits", 3);
  start();
  ASSERT_TRUE(wait_for_nominations(2));
  ASSERT_TRUE(wait_for_line("job ml/waits waits: "));
  ASSERT_TRUE(run_two_sessions());
  const auto last = loop_->last_session();
  EXPECT_EQ(last.jobs_waiting, 1u);
  EXPECT_EQ(last.pods_planned, 2u);
  EXPECT_EQ(last.pods_pending, 3u);
}

TEST_F(SessionLoopTest, AnotherConfigurationTakesEffectWithTheNextSession) {
  action_ = "enqueue";  // admits and places nothing
  source_.set_synced();
  events_.post(make_node("n1", 4));
  post_gang("g", 2);
  start();
  ASSERT_TRUE(wait_for_line("job ml/g is Inqueue"));
  ASSERT_TRUE(run_two_sessions());
  EXPECT_TRUE(published_.load()->pods.empty());
  loop_->replace(scheduler_with(""), hours(1));
  EXPECT_TRUE(wait_for_nominations(2));
}

TEST_F(SessionLoopTest, AnotherPeriodTakesEffectToo) {
  source_.set_synced();
  start();
  ASSERT_TRUE(run_two_sessions());
  loop_->replace(scheduler_with(""), milliseconds(2));
  EXPECT_TRUE(source_.wait_for_questions(5));
}

TEST_F(SessionLoopTest, ADroppedPlacementIsPlannedAnew) {
  source_.set_synced();
  events_.post(make_node("n1", 4));
  post_gang("g", 2);
  start();
  ASSERT_TRUE(wait_for_nominations(2));
  events_.post(PlacementDropped{"g-0", "n1", "vetoed"});
  EXPECT_TRUE(wait_for_nominations(3));
}

TEST_F(SessionLoopTest, AGangThatStaysIncompleteGivesItsRoomBack) {
  settings_.period = milliseconds(5);
  settings_.patience = milliseconds(100);
  source_.set_synced();
  events_.post(make_node("n1", 1));
  events_.post(make_node("n2", 1));
  post_gang("g", 2);
  start();
  ASSERT_TRUE(wait_for_nominations(2));
  events_.post(NodeDeleted{"n2"});
  ASSERT_TRUE(ports_.wait([](const Written& written) {
    const auto& all = written.nominations;
    const auto is_cleared = [&](const char* what) {
      return std::find(all.begin(), all.end(), what) != all.end();
    };
    return is_cleared("g-0 on ") && is_cleared("g-1 on ");
  }));
  ASSERT_TRUE(run_two_sessions());
  EXPECT_TRUE(published_.load()->pods.empty()) << "and is not planned again on one node of two";
}

TEST_F(SessionLoopTest, ADroppedPlacementWithoutAnotherGivesItsNominationUp) {
  source_.set_synced();
  events_.post(make_node("n1", 2));
  post_gang("g", 2);
  start();
  ASSERT_TRUE(wait_for_nominations(2));
  events_.post(NodeDeleted{"n1"});
  events_.post(PlacementDropped{"g-0", "n1", "vetoed"});
  EXPECT_TRUE(ports_.wait([](const Written& written) {
    const auto& all = written.nominations;
    return std::find(all.begin(), all.end(), "g-0 on ") != all.end();
  }));
}

TEST_F(SessionLoopTest, WithoutTheGangPluginEveryPodIsBoundByItself) {
  plugins_ = {"predicates"};
  source_.set_synced();
  events_.post(make_node("n1", 2));
  post_gang("g", 3);
  start();
  ASSERT_TRUE(ports_.wait([](const Written& written) { return written.commits.size() >= 2; }));
  EXPECT_TRUE(ports_.take().nominations.empty());
  const auto table = published_.load();
  ASSERT_FALSE(table->pods.empty());
  for (const auto& [uid, pod] : table->pods) EXPECT_EQ(pod.gang->min_member, 1) << uid;
}

TEST_F(SessionLoopTest, WhoDoesNotLeadDecidesNothing) {
  source_.set_synced();
  events_.post(make_node("n1", 4));
  start();
  ASSERT_TRUE(run_two_sessions());
  EXPECT_NE(reservations_.load(), nullptr);
  loop_->stop_leading();
  EXPECT_FALSE(published_.load()->ready);
  EXPECT_EQ(reservations_.load(), nullptr);
  const auto sessions = loop_->last_session().sessions;
  ports_.take();
  post_gang("g", 2);
  const auto deadline = std::chrono::steady_clock::now() + seconds(20);
  while (events_.size() > 0 && std::chrono::steady_clock::now() < deadline) {
    std::this_thread::yield();
  }
  loop_->stop_leading();  // its thread has come round once more when this returns, or will decide
                          // nothing
  EXPECT_EQ(loop_->last_session().sessions, sessions);
  EXPECT_TRUE(ports_.take().nominations.empty());
  loop_->start_leading(2);
  EXPECT_TRUE(wait_for_nominations(2)) << "what came in the meantime was taken in";
}

// The earlier leader had planned g; h, which comes first, came after it had died.
TEST_F(SessionLoopTest, STEER10ANewLeaderPlansAnewAndEndsTheNominationsOfTheEarlierOne) {
  PodObject planned = make_member("g", 0);
  planned.planned_node = planned.nominated_node = "n1";
  PodObject high = make_member("h", 0);
  high.priority = 10;
  source_.set_synced();
  for (const ClusterEvent& event : std::vector<ClusterEvent>{make_node("n1", 1), make_group("g", 1),
                                                             planned, make_group("h", 1), high}) {
    events_.post(event);
  }
  start();
  ASSERT_TRUE(ports_.wait([](const Written& written) {
    return !written.commits.empty() && !written.nominations.empty();
  }));
  const Written written = ports_.take();
  EXPECT_EQ(written.commits, std::vector<std::string>{"h-0 on n1"});
  EXPECT_EQ(written.nominations, std::vector<std::string>{"g-0 on "});
}

// A claim across a restart: h could start on the idle cpu, and comes first.
TEST_F(SessionLoopTest, CLAIM8ANewLeaderKeepsWhatWasPromised) {
  PodObject old = running_on(make_member("", 0), "n1");
  old.name = old.uid = "old";
  old.terminating = true;
  PodGroupObject group = make_group("g", 2);
  group.phase = GroupPhase::inqueue;
  group.marks.claims = to_text({clock_.now(), {{"n1", 2}}});
  PodObject high = make_member("h", 0);
  high.priority = 10;
  source_.set_synced();
  for (const ClusterEvent& event :
       std::vector<ClusterEvent>{make_node("n1", 2), old, group, make_group("h", 1), high,
                                 make_member("g", 0), make_member("g", 1)}) {
    events_.post(event);
  }
  start();
  ASSERT_TRUE(wait_for_line("job ml/h waits: "));
  ASSERT_TRUE(run_two_sessions());
  EXPECT_TRUE(published_.load()->pods.empty());
  const ports::RoomLeft& room = published_.load()->room_left;
  ASSERT_EQ(room.rows.size(), 1u) << "unmanaged pods are kept off, too";
  events_.post(PodDeleted{"old"});
  ASSERT_TRUE(wait_for_nominations(2));
  const std::vector<std::string> nominated = ports_.take().nominations;
  EXPECT_NE(std::find(nominated.begin(), nominated.end(), "g-0 on n1"), nominated.end());
}

TEST_F(SessionLoopTest, EVICT5ABrokenGangIsAskedToLeaveOnce) {
  settings_.period = milliseconds(2);
  settings_.patience = milliseconds(1);
  source_.set_synced();
  events_.post(make_node("n1", 1));
  post_gang("g", 2);
  events_.post(running_on(make_member("g", 0), "n1"));
  start();
  ASSERT_TRUE(ports_.wait([](const Written& all) { return !all.evictions.empty(); }));
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(run_two_sessions());
  EXPECT_EQ(ports_.take().evictions.size(), 1u);
  events_.post(EvictionRefused{"g-0", "its disruption budget"});
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(run_two_sessions());
  EXPECT_TRUE(ports_.take().evictions.empty()) << "nor at once after a refusal";
}

TEST_F(SessionLoopTest, WhoNeverSyncedRestsAtOnce) {
  start();  // and leads, as far as it can
  ASSERT_TRUE(source_.wait_for_questions(2));
  loop_->stop_leading();
  EXPECT_FALSE(published_.load()->ready);
  loop_->start_leading(2);
  source_.set_synced();
  ASSERT_TRUE(run_two_sessions());
  EXPECT_TRUE(published_.load()->ready);
}

TEST_F(SessionLoopTest, WhoRestedKeepsNoPlanOfBefore) {
  source_.set_synced();
  events_.post(make_node("n1", 4));
  post_gang("g", 2);
  start();
  ASSERT_TRUE(wait_for_nominations(2));
  loop_->stop_leading();
  events_.post(NodeDeleted{"n1"});
  events_.post(make_node("n2", 4));
  ports_.take();
  loop_->start_leading(2);
  ASSERT_TRUE(wait_for_nominations(2));
  for (const auto& [uid, pod] : published_.load()->pods) EXPECT_EQ(pod.node, "n2") << uid;
}

TEST_F(SessionLoopTest, StopsAtOnceWhateverItsPeriod) {
  source_.set_synced();
  start();
  ASSERT_TRUE(run_two_sessions());
  loop_->stop();  // the next session would begin in an hour
  loop_->stop();  // idempotent
}

TEST_F(SessionLoopTest, ThatItComesRoundIsSeen) {
  source_.set_synced();
  start();
  ASSERT_TRUE(run_two_sessions());
  EXPECT_LT(loop_->since_last_turn(), seconds(20));
  EXPECT_GE(loop_->since_last_turn(), seconds(0));
}

TEST_F(SessionLoopTest, SessionsAreCounted) {
  source_.set_synced();
  events_.post(make_node("n1", 4));
  post_gang("g", 2);
  start();
  ASSERT_TRUE(wait_for_nominations(2));
  ASSERT_TRUE(run_two_sessions());
  const std::string text = metrics_.expose({});
  EXPECT_NE(text.find("berth_decisions_total{kind=\"bind\"} 2"), std::string::npos) << text;
  EXPECT_EQ(text.find("berth_cluster_events_total 0"), std::string::npos) << text;
}

}  // namespace
}  // namespace berth::daemon
