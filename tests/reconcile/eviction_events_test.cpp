#include "reconcile/eviction_events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "reconcile/reconcile_fixture.h"

namespace berth::reconcile {
namespace {

using Lines = std::vector<std::string>;
using WriteResult = ports::WriteOutcome::Result;
using std::chrono::minutes;
using std::chrono::seconds;

// On n1 run the pods of ml/old; ml/new waits.
class EvictionEventsTest : public ReconcileTest {
 protected:
  void SetUp() override { see_victims(8); }
  void see_victims(int count) {
    see(make_node("n1", 1000));
    see(make_group("old", 1));
    for (int i = 0; i < count; ++i) see(running_on(make_member("old", i), "n1"));
    see_gang(make_group("new", 2), 2);
    session();
  }

  PlannedEviction eviction(int pod, const char* action = "preempt") {
    return {mirror_.find_task("old-" + std::to_string(pod)),
            mirror_.cluster().find_node("n1"),
            mirror_.find_group("ml/new"),
            action,
            EvictedAs::surplus,
            "it is surplus of ml/old"};
  }
  // A session with these evictions, as the session loop makes it.
  RecordingWriter::Written evict(const std::vector<PlannedEviction>& evictions) {
    Plan plan;
    plan.evictions = evictions;
    mirror_.settle(now_);
    for (const PlannedEviction& each : evictions) {
      side_->reconciler.evict(each, mirror_.cluster(), now_);
    }
    return session(plan);
  }
  ConsideredEvictions in_vain(Reason reason, std::int64_t have = 0) {
    ConsideredEvictions considered;
    considered.job = mirror_.find_group("ml/new");
    considered.action = "reclaim";
    considered.why.reason = reason;
    considered.why.have = have;
    return considered;
  }
  RecordingWriter::Written session_with(const std::vector<ConsideredEvictions>& considered) {
    mirror_.settle(now_);
    Plan plan;
    plan.considered = considered;
    return session(plan);
  }
  // "[! ]object reason: message" of events about evictions.
  static Lines lines_of(const RecordingWriter::Written& written) {
    Lines lines;
    for (const auto& event : written.events) {
      if (!event.reason.starts_with("Evict")) continue;
      lines.push_back((event.is_warning ? "! " : "") + event.object.full_name() + " " +
                      event.reason + ": " + event.message);
    }
    std::sort(lines.begin(), lines.end());
    return lines;
  }
  static bool has(const Lines& lines, const std::string& line) {
    return std::find(lines.begin(), lines.end(), line) != lines.end();
  }
};

TEST_F(EvictionEventsTest, EVENT1AVictimSaysForWhichJobAndWhy) {
  const auto written = evict({eviction(3)});
  ASSERT_EQ(written.evictions.size(), 1U);
  EXPECT_EQ(lines_of(written),
            (Lines{"ml/new Evicting: preempt evicts 1 pod for it: ml/old-3",
                   "ml/old-3 Evicted: Evicted by preempt for ml/new: it is surplus of ml/old"}));
  EXPECT_TRUE(
      has(written.lines, "pod ml/old-3 is evicted by preempt for ml/new: it is surplus of ml/old"));
  EXPECT_TRUE(has(written.lines, "job ml/new: preempt evicts 1 pod for it: ml/old-3"));
  for (const auto& event : written.events) {
    if (event.reason == "Evicted") {
      EXPECT_EQ(event.object, (ports::ObjectRef{ports::ObjectKind::pod, "ml", "old-3", "old-3"}));
    }
    if (event.reason == "Evicting") {
      EXPECT_EQ(event.object, (ports::ObjectRef{ports::ObjectKind::pod_group, "ml", "new", "new"}));
    }
  }
}

TEST_F(EvictionEventsTest, EVENT1IsPublishedWhenTheServerHasAcceptedIt) {
  writer_.keeps_answers_back = true;
  EXPECT_EQ(lines_of(evict({eviction(3)})),
            Lines{"ml/new Evicting: preempt evicts 1 pod for it: ml/old-3"});
  writer_.answer();
  EXPECT_EQ(lines_of(session()),
            Lines{"ml/old-3 Evicted: Evicted by preempt for ml/new: it is surplus of ml/old"});
}

TEST_F(EvictionEventsTest, EVENT1IsSentAgainAlthoughThePodIsGone) {
  writer_.keeps_answers_back = true;
  evict({eviction(3)});
  writer_.answer();
  see(PodDeleted{"old-3"});
  EXPECT_EQ(lines_of(session()).size(), 1U);
  writer_.answer({WriteResult::failed, "503"});
  session();
  EXPECT_EQ(lines_of(session_after(seconds(1))),
            Lines{"ml/old-3 Evicted: Evicted by preempt for ml/new: it is surplus of ml/old"});
}

TEST_F(EvictionEventsTest, EVENT1APodThatWasGoneBeforeIsNoVictim) {
  writer_.outcome = {WriteResult::gone, "404"};
  EXPECT_EQ(lines_of(evict({eviction(3)})),
            Lines{"ml/new Evicting: preempt evicts 1 pod for it: ml/old-3"});
}

TEST_F(EvictionEventsTest, EVENT1WithoutAJobThatGetsTheRoomOnlyTheVictimHasOne) {
  PlannedEviction shuffled = eviction(3, "shuffle");
  shuffled.beneficiary = JobId();
  EXPECT_EQ(lines_of(evict({shuffled})),
            Lines{"ml/old-3 Evicted: Evicted by shuffle: it is surplus of ml/old"});
}

TEST_F(EvictionEventsTest, EVENT1ForAQueueNamesIt) {
  QueueObject queue;
  queue.name = queue.uid = "vision";
  see(queue);
  mirror_.settle(now_);
  PlannedEviction for_queue = eviction(3, "reclaim");
  for_queue.beneficiary = JobId();
  for (std::size_t q = 0; q < mirror_.cluster().queue_slots(); ++q) {
    if (mirror_.cluster().queue(QueueId(q)).name == "vision") for_queue.queue = QueueId(q);
  }
  EXPECT_EQ(
      lines_of(evict({for_queue})),
      Lines{"ml/old-3 Evicted: Evicted by reclaim for queue vision: it is surplus of ml/old"});
}

TEST_F(EvictionEventsTest, EVENT2AJobHasOneEventASessionWithAtMostFiveNames) {
  std::vector<PlannedEviction> evictions;
  for (int i = 0; i < 7; ++i) evictions.push_back(eviction(i));
  evictions.push_back(eviction(7, "reclaim"));
  const Lines lines = lines_of(evict(evictions));
  EXPECT_EQ(lines.size(), 9U);
  EXPECT_EQ(lines[0],
            "ml/new Evicting: preempt evicts 7 pods for it: ml/old-0, ml/old-1, ml/old-2, "
            "ml/old-3, ml/old-4 and 2 more; reclaim evicts 1 pod for it: ml/old-7");
}

TEST_F(EvictionEventsTest, EVENT2APodInNoGroupHasItItself) {
  PodObject single = make_member("", 7);
  single.group.clear();
  see(single);
  mirror_.settle(now_);
  PlannedEviction of_pod = eviction(3);
  of_pod.beneficiary = mirror_.cluster().task(mirror_.find_task(single.uid)).job;
  const Lines lines = lines_of(evict({of_pod}));
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0], "ml/-7 Evicting: preempt evicts 1 pod for it: ml/old-3");
}

