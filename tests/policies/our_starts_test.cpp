#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "berth/engine/points.h"
#include "berth/engine/registry.h"
#include "conf/config.h"
#include "policies/reference.h"
#include "policies/workload.h"
#include "simulation/job_stream.h"
#include "support/checkout.h"
#include "support/seeds.h"

// The configurations of config/examples are the classic policies, start by start (BEHIND-4,
// BEHIND-5, BEHIND-6).

namespace berth::policies {
namespace {

conf::Config example(const std::string& name) {
  const std::string path = support::source_file("config/examples/") + name + ".yaml";
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  const conf::KnownNames known{engine::action_names(), engine::plugin_names(),
                               engine::points::names()};
  return conf::load_config(text.str(), path, known).value();
}

enum class Pods : std::uint8_t { alike, unlike };  // of different jobs

Starts our_starts(const std::vector<RefJob>& jobs, std::int64_t nodes, const conf::Config& config,
                  Pods pods = Pods::alike) {
  simulation::StreamRequest request;
  request.config = config;
  for (std::int64_t n = 0; n < nodes; ++n) {
    NodeObject node;
    node.name = node.uid = "n" + std::to_string(1000 + n);
    node.allocatable = {{"cpu", 1000}, {"memory", 1 << 20}, {"pods", 110}};
    request.nodes.push_back(node);
  }
  std::vector<std::size_t> order(jobs.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return jobs[left].submit < jobs[right].submit;
  });
  for (const std::size_t i : order) {
    simulation::StreamJob job;
    job.name = "j" + std::to_string(i);
    job.submit = std::chrono::seconds(jobs[i].submit);
    job.run = std::chrono::seconds(std::min(jobs[i].run, jobs[i].limit));
    job.limit = std::chrono::seconds(jobs[i].limit);
    job.pods = static_cast<std::int32_t>(jobs[i].nodes);
    job.request = {{"cpu", 1000}};
    if (pods == Pods::unlike) job.request["memory"] = static_cast<std::int64_t>(i) + 1;
    request.jobs.push_back(job);
  }
  const simulation::StreamResult result = simulation::run_stream(request).value();
  Starts starts(jobs.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto& start = result.jobs[i].start;
    if (start) starts[order[i]] = std::chrono::duration_cast<std::chrono::seconds>(*start).count();
  }
  return starts;
}

std::string text_of(const std::vector<RefJob>& jobs, std::int64_t nodes, const Starts& wanted,
                    const Starts& got) {
  std::ostringstream text;
  const auto put = [&](const std::optional<std::int64_t>& start) {
    start ? text << *start : text << "never";
  };
  text << nodes << " nodes; submit run limit nodes: wanted, got\n";
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    text << i << ": " << jobs[i].submit << ' ' << jobs[i].run << ' ' << jobs[i].limit << ' '
         << jobs[i].nodes << ": ";
    put(wanted[i]);
    text << ", ";
    put(got[i]);
    text << (wanted[i] == got[i] ? "\n" : "   <--\n");
  }
  return text.str();
}

void compare(const Trace& trace) {
  static const conf::Config kFcfs = example("fcfs");
  static const conf::Config kEasy = example("easy");
  static const conf::Config kConservative = example("conservative");
  const std::vector<RefJob>& jobs = trace.jobs;
  const std::int64_t nodes = trace.nodes;
  const auto judge = [&](const char* name, const Starts& wanted, const conf::Config& config) {
    const Starts got = our_starts(jobs, nodes, config);
    EXPECT_EQ(got, wanted) << name << '\n' << text_of(jobs, nodes, wanted, got);
  };
  judge("fcfs", fcfs(jobs, nodes), kFcfs);
  judge("easy", easy(jobs, nodes), kEasy);
  judge("conservative", conservative(jobs, nodes), kConservative);
}

// BERTH_LAWS=<n> tries more in each of the shards.
constexpr std::uint64_t kTinyOfShard = 120;
constexpr std::uint64_t kMediumOfShard = 3;
constexpr std::uint64_t kShards = 8;

class OurStarts : public testing::TestWithParam<std::uint64_t> {};

TEST_P(OurStarts, EqualTheReferenceOnTinyTraces) {
  for (const std::uint64_t seed : support::seeds(kTinyOfShard)) {
    if (HasFailure()) return;
    compare(random_trace(seed * kShards + GetParam(), TraceKind::tiny));
  }
}

TEST_P(OurStarts, EqualTheReferenceOnMediumTraces) {
  for (const TraceKind kind : {TraceKind::medium, TraceKind::early, TraceKind::exact}) {
    for (std::uint64_t i = 0; i < kMediumOfShard && !HasFailure(); ++i) {
      compare(random_trace(GetParam() * kMediumOfShard + i, kind));
    }
  }
}

// BEHIND-4: not by numbers of nodes.
TEST_P(OurStarts, EqualTheReferenceNodeByNode) {
  static const conf::Config kEasy = example("easy");
  const auto judge = [](const Trace& trace) {
    const Starts wanted = easy(trace.jobs, trace.nodes);
    const Starts got = our_starts(trace.jobs, trace.nodes, kEasy, Pods::unlike);
    EXPECT_EQ(got, wanted) << text_of(trace.jobs, trace.nodes, wanted, got);
  };
  for (const std::uint64_t seed : support::seeds(kTinyOfShard)) {
    if (HasFailure()) return;
    judge(random_trace(seed * kShards + GetParam(), TraceKind::tiny));
  }
  judge(random_trace(GetParam(), TraceKind::medium));
  judge(random_trace(GetParam(), TraceKind::early));
}

INSTANTIATE_TEST_SUITE_P(Shards, OurStarts, testing::Range<std::uint64_t>(0, kShards));

TEST(OurStartsOfALog, BEHIND5EqualTheReference) { compare(lublin_trace(7, 2000, 64, 60)); }

}  // namespace
}  // namespace berth::policies
