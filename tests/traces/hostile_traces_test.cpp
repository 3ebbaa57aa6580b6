// Traces that no scheduler writes. The readers return a trace or an Error, soon.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "support/damage.h"
#include "support/seeds.h"
#include "traces/openb.h"
#include "traces/samples.h"
#include "traces/swf.h"

namespace berth::traces::hostile_traces_test {
namespace {

constexpr std::string_view kLog =
    "; Version: 2.2\n; MaxNodes: 100\n; Note: \"a\"\n"
    "1 0 5 30 4 -1 -1 4 60 -1 1 1 1 1 1 1 -1 -1\n"
    "2 9.5 -1 -1 4 -1 -1 4 60 2048 5 1 1 1 1 1 -1 -1\n"
    "3 3 5 10 4 1.5 -1 -1 -1 -1 2 1 1 1 1 1 -1 -1\n";

constexpr std::string_view kPods =
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,"
    "deletion_time,scheduled_time\n"
    "pod-0,12000,16384,1,1000,A|B,LS,Running,0,12537496,0\n"
    "pod-1,6000,12288,1,460,,LS,Running,427061,12902960,427071\n";

constexpr std::string_view kNodes =
    "sn,cpu_milli,memory_mib,gpu,model\nn-0,32000,262144,0,\nn-1,128000,786432,8,G3\n";

void expect_sound(const Result<Trace>& trace, bool skips) {
  if (!trace) {
    ASSERT_FALSE(trace.error().message.empty());
    ASSERT_TRUE(trace.error().where.starts_with("f:")) << trace.error().to_string();
    return;
  }
  ASSERT_TRUE(skips || trace->skipped.bad == 0);
  ASSERT_LE(trace->skipped.first.size(), kSkippedShown);
  Duration last{0};
  for (const TraceJob& job : trace->jobs) {
    ASSERT_GE(job.submit, last);
    ASSERT_LE(job.submit, std::chrono::seconds(kSecondsMost));
    ASSERT_GE(job.run, Duration{0});
    ASSERT_LE(job.run, std::chrono::seconds(kSecondsMost));
    ASSERT_GE(job.processors, 1);
    last = job.submit;
  }
}

std::string damaged(std::uint64_t seed, std::string_view text, bool is_packed) {
  support::Damage damage(seed);
  if (!is_packed) return damage.of(std::string(text));
  return seed % 4 == 0 ? damage.of(gzip(text)) : gzip(damage.of(std::string(text)));
}

TEST(HostileTraces, OfSwfAreReadOrRefused) {
  for (const std::uint64_t seed : support::seeds(4'000)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const std::string text = damaged(seed, kLog, seed % 3 == 0);
    for (const bool skips : {false, true}) {
      SwfOptions options;
      options.skip_bad_lines = skips;
      Trickle bytes(text, 1 + seed % 50);
      expect_sound(read_swf(bytes, "f", options), skips);
    }
  }
}

TEST(HostileTraces, OfOpenbAreReadOrRefused) {
  for (const std::uint64_t seed : support::seeds(4'000)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const std::string text = damaged(seed, kPods, seed % 3 == 0);
    for (const bool skips : {false, true}) {
      ReadOptions options;
      options.skip_bad_lines = skips;
      TextBytes bytes(text);
      expect_sound(read_openb_pods(bytes, "f", options), skips);
    }
    const std::string list = damaged(seed, kNodes, false);
    TextBytes bytes(list);
    const auto nodes = read_openb_nodes(bytes, "f");
    ASSERT_TRUE(nodes || nodes.error().where.starts_with("f:"));
  }
}

}  // namespace
}  // namespace berth::traces::hostile_traces_test