TEST_F(EvictionEventsTest, EVENT3ARefusalIsOnTheVictimAndOnTheJob) {
  writer_.keeps_answers_back = true;
  evict({eviction(3)});
  writer_.answer({WriteResult::refused, "evict ml/old-3: status 429: its budget"});
  EXPECT_EQ(lines_of(session()),
            (Lines{"! ml/new EvictionRefused: eviction of ml/old-3 was refused: evict ml/old-3: "
                   "status 429: its budget",
                   "! ml/old-3 EvictionRefused: eviction for ml/new was refused: evict ml/old-3: "
                   "status 429: its budget"}));
}

TEST_F(EvictionEventsTest, EVENT3RefusalsThatComeTogetherAreOneEventOfTheJob) {
  writer_.keeps_answers_back = true;
  evict({eviction(1), eviction(2), eviction(3)});
  writer_.answer({WriteResult::refused, "no"});
  const Lines lines = lines_of(session());
  EXPECT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0],
            "! ml/new EvictionRefused: eviction of 3 pods (ml/old-1, ml/old-2, ml/old-3) was "
            "refused: no");
}

// web/new is the claimant; the victims are of ml, and one of web.
class EvictionsAcrossNamespaces : public EvictionEventsTest {
 protected:
  void SetUp() override {
    EvictionEventsTest::SetUp();
    see(of_web(make_group("other", 1)));
    see(of_web(make_member("other", 0)));
    see(of_web(make_group("near", 1)));
    see(of_web(running_on(make_member("near", 0), "n1")));
    mirror_.settle(now_);
  }
  template <class Object>
  static Object of_web(Object object) {
    object.name_space = "web";
    return object;
  }
  PlannedEviction for_web(const std::string& pod) {
    PlannedEviction made = eviction(0);
    made.task = mirror_.find_task(pod);
    made.beneficiary = mirror_.find_group("web/other");
    return made;
  }
};

