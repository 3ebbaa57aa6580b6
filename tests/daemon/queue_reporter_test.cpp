#include "daemon/queue_reporter.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "daemon/objects.h"
#include "daemon/recording_ports.h"
#include "plugins/proportion/queue_division.h"

namespace berth::daemon {
namespace {

using Lines = std::vector<std::string>;
using std::chrono::seconds;

class QueueReporterTest : public testing::Test {
 protected:
  void SetUp() override { mirror_.apply(make_node("n1", 10)); }

  static QueueObject queue(const std::string& name, std::int64_t cpu = 0) {
    QueueObject object;
    object.name = object.uid = name;
    if (cpu > 0) object.guarantee = {{"cpu", cpu * 1000}};
    return object;
  }
  void see(const ClusterEvent& event, bool leads = true) {
    mirror_.apply(event);
    reporter_.observe(event, leads);
  }
  // A gang of one in this queue, on the node.
  void run(const std::string& name, const std::string& queue, std::int64_t cpu) {
    PodGroupObject group = make_group(name, 1);
    group.queue = queue;
    mirror_.apply(group);
    mirror_.apply(running_on(make_member(name, 0, cpu), "n1"));
  }
  // What comes of a session now.
  RecordingPorts::Told round() {
    mirror_.settle(now_);
    if (is_divided_) plan_.shares = share();
    reporter_.report(plan_, mirror_.cluster(), now_);
    return ports_.take();
  }
  RecordingPorts::Told round_after(Duration pause) {
    now_ += pause;
    return round();
  }
  // The same pointer as long as nothing changed, as the plugin does it.
  std::shared_ptr<const QueueShares> share() {
    tree_.refresh(mirror_.cluster());
    auto shares = plugins::QueueDivision().divide(mirror_.cluster(), tree_, false);
    return plan_.shares != nullptr && *plan_.shares == *shares ? plan_.shares : shares;
  }
  static const ports::QueueStatus& status_of(const RecordingPorts::Told& told,
                                             const std::string& name) {
    static const ports::QueueStatus none;
    for (const ports::QueueStatus& each : told.queues) {
      if (each.name == name) return each;
    }
    ADD_FAILURE() << "no status of " << name;
    return none;
  }

