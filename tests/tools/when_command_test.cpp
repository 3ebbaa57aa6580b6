#include <gtest/gtest.h>

#include "tools/fake_cluster.h"
#include "tools/when_cluster.h"

// docs/when.md.

namespace berth::tools::when_command_test {
namespace {

TEST(WhenCommand, JobsStartWhenThoseBeforeThemEnd) {
  const json forecast = document({});
  EXPECT_EQ(forecast.at("kind"), "Forecast");
  EXPECT_EQ(forecast.at("now"), "2026-11-28T12:00:00Z");
  // small is out again on n1 before n2 is free for wide.
  EXPECT_EQ(starts_of(forecast), (Starts{{"web/small", 360.0}, {"ml/wide", 3600.0}}));
  const json& first = forecast.at("jobs").at(0);
  EXPECT_EQ(first.at("job"), "web/small");
  EXPECT_EQ(first.at("start"), "2026-11-28T12:06:00Z");
  EXPECT_EQ(first.at("runSeconds"), 1800.0);
  const json& second = forecast.at("jobs").at(1);
  EXPECT_EQ(second.at("pods"), 2);
  EXPECT_EQ(second.at("waitingSeconds"), 600.0);
  EXPECT_EQ(second.at("reason"), "gang_incomplete");
  EXPECT_NE(second.at("message").get<std::string>().find("cpu"), std::string::npos) << second;
}

TEST(WhenCommand, AChangeIsBesideWhatIs) {
  const json more = document({"--add-nodes", "2:like=n1"});
  EXPECT_EQ(more.at("changes"), json({"--add-nodes 2:like=n1"}));
  EXPECT_EQ(starts_of(more), (Starts{{"web/small", 360.0}, {"ml/wide", 3600.0}}));
  EXPECT_EQ(changed_starts_of(more), (Starts{{"web/small", 360.0}, {"ml/wide", 0.0}}));
  const json without = document({"--without-job", "ml/long"});
  EXPECT_EQ(changed_starts_of(without), (Starts{{"web/small", 3960.0}, {"ml/wide", 360.0}}));
  const json not_there = document({"--without-job", "ml/wide"});
  EXPECT_EQ(changed_starts_of(not_there), (Starts{{"web/small", 360.0}, {"ml/wide", "left out"}}));
  const json strict = document({"--set", "actions.backfill.behind=off"});
  EXPECT_EQ(changed_starts_of(strict), (Starts{{"web/small", 7200.0}, {"ml/wide", 3600.0}}));
}

TEST(WhenCommand, ANodeThatTakesNoMorePods) {
  const json forecast = document({"--cordon", "n1"});
  EXPECT_EQ(changed_starts_of(forecast), (Starts{{"web/small", 3600.0}, {"ml/wide", nullptr}}));
}

TEST(WhenCommand, PodsOfANodeThatGoesWaitAgain) {
  const json forecast = document({"--remove-node", "n2", "--run-time", "1h"});
  ASSERT_EQ(forecast.at("newJobs").size(), 1U) << forecast;
  const json& again = forecast.at("newJobs").at(0);
  EXPECT_EQ(again.at("job"), "ml/long");
  // It was created first.
  EXPECT_EQ(again.at("startsInSeconds"), 360.0);
  const Outcome table = when({"--remove-node", "n2", "-o", "wide"});
  EXPECT_NE(table.out.find("stopped"), std::string::npos) << table.out;
}

TEST(WhenCommand, ANodeIsDrainedAtATime) {
  // n1 is free in six minutes; small would run there for half an hour.
  const json soon = document({"--drain", "n1@+10m"});
  EXPECT_EQ(soon.at("changes"), json({"--drain n1@+10m"}));
  EXPECT_EQ(changed_starts_of(soon), (Starts{{"web/small", 3600.0}, {"ml/wide", nullptr}}));
  EXPECT_EQ(soon.at("jobs").at(0).at("changed").at("stopsInSeconds"), 600.0);
  // long is stopped an hour after its start, and needs two.
  const json running = document({"--drain", "n2@2026-11-28T12:05:00Z"});
  ASSERT_EQ(running.at("newJobs").size(), 1U) << running;
  const json& again = running.at("newJobs").at(0);
  EXPECT_EQ(again.at("job"), "ml/long");
  EXPECT_EQ(again.at("stopsInSeconds"), 300.0);
  EXPECT_EQ(again.at("startsInSeconds"), 360.0);
  EXPECT_EQ(again.at("runSeconds"), 7200.0);
  const Outcome table = when({"--drain", "n2@+5m", "-o", "wide"});
  EXPECT_NE(table.out.find("stopped in 5m"), std::string::npos) << table.out;
}

TEST(WhenCommand, TheDifferenceIsSummedUp) {
  const json more = document({"--add-nodes", "2:like=n1"}).at("difference");
  EXPECT_EQ(more.at("earlier"), 1);
  EXPECT_EQ(more.at("later"), 0);
  EXPECT_EQ(more.at("asBefore"), 1);
  EXPECT_EQ(more.at("mostEarlier"), json({{{"job", "ml/wide"}, {"bySeconds", 3600.0}}}));
  EXPECT_EQ(more.at("nodes"), 2);
  EXPECT_EQ(more.at("lostNodeHours"), 0.0);
  // long has run for an hour and five minutes by then, on one node.
  const json less = document({"--drain", "n2@+5m"}).at("difference");
  EXPECT_EQ(less.at("nodes"), -1);
  EXPECT_EQ(less.at("stops"), 1);
  EXPECT_EQ(less.at("stopsBefore"), 0);
  EXPECT_NEAR(less.at("lostNodeHours").get<double>(), 65.0 / 60, 1e-6);
  // Nobody knows any more when wide starts.
  EXPECT_EQ(less.at("mostLater").at(0).at("bySeconds").is_null(), true) << less;
  const Outcome table = when({"--drain", "n2@+5m", "-o", "wide"});
  EXPECT_NE(table.out.find("\n0 jobs start earlier, "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("; 1 node fewer\n1 run stopped early (0 as it is), 1.1 "
                           "node-hours of work lost (0.0 as it is)"),
            std::string::npos)
      << table.out;
  EXPECT_FALSE(document({}).contains("difference"));
}

TEST(WhenCommand, ADrainWithoutATimeRemovesTheNode) {
  const json drained = document({"--drain", "n2"});
  const json removed = document({"--remove-node", "n2"});
  EXPECT_EQ(drained.at("jobs"), removed.at("jobs"));
  EXPECT_EQ(drained.at("newJobs"), removed.at("newJobs"));
}

TEST(WhenCommand, NodesMayComeLater) {
  const json more = document({"--add-nodes", "2:like=n1@+5m"});
  EXPECT_EQ(changed_starts_of(more), (Starts{{"web/small", 360.0}, {"ml/wide", 300.0}}));
}

TEST(WhenCommand, AnEndThatNobodyKnowsIsShown) {
  std::string cluster = kCluster;
  const std::string limit = "  activeDeadlineSeconds: 7200\n";
  cluster.erase(cluster.find(limit), limit.size());
  const json forecast = document({}, cluster);
  EXPECT_EQ(forecast.at("jobsWithoutEnd"), 1);
  EXPECT_EQ(starts_of(forecast).at("ml/wide"), nullptr);
  const Outcome table = when({"-o", "wide"}, cluster);
  EXPECT_NE(table.out.find("not known"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("1 running job without a time limit"), std::string::npos) << table.out;
}

TEST(WhenCommand, TheTableHasOneLineForEachJob) {
  const Outcome table = when({"--add-nodes", "2:like=n1", "-o", "wide"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_NE(table.out.find("2 jobs waiting at 2026-11-28T12:00:00Z"), std::string::npos)
      << table.out;
  EXPECT_NE(table.out.find("with --add-nodes 2:like=n1"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("1h earlier"), std::string::npos) << table.out;
  const Outcome of_one = when({"-n", "web", "-o", "wide"});
  EXPECT_NE(of_one.out.find("web/small"), std::string::npos) << of_one.out;
  EXPECT_EQ(of_one.out.find("ml/wide"), std::string::npos) << of_one.out;
}

TEST(WhenCommand, TheTimeOfADumpMayBeGiven) {
  const json forecast = document({"--now", "2026-11-28T12:05:00Z"});
  EXPECT_EQ(forecast.at("now"), "2026-11-28T12:05:00Z");
  EXPECT_EQ(starts_of(forecast).at("web/small"), 60.0);
}

class LiveWhen : public testing::Test {
 protected:
  LiveWhen() {
    cluster_.serve("/api/v1/nodes", {R"({"metadata":{"name":"n1"},"status":{"allocatable":)"
                                     R"({"cpu":"4","pods":"10"}}})"});
    cluster_.serve("/api/v1/pods", {pod_json("a-0", "", "")});
  }
  FakeCluster cluster_;
};

TEST_F(LiveWhen, AsksTheApiServer) {
  const Outcome outcome = cluster_.run({"when", "-o", "json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out).at("kind"), "Forecast");
}

TEST_F(LiveWhen, NamesTheRightThatIsMissing) {
  cluster_.forbid("/api/v1/nodes", "list", "nodes");
  const Outcome outcome = cluster_.run({"when"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("--clusterrole=berth-when-view --user=alice"), std::string::npos)
      << outcome.err;
}

TEST(WhenCommand, AnotherTimeLimit) {
  const json own = document({"--time-limit", "web/small=50m"});
  EXPECT_EQ(changed_starts_of(own).at("web/small"), 360.0);
  // Now small is not out again before wide can start.
  const json longer = document({"--time-limit", "web/small=70m"});
  EXPECT_EQ(changed_starts_of(longer).at("web/small"), 7200.0);
  const json running = document({"--time-limit", "ml/long=1h10m"});
  EXPECT_EQ(changed_starts_of(running).at("ml/wide"), 600.0);
}

TEST(WhenCommand, BadInputIsNamed) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> all{
      {{"--add-nodes", "2"}, "--add-nodes: \"2\" is not understood, expected NUMBER:like=NODE"},
      {{"--add-nodes", "0:like=n1"}, "--add-nodes: \"0:like=n1\" is not understood"},
      {{"--add-nodes", "1:like=n9"}, "--add-nodes: \"n9\" is no node of the input"},
      {{"--remove-node", "n9"}, "--remove-node: \"n9\" is no node of the input"},
      {{"--drain", "n9@+1h"}, "--drain: \"n9\" is no node of the input"},
      {{"--drain", "@+1h"}, "--drain: \"@+1h\" is not understood, expected NODE or NODE@TIME"},
      {{"--drain", "n1@soon"}, "--drain: \"soon\" is no time, expected one such as +2h"},
      {{"--drain", "n1@+2562047h"}, "--drain: \"+2562047h\" is no time"},
      {{"--drain", "n1@2026-11-28T11:00:00Z"}, "2026-11-28T11:00:00Z is before 2026-11-28T12:0"},
      {{"--add-nodes", "1:like=n1@x"}, "--add-nodes: \"x\" is no time"},
      {{"--job", "ml/wide"}, "--by: missing, expected a time beside --job"},
      {{"--by", "+1h"}, "--job: missing, expected a job beside --by"},
      {{"--job", "ml/none", "--by", "+1h"}, "--job: \"ml/none\" is no job that waits"},
      {{"--job", "ml/wide", "--by", "1h"}, "--by: \"1h\" is no time, expected one such as +2h"},
      {{"--time-limit", "ml/wide"}, "--time-limit: \"ml/wide\" is not understood"},
      {{"--time-limit", "ml/none=1h"}, "--time-limit: \"ml/none\" is no job"},
      {{"--cordon", "n9"}, "--cordon: \"n9\" is no node of the input"},
      {{"--without-job", "wide"}, "--without-job: \"wide\" is no job that waits or runs"},
      {{"--set", "actions.backfill.behind=often"}, "behind"},
      {{"--run-time", "long"}, "--run-time"},
      {{"--now", "noon"}, "--now: "},
      {{"--kubeconfig", "k"}, "--kubeconfig: given together with --cluster"},
  };
  for (const auto& [words, text] : all) {
    const Outcome outcome = when(words);
    EXPECT_EQ(outcome.exit_code, 2) << words.front();
    EXPECT_EQ(outcome.out, "") << words.front();
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace berth::tools::when_command_test