TEST_F(EvictionsAcrossNamespaces, MAY11_VictimAndClaimantDoNotReadEachOthersNames) {
  const auto written = evict({for_web("old-3")});
  EXPECT_EQ(lines_of(written),
            (Lines{"ml/old-3 Evicted: Evicted by preempt for a job of another namespace: it is "
                   "surplus of ml/old",
                   "web/other Evicting: preempt evicts 1 pod for it: 1 of other namespaces"}));
  EXPECT_TRUE(has(written.lines,
                  "pod ml/old-3 is evicted by preempt for web/other: it is surplus of ml/old"))
      << "for administrators";
  EXPECT_TRUE(has(written.lines, "job web/other: preempt evicts 1 pod for it: ml/old-3"));
  EXPECT_TRUE(has(lines_of(evict({for_web("old-4"), for_web("near-0")})),
                  "web/other Evicting: preempt evicts 2 pods for it: web/near-0 and 1 of other "
                  "namespaces"));
}

TEST_F(EvictionsAcrossNamespaces, MAY11_ARefusalSaysNothingOfTheOthersBudget) {
  writer_.keeps_answers_back = true;
  evict({for_web("old-3")});
  writer_.answer({WriteResult::refused, "evict ml/old-3: its budget"});
  const auto written = session();
  EXPECT_EQ(lines_of(written),
            (Lines{"! ml/old-3 EvictionRefused: eviction for a job of another namespace was "
                   "refused: evict ml/old-3: its budget",
                   "! web/other EvictionRefused: eviction of a pod of another namespace was "
                   "refused"}));
  EXPECT_TRUE(has(written.lines,
                  "job web/other: eviction of ml/old-3 was refused: evict ml/old-3: its budget"));
}

TEST_F(EvictionsAcrossNamespaces, MAY11_OfSeveralRefusalsThoseOfItsNamespaceAreNamed) {
  writer_.keeps_answers_back = true;
  evict({for_web("old-3"), for_web("near-0")});
  writer_.answer({WriteResult::refused, "no"});
  EXPECT_TRUE(has(lines_of(session()),
                  "! web/other EvictionRefused: eviction of 2 pods (web/near-0 and 1 of other "
                  "namespaces) was refused: no"));
}

TEST_F(EvictionEventsTest, EVENT8TextsOfOthersAreShownSafely) {
  writer_.keeps_answers_back = true;
  evict({eviction(3)});
  writer_.answer({WriteResult::refused, "a\x1b[2J\nb"});
  EXPECT_TRUE(has(lines_of(session()),
                  "! ml/old-3 EvictionRefused: eviction for ml/new was refused: "
                  "a\xEF\xBF\xBD[2J\xEF\xBF\xBD"
                  "b"));
}