  bool is_divided_ = true;
  mirror::Mirror mirror_{mirror::Options{.managed_schedulers = {"berth"}}};
  TimePoint now_{std::chrono::hours(1)};
  RecordingPorts ports_;
  engine::QueueTree tree_;
  Plan plan_;
  QueueReporter reporter_{ports_, [this](const std::string& line) { ports_.tell(line); }};
};

TEST_F(QueueReporterTest, WritesSharesCountsAndConditions) {
  see(queue("a", 4));
  see(queue("b"));
  run("g", "b", 3);
  const auto told = round();
  ASSERT_EQ(told.queues.size(), 2U) << "not of the default queue: it is no object";
  const ports::QueueStatus& b = status_of(told, "b");
  EXPECT_EQ(b.uid, "b");
  EXPECT_EQ(b.state, QueueState::open);
  EXPECT_EQ(b.written.running, 1);
  EXPECT_EQ(b.written.allocated, (NamedAmounts{{"cpu", 3000}, {"pods", 1}}));
  EXPECT_EQ(b.written.deserved, (NamedAmounts{{"cpu", 3000}, {"pods", 1}}));
  EXPECT_EQ(b.written.guarantee, NamedAmounts());
  EXPECT_EQ(b.written.real_capability, (NamedAmounts{{"cpu", 6000}, {"pods", 110}}));
  EXPECT_EQ(b.written.ready, (WrittenCondition{true, "Open", "", now_}));
  EXPECT_EQ(b.written.scaled, (WrittenCondition{false, "InForce", "", now_}));
  EXPECT_EQ(status_of(told, "a").written.guarantee, (NamedAmounts{{"cpu", 4000}}));
  EXPECT_TRUE(told.lines.empty());
}

TEST_F(QueueReporterTest, WritesNothingWhenNothingChanged) {
  see(queue("a"));
  round();
  EXPECT_TRUE(round_after(seconds(60)).queues.empty());
  mirror_.apply(make_group("elsewhere", 1));  // in the default queue
  EXPECT_TRUE(round_after(seconds(60)).queues.empty());
}

TEST_F(QueueReporterTest, NumbersAreWrittenAtMostEveryTenSeconds) {
  see(queue("a"));
  round();
  run("g", "a", 3);
  EXPECT_TRUE(round_after(seconds(5)).queues.empty());
  const auto told = round_after(seconds(5));
  ASSERT_EQ(told.queues.size(), 1U);
  EXPECT_EQ(told.queues[0].written.allocated.at("cpu"), 3000);
  EXPECT_EQ(told.queues[0].state, std::nullopt) << "there is one in the API";
}

TEST_F(QueueReporterTest, AFaultIsWrittenAndToldAtOnceAndOnce) {
  see(queue("a"));
  round();
  QueueObject bad = queue("a");
  bad.fault = "odd";
  see(bad);
  const TimePoint since = now_ + seconds(2);
  const auto told = round_after(seconds(2));
  ASSERT_EQ(told.queues.size(), 1U);
  EXPECT_EQ(told.queues[0].written.ready, (WrittenCondition{false, "Faulty", "odd", since}));
  EXPECT_EQ(told.lines, Lines{"queue a is at fault, its jobs wait: odd"});
  const auto later = round_after(seconds(60));
  EXPECT_TRUE(later.queues.empty());
  EXPECT_TRUE(later.lines.empty());
  see(queue("a"));
  const auto well = round_after(seconds(2));
  ASSERT_EQ(well.queues.size(), 1U);
  EXPECT_TRUE(well.queues[0].written.ready.holds);
  EXPECT_EQ(well.lines, Lines{"queue a is set up rightly again"});
}

TEST_F(QueueReporterTest, AScaledGuaranteeIsInStatusConditionAndLog) {
  see(queue("a", 8));
  round();
  see(queue("b", 12));
  const auto told = round_after(seconds(2));
  const ports::QueueStatus& a = status_of(told, "a");
  EXPECT_EQ(a.written.guarantee, (NamedAmounts{{"cpu", 4000}}));
  const std::string message =
      "its guarantee and its neighbours' are more than there is; in force: 4 of 8 cpu";
  EXPECT_EQ(a.written.scaled, (WrittenCondition{true, "Overcommitted", message, now_}));
  EXPECT_TRUE(a.written.ready.holds) << "its jobs are served";
  EXPECT_EQ(told.lines[0], "queue a: " + message);
  EXPECT_EQ(told.lines.size(), 2U);
  // Another node, and all is well again.
  mirror_.apply(make_node("n2", 10));
  const auto well = round_after(seconds(2));
  EXPECT_FALSE(status_of(well, "a").written.scaled.holds);
  EXPECT_EQ(well.lines[0], "queue a: its guarantee is in force in full again");
}

TEST_F(QueueReporterTest, OfManyChangesAtOnceTheFirstAreTold) {
  for (int i = 0; i < 30; ++i) see(queue("q" + std::to_string(100 + i), 10));
  const auto told = round();
  ASSERT_EQ(told.lines.size(), 21U);
  EXPECT_EQ(told.lines.back(), "... and 10 more such lines on queues");
}

TEST_F(QueueReporterTest, AQueueThatIsClosedOrBelowOneIsNotReady) {
  QueueObject closed = queue("a");
  closed.state = QueueState::closed;
  see(closed);
  QueueObject below = queue("x");
  below.parent = "a";
  see(below);
  const auto told = round();
  EXPECT_EQ(status_of(told, "a").written.ready.reason, "Closed");
  EXPECT_EQ(status_of(told, "x").written.ready.reason, "ParentNotOpen");
  EXPECT_EQ(status_of(told, "x").written.ready.message, "the queue \"a\" above it is not open");
}

TEST_F(QueueReporterTest, WhatTheApiSaysAlreadyIsNotWritten) {
  see(queue("a", 4));
  const auto told = round();
  ASSERT_EQ(told.queues.size(), 1U);
  QueueObject again = queue("a", 4);
  again.written = told.queues[0].written;
  QueueReporter restarted{ports_, [](const std::string&) {}};
  restarted.observe(again, false);
  now_ += seconds(60);
  restarted.report(plan_, mirror_.cluster(), now_);
  EXPECT_TRUE(ports_.take().queues.empty());
}

TEST_F(QueueReporterTest, AConditionKeepsItsTimeOverARestart) {
  QueueObject known = queue("a");
  known.written.has_state = true;
  known.written.ready = {true, "Open", "", TimePoint(seconds(7))};
  see(known);
  const auto told = round();
  ASSERT_EQ(told.queues.size(), 1U);
  EXPECT_EQ(told.queues[0].written.ready.since, TimePoint(seconds(7)));
  EXPECT_EQ(told.queues[0].written.scaled.since, now_) << "there was none";
}

TEST_F(QueueReporterTest, NamesWhatAnEarlierStatusMayHaveNamed) {
  QueueObject known = queue("a");
  known.written.allocated = {{"nvidia.com/gpu", 4}};
  see(known);
  const auto told = round();
  ASSERT_EQ(told.queues.size(), 1U);
  const auto& resources = told.queues[0].resources;
  EXPECT_NE(std::find(resources.begin(), resources.end(), "nvidia.com/gpu"), resources.end());
  EXPECT_FALSE(told.queues[0].written.allocated.contains("nvidia.com/gpu"));
}

TEST_F(QueueReporterTest, AQueueMadeAnewIsWrittenAnew) {
  see(queue("a"));
  round();
  see(QueueDeleted{"a"});
  round_after(seconds(60));
  see(queue("a"));
  EXPECT_EQ(round_after(seconds(2)).queues.size(), 1U);
}

TEST_F(QueueReporterTest, WithoutSharesThereAreNone) {
  is_divided_ = false;
  see(queue("a", 20));
  const auto told = round();
  ASSERT_EQ(told.queues.size(), 1U);
  EXPECT_TRUE(told.queues[0].written.deserved.empty());
  EXPECT_TRUE(told.queues[0].written.guarantee.empty());
  EXPECT_EQ(told.queues[0].written.scaled.reason, "NotDivided");
  EXPECT_TRUE(told.lines.empty());
}

TEST_F(QueueReporterTest, TheTableIsTheSameUntilSomethingChanges) {
  see(queue("a"));
  EXPECT_EQ(reporter_.table(), nullptr);
  round();
  const auto first = reporter_.table();
  ASSERT_NE(first, nullptr);
  round_after(seconds(60));
  EXPECT_EQ(reporter_.table(), first);
  run("g", "a", 1);
  round_after(std::chrono::milliseconds(10));
  EXPECT_NE(reporter_.table(), first);
  const auto second = reporter_.table();
  run("h", "a", 1);
  round_after(std::chrono::milliseconds(10));
  EXPECT_EQ(reporter_.table(), second) << "it was made less than a second ago";
  round_after(seconds(1));
  EXPECT_NE(reporter_.table(), second);
}

// Issue 9, row 12.
TEST_F(QueueReporterTest, WhatHasNoEffectIsAConditionAndALineOnceAndTakenBack) {
  see(queue("a"));
  round();
  QueueObject odd = queue("a");
  odd.not_honoured = {"spec.affinity"};
  odd.guarantees_hard = true;
  see(odd);
  const TimePoint since = now_ + seconds(2);
  const auto told = round_after(seconds(2));
  const std::string message =
      "spec.affinity is not honoured; "
      "guarantee.policy Guaranteed has no effect: no action evicts; add shuffle";
  EXPECT_EQ(told.lines, Lines{"queue a: " + message});
  EXPECT_EQ(status_of(told, "a").written.honoured,
            (WrittenCondition{false, "FieldsNotHonoured", message, since}));
  EXPECT_TRUE(round_after(seconds(60)).queues.empty());
  plan_.evicts = true;
  const auto less = round_after(seconds(60));
  EXPECT_EQ(status_of(less, "a").written.honoured,
            (WrittenCondition{false, "FieldsNotHonoured", "spec.affinity is not honoured", since}));
  see(queue("a"));
  const auto well = round_after(seconds(2));
  EXPECT_EQ(well.lines, Lines{"queue a: all that is set up for it has its effect again"});
  EXPECT_EQ(status_of(well, "a").written.honoured, WrittenCondition());
}

}  // namespace
}  // namespace berth::daemon
