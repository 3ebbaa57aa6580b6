#include "simulation/report.h"

#include <gtest/gtest.h>

#include "simulation/simulation.h"
#include "support/objects.h"

namespace berth::simulation {
namespace {

// Actions that give out places before they admit jobs, and leave out pods that request nothing.
SimulationRequest late_admission(std::string explain) {
  SimulationRequest request;
  PodObject best_effort = pod("", 7, 0);
  best_effort.request = {{"pods", 1}};
  PodGroupObject running_group = group("c", 1);
  running_group.phase = GroupPhase::inqueue;
  PodObject rest = pod("c", 1, 0);
  rest.request = {{"pods", 1}};
  request.objects = {node("n1", 4),
                     group("a", 1),
                     pod("a", 0, 1),
                     group("b", 1),
                     pod("b", 0, 1),
                     running_group,
                     running(pod("c", 0, 1), "n1"),
                     rest};
  request.config.session.actions = {{"allocate", {}}, {"enqueue", {}}};
  request.explain = std::move(explain);
  return request;
}

const JobRow& row_of(const Report& report, const std::string& job) {
  for (const JobRow& row : report.cycles.back().jobs) {
    if (row.job == job) return row;
  }
  static const JobRow kNone;
  ADD_FAILURE() << job << " is not there";
  return kNone;
}

TEST(Report, AJobThatNoActionConsideredSaysWhatItWaitsFor) {
  const Report report = simulate(late_admission("ml/b")).value();
  EXPECT_EQ(
      row_of(report, "ml/a").message,
      "no action considered it (it was admitted in this cycle, as 1 of 2, and has its turn in "
      "the next)");
  EXPECT_EQ(
      row_of(report, "ml/c").message,
      "no action considered it (its pods request nothing, and only backfill places such pods)");
  ASSERT_EQ(report.explanation->tasks.size(), 1U);
  EXPECT_EQ(report.explanation->tasks.front().why,
            "it was admitted in this cycle, as 2 of 2, and has its turn in the next");
}

// TOPO-18
TEST(Report, AJobThatMustBeNearSaysHowMuchRoomEachDomainHas) {
  SimulationRequest request;
  for (int n = 0; n < 7; ++n) {
    NodeObject object = node("n" + std::to_string(n), n % 3);
    object.labels = {{"rack", "r" + std::to_string(n)}};
    request.objects.emplace_back(object);
  }
  PodGroupObject near = group("a", 3);
  near.topology.rules = {{.written = "rule", .required = {.name = "rack"}}};
  request.objects.emplace_back(near);
  for (int i = 0; i < 3; ++i) request.objects.emplace_back(pod("a", i, 1));
  request.config.session.actions = {{"enqueue", {}}, {"allocate", {}}};
  request.config.topology.levels = {"rack"};
  request.explain = "ml/a";
  const Report report = simulate(std::move(request)).value();
  EXPECT_EQ(report.explanation->missing,
            (std::vector<std::string>{"r2 has room for 2 of 3 pods", "r5 has room for 2 of 3 pods",
                                      "r1 has room for 1 of 3 pods", "r4 has room for 1 of 3 pods",
                                      "r0 has room for 0 of 3 pods",
                                      "other domains of the level, 2, have no more"}));
}

}  // namespace
}  // namespace berth::simulation