TEST_F(EvictionEventsTest, EVENT3WhatIsTriedAgainIsNotRefused) {
  writer_.keeps_answers_back = true;
  evict({eviction(3)});
  writer_.answer({WriteResult::failed, "503"});
  EXPECT_EQ(lines_of(session()), Lines{});
}

TEST_F(EvictionEventsTest, EVENT4TheSameIsNotPublishedAgainWithinTenMinutes) {
  const auto refused_after = [&](Duration pause, int pod) {
    now_ += pause;
    writer_.keeps_answers_back = true;
    evict({eviction(pod)});
    writer_.answer({WriteResult::refused, "no"});
    writer_.keeps_answers_back = false;
    return lines_of(session());
  };
  EXPECT_EQ(refused_after(seconds(0), 3).size(), 2U);
  EXPECT_EQ(refused_after(minutes(4), 3), Lines{});
  EXPECT_EQ(refused_after(minutes(4), 4).size(), 2U) << "another pod";
  EXPECT_EQ(refused_after(minutes(10), 4).size(), 2U) << "it may have been overlooked by now";
}

TEST_F(EvictionEventsTest, EVENT4AnotherLeaderStartsAnew) {
  EXPECT_EQ(lines_of(evict({eviction(3)})).size(), 2U);
  side_->stop_leading();
  side_->writes.start_leading(++epoch_);
  EXPECT_EQ(lines_of(evict({eviction(3)})).size(), 2U);
}

// Besides the evictions.
TEST_F(EvictionEventsTest, EVENT1FiveHundredVictimsCostAnEventEachAndOneForTheJob) {
  see_victims(500);
  std::vector<PlannedEviction> evictions;
  for (int i = 0; i < 500; ++i) evictions.push_back(eviction(i));
  const auto written = evict(evictions);
  EXPECT_EQ(written.evictions.size(), 500U);
  EXPECT_EQ(lines_of(written).size(), 501U);
  std::set<std::string> objects;
  for (const auto& event : written.events) {
    if (event.reason.starts_with("Evict")) objects.insert(event.object.uid);
  }
  EXPECT_EQ(objects.size(), 501U);
  EXPECT_EQ(lines_of(session_after(minutes(1))), Lines{});
  EXPECT_EQ(side_->writes.counters(Writes::Kind::event).pending, 0U);
  EXPECT_EQ(side_->writes.counters(Writes::Kind::eviction).pending, 0U);
}

TEST_F(EvictionEventsTest, EVENT5WhatIsConsideredInVainIsLoggedWhenTheReasonChanges) {
  const std::string nobody =
      "job ml/new: reclaim evicts nobody for it: " + sentence(Reason::nobody_may_leave, 0, 0, "");
  const auto written = session_with({in_vain(Reason::nobody_may_leave)});
  EXPECT_TRUE(has(written.lines, nobody));
  EXPECT_EQ(lines_of(written), Lines{});
  const auto repeated = session_with({in_vain(Reason::nobody_may_leave, 5)});
  EXPECT_TRUE(repeated.lines.empty()) << "only an amount is another";
  EXPECT_TRUE(repeated.statuses.empty());
  EXPECT_TRUE(has(
      session_with({in_vain(Reason::never_preempts)}).lines,
      "job ml/new: reclaim evicts nobody for it: " + sentence(Reason::never_preempts, 0, 0, "")));
  EXPECT_TRUE(session_with({}).lines.empty());
  EXPECT_TRUE(session_with({in_vain(Reason::never_preempts)}).lines.empty()) << "a moment later";
  now_ += minutes(1);
  session_with({});
  EXPECT_FALSE(session_with({in_vain(Reason::never_preempts)}).lines.empty());
}

}  // namespace
}  // namespace berth::reconcile
