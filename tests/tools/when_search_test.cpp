#include <gtest/gtest.h>

#include "tools/answering_server.h"
#include "tools/when_cluster.h"

// docs/when.md: the smallest change, and a running berthd.

namespace berth::tools::when_command_test {
namespace {

json search_of(const std::vector<std::string>& more) { return document(more).at("search"); }

// Each change that was found, and when the job starts with it.
std::map<std::string, json> answers_of(const json& search) {
  std::map<std::string, json> answers;
  for (const json& each : search.at("answers")) {
    answers[each.at("change")] = each.at("startsInSeconds");
  }
  return answers;
}

TEST(WhenSearch, TheSmallestChangesThatLetAJobStart) {
  const json search = search_of({"--job", "ml/wide", "--by", "+30m"});
  EXPECT_EQ(search.at("startsInSeconds"), 3600.0);
  EXPECT_EQ(search.at("isInTime"), false);
  const auto answers = answers_of(search);
  // n1 is free in six minutes: one node is enough. long has run for an hour and has half an hour
  // more at most; or it leaves. small is not in its way.
  EXPECT_EQ(answers.at("--add-nodes 1:like=n1"), 360.0);
  EXPECT_EQ(answers.at("--without-job ml/long"), 360.0);
  EXPECT_TRUE(answers.contains("--time-limit ml/long=1h29m") ||
              answers.contains("--time-limit ml/long=1h30m"))
      << search;
  EXPECT_EQ(answers.size(), 3U) << search;
  EXPECT_GT(search.at("simulations"), 5);
  EXPECT_EQ(search.at("wasCut"), false);
  const json& moved = search.at("answers").at(1);
  EXPECT_EQ(moved.at("change"), "--without-job ml/long");
  EXPECT_NEAR(moved.at("lostNodeHours").get<double>(), 1.0, 1e-6);
}

TEST(WhenSearch, EachAnswerHoldsWhenItIsAskedFor) {
  const json search = search_of({"--job", "ml/wide", "--by", "+30m"});
  for (const json& answer : search.at("answers")) {
    const std::string change = answer.at("change");
    const std::size_t space = change.find(' ');
    const json forecast = document({change.substr(0, space), change.substr(space + 1)});
    EXPECT_EQ(changed_starts_of(forecast).at("ml/wide"), answer.at("startsInSeconds")) << change;
  }
}

TEST(WhenSearch, MoreNodesAreCountedByBisection) {
  std::string cluster = kCluster;
  for (int i = 2; i < 5; ++i) {
    cluster += "---\napiVersion: v1\nkind: Pod\nmetadata: {namespace: ml, name: wide-" +
               std::to_string(i) + ", uid: v" + std::to_string(i) +
               ", creationTimestamp: \"2026-11-28T11:50:00Z\", annotations: "
               "{scheduling.k8s.io/group-name: wide, berth.dev/time-limit: 1h}}\n"
               "spec: {schedulerName: berth, containers: [{name: c, resources: "
               "{requests: {cpu: 4}}}]}\n";
  }
  const std::string minimum = "spec: {minMember: 2}";
  cluster.replace(cluster.find(minimum), minimum.size(), "spec: {minMember: 5}");
  const json search = document({"--job", "ml/wide", "--by", "+1m"}, cluster).at("search");
  EXPECT_EQ(answers_of(search), (std::map<std::string, json>{{"--add-nodes 5:like=n1", 0.0}}));
}

TEST(WhenSearch, AJobThatIsInTimeNeedsNothing) {
  const json search = search_of({"--job", "web/small", "--by", "+10m"});
  EXPECT_EQ(search.at("isInTime"), true);
  EXPECT_EQ(search.at("simulations"), 0);
  const Outcome table = when({"--job", "web/small", "--by", "+10m", "-o", "wide"});
  EXPECT_NE(table.out.find("web/small starts in 6m, in time for 2026-11-28T12:10:00Z"),
            std::string::npos)
      << table.out;
}

TEST(WhenSearch, WhereNothingHelpsItIsShown) {
  // No node has so much.
  std::string cluster = kCluster;
  const std::size_t at = cluster.rfind("cpu: 4");
  cluster.replace(at, 6, "cpu: 9");
  const json search = document({"--job", "web/small", "--by", "+1h"}, cluster).at("search");
  EXPECT_TRUE(search.at("answers").empty()) << search;
  const Outcome table = when({"--job", "ml/wide", "--by", "+30m", "-o", "wide"});
  EXPECT_NE(table.out.find("ml/wide starts in 1h, not by 2026-11-28T12:30:00Z (in 30m)"),
            std::string::npos)
      << table.out;
  EXPECT_NE(table.out.find("--add-nodes 1:like=n1"), std::string::npos) << table.out;
}

std::string list_of(const std::string& items) {
  return R"({"apiVersion":"v1","kind":"List","items":[)" + items + "]}";
}

// Two gangs for one node, of which the later one has the higher priority.
const std::string kTwoJobs = list_of(
    R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":)"
    R"({"allocatable":{"cpu":"4","pods":"10"}}},)"
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ml","name":"a","uid":"a",)"
    R"("creationTimestamp":"2026-11-28T10:00:00Z","annotations":{"berth.dev/time-limit":"1h"}},)"
    R"("spec":{"schedulerName":"berth","priority":1,"containers":[{"name":"c","resources":)"
    R"({"requests":{"cpu":"4"}}}]},"status":{"phase":"Pending"}},)"
    R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"ml","name":"b","uid":"b",)"
    R"("creationTimestamp":"2026-11-28T11:00:00Z","annotations":{"berth.dev/time-limit":"1h"}},)"
    R"("spec":{"schedulerName":"berth","priority":9,"containers":[{"name":"c","resources":)"
    R"({"requests":{"cpu":"4"}}}]},"status":{"phase":"Pending"}})");

std::string text_of(const std::string& plugins) {
  return "actions: \"allocate, backfill\"\ntiers: [{plugins: [" + plugins + "]}]\n";
}

http::Response configuration(const std::string& plugins) {
  const std::string text = text_of(plugins);
  return {200, "application/json", json{{"text", text}}.dump()};
}

// Its configuration counts, unless the user gives another.
TEST(WhenServer, AsksARunningBerthdForItsConfiguration) {
  TemporaryDirectory directory;
  const auto starts = [&](const std::string& plugins, const std::vector<std::string>& also) {
    const AnsweringServer server(
        {{"/snapshot", {200, "application/json", kTwoJobs}}, {"/configz", configuration(plugins)}});
    std::vector<std::string> words{"when", "--server", server.url(), "-o", "json"};
    words.insert(words.end(), also.begin(), also.end());
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return starts_of(json::parse(outcome.out));
  };
  const std::string by_priority = "{name: priority}, {name: gang}, {name: predicates}";
  const std::string by_age = "{name: gang}, {name: predicates}";
  EXPECT_EQ(starts(by_priority, {}).at("ml/b"), 0.0);
  EXPECT_EQ(starts(by_age, {}).at("ml/a"), 0.0);
  const std::string file = directory.write("c.yaml", text_of(by_priority));
  EXPECT_EQ(starts(by_age, {"--config", file}).at("ml/b"), 0.0);
}

TEST(WhenServer, AServerWithoutAConfigurationIsBadInput) {
  const AnsweringServer server({{"/snapshot", {200, "application/json", kTwoJobs}},
                                {"/configz", {200, "application/json", R"({"text":7})"}}});
  const Outcome outcome = run_program({"when", "--server", server.url()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("/configz: no configuration in it; expected `text`, or --config"),
            std::string::npos)
      << outcome.err;
}

TEST(WhenServer, AsksARunningBerthd) {
  const AnsweringServer server(
      {{"/configz", configuration("{name: gang}, {name: predicates}")},
       {"/snapshot",
        {200, "application/json",
         list_of(R"({"apiVersion":"v1","kind":"Node","metadata":{"name":"n1"},"status":)"
                 R"({"allocatable":{"cpu":"4","pods":"10"}}},{"apiVersion":"v1","kind":"Pod",)"
                 R"("metadata":{"namespace":"ml","name":"a","uid":"a"},"spec":{"schedulerName":)"
                 R"("berth","containers":[{"name":"c"}]},"status":{"phase":"Pending"}})")}}});
  const Outcome outcome = run_program({"when", "--server", server.url(), "-o", "json"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(starts_of(json::parse(outcome.out)), (Starts{{"ml/a", 0.0}}));
}

TEST(WhenServer, OneThatCannotAnswerIsBadInput) {
  const auto ask = [](const AnsweringServer& server) {
    return run_program({"when", "--server", server.url()});
  };
  const AnsweringServer older("/queues", {200, "application/json", "{}"});
  const AnsweringServer starting("/snapshot", http::text_response(503, "not synced"));
  const AnsweringServer closed("/snapshot", http::text_response(403, "a loopback address"));
  const AnsweringServer other("/snapshot", {200, "application/json", "{\"a\": "});
  std::string gone;
  {
    const AnsweringServer server("/snapshot", http::text_response(200, ""));
    gone = server.url();
  }
  const std::vector<std::pair<Outcome, std::string>> all{
      {ask(older), "/snapshot: no such page; expected a berthd that has it"},
      {ask(starting), "/snapshot: answered 503: not synced"},
      {ask(closed), "/snapshot: answered 403: a loopback address"},
      {ask(other), "/snapshot.json:1:"},
      {run_program({"when", "--server", gone}), "expected a berthd there (--server)"},
      {when({"--server"}), "--server: given together with --cluster, expected one of them"},
      {run_program({"when", "--server", gone, "--context", "c"}),
       "--context: given together with --server"},
  };
  for (const auto& [outcome, text] : all) {
    EXPECT_EQ(outcome.exit_code, 2) << text;
    EXPECT_EQ(outcome.out, "") << text;
    EXPECT_NE(outcome.err.find(text), std::string::npos) << outcome.err;
  }
}

}  // namespace
}  // namespace berth::tools::when_command_test
