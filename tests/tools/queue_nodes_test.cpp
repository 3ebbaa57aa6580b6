#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "simulation/simulation.h"
#include "support/checkout.h"
#include "support/objects.h"
#include "tools/berth_process.h"
#include "tools/config_command.h"
#include "tools/report_text.h"

namespace berth::tools {
namespace {

using namespace simulation;
using nlohmann::json;

conf::Config with_nodes_of_queues() {
  conf::Config config = open_config("").value();
  engine::PluginConfig plugin;
  plugin.plugin.name = "node_reservation";
  config.session.tiers.back().push_back(std::move(plugin));
  return config;
}

// Three nodes of 4 cpu. vision asks for 4 cpu on nodes of its own and has no job. Pods of others
// use 1 cpu of n2 and of n3, so ml/one, which wants 4 cpu, could only run on n1.
Report report_of(const std::string& explain, std::size_t cycles = 1, bool is_hard = false) {
  SimulationRequest request;
  request.config = with_nodes_of_queues();
  QueueObject vision;
  vision.name = vision.uid = "vision";
  vision.guarantee = {{"cpu", 4000}};
  vision.names_policy = true;
  if (is_hard) vision.guarantee = {{"cpu", 8000}};
  vision.guarantees_hard = is_hard;
  request.objects = {node("n1", 4), node("n2", 4),   node("n3", 4),
                     vision,        group("one", 1), pod("one", 0, 4)};
  request.objects.emplace_back(running(pod("", 2, 1), "n2"));
  request.objects.emplace_back(running(pod("", 3, 1), "n3"));
  request.cycles = cycles;
  request.now = second(0);
  request.explain = explain;
  return simulate(std::move(request)).value();
}

TEST(QueueNodes, AreAmongTheLocksOfThePlan) {
  const json document = json::parse(report_json(report_of("")));
  EXPECT_EQ(document["cycles"][0]["locks"],
            json::parse(R"([{"node": "n1", "queue": "vision", "since": "1970-01-01T00:00:00Z"}])"));
}

TEST(QueueNodes, AreInTheTableOfTheCycleThatGaveThem) {
  const std::string table = report_table(report_of("", 2));
  const std::string rows =
      "QUEUE   NODES  ITS OWN NODES  MISSING\n"
      "vision  1      n1             -\n";
  EXPECT_NE(table.find(rows), std::string::npos) << table;
  EXPECT_EQ(table.find(rows), table.rfind(rows)) << "in the next cycle nothing has changed";
}

TEST(QueueNodes, AJobThatTheyKeepOffNamesTheQueue) {
  const Report report = report_of("ml/one");
  const Explanation& explanation = *report.explanation;
  ASSERT_EQ(explanation.blocked_by.size(), 1U);
  EXPECT_EQ(explanation.blocked_by[0].queue, "vision");
  EXPECT_EQ(explanation.blocked_by[0].nodes, std::vector<std::string>{"n1"});
  EXPECT_NE(explanation.job.message.find("1 kept for queue vision"), std::string::npos)
      << explanation.job.message;
  // The guarantee has to end, too: otherwise the queue would choose nodes again.
  EXPECT_EQ(
      explanation.remedies,
      (std::vector<std::string>{"the nodes of queue vision, if it were guaranteed nothing",
                                "job ml/2 ended", "1 more node like n1 (4 cpu, 64Gi memory)"}));
  const json document = json::parse(report_json(report));
  EXPECT_EQ(document["explain"]["inItsWay"],
            json::parse(R"([{"queue": "vision", "nodes": ["n1"]}])"));
  EXPECT_NE(report_table(report).find("  blocked by   queue vision, for which n1 is kept\n"),
            std::string::npos)
      << report_table(report);
}

// 8 cpu need two nodes, and on one of them somebody else runs.
TEST(QueueNodes, AreWhatAPodIsEvictedForWithoutAJob) {
  const Report report = report_of("ml/2", 1, true);
  const json document = json::parse(report_json(report));
  const json& evictions = document["cycles"][0]["evictions"];
  ASSERT_EQ(evictions.size(), 1U);
  EXPECT_EQ(evictions[0]["pod"], "ml/2");
  EXPECT_EQ(evictions[0]["action"], "reclaim");
  EXPECT_EQ(evictions[0]["forQueue"], "vision");
  EXPECT_FALSE(evictions[0].contains("for")) << "no job is named so";
  EXPECT_EQ(document["explain"]["tasks"][0]["why"], "evicted by reclaim for queue vision");
  const std::string table = report_table(report_of("", 1, true));
  EXPECT_NE(table.find("ml/2     n2    reclaim  queue vision  "), std::string::npos) << table;
}

// docs/queues.md shows the example.
std::string own_nodes(const std::string& cycles) {
  const Outcome outcome =
      run_program({"queues", "--cluster", support::source_file("docs/examples/queue-nodes"),
                   "--config", support::source_file("config/examples/queue-nodes.yaml"), "-o",
                   "table", "--cycles", cycles});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::size_t begin = outcome.out.find("vision: 2 nodes of its own");
  if (begin == std::string::npos) return outcome.out;
  return outcome.out.substr(begin, outcome.out.find('\n', begin) + 1 - begin);
}

TEST(QueueNodes, OfTheExampleAreAsTheDocumentsSay) {
  const std::string document = read_text(support::source_file("docs/queues.md"));
  const std::string at_first = own_nodes("1");
  EXPECT_EQ(at_first,
            "vision: 2 nodes of its own (n2, n3; score 0.510) for 6 cpu: 4 idle, 1 its own, 1 "
            "missing: used by others, which finish\n");
  EXPECT_NE(document.find("-o table | grep own\n" + at_first), std::string::npos);
  EXPECT_NE(document.find("--cycles 12 | grep own\n" + own_nodes("12")), std::string::npos)
      << own_nodes("12");
}

}  // namespace
}  // namespace berth::tools
