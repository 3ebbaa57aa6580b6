#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>

#include "support/checkout.h"
#include "tools/berth_process.h"

// The program as users run it: its real binary, its two outputs and its exit code.

namespace berth::tools {
namespace {

using nlohmann::json;

std::string plan_of(const std::vector<std::string>& arguments) {
  std::vector<std::string> words{"plan", "-o", "json"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  const Outcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.out;
}

const json& row(const json& rows, const std::string& key, const std::string& name) {
  static const json none = json::object();
  for (const json& each : rows) {
    if (each[key] == name) return each;
  }
  ADD_FAILURE() << "no " << key << " " << name;
  return none;
}

TEST(PlanCommand, WritesTheDocumentOfAYamlDirectoryToTheByte) {
  EXPECT_EQ(plan_of({"--cluster", testdata("gangs"), "--cycles", "4"}),
            read_text(testdata("gangs/expected.golden")));
}

TEST(PlanCommand, WritesTheDocumentOfALiveDumpToTheByte) {
  EXPECT_EQ(plan_of({"--cluster", testdata("dump")}), read_text(testdata("dump/expected.golden")));
}

TEST(PlanCommand, TwoRunsAreEqualToTheByte) {
  EXPECT_EQ(plan_of({"--cluster", testdata("gangs"), "--cycles", "5"}),
            plan_of({"--cluster", testdata("gangs"), "--cycles", "5"}));
}

TEST(PlanCommand, TheOrderOfFilesAndOfObjectsInThemDoesNotMatter) {
  const std::string expected = plan_of({"--cluster", testdata("dump"), "--cycles", "2"});
  constexpr std::uint32_t kSeed = 20261121;
  std::mt19937 random(kSeed);
  json list = json::parse(read_text(testdata("dump/cluster.json")));
  std::vector<json> items = list["items"];
  for (int round = 0; round < 5; ++round) {
    std::shuffle(items.begin(), items.end(), random);
    const TemporaryDirectory directory;
    std::vector<std::string> arguments{"--cycles", "2", "--cluster"};
    for (std::size_t i = 0; i < items.size(); i += 4) {
      list["items"] = std::vector<json>(
          items.begin() + static_cast<std::ptrdiff_t>(i),
          items.begin() + static_cast<std::ptrdiff_t>(std::min(i + 4, items.size())));
      arguments.push_back(directory.write("part" + std::to_string(i) + ".json", list.dump()));
    }
    std::shuffle(arguments.begin() + 3, arguments.end(), random);
    EXPECT_EQ(plan_of(arguments), expected) << "seed " << kSeed << ", round " << round;
  }
}

const std::string kNoEvictions = support::source_file("config/examples/no-evictions.yaml");

TEST(PlanCommand, APodWithARunTimeEndsAndMakesRoomForTheGangThatWaited) {
  const TemporaryDirectory directory;
  const std::string spreads = directory.write("spreads.yaml",
                                              "actions: enqueue, allocate, backfill\n"
                                              "tiers: [{plugins: [{name: priority}, {name: gang}, "
                                              "{name: predicates}, {name: nodeorder}]}]\n");
  const json document =
      json::parse(plan_of({"--cluster", testdata("gangs"), "--config", spreads, "--cycles", "4"}));
  // Started at 08:59:59 for 3 s; sessions at 09:00:00, :01 and :02.
  EXPECT_EQ(row(document["cycles"][1]["jobs"], "job", "ml/run")["phase"], "Running");
  EXPECT_EQ(row(document["cycles"][1]["jobs"], "job", "ml/wide")["reason"], "gang_incomplete");
  EXPECT_EQ(row(document["cycles"][2]["jobs"], "job", "ml/run")["phase"], "Completed");
  EXPECT_EQ(document["cycles"][2]["binds"].size(), 2U);
  EXPECT_EQ(row(document["cycles"][2]["jobs"], "job", "ml/wide")["phase"], "Running");
  EXPECT_TRUE(document["cycles"][3]["binds"].empty());
}

TEST(PlanCommand, NowMovesTheFirstSession) {
  const json document = json::parse(plan_of({"--cluster", testdata("gangs"), "--config",
                                             kNoEvictions, "--now", "2026-11-21T10:00:00+01:00"}));
  EXPECT_EQ(row(document["cycles"][0]["jobs"], "job", "ml/run")["phase"], "Running");
  const json later = json::parse(plan_of(
      {"--cluster", testdata("gangs"), "--config", kNoEvictions, "--now", "2026-11-21T09:00:02Z"}));
  EXPECT_EQ(row(later["cycles"][0]["jobs"], "job", "ml/run")["phase"], "Completed");
}

TEST(PlanCommand, WithoutReservationsTheirFieldsAreEmpty) {
  const json document =
      json::parse(plan_of({"--cluster", testdata("gangs"), "--config", kNoEvictions}));
  const json& cycle = document["cycles"][0];
  EXPECT_EQ(cycle["locks"], json::array());
  EXPECT_EQ(cycle["targets"], json::array());
  EXPECT_EQ(cycle["ended"], json::array());
  EXPECT_EQ(document["summary"]["idleRoomSeconds"], json::object());
  EXPECT_EQ(cycle["evictions"], json::array());
  EXPECT_EQ(cycle["pipelined"], json::array());
}

// The report on testdata/reservation after so many cycles.
std::string reservation_after(const std::string& cycles, std::vector<std::string> more) {
  std::vector<std::string> words = about_reservation("plan", cycles);
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run_program(words);
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  return outcome.out;
}

TEST(PlanCommand, ATargetIsElectedNodesAreKeptAndItStarts) {
  const std::string document = reservation_after("7", {"json"});
  EXPECT_EQ(document, read_text(testdata("reservation/expected.golden")));
  const json plan = json::parse(document);
  EXPECT_TRUE(plan["cycles"][1]["targets"].empty()) << "it has just come";
  EXPECT_EQ(row(plan["cycles"][2]["targets"], "job", "ml/big")["nodes"], (json{"n1", "n2"}));
  EXPECT_EQ(row(plan["cycles"][2]["locks"], "node", "n1")["job"], "ml/big");
  EXPECT_EQ(row(plan["cycles"][5]["jobs"], "job", "ml/big")["placed"], 2);
  EXPECT_EQ(row(plan["cycles"][6]["ended"], "job", "ml/big")["how"], "started");
  EXPECT_TRUE(plan["cycles"][6]["locks"].empty());
  // 22 of 24 cpu for 10 s, then 23 for 20 s.
  EXPECT_EQ(plan["summary"]["idleRoomSeconds"]["cpu"], "680");
}

TEST(PlanCommand, TheTableShowsReservationsWhenTheyChangeAndSumsUp) {
  EXPECT_EQ(reservation_after("7", {"table"}), read_text(testdata("reservation/table.golden")));
}

TEST(PlanCommand, ExplainsATargetAndAJobBehindIt) {
  EXPECT_EQ(reservation_after("4", {"table", "--explain", "ml/big"}),
            read_text(testdata("reservation/target.golden")));
  EXPECT_EQ(reservation_after("4", {"table", "--explain", "ml/late"}),
            read_text(testdata("reservation/behind.golden")));
}

TEST(PlanCommand, QueuesHaveTheirSharesWhereTheClusterIsDivided) {
  const TemporaryDirectory directory;
  const std::string undivided =
      directory.write("lines.conf", "actions: [allocate]\ntiers: [{plugins: [{name: gang}]}]\n");
  const json with = json::parse(plan_of({"--cluster", testdata("gangs")}));
  const json& divided = row(with["cycles"][0]["queues"], "queue", "research");
  EXPECT_EQ(divided["deserved"]["memory"], "8Gi");
  EXPECT_EQ(divided["realCapability"]["pods"], "20");
  EXPECT_EQ(divided["guarantee"], (json{{"cpu", "1500m"}, {"memory", "4Gi"}}));
  const json without =
      json::parse(plan_of({"--cluster", testdata("gangs"), "--config", undivided}));
  const json& line = row(without["cycles"][0]["queues"], "queue", "research");
  EXPECT_EQ(line["deserved"], json::object());
  EXPECT_EQ(line["realCapability"], json::object());
  EXPECT_EQ(line["overused"], false);
  EXPECT_EQ(line["guarantee"], divided["guarantee"]) << "as written";
}

TEST(PlanCommand, SaysOnStandardErrorWhatItLeftAlone) {
  const Outcome gangs = run_program({"plan", "--cluster", testdata("gangs")});
  EXPECT_NE(gangs.err.find("1 ConfigMap"), std::string::npos) << gangs.err;
  const Outcome dump = run_program({"plan", "--cluster", testdata("dump")});
  EXPECT_NE(dump.err.find("1 default-scheduler"), std::string::npos) << dump.err;
}

// Issue 9, row 12.
TEST(PlanCommand, WarnsOfWhatIsConfiguredAndHasNoEffect) {
  const TemporaryDirectory directory;
  const std::string config = directory.write("odd.conf", R"(
actions: [elect, reserve, allocate]
tiers:
- plugins:
  - {name: gang}
  - {name: proportion, arguments: {guarantee: hard}}
  - {name: reservation, arguments: {request-line: "cpuu=4,memory=1Gi"}}
)");
  const Outcome outcome = run_program({"plan", "--cluster", testdata("gangs"), "--config", config});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("warning: plugin proportion: \"guarantee: hard\" has no effect: no "
                             "action evicts; add shuffle\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("warning: plugin reservation: request-line names \"cpuu\", which no "
                             "node has; did you mean \"cpu\"?\n"),
            std::string::npos)
      << outcome.err;
  EXPECT_EQ(outcome.err.find("\"memory\""), std::string::npos) << outcome.err;
  // Settings that are known without a cluster.
  const Outcome check = run_program({"config", "--check", config});
  EXPECT_EQ(check.exit_code, 0);
  EXPECT_NE(check.err.find("no action evicts"), std::string::npos) << check.err;
  EXPECT_EQ(check.err.find("cpuu"), std::string::npos) << check.err;
}

TEST(PlanCommand, ReadsStandardInput) {
  const Outcome outcome =
      run_program({"plan", "-o", "json", "--cluster", "-"}, testdata("dump/cluster.json"));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, read_text(testdata("dump/expected.golden")));
}

TEST(PlanCommand, OffATerminalTheDefaultIsJsonAndTheTableHasNoControlSequences) {
  EXPECT_EQ(run_program({"plan", "--cluster", testdata("dump")}).out,
            read_text(testdata("dump/expected.golden")));
  const Outcome table = run_program({"plan", "-o", "table", "--cluster", testdata("gangs")});
  EXPECT_EQ(table.exit_code, 0);
  EXPECT_EQ(table.out, read_text(testdata("gangs/table.golden")));
  EXPECT_EQ(table.out.find('\x1b'), std::string::npos);
}

TEST(PlanCommand, AnEmptyClusterIsAnEmptyPlan) {
  const TemporaryDirectory directory;
  const Outcome outcome = run_program(
      {"plan", "-o", "json", "--cluster",
       directory.write("none.json", R"({"apiVersion":"v1","kind":"List","items":[]})")});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(json::parse(outcome.out)["cycles"][0]["jobs"].empty());
  EXPECT_NE(outcome.err.find("warning: no nodes"), std::string::npos) << outcome.err;
}

TEST(PlanCommand, TheFirstExampleShowsAGangThatWaitsAndThenStarts) {
  const std::string example = support::source_file("docs/examples/first-gang");
  const json document = json::parse(plan_of({"--cluster", example, "--cycles", "31"}));
  const json& first = row(document["cycles"][0]["jobs"], "job", "ml/big-model");
  EXPECT_EQ(first["reason"], "gang_incomplete");
  EXPECT_EQ(row(document["cycles"][0]["jobs"], "job", "ml/evaluation")["phase"], "Running");
  EXPECT_EQ(document["cycles"][30]["binds"].size(), 4U);
  EXPECT_EQ(row(document["cycles"][30]["jobs"], "job", "ml/big-model")["phase"], "Running");
}

}  // namespace
}  // namespace berth::tools
