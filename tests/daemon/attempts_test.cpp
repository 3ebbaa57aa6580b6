#include "daemon/attempts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "berth/model/attempt.h"
#include "conf/config.h"
#include "conf/default_config.h"
#include "daemon/configuration.h"
#include "daemon/objects.h"
#include "engine/scheduler.h"

namespace berth::daemon {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Pods = std::vector<std::string>;

// Gang g of three on n1 and n2, all planned.
class AttemptsTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* node : {"n1", "n2"}) mirror_.apply(make_node(node, 4));
    add_gang(mirror_, make_group("g", 3), 3);
    assume(mirror_, {{"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n2"}});
  }
  // kube-scheduler refuses the place, and the pod loses it.
  void refuse(const std::string& pod, const std::string& node, bool is_everywhere = false,
              bool is_late = false) {
    attempts_.take({pod, node, "no device", is_late, is_everywhere}, mirror_.cluster(),
                   mirror_.find_task(pod));
    mirror_.apply(PlacementDropped{pod, node, "test"});
    mirror_.settle(TimePoint());
  }
  static Pods pods_of(const FailedAttempt& failed) {
    Pods pods;
    for (const PlacementDropped& each : failed.drops) pods.push_back(each.pod_uid);
    return pods;
  }
  std::vector<FailedAttempt> now() { return attempts_.failed(mirror_.cluster(), true); }
  std::vector<FailedAttempt> after_session() {
    return attempts_.failed_after_session(mirror_.cluster(), true);
  }

  mirror::Mirror mirror_;
  Attempts attempts_;
};

TEST_F(AttemptsTest, HINT2AnotherPlaceIsSoughtFirst) {
  refuse("g-1", "n1");
  EXPECT_TRUE(now().empty());
  assume(mirror_, {{"g-1", "n2"}});
  EXPECT_TRUE(after_session().empty());
}

TEST_F(AttemptsTest, HINT3ItFailsWhenThereIsNone) {
  refuse("g-1", "n1");
  const auto failed = after_session();
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].job, mirror_.find_group("ml/g"));
  EXPECT_EQ(failed[0].why, "no device");
  EXPECT_EQ(failed[0].nodes, std::vector<std::string>{"n1"});
  EXPECT_EQ(pods_of(failed[0]), (Pods{"g-0", "g-2"})) << "all places are given back";
  EXPECT_TRUE(after_session().empty()) << "once";
}

TEST_F(AttemptsTest, HINT3ARefusalOfAllNodesNeedsNoSession) {
  refuse("g-1", "n1", true);
  const auto failed = now();
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_TRUE(failed[0].nodes.empty()) << "all have refused";
  EXPECT_EQ(failed[0].drops.size(), 2U);
}

TEST_F(AttemptsTest, HINT3SoDoesAGangThatIsLate) {
  refuse("g-1", "n1", false, true);
  ASSERT_EQ(now().size(), 1U);
}

TEST_F(AttemptsTest, HINT2AsOftenAsTheGangHasMembers) {
  for (int i = 0; i < 3; ++i) {
    refuse("g-1", "n1");
    EXPECT_TRUE(now().empty()) << i;
    assume(mirror_, {{"g-1", "n1"}});
    EXPECT_TRUE(after_session().empty()) << i;
  }
  refuse("g-1", "n1");
  EXPECT_EQ(now().size(), 1U);
}

TEST_F(AttemptsTest, HINT3AGangThatIsWholeWithoutTheMemberKeepsItsPlaces) {
  mirror_.apply(make_group("g", 2));
  refuse("g-1", "n1");
  const auto failed = after_session();
  ASSERT_EQ(failed.size(), 1U) << "its surplus waits";
  EXPECT_TRUE(failed[0].drops.empty()) << "the others may be on their way to be bound";
}

TEST_F(AttemptsTest, HINT3WithoutTheGangPluginPodsAreOnTheirOwn) {
  refuse("g-1", "n1");
  const auto failed = attempts_.failed_after_session(mirror_.cluster(), false);
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_TRUE(failed[0].drops.empty());
}

TEST_F(AttemptsTest, HINT3AGangThatLacksARoleIsNotWhole) {
  PodGroupObject group = make_group("g", 2);
  group.min_task_member = {{"worker", 1}};
  mirror_.apply(group);
  PodObject worker = make_member("g", 1);
  worker.role = "worker";
  mirror_.apply(worker);
  refuse("g-1", "n1");
  const auto failed = after_session();
  ASSERT_EQ(failed.size(), 1U);
  EXPECT_EQ(failed[0].drops.size(), 2U);
}

TEST_F(AttemptsTest, AnAttemptThatEndedWellIsForgotten) {
  refuse("g-1", "n1");
  assume(mirror_, {{"g-1", "n2"}});
  for (int i = 0; i < 3; ++i) mirror_.apply(running_on(make_member("g", i), i == 0 ? "n1" : "n2"));
  mirror_.settle(TimePoint());
  EXPECT_TRUE(after_session().empty());
  mirror_.apply(PodDeleted{"g-1"});
  mirror_.apply(make_member("g", 1));
  mirror_.settle(TimePoint());
  EXPECT_TRUE(after_session().empty()) << "another pod of the name was never refused";
}

