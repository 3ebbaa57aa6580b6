#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <iterator>

#include "conf/default_config.h"
#include "engine/scheduler.h"
#include "parity/stepped_daemon.h"
#include "simulation/simulation.h"
#include "streams/job_streams.h"
#include "support/objects.h"

// `berth plan --cycles` and berthd on the embedded cluster decide the same on the same stream:
// which pods are bound to which nodes, and who is evicted, in which session and why. ClusterCopy
// and the session loop each keep on their own what a session assumes of those before.
// BERTH_SEED=<seed> plays one stream alone, BERTH_LAWS=<n> more.

namespace berth::parity {
namespace {

constexpr std::uint64_t kSeeds = 40;
constexpr Duration kLength = std::chrono::seconds(80);

conf::Config shipped() {
  auto config =
      conf::load_config(conf::default_config_text(), "the default",
                        {engine::action_names(), engine::plugin_names(), engine::points::names()});
  EXPECT_TRUE(config) << config.error().to_string();
  return std::move(config).value();
}

std::vector<ClusterEvent> stream_of(std::uint64_t seed) {
  using support::StreamKind;
  return support::job_stream(seed, kLength, seed % 2 == 0 ? StreamKind::varied : StreamKind::plain);
}

std::vector<Decisions> planned(const conf::Config& config, std::uint64_t seed, std::size_t cycles) {
  simulation::SimulationRequest request;
  request.objects = stream_of(seed);
  request.config = config;
  request.cycles = cycles;
  request.now = second(0);
  const simulation::Report report = simulation::simulate(std::move(request)).value();
  std::vector<Decisions> all;
  for (const simulation::CycleReport& cycle : report.cycles) {
    Decisions& decisions = all.emplace_back();
    for (const auto& row : cycle.binds) decisions.binds.push_back(row.pod + " on " + row.node);
    for (const auto& row : cycle.evictions) {
      decisions.evictions.push_back(row.pod + " by " + row.action +
                                    (row.for_text().empty() ? "" : " for " + row.for_text()) +
                                    (row.why.empty() ? "" : ": " + row.why));
    }
    std::sort(decisions.binds.begin(), decisions.binds.end());
    std::sort(decisions.evictions.begin(), decisions.evictions.end());
  }
  return all;
}

// Those that the other does not have.
std::string only_in(const std::vector<std::string>& some, const std::vector<std::string>& others) {
  std::vector<std::string> rest;
  std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                      std::back_inserter(rest));
  std::string text;
  for (const std::string& each : rest) text += "\n    " + each;
  return text.empty() ? " nothing more" : text;
}

std::string difference(const Decisions& plan, const Decisions& daemon) {
  return "berth plan binds" + only_in(plan.binds, daemon.binds) + "\n  and evicts" +
         only_in(plan.evictions, daemon.evictions) + "\n  berthd binds" +
         only_in(daemon.binds, plan.binds) + "\n  and evicts" +
         only_in(daemon.evictions, plan.evictions);
}

TEST(PlanAndDaemon, DecideTheSame) {
  const conf::Config config = shipped();
  const auto cycles = static_cast<std::size_t>(kLength / config.schedule_period);
  std::size_t binds = 0;
  std::size_t evictions = 0;
  for (const std::uint64_t seed : support::seeds_where_long(kSeeds)) {
    const std::vector<Decisions> plans = planned(config, seed, cycles);
    SteppedDaemon daemon(config, stream_of(seed), second(0));
    for (std::size_t cycle = 0; cycle < cycles; ++cycle) {
      const Decisions decided =
          daemon.step(second(0) + static_cast<std::int64_t>(cycle) * config.schedule_period);
      binds += decided.binds.size();
      evictions += decided.evictions.size();
      if (decided == plans[cycle]) continue;
      ADD_FAILURE() << "BERTH_SEED=" << seed << " cycle " << cycle + 1 << ": "
                    << difference(plans[cycle], decided);
      break;
    }
  }
  std::printf("%zu binds, %zu evictions\n", binds, evictions);
  EXPECT_GT(binds, 0U);
  EXPECT_GT(evictions, 0U);
}

}  // namespace
}  // namespace berth::parity
