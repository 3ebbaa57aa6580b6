#include <gtest/gtest.h>

#include <cstdio>

#include "streams/job_streams.h"

// Evictions over time, under the shipped configuration: each claimant starts in the room that
// others left for it within three sessions, and nobody leaves for it a second time.
// BERTH_SEED=<seed> plays one stream alone, BERTH_LAWS=<n> more.

namespace berth::support::eviction_streams_test {
namespace {

constexpr std::uint64_t kSeeds = 10;
constexpr Duration kLength = std::chrono::seconds(400);
constexpr std::uint64_t kShortSeeds = 40;
constexpr Duration kShort = std::chrono::seconds(100);

void print(const StreamOutcome& all) {
  const auto part = [](std::int64_t some, std::int64_t whole) {
    return whole == 0 ? 0.0 : 100.0 * static_cast<double>(some) / static_cast<double>(whole);
  };
  std::printf("%d evictions: %d in vain, %d second sets, %d (%.1f %%) had started in vain\n",
              all.evictions, all.in_vain, all.second_sets, all.started_in_vain,
              part(all.started_in_vain, all.evictions));
  std::printf("work: %lld cpu-seconds, %.1f %% of it lost\n", static_cast<long long>(all.done),
              part(all.lost, all.done));
  for (const auto& [priority, waits] : all.waits) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(waits.sum).count();
    std::printf("priority %d: %d jobs waited %.1f s on average\n", priority, waits.jobs,
                static_cast<double>(seconds) / waits.jobs);
  }
}

void check(StreamKind kind, std::uint64_t count, Duration length) {
  const conf::Config config = shipped_config();
  StreamOutcome all;
  for (const std::uint64_t seed : seeds_where_long(count)) {
    const StreamOutcome outcome = play_stream(config, seed, length, kind);
    for (const std::string& fault : outcome.faults) {
      ADD_FAILURE() << "BERTH_SEED=" << seed << " " << fault;
    }
    all += outcome;
  }
  print(all);
  EXPECT_GT(all.evictions, 0);
}

TEST(EvictionStreams, NobodyLeavesInVain) { check(StreamKind::plain, kSeeds, kLength); }

TEST(EvictionStreams, NobodyLeavesInVainWithLimitsOfQueuesAndPods) {
  check(StreamKind::varied, kShortSeeds, kShort);
}

}  // namespace
}  // namespace berth::support::eviction_streams_test
