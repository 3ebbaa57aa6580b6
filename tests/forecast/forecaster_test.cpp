#include "forecast/forecaster.h"

#include <gtest/gtest.h>

#include <map>

#include "support/open_session.h"

namespace berth::forecast {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using support::bring;
using support::World;

constexpr Duration kMinute = minutes(1);

// A world whose jobs a forecaster follows, planning when a test asks for it.
class Forecasts : public testing::Test {
 protected:
  Forecasts()
      : world_(support::stage("node n1 cpu=2\nnode n2 cpu=2\n",
                              support::config_of("elect reserve allocate",
                                                 "gang reservation(wait-duration=0s,give-up=0s) "
                                                 "/ predicates"))),
        forecaster_(
            {[this](Accuracy::Outcome outcome, Duration) { outcomes_.push_back(outcome); }}) {
    rules_.behind = Rules::Behind::easy;
    forecaster_.set_rules(rules_);
  }

  void pass(Duration time) {
    world_->advance(time);
    world_->run();
    world_->mirror().settle(world_->now());
    forecaster_.look_at(world_->mirror().take_changes(), world_->cluster(), world_->now());
  }

  std::vector<Promises::Broken> plan() {
    world_->mirror().settle(world_->now());
    State state;
    {
      support::OpenSession open(*world_, {"gang", "predicates"});
      state = forecaster_.state(open.session);
    }
    const SteadyClock clock;
    return forecaster_.take(planned(std::move(state), clock, {}), world_->cluster(), world_->now());
  }

  // "60 120 by 180": minutes from now to the ends of the likely time, and to the promise.
  std::string start_of(const std::string& job) const {
    for (const views::StartTable::Row& row : forecaster_.table()->rows) {
      if (row.job != job) continue;
      std::string text;
      const auto add = [&](const std::optional<TimePoint>& time) {
        if (time) text += std::to_string((*time - world_->now() + kMinute / 2) / kMinute) + " ";
      };
      add(row.start.likely_from);
      add(row.start.likely_to);
      text += "by ";
      add(row.start.starts_by);
      return text;
    }
    return "none";
  }

  Rules rules_;
  std::unique_ptr<World> world_;
  std::vector<Accuracy::Outcome> outcomes_;
  Forecaster forecaster_;
};

// Runs of the same template took half an hour, and the limit is four hours.
TEST_F(Forecasts, LearnFromRunsThatSucceed) {  // RUNS-2
  for (const char* name : {"etl-1", "etl-2"}) {
    bring(*world_, std::string("job ") + name + " limit=4h\ntask " + name + "/0 cpu=2\n");
    pass(seconds(1));
    pass(minutes(30));
    world_->finish("default/" + std::string(name) + "-0", true);
    pass(seconds(1));
    world_->remove("default/" + std::string(name) + "-0");
    pass(seconds(1));
  }
  bring(*world_,
        "job etl-3 limit=4h\ntask etl-3/0 cpu=2\njob etl-4 limit=4h\ntask etl-4/0 cpu=2\n");
  pass(seconds(1));
  bring(*world_, "job late limit=1h\ntask late/0 cpu=2\n");
  pass(seconds(1));
  plan();
  const views::StartTable::Row& row = forecaster_.table()->rows.front();
  EXPECT_EQ(row.job, "default/late");
  ASSERT_TRUE(row.planned);
  EXPECT_NEAR(static_cast<double>((*row.planned - world_->now()) / kMinute), 30, 1);
  EXPECT_GT(forecaster_.table()->learned_keys, 0);
}

TEST_F(Forecasts, LearnNothingFromRunsThatFail) {
  for (const char* name : {"etl-1", "etl-2"}) {
    bring(*world_, std::string("job ") + name + "\ntask " + name + "/0 cpu=2\n");
    pass(seconds(1));
    world_->finish("default/" + std::string(name) + "-0", false);
    pass(minutes(1));
  }
  bring(*world_, "job big min=2\ntask big/0 cpu=2\ntask big/1 cpu=3\n");
  pass(seconds(1));
  plan();
  EXPECT_EQ(forecaster_.table()->learned_keys, 0);
}

TEST_F(Forecasts, AreMadeBesideQueuesThatLeadRoundInACircle) {  // QUEUE-1
  bring(*world_,
        "queue rock parent=paper\nqueue paper parent=rock\n"
        "job a limit=1h\ntask a/0 cpu=2\njob b limit=1h\ntask b/0 cpu=2\n");
  pass(seconds(1));
  bring(*world_, "job late\ntask late/0 cpu=2\n");
  pass(seconds(1));
  plan();
  EXPECT_NE(start_of("default/late"), "none");
}

TEST_F(Forecasts, PromiseTheStartOfATargetAndSayWhatBreaksIt) {  // PROMISE-1 to PROMISE-3
  bring(*world_, "job a limit=2h\ntask a/0 cpu=2\njob b limit=1h\ntask b/0 cpu=2\n");
  pass(seconds(1));
  bring(*world_, "job big min=2\ntask big/0 cpu=2\ntask big/1 cpu=2\n");
  pass(seconds(1));
  pass(seconds(1));
  EXPECT_TRUE(plan().empty());
  EXPECT_EQ(start_of("default/big"), "23 120 by 120 ");  // LIKELY-4, LIKELY-5
  pass(minutes(30));
  EXPECT_TRUE(plan().empty());
  pass(minutes(100));  // a is overdue
  const auto broken = plan();
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(world_->cluster().job(broken[0].job).name, "default/big");
  EXPECT_NE(broken[0].by.find("run beyond its time limit since"), std::string::npos)
      << broken[0].by;
  EXPECT_EQ(forecaster_.table()->accuracy.promises, 1);
  EXPECT_EQ(forecaster_.table()->accuracy.broken, 1);
}

TEST_F(Forecasts, SayThatANodeIsGone) {
  bring(*world_, "job a limit=2h\ntask a/0 cpu=2\njob b limit=1h\ntask b/0 cpu=2\n");
  pass(seconds(1));
  bring(*world_, "job big min=2\ntask big/0 cpu=2\ntask big/1 cpu=2\n");
  pass(seconds(1));
  pass(seconds(1));
  const JobId big = world_->job("default/big");
  Promises promises;
  const auto take = [&](TimePoint start) {
    const std::string uid = world_->cluster().job(big).uid;
    return promises.take({{big, uid, start}}, world_->cluster(), world_->now(), LimitTrust::stated);
  };
  EXPECT_TRUE(take(world_->now() + hours(2)).empty());
  bring(*world_, "node n3 cpu=2\n");
  world_->apply(NodeDeleted{"n2"});
  pass(seconds(1));
  const auto broken = take(world_->now() + hours(3));
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].by, "node n2 is gone");
  EXPECT_EQ(broken[0].is, world_->now() + hours(3));
  EXPECT_EQ(promises.broken(), 1);
  const auto late = promises.started(world_->cluster().job(big), world_->now() + hours(4));
  ASSERT_TRUE(late);
  EXPECT_EQ(late->is, world_->now() + hours(4));
  EXPECT_EQ(promises.broken(), 2);
}

