#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "support/checkout.h"
#include "tools/berth_process.h"

namespace berth::tools::simulate_test {
namespace {

using nlohmann::json;

const std::string kExamples = support::source_file("config/examples/");

// On 128 nodes. Job 1 has 100 of them and ends 20 s before its limit. Job 2 waits for it, and 3 and
// 4 end or fit beside it: EASY starts them earlier. Job 5 leaves while it waits, job 6 is too
// large.
constexpr const char* kTrace =
    "; MaxNodes: 128\n"
    "1  0 -1 100 100 -1 -1 100 120 -1 1 7 1 -1 1 -1 -1 -1\n"
    "2 10 -1  50  64 -1 -1  64  60 -1 1 7 1 -1 1 -1 -1 -1\n"
    "3 20 -1  30  20 -1 -1  20  60 -1 1 8 2 -1 1 -1 -1 -1\n"
    "4 30 -1 200   8 -1 -1   8 300 -1 1 8 2 -1 2 -1 -1 -1\n"
    "5 45 15  -1 128 -1 -1 128  60 -1 5 9 2 -1 2 -1 -1 -1\n"
    "6 50 -1  10 129 -1 -1 129  60 -1 1 9 2 -1 2 -1 -1 -1\n";

constexpr const char* kBadLine = "7 60 -1 ten 1 -1 -1 1 60 -1 1 9 2 -1 2 -1 -1 -1\n";

// "@/" in an argument is a directory with t.swf, bad.swf, and what is in `files`.
Outcome simulate(std::vector<std::string> arguments,
                 const std::map<std::string, std::string>& files = {}) {
  const TemporaryDirectory directory;
  directory.write("t.swf", kTrace);
  directory.write("bad.swf", std::string(kTrace) + kBadLine);
  for (const auto& [name, text] : files) directory.write(name, text);
  const std::string here = directory.path().string() + "/";
  for (std::string& argument : arguments) {
    if (const auto at = argument.find("@/"); at != std::string::npos) argument.replace(at, 2, here);
  }
  arguments.insert(arguments.begin(), "simulate");
  Outcome outcome = run_program(arguments);
  for (auto at = outcome.err.find(here); at != std::string::npos; at = outcome.err.find(here)) {
    outcome.err.replace(at, here.size(), "@/");
  }
  return outcome;
}

std::vector<std::string> usual(const std::vector<std::string>& more,
                               const std::string& trace = "@/t.swf") {
  std::vector<std::string> words{"--trace", trace, "--nodes", "128", "--node", "cpu=1,pods=110"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

std::vector<std::string> with_config(const std::string& name,
                                     const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"--config", kExamples + name};
  words.insert(words.end(), more.begin(), more.end());
  return usual(words);
}

// The runs, without the time that they took.
json runs_of(const Outcome& outcome) {
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  json document = json::parse(outcome.out);
  for (json& run : document["runs"]) run.erase("secondsOfComputing");
  return document["runs"];
}

json starts_of(const json& run) {
  json starts = json::array();
  for (const json& job : run["jobs"]) starts.push_back(job["start"]);
  return starts;
}

std::vector<std::string> names_of(const json& runs) {
  std::vector<std::string> names;
  for (const json& run : runs) names.push_back(run["config"]);
  return names;
}

using Names = std::vector<std::string>;

TEST(SimulateCommand, TheDocumentHasEachStart) {
  const Outcome outcome = simulate(with_config("easy.yaml", {"-o", "json"}));
  EXPECT_EQ(outcome.err, "");
  const json document = json::parse(outcome.out);
  EXPECT_EQ(document["apiVersion"], "berth.dev/v1");
  EXPECT_EQ(document["kind"], "Simulation");
  ASSERT_EQ(document["runs"].size(), 1U);
  const json& run = document["runs"][0];
  EXPECT_EQ(run["config"], "easy.yaml");
  EXPECT_EQ(run["nodes"], 128);
  EXPECT_EQ(run["measures"]["neverStarted"], 1);
  EXPECT_EQ(starts_of(run), json::parse("[0, 100, 20, 30, null, null]"));
  json job = run["jobs"][1];
  EXPECT_EQ(job["nodes"].size(), 64U);
  job.erase("nodes");
  EXPECT_EQ(job, json::parse(R"({"id": "2", "user": "7", "queue": "1", "submit": 10, "start": 100,
      "end": 150, "run": 50, "limit": 60, "pods": 64, "size": 64, "evictions": 0,
      "lostNodeSeconds": 0, "cancelled": false})"));
}

TEST(SimulateCommand, ACancelledJobHasAnEndAndNoStart) {
  const json runs = runs_of(simulate(with_config("easy.yaml")));
  const json& job = runs[0]["jobs"][4];
  EXPECT_TRUE(job["cancelled"]);
  EXPECT_TRUE(job["start"].is_null());
  EXPECT_EQ(job["end"], 60);
  const json& large = runs[0]["jobs"][5];
  EXPECT_FALSE(large["cancelled"]);
  EXPECT_TRUE(large["start"].is_null());
  EXPECT_TRUE(large["end"].is_null());
}

TEST(SimulateCommand, AJobThatIsTooLargeDoesNotKeepTheDefaultFromAnEnd) {
  const json runs =
      runs_of(simulate({"--trace", "@/large.swf", "--nodes", "1"},
                       {{"large.swf", "1 0 -1 9 2 -1 -1 2 9 -1 1 7 1 -1 1 -1 -1 -1\n"}}));
  EXPECT_EQ(names_of(runs), (Names{"default"}));
  EXPECT_EQ(starts_of(runs[0]), json::parse("[null]"));
}

TEST(SimulateCommand, TheSameInputGivesTheSameBytes) {
  const auto text = [] { return runs_of(simulate(with_config("conservative.yaml"))).dump(); };
  EXPECT_EQ(text(), text());
}

TEST(SimulateCommand, RunsAtOnceAreAsRunsOneByOne) {
  const Names names{"fcfs.yaml", "easy.yaml", "conservative.yaml", "no-evictions.yaml"};
  std::vector<std::string> words{"--jobs", "5"};
  json one_by_one = json::array();
  for (const std::string& name : names) {
    words.insert(words.end(), {"--config", kExamples + name});
    one_by_one.push_back(runs_of(simulate(with_config(name, {"--jobs", "5"})))[0]);
  }
  const json runs = runs_of(simulate(usual(words)));
  EXPECT_EQ(names_of(runs), names);
  EXPECT_EQ(runs, one_by_one);
}

TEST(SimulateCommand, FilesOfOneNameHaveTheirPaths) {
  const std::string fcfs = read_text(kExamples + "fcfs.yaml");
  const json runs = runs_of(simulate(usual({"--config", "@/a/x.yaml", "--config", "@/b/x.yaml"}),
                                     {{"a/x.yaml", fcfs}, {"b/x.yaml", fcfs}}));
  ASSERT_EQ(runs.size(), 2U);
  EXPECT_TRUE(runs[0]["config"].get<std::string>().ends_with("/a/x.yaml")) << runs[0]["config"];
  EXPECT_TRUE(runs[1]["config"].get<std::string>().ends_with("/b/x.yaml"));
}

TEST(SimulateCommand, ASettingIsThatOfTheFile) {
  const json set =
      runs_of(simulate(with_config("easy.yaml", {"--set", "actions.backfill.behind=off"})));
  EXPECT_EQ(names_of(set), (Names{"easy.yaml, backfill.behind=off"}));
  EXPECT_EQ(starts_of(set[0]), starts_of(runs_of(simulate(with_config("fcfs.yaml")))[0]));
}

TEST(SimulateCommand, ASweepIsARunOfEachCombination) {
  const json runs = runs_of(simulate(with_config(
      "reservation.yaml",
      {"--jobs", "5", "--sweep", "plugins.reservation.lock=cluster,multi-node", "--sweep",
       "plugins.binpack.binpack.extended=1,5", "--set", "plugins.reservation.wait-duration=20s"})));
  const std::string head = "reservation.yaml, reservation.wait-duration=20s, reservation.lock=";
  EXPECT_EQ(names_of(runs), (Names{head + "cluster, binpack.binpack.extended=1",
                                   head + "cluster, binpack.binpack.extended=5",
                                   head + "multi-node, binpack.binpack.extended=1",
                                   head + "multi-node, binpack.binpack.extended=5"}));
  EXPECT_EQ(runs[0]["jobs"], runs[1]["jobs"]) << "of nodes without extended resources";
}

TEST(SimulateCommand, BadLinesAreLeftOutIfAsked) {
  const Outcome refused = simulate(usual({}, "@/bad.swf"));
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_EQ(refused.err.find("@/bad.swf:8: field 4 (run time): \"ten\", expected "), 0U)
      << refused.err;
  const Outcome skipped =
      simulate(usual({"--config", kExamples + "easy.yaml", "--skip-bad-lines"}, "@/bad.swf"));
  EXPECT_EQ(runs_of(skipped)[0]["jobs"].size(), 6U);
  EXPECT_NE(skipped.err.find("note: bad lines left out: 1\n"), std::string::npos) << skipped.err;
  EXPECT_NE(skipped.err.find("note: @/bad.swf:8: field 4"), std::string::npos) << skipped.err;
}

TEST(SimulateCommand, OnlyTheFirstJobsAreRead) {
  const json runs =
      runs_of(simulate(usual({"--config", kExamples + "easy.yaml", "--jobs", "6"}, "@/bad.swf")));
  EXPECT_EQ(runs[0]["jobs"].size(), 6U) << "nothing behind them is looked at";
}

TEST(SimulateCommand, JobsHaveTheQueuesOfTheirUsers) {
  const auto queues = [](const std::string& by) {
    json names = json::array();
    const json runs = runs_of(simulate(with_config("easy.yaml", {"--queues", by, "--jobs", "4"})));
    for (const json& job : runs[0]["jobs"]) names.push_back(job["queue"]);
    return names;
  };
  EXPECT_EQ(queues("user"), json::parse(R"(["user-7-q", "user-7-q", "user-8-q", "user-8-q"])"));
  EXPECT_EQ(queues("group"),
            json::parse(R"(["group-1-q", "group-1-q", "group-2-q", "group-2-q"])"));
  EXPECT_EQ(queues("queue"),
            json::parse(R"(["queue-1-q", "queue-1-q", "queue-1-q", "queue-2-q"])"));
}

TEST(SimulateCommand, PodsAreAsLargeAsAsked) {
  const auto first = [](const std::vector<std::string>& more) {
    std::vector<std::string> words{"--trace", "@/t.swf", "--nodes",  "32",
                                   "--node",  "cpu=8",   "--config", kExamples + "easy.yaml",
                                   "--jobs",  "1"};
    words.insert(words.end(), more.begin(), more.end());
    const json runs = runs_of(simulate(words));
    return std::pair(runs[0]["jobs"][0]["pods"].get<int>(),
                     runs[0]["jobs"][0]["size"].get<double>());
  };
  EXPECT_EQ(first({}), std::pair(13, 13.0)) << "whole nodes";
  EXPECT_EQ(first({"--pod-processors", "1"}), std::pair(100, 12.5));
  EXPECT_EQ(first({"--pod-processors", "3"}), std::pair(34, 12.75));
}

TEST(SimulateCommand, JobsEndAtTheirLimitOrRunBeyondIt) {
  const std::map<std::string, std::string> files{
      {"long.swf", "1 0 -1 100 1 -1 -1 1 40 -1 1 7 1 -1 1 -1 -1 -1\n"}};
  const auto end = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"--config", kExamples + "easy.yaml"};
    words.insert(words.end(), more.begin(), more.end());
    return runs_of(simulate(usual(words, "@/long.swf"), files))[0]["jobs"][0]["end"].get<int>();
  };
  EXPECT_EQ(end({}), 40);
  EXPECT_EQ(end({"--run-beyond-limits"}), 100);
}

TEST(SimulateCommand, NodesAreThoseOfAList) {
  const std::map<std::string, std::string> files{
      {"nodes.csv",
       "sn,cpu_milli,memory_mib,gpu,model\nn-a,8000,1024,1,T4\nn-b,8000,1024,1,P100\n"},
      {"pods.csv",
       "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
       "deletion_time,scheduled_time\n"
       "p-0,1000,100,1,1000,P100,LS,Succeeded,0,50,0\np-1,1000,100,1,1000,P100,LS,Succeeded,10,70,"
       "20\n"
       "p-2,1000,100,1,500,,LS,Succeeded,10,40,10\n"}};
  const json runs = runs_of(simulate(
      {"--trace", "@/pods.csv", "--node-list", "@/nodes.csv", "--config", kExamples + "fcfs.yaml"},
      files));
  EXPECT_EQ(starts_of(runs[0]), json::parse("[0, 50, 50]"));
  EXPECT_EQ(runs[0]["jobs"][1]["nodes"], json::parse(R"([{"node": "n-b", "share": 1}])"));
}

TEST(SimulateCommand, ATableHasAColumnForEachRun) {
  const Outcome outcome =
      simulate(with_config("fcfs.yaml", {"--config", kExamples + "easy.yaml", "-o", "wide"}));
  EXPECT_EQ(outcome.exit_code, 0);
  const std::string head = outcome.out.substr(0, outcome.out.find('\n'));
  EXPECT_NE(head.find("fcfs.yaml  easy.yaml"), std::string::npos) << head;
  EXPECT_NE(outcome.out.find("utilisation"), std::string::npos);
}

TEST(SimulateCommand, OffATerminalTheTableHasNoControlSequences) {
  setenv("TERM", "xterm", 1);
  unsetenv("NO_COLOR");
  const Outcome outcome = simulate(with_config("fcfs.yaml", {"-o", "table"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.find('\x1b'), std::string::npos) << outcome.out;
}

TEST(SimulateCommand, AReportIsAFile) {
  const TemporaryDirectory directory;
  const std::string file = (directory.path() / "report.html").string();
  const Outcome outcome = simulate(with_config("easy.yaml", {"--html", file}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(json::parse(outcome.out)["kind"], "Simulation") << "also on standard output";
  const std::string text = read_text(file);
  EXPECT_EQ(text.find("<!DOCTYPE html>"), 0U) << text.substr(0, 100);
  EXPECT_NE(text.find("easy.yaml"), std::string::npos);
}

struct Refused {
  const char* name;
  std::vector<std::string> arguments;
  std::string says;
};

class SimulateBadInput : public testing::TestWithParam<Refused> {};

TEST_P(SimulateBadInput, ExitsWith2AndSaysWhatWhereAndWhatWasExpected) {
  const Outcome outcome = simulate(GetParam().arguments);
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_NE(outcome.err.find(GetParam().says), std::string::npos)
      << "expected: " << GetParam().says << "\nsaid: " << outcome.err;
}

Refused refused(const char* name, const std::vector<std::string>& more, const std::string& says) {
  std::vector<std::string> words{"--trace", "@/t.swf", "--nodes", "128"};
  words.insert(words.end(), more.begin(), more.end());
  return {name, words, says};
}

INSTANTIATE_TEST_SUITE_P(
    Command, SimulateBadInput,
    testing::Values(
        Refused{"NoTrace", {"--nodes", "4"}, "--trace: missing, expected a file"},
        Refused{
            "NoSuchTrace", {"--trace", "@/no.swf", "--nodes", "4"}, "@/no.swf: cannot be read: "},
        Refused{
            "NoSuchList", {"--trace", "@/no.csv", "--nodes", "4"}, "@/no.csv: cannot be read: "},
        Refused{"NoNodes",
                {"--trace", "@/t.swf"},
                "--nodes: missing, expected the number of nodes, or --node-list"},
        Refused{"NodesAreNoNumber",
                {"--trace", "@/t.swf", "--nodes", "many"},
                "--nodes: \"many\" is no number from 1 to 100000"},
        Refused{"ZeroNodes",
                {"--trace", "@/t.swf", "--nodes", "0"},
                "--nodes: \"0\" is no number from 1 to 100000"},
        refused("NodesTwice", {"--node-list", "@/nodes.csv"},
                "--nodes: given with --node-list, expected one of them"),
        Refused{"NoSuchNodeList",
                {"--trace", "@/t.swf", "--node-list", "@/no.csv"},
                "@/no.csv: cannot be read: "},
        refused("NodeWithoutAmount", {"--node", "cpu"},
                "--node: \"cpu\" is no resource with an amount above 0, such as memory=16Gi"),
        refused("NodeOfLessThanNothing", {"--node", "cpu=4,memory=-1"},
                "--node: \"memory=-1\" is no resource with an amount above 0"),
        refused("NodeWithAResourceTwice", {"--node", "cpu=4,cpu=5"},
                "--node: \"cpu\" twice, expected once"),
        refused("NodeWithoutProcessors", {"--node", "memory=1Gi"},
                "--node: less than cpu=1, but jobs ask for processors"),
        refused("PodsAreNoNumber", {"--pod-processors", "half"},
                "--pod-processors: \"half\" is no number above 0"),
        refused("PodsOfNothing", {"--pod-processors", "0"},
                "--pod-processors: \"0\" is no number above 0"),
        refused("PodsLargerThanNodes", {"--node", "cpu=8", "--pod-processors", "16"},
                "--pod-processors: \"16\" is more than the 8 of a node"),
        refused("JobsAreNoNumber", {"--jobs", "all"}, "--jobs: \"all\" is no number above 0"),
        refused("NoSuchQueues", {"--queues", "colour"}, "--queues: colour not in "),
        refused("NoSuchConfig", {"--config", "@/no.yaml"}, "@/no.yaml: cannot be read: "),
        refused("SetIsNoSetting", {"--set", "lock=cluster"},
                "--set: \"lock=cluster\" is no setting, expected plugins.NAME.ARGUMENT=VALUE"),
        refused("SetOfAnUnknownPlugin", {"--set", "plugins.colour.lock=cluster"},
                "--set: no plugin \"colour\" in default, expected one of priority, gang, "),
        refused("SetOfAnUnknownAction", {"--set", "actions.colour.lock=cluster"},
                "--set: no action \"colour\" in default, expected one of elect, enqueue, "),
        refused("SetOfAnUnknownArgument", {"--set", "plugins.reservation.colour=red"},
                "--set: unknown argument \"colour\""),
        refused("SetToABadValue", {"--set", "plugins.reservation.lock=all"},
                "--set: argument \"lock\" is \"all\"; expected cluster or multi-node"),
        refused("SweepWithoutValues", {"--sweep", "plugins.reservation.lock=,"},
                "--sweep: \"plugins.reservation.lock=,\" is no setting, expected "
                "plugins.NAME.ARGUMENT=A,B"),
        refused("SweepOfAnUnknownPlugin", {"--sweep", "plugins.colour.lock=a,b"},
                "--sweep: no plugin \"colour\" in default"),
        refused("SweepWithABadValue", {"--sweep", "plugins.reservation.lock=cluster,all"},
                "--sweep: argument \"lock\" is \"all\"; expected cluster or multi-node"),
        refused("HtmlInNoDirectory", {"--html", "@/no/report.html"},
                "@/no/report.html: cannot be written"),
        refused("NoSuchOutput", {"-o", "xml"}, "-o: \"xml\" is not an output format, expected ")),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace berth::tools::simulate_test