// --- the law ----------------------------------------------------------------------------------

// A session loop without a thread, with a kube-scheduler that refuses at random.
class Cycle {
 public:
  explicit Cycle(std::uint64_t seed) : random_(seed), scheduler_(make_scheduler()) {
    const int nodes = 2 + static_cast<int>(below(3));
    for (int n = 0; n < nodes; ++n) mirror_.apply(make_node(node(n), 2 + below(3)));
    members_ = 1 + static_cast<int>(below(4));
    add_gang(mirror_, make_group("g", members_), members_);
    mirror_.settle(TimePoint());  // so the nodes are not new any more
  }

  // Runs for a quarter of an hour.
  void run() {
    const TimePoint end = now_ + minutes(15);
    while (now_ < end) {
      now_ += milliseconds(100 + below(900));
      session();
      refuse_some();
    }
  }
  int plans() const { return plans_; }
  const std::vector<std::string>& faults() const { return faults_; }

 private:
  struct Refused {
    std::multiset<std::string> plan;
    TimePoint at;
  };

  static engine::Scheduler make_scheduler() {
    auto config = conf::load_config(conf::default_config_text(), "default", known_names());
    return std::move(*engine::Scheduler::create(config->session));
  }
  static std::string node(int n) { return "n" + std::to_string(n); }
  std::int64_t below(std::uint64_t bound) { return static_cast<std::int64_t>(random_() % bound); }

  void session() {
    mirror_.forget_vetoes(now_);
    fail(attempts_.failed(mirror_.cluster(), true));
    mirror_.settle(now_);
    const Plan plan = scheduler_.run(mirror_.cluster_for_session(), now_);
    mirror_.assume(plan, now_);
    mirror_.settle(now_);
    if (!plan.binds.empty()) check(planned());
    fail(attempts_.failed_after_session(mirror_.cluster(), true));
    mirror_.settle(now_);
  }
  void fail(const std::vector<FailedAttempt>& failed) {
    for (const FailedAttempt& each : failed) {
      mirror_.fail_attempt(each.job, each.why, each.nodes, now_, minutes(1));
      for (const PlacementDropped& drop : each.drops) mirror_.apply(drop);
    }
  }
  std::multiset<std::string> planned() const {
    std::multiset<std::string> nodes;
    for (const TaskId id : mirror_.cluster().job(mirror_.find_group("ml/g")).tasks) {
      const Task& task = mirror_.cluster().task(id);
      if (task.status != TaskStatus::binding) continue;
      nodes.insert(mirror_.cluster().node(task.node).name);
    }
    return nodes;
  }
  // The law: no plan of the last minute that was refused, and never the last one.
  void check(const std::multiset<std::string>& plan) {
    ++plans_;
    if (plan.size() != static_cast<std::size_t>(members_)) faults_.push_back("planned in part");
    for (const Refused& each : refused_) {
      if (each.plan == plan && now_ - each.at < minutes(1))
        faults_.push_back("the same plan again");
    }
  }
  void refuse_some() {
    for (int i = 0; i < members_; ++i) {
      const std::string pod = "g-" + std::to_string(i);
      const TaskId id = mirror_.find_task(pod);
      const Task& task = mirror_.cluster().task(id);
      if (task.status != TaskStatus::binding || below(3) == 0) continue;
      const std::string where = mirror_.cluster().node(task.node).name;
      const bool is_everywhere = below(4) == 0;
      if (refused_.size() == Attempt::kPlacesMost) refused_.erase(refused_.begin());
      refused_.push_back({planned(), now_});
      if (!is_everywhere) mirror_.veto(pod, where, "no device", now_, seconds(1));
      mirror_.note_refused_plan(pod, where, now_, minutes(1));
      attempts_.take({pod, where, "no device", false, is_everywhere}, mirror_.cluster(), id);
      mirror_.apply(PlacementDropped{pod, where, "test"});
    }
  }

  std::mt19937_64 random_;
  engine::Scheduler scheduler_;
  mirror::Mirror mirror_;
  Attempts attempts_;
  TimePoint now_{minutes(1)};
  int members_ = 0;
  int plans_ = 0;
  std::vector<Refused> refused_;
  std::vector<std::string> faults_;
};

TEST(AttemptsLaw, HINT5TheSamePlanNeverFollowsAFailedAttempt) {
  int plans = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Cycle cycle(seed);
    cycle.run();
    EXPECT_EQ(cycle.faults(), std::vector<std::string>{}) << "seed " << seed;
    plans += cycle.plans();
  }
  EXPECT_GT(plans, 40 * 10) << "they are tried again and again";
  EXPECT_LT(plans, 40 * 15 * 60) << "and not with each session";
}

}  // namespace
}  // namespace berth::daemon
