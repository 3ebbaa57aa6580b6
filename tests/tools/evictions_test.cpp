#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "simulation/simulation.h"
#include "support/objects.h"
#include "tools/config_command.h"
#include "tools/report_text.h"

namespace berth::tools {
namespace {

using namespace simulation;
using nlohmann::json;

// 10 cpu, all used by six pods of ml/a, which needs four, and four of ml/b, which needs all. Queue
// q6 is guaranteed 5 cpu, with hard semantics.
Report evicting(const std::string& explain, std::size_t cycles = 1) {
  SimulationRequest request;
  request.config = open_config("").value();
  request.config.session.actions = {{"shuffle", {}}, {"enqueue", {}}, {"allocate", {}}};
  for (engine::Tier& tier : request.config.session.tiers) {  // jobs in the order of creation
    std::erase_if(tier, [](const auto& each) { return each.plugin.name == "drf"; });
  }
  QueueObject crowded;
  crowded.name = crowded.uid = "q1";
  QueueObject guaranteed;
  guaranteed.name = guaranteed.uid = "q6";
  guaranteed.guarantee = {{"cpu", 5000}};
  guaranteed.guarantees_hard = true;
  PodGroupObject first = group("a", 4);
  PodGroupObject later = group("b", 4);
  first.queue = later.queue = "q1";
  later.created = second(1);
  request.objects = {node("n1", 10), crowded, guaranteed, first, later};
  for (int i = 0; i < 6; ++i) request.objects.emplace_back(running(pod("a", i, 1), "n1"));
  for (int i = 0; i < 4; ++i) request.objects.emplace_back(running(pod("b", i, 1), "n1"));
  request.cycles = cycles;
  request.explain = explain;
  return simulate(std::move(request)).value();
}

TEST(Evictions, AreInTheDocumentOfTheirCycle) {
  const json document = json::parse(report_json(evicting("", 2)));
  const json& evictions = document["cycles"][0]["evictions"];
  ASSERT_EQ(evictions.size(), 5U);
  EXPECT_EQ(evictions[0], (json{{"pod", "ml/a-5"},
                                {"job", "ml/a"},
                                {"node", "n1"},
                                {"action", "shuffle"},
                                {"for", ""},
                                {"as", "surplus"},
                                {"why",
                                 "it is surplus of ml/a, and leaves for a guarantee that is not "
                                 "met"}}));
  EXPECT_EQ(evictions[1]["pod"], "ml/b-0");
  EXPECT_EQ(evictions[1]["as"], "whole_job");
  EXPECT_EQ(evictions[1]["why"], "ml/b leaves whole for a guarantee that is not met");
  EXPECT_EQ(document["cycles"][1]["evictions"], json::array());
  EXPECT_EQ(document["cycles"][0]["considered"], json::array());
}

TEST(Evictions, AreInTheTable) {
  const std::string table = report_table(evicting(""));
  EXPECT_NE(table.find("EVICTED  FROM  BY       FOR  AS\n"
                       "ml/a-5   n1    shuffle  -    surplus\n"
                       "ml/b-0   n1    shuffle  -    whole job\n"),
            std::string::npos)
      << table;
}

TEST(Evictions, OfAVictimAreExplainedInLaterCyclesToo) {
  const Report report = evicting("ml/a", 3);
  const json explanation = json::parse(report_json(report))["explain"];
  EXPECT_EQ(explanation["cycle"], 3);
  ASSERT_EQ(explanation["evicted"].size(), 1U);
  EXPECT_EQ(explanation["evicted"][0]["cycle"], 1);
  EXPECT_EQ(explanation["evicted"][0]["pod"], "ml/a-5");
  EXPECT_EQ(explanation["makesRoom"], json::array());
  EXPECT_EQ(explanation["considered"], json::array());
  const std::string table = report_table(report);
  EXPECT_NE(
      table.find("  evicted      ml/a-5 (n1), in cycle 1 by shuffle, as surplus: it is surplus "
                 "of ml/a, and leaves for a guarantee that is not met\n"),
      std::string::npos)
      << table;
}

TEST(Evictions, APodThatIsGoneIsExplainedAsItWasLast) {
  const Report report = evicting("ml/a-5", 3);
  ASSERT_TRUE(report.explanation);
  EXPECT_EQ(report.explanation->cycle, 1U);
  const std::string table = report_table(report);
  EXPECT_EQ(table.find("ml/a-4"), std::string::npos) << table;
  EXPECT_NE(table.find("ml/a-5  Releasing  n1    evicted by shuffle\n"), std::string::npos)
      << table;
}

TEST(Evictions, OfAWholeJobShareALine) {
  const std::string table = report_table(evicting("ml/b"));
  EXPECT_NE(table.find("  evicted      ml/b-0 (n1), ml/b-1 (n1), ml/b-2 (n1), ml/b-3 (n1), in "
                       "cycle 1 by shuffle, as whole job: ml/b leaves whole"),
            std::string::npos)
      << table;
}

// The traces of actions that evict for a job.
Report by_hand(std::size_t victims, const std::string& why) {
  Report report;
  Explanation explanation;
  explanation.job.job = "ml/new";
  for (std::size_t i = 0; i < victims; ++i) {
    EvictionRow row{"ml/old-" + std::to_string(i),
                    "ml/old",
                    "n1",
                    "preempt",
                    "ml/new",
                    "surplus",
                    why.empty() ? "it is number " + std::to_string(i) : why};
    explanation.makes_room.push_back({4, row});
  }
  explanation.considered = {{"ml/new", "reclaim", "not_entitled", "reclaim evicts nobody for it"}};
  report.explanation = explanation;
  return report;
}

TEST(Evictions, ForAClaimantAreCutToOneLineForEachReason) {
  const std::string table = report_table(by_hand(500, "it is surplus"));
  EXPECT_NE(table.find("  makes room   ml/old-0 (n1), ml/old-1 (n1), ml/old-2 (n1), ml/old-3 (n1), "
                       "ml/old-4 (n1), ml/old-5 (n1) and 494 more, in cycle 4 by preempt, as "
                       "surplus: it is surplus\n"),
            std::string::npos)
      << table;
  EXPECT_NE(table.find("  considered   reclaim evicts nobody for it\n"), std::string::npos)
      << table;
}

TEST(Evictions, WithReasonsOfTheirOwnAreCutToAScreen) {
  const std::string table = report_table(by_hand(500, ""));
  EXPECT_NE(table.find("  makes room   ml/old-4 (n1), in cycle 4 by preempt, as "
                       "surplus: it is number 4\n"
                       "  makes room   495 more pods (-o json has all)\n"),
            std::string::npos)
      << table;
}

}  // namespace
}  // namespace berth::tools