TEST_F(Forecasts, SayThatNoNodesAreKeptAnyMore) {
  bring(*world_, "job a limit=2h\ntask a/0 cpu=2\njob b limit=1h\ntask b/0 cpu=2\n");
  pass(seconds(1));
  bring(*world_, "job big min=2\ntask big/0 cpu=2\ntask big/1 cpu=2\n");
  pass(seconds(1));
  pass(seconds(1));
  plan();
  world_->apply(NodeDeleted{"n2"});  // it can never start
  pass(seconds(1));
  EXPECT_TRUE(plan().empty());  // the next session may keep some
  EXPECT_TRUE(plan().empty());
  const auto broken = plan();
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].by, "no nodes are kept for it now");
  EXPECT_FALSE(broken[0].is);
}

TEST_F(Forecasts, SayWhyNoNodesAreKeptAnyMore) {
  bring(*world_, "job a limit=2h\ntask a/0 cpu=2\njob b limit=1h\ntask b/0 cpu=2\n");
  pass(seconds(1));
  bring(*world_, "job big min=2\ntask big/0 cpu=2\ntask big/1 cpu=2\n");
  pass(seconds(1));
  pass(seconds(1));
  plan();
  bring(*world_, "job big min=2 declined\n");
  std::vector<Promises::Broken> broken;
  for (int i = 0; i < 5 && broken.empty(); ++i) {
    pass(seconds(1));
    broken = plan();
  }
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_NE(broken[0].by.find("its user wants it so"), std::string::npos) << broken[0].by;
}

TEST_F(Forecasts, AreComparedWithTheStart) {  // ACCURACY-1
  bring(*world_, "job a limit=1h\ntask a/0 cpu=2\njob b limit=1h\ntask b/0 cpu=2\n");
  pass(seconds(1));
  bring(*world_, "job c\ntask c/0 cpu=2\n");
  pass(seconds(1));
  plan();
  EXPECT_NE(start_of("default/c"), "none");
  pass(minutes(20));
  world_->finish("default/a-0", true);
  pass(seconds(1));
  pass(seconds(1));
  ASSERT_EQ(outcomes_.size(), 1U);
  EXPECT_EQ(outcomes_[0], Accuracy::Outcome::inside);
  plan();
  EXPECT_EQ(forecaster_.table()->accuracy.jobs, 1);
  EXPECT_TRUE(forecaster_.table()->rows.empty());
}

// Nobody runs sessions: the planner does not know why it waits.
TEST_F(Forecasts, OfAJobThatWouldStartNowAreNotKnownForLong) {  // LIKELY-6
  bring(*world_, "job a limit=1h\ntask a/0 cpu=2\n");
  for (int i = 0; i < 4; ++i) {
    plan();
    EXPECT_TRUE(forecaster_.table()->rows.at(0).planned) << i;
    world_->advance(seconds(10));
  }
  plan();
  EXPECT_FALSE(forecaster_.table()->rows.at(0).planned);
  EXPECT_FALSE(forecaster_.table()->rows.at(0).start.likely_to);
}

TEST_F(Forecasts, KeepThePromiseOfAnEarlierLeader) {  // PROMISE-4
  bring(*world_, "job a limit=2h\ntask a/0 cpu=2\njob b limit=1h\ntask b/0 cpu=2\n");
  pass(seconds(1));
  bring(*world_, "job big min=2\ntask big/0 cpu=2\ntask big/1 cpu=2\n");
  pass(seconds(1));
  pass(seconds(1));
  const Job& big = world_->cluster().job(world_->job("default/big"));
  forecaster_.promised_before(big, world_->now() + hours(1), world_->cluster());
  const auto broken = plan();
  ASSERT_EQ(broken.size(), 1U);
  EXPECT_EQ(broken[0].was, world_->now() + hours(1));
  EXPECT_TRUE(broken[0].is);
  forecaster_.forget_plans();
  EXPECT_EQ(forecaster_.table(), nullptr);
}

TEST_F(Forecasts, AreKeptOverRestarts) {
  Forecaster other;
  EXPECT_TRUE(other.restore(forecaster_.save()));
  EXPECT_FALSE(other.restore("{}"));
  EXPECT_FALSE(other.restore("no"));
  EXPECT_EQ(other.save(), forecaster_.save());
}

}  // namespace
}  // namespace berth::forecast
