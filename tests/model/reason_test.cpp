#include "berth/model/reason.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "berth/model/amount_text.h"
#include "berth/model/plan.h"
#include "support/checkout.h"

namespace berth {
namespace {

// docs/reasons.md, without its head.
std::string reason_page() {
  const std::array<std::pair<ReasonAbout, const char*>, 4> parts{{
      {ReasonAbout::job, "Why a job waits"},
      {ReasonAbout::node, "Why a node does not take a pod"},
      {ReasonAbout::victim, "Why a pod is not evicted"},
      {ReasonAbout::evictions, "Why evictions do not help a job"},
  }};
  std::string page;
  for (const auto& [part, title] : parts) {
    page += "\n## " + std::string(title) + "\n\n| code | sentence | what to do |\n|---|---|---|\n";
    for (std::size_t i = 1; i < kReasonCount; ++i) {
      const Reason reason = static_cast<Reason>(i);
      if (about(reason) != part) continue;
      page += "| `" + std::string(code(reason)) + "` | " + std::string(pattern(reason)) + " | " +
              std::string(remedy(reason)) + " |\n";
    }
  }
  return page;
}

TEST(Reason, ThePageOfReasonsIsThatOfTheTable) {
  std::ifstream file(support::source_file("docs/reasons.md"));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t first = text.find("\n## ");
  ASSERT_NE(first, std::string::npos);
  EXPECT_EQ(text.substr(first), reason_page()) << "put this into docs/reasons.md:\n"
                                               << reason_page();
}

TEST(Reason, EachHasARemedyAndIsFoundByItsCode) {
  for (std::size_t i = 1; i < kReasonCount; ++i) {
    const Reason reason = static_cast<Reason>(i);
    EXPECT_TRUE(remedy(reason).ends_with('.')) << code(reason);
    EXPECT_EQ(reason_of(code(reason)), reason);
  }
  EXPECT_EQ(reason_of("no_such_code"), std::nullopt);
}

TEST(Reason, NodeReasonsSayWhatIsWrongWithTheNode) {
  EXPECT_EQ(sentence(Reason::insufficient_resource, 1, 2, "cpu"), "insufficient cpu");
  EXPECT_EQ(sentence(Reason::node_unschedulable, 0, 0, ""), "unschedulable");
  EXPECT_EQ(sentence(Reason::taint_not_tolerated, 0, 0, "gpu"), "taint gpu not tolerated");
  EXPECT_EQ(sentence(Reason::node_selector_mismatch, 0, 0, ""), "node selector does not match");
  EXPECT_EQ(sentence(Reason::node_affinity_mismatch, 0, 0, ""), "node affinity does not match");
  EXPECT_EQ(sentence(Reason::host_port_taken, 0, 0, ""), "a host port is taken");
  EXPECT_EQ(sentence(Reason::pod_anti_affinity_mismatch, 0, 0, ""),
            "didn't match pod anti-affinity rules");
}

TEST(Reason, JobReasonsHaveTheirNumbersAndNames) {
  EXPECT_EQ(sentence(Reason::gang_incomplete, 2, 3, ""), "2 of 3 members could be placed");
  EXPECT_EQ(sentence(Reason::not_reached, 0, 0, ""), "no action considered it");
  EXPECT_EQ(sentence(Reason::cluster_overcommitted, 34'000, 40'500, "cpu"),
            "admitting it would need 40.5 cpu, and 34 may still be admitted");
}

TEST(Reason, NamesThePartThatCannotBeRead) {
  EXPECT_EQ(sentence(Reason::group_faulty, 0, 0, "spec.minMember: odd"),
            "its pod group cannot be read: spec.minMember: odd");
  EXPECT_EQ(sentence(Reason::pod_faulty, 0, 0, "spec: odd"),
            "one of its pods cannot be read: spec: odd");
}

TEST(Reason, ReasonsOfQueuesSayWhatIsShort) {
  EXPECT_EQ(sentence(Reason::queue_faulty, 0, 0, "it has no parent"),
            "its queue is set up wrongly: it has no parent");
  EXPECT_EQ(sentence(Reason::queue_has_children, 0, 0, "ml"),
            "queue \"ml\" has queues below it; jobs belong in one of those");
  EXPECT_EQ(sentence(Reason::queue_capability, 500, 2'000, "cpu"),
            "it would need 2 cpu, and its queue may use 0.5 more");
  EXPECT_EQ(sentence(Reason::queue_share_used, 4'000, 3'000, "cpu"),
            "its queue has 4 cpu, and its share is 3");
  EXPECT_EQ(sentence(Reason::guarantees_kept, 1, 2, "nvidia.com/gpu"),
            "it would need 2 nvidia.com/gpu, and 1 are not kept for other queues' guarantees");
  EXPECT_EQ(sentence(Reason::gave_way, 0, 0, ""),
            "its admission was withdrawn: it found no place in time, and other jobs wait");
}

TEST(Reason, SaysThatAJobCanNeverStart) {
  EXPECT_EQ(sentence(Reason::unknown_resource, 0, 0, "nvidia.com/gpuu"),
            "no node has nvidia.com/gpuu");
  EXPECT_EQ(sentence(Reason::pod_too_large, 8, 16, "nvidia.com/gpu"),
            "one of its pods needs 16 nvidia.com/gpu, and no node can give it more than 8");
  EXPECT_EQ(sentence(Reason::queue_too_small, 10'000, 12'000, "cpu"),
            "its minimum needs 12 cpu, and its queue can have at most 10");
  EXPECT_EQ(sentence(Reason::behind_in_queue, 0, 0, "default/a"),
            "its queue starts jobs in their order, and default/a is before it");
  EXPECT_EQ(sentence(Reason::room_kept, 0, 0, ""),
            "there is room for it now, and it is kept for jobs before it");
}

TEST(Reason, TextsOfOthersAreShownSafely) {
  const std::string mark = "\xEF\xBF\xBD";
  EXPECT_EQ(sentence(Reason::queue_missing, 0, 0, "a\x1b[2J\n"),
            "queue \"a" + mark + "[2J" + mark + "\" does not exist");
  const Refusal refusal{{Reason::gated, 1, 0, {}, "by\nx"}, {}, {}, {}};
  EXPECT_TRUE(refusal.message("").ends_with(" (by" + mark + "x)")) << refusal.message("");
  EXPECT_EQ(sentence(Reason::no_nodes, 0, 0, ""), "the cluster has no nodes");
}

ConsideredEvictions in_vain(Reason why, std::vector<Spared> spared) {
  return {{}, "preempt", {why}, 0, std::move(spared)};
}

TEST(Reason, PodsThatStayAreCountedTogetherWithoutTheNumbersOfEach) {
  const std::string nobody = "preempt evicts nobody for it: no pod may be evicted for it; 2 stay: ";
  const auto why = [](Reason reason) {
    return in_vain(Reason::nobody_may_leave, {{reason, 2}}).text();
  };
  EXPECT_EQ(why(Reason::budget_exhausted),
            nobody + "their disruption budgets allow no more disruptions");
  EXPECT_EQ(why(Reason::gang_minimum), nobody + "their jobs would have less than their minimums");
  EXPECT_EQ(why(Reason::not_managed), nobody + "other schedulers manage them");
}

// "It" is the job that waits: no sentence about pods that stay may be read as one about the job.
TEST(Reason, PodsThatStayAreNotTheJobThatWaits) {
  for (std::size_t i = 0; i < kReasonCount; ++i) {
    const auto reason = static_cast<Reason>(i);
    if (about(reason) != ReasonAbout::victim) continue;
    const std::string why = " " + why_spared(reason) + " ";
    EXPECT_EQ(why.find(" its "), std::string::npos) << why;
    EXPECT_EQ(why.find(" it "), std::string::npos) << why;
  }
}

TEST(Reason, ThatNobodyIsEvictedIsAClauseOnlyIfSomebodyCanChangeIt) {
  const std::string nobody = "preempt evicts nobody for it: ";
  const auto stay = [](std::vector<Spared> spared) {
    return in_vain(Reason::nobody_may_leave, std::move(spared)).short_text();
  };
  EXPECT_EQ(stay({{Reason::budget_exhausted, 2}}),
            nobody + "pods stay, because their disruption budgets allow no more disruptions");
  EXPECT_EQ(stay({{Reason::not_preemptable, 2}, {Reason::gang_minimum, 1}}),
            nobody + "pods stay, because their users let nobody evict them");
  EXPECT_EQ(stay({}), "");
  EXPECT_EQ(stay({{Reason::gang_minimum, 3}, {Reason::budget_exhausted, 2}}), "");
  EXPECT_EQ(stay({{Reason::not_lower, 3}}), "");
  EXPECT_EQ(stay({{Reason::started_lately, 3}}),
            nobody +
                "pods stay, because their job started a short while ago, and has a minimum "
                "run time");
  EXPECT_EQ(in_vain(Reason::not_entitled, {}).short_text(), "");
  EXPECT_EQ(in_vain(Reason::not_enough_leave, {}).short_text(), "");
  EXPECT_EQ(in_vain(Reason::never_preempts, {}).short_text(),
            nobody + "its preemptionPolicy is Never");
}

TEST(Reason, AmountsAreReadable) {
  EXPECT_EQ(readable_amount("cpu", 862'500, Rounding::up), "862.5");
  EXPECT_EQ(readable_amount("cpu", 250, Rounding::up), "0.25");
  EXPECT_EQ(readable_amount("cpu", 15, Rounding::up), "15m");
  EXPECT_EQ(readable_amount("memory", 71'725'953'843, Rounding::down), "66.7Gi");
  EXPECT_EQ(readable_amount("memory", 71'725'953'843, Rounding::up), "66.8Gi");
  EXPECT_EQ(readable_amount("memory", 70'000'000'000, Rounding::up), "70G");
  EXPECT_EQ(readable_amount("memory", 64LL << 30, Rounding::up), "64Gi");
  EXPECT_EQ(readable_amount("memory", (64LL << 30) - 4096, Rounding::down), "63.9Gi");
  EXPECT_EQ(readable_amount("memory", 1000, Rounding::down), "1k");
  EXPECT_EQ(readable_amount("memory", 1023, Rounding::down), "1023");
  EXPECT_EQ(readable_amount("nvidia.com/gpu", 8, Rounding::down), "8");
}

TEST(Reason, ANameThatLooksLikeAMarkStaysAsItIs) {
  EXPECT_EQ(sentence(Reason::queue_missing, 1, 2, "{have}"), "queue \"{have}\" does not exist");
}

TEST(Reason, CodesAreDistinct) {
  std::set<std::string_view> codes;
  for (std::size_t i = 0; i < kReasonCount; ++i) codes.insert(code(static_cast<Reason>(i)));
  EXPECT_EQ(codes.size(), kReasonCount);
}

}  // namespace
}  // namespace berth
