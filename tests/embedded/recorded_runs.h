#pragma once

#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "support/checkout.h"
#include "support/seeds.h"

namespace berth::embedded {

// Replays a recording of so many runs (docs/design/embedded.md, "Recorded runs").
// `replay_of(run)` makes what says complaint_about(step); an empty one: it does as recorded.
// `others`: runs in which it is known to do otherwise. support::seeds_where_long() says how many
// are replayed.
template <class ReplayOf>
void replay_runs(const std::string& recording, int count, const ReplayOf& replay_of,
                 const std::set<int>& others = {}) {
  std::ifstream file(support::source_file("tests/embedded/testdata/") + recording);
  std::string line;
  ASSERT_TRUE(std::getline(file, line)) << "the recording is missing";
  EXPECT_TRUE(nlohmann::json::parse(line).contains("kubernetes"));
  const auto tried =
      static_cast<int>(support::seeds_where_long(static_cast<std::uint64_t>(count)).size());
  int runs = 0;
  for (; std::getline(file, line); ++runs) {
    if (runs >= tried || others.contains(runs)) continue;
    const auto run = nlohmann::json::parse(line);
    auto replay = replay_of(run);
    std::string before;
    for (const std::string step : run.at("steps")) {
      const std::string complaint = replay->complaint_about(step);
      before += step + "\n";
      ASSERT_EQ(complaint, "") << "run " << runs << ":\n" << before;
    }
  }
  EXPECT_EQ(runs, count);
}

}  // namespace berth::embedded
