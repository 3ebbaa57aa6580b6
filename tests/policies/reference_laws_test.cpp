#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "policies/reference.h"
#include "policies/unit_steps.h"
#include "policies/workload.h"
#include "support/seeds.h"

// Laws of the policies on any trace, seen from the starts alone. BERTH_SEED=<seed> plays one seed
// alone, BERTH_LAWS=<n> tries more.

namespace berth::policies::reference_laws_test {
namespace {

constexpr std::uint64_t kTinySeeds = 2000;
constexpr std::uint64_t kSeeds = 500;

// Jobs at the end of an instant, in the order of the line.
struct Instant {
  std::int64_t now = 0;
  std::vector<std::size_t> waiting;
  std::vector<std::size_t> running;
  std::int64_t free = 0;
};

class Outcome {
 public:
  Outcome(const Trace& trace, const Starts& starts) : trace_(trace), starts_(starts) {
    line_.resize(starts.size());
    std::iota(line_.begin(), line_.end(), std::size_t{0});
    std::erase_if(line_, [&](std::size_t job) { return !starts_[job]; });
    std::stable_sort(line_.begin(), line_.end(), [&](std::size_t left, std::size_t right) {
      return job(left).submit < job(right).submit;
    });
  }

  const RefJob& job(std::size_t number) const { return trace_.jobs[number]; }
  std::int64_t start(std::size_t number) const { return *starts_[number]; }
  // Without jobs that never start.
  const std::vector<std::size_t>& line() const { return line_; }

  std::vector<Instant> instants() const {
    std::set<std::int64_t> times;
    for (const std::size_t each : line_) {
      times.insert({job(each).submit, start(each), end(each)});
    }
    std::vector<Instant> instants;
    for (const std::int64_t now : times) instants.push_back(at(now));
    return instants;
  }
  // If those that run end at their limits, and nothing starts.
  std::int64_t free_later(const Instant& instant, std::int64_t later) const {
    std::int64_t free = trace_.nodes;
    for (const std::size_t each : instant.running) {
      if (later < start(each) + job(each).limit) free -= job(each).nodes;
    }
    return free;
  }

 private:
  std::int64_t end(std::size_t number) const {
    return start(number) + std::min(job(number).run, job(number).limit);
  }
  Instant at(std::int64_t now) const {
    Instant instant{now, {}, {}, trace_.nodes};
    for (const std::size_t each : line_) {
      if (job(each).submit <= now && now < start(each)) instant.waiting.push_back(each);
      if (start(each) > now || now >= end(each)) continue;
      instant.running.push_back(each);
      instant.free -= job(each).nodes;
    }
    return instant;
  }

  const Trace& trace_;
  const Starts& starts_;
  std::vector<std::size_t> line_;
};

void expect_possible(const Trace& trace, const Starts& starts) {
  ASSERT_EQ(starts.size(), trace.jobs.size());
  for (std::size_t job = 0; job < starts.size(); ++job) {
    EXPECT_EQ(starts[job].has_value(), trace.jobs[job].nodes <= trace.nodes) << job;
  }
  const Outcome outcome(trace, starts);
  for (const std::size_t job : outcome.line()) {
    EXPECT_GE(outcome.start(job), trace.jobs[job].submit) << job;
  }
  for (const Instant& instant : outcome.instants()) {
    EXPECT_GE(instant.free, 0) << instant.now;
    EXPECT_TRUE(instant.waiting.empty() || !instant.running.empty()) << instant.now;
  }
}

void expect_no_later(const Starts& starts, const std::vector<Promise>& promises) {
  for (const Promise& promise : promises) {
    EXPECT_LE(*starts[promise.job], promise.start) << promise.job << " at " << promise.now;
  }
}

template <class Check>
void on_all_kinds(Check check) {
  for (const TraceKind kind : kTraceKinds) {
    const std::uint64_t most = kind == TraceKind::tiny ? kTinySeeds : kSeeds;
    for (const std::uint64_t seed : support::seeds(most)) {
      SCOPED_TRACE("seed " + std::to_string(seed) + " kind " +
                   std::to_string(static_cast<int>(kind)));
      check(random_trace(seed, kind), kind);
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(ReferenceLaws, FcfsStartsJobsInOrderAndTheHeadNeverFits) {
  on_all_kinds([](const Trace& trace, TraceKind) {
    const Starts starts = fcfs(trace.jobs, trace.nodes);
    expect_possible(trace, starts);
    const Outcome outcome(trace, starts);
    std::int64_t last = 0;
    for (const std::size_t job : outcome.line()) {
      EXPECT_GE(outcome.start(job), last) << job;
      last = outcome.start(job);
    }
    for (const Instant& instant : outcome.instants()) {
      if (instant.waiting.empty()) continue;
      EXPECT_GT(trace.jobs[instant.waiting.front()].nodes, instant.free) << instant.now;
    }
  });
}

void expect_easy_is_done(const Outcome& outcome, const Instant& instant) {
  if (instant.waiting.empty()) return;
  const std::int64_t need = outcome.job(instant.waiting.front()).nodes;
  EXPECT_GT(need, instant.free) << instant.now;
  std::optional<std::int64_t> shadow;
  for (const std::size_t each : instant.running) {
    const std::int64_t end = outcome.start(each) + outcome.job(each).limit;
    if (outcome.free_later(instant, end) >= need) shadow = std::min(shadow.value_or(end), end);
  }
  ASSERT_TRUE(shadow) << instant.now;
  const std::int64_t extra = outcome.free_later(instant, *shadow) - need;
  for (const std::size_t each : instant.waiting) {
    const RefJob& job = outcome.job(each);
    if (job.nodes > instant.free) continue;
    EXPECT_GT(instant.now + job.limit, *shadow) << each << " at " << instant.now;
    EXPECT_GT(job.nodes, extra) << each << " at " << instant.now;
  }
}

TEST(ReferenceLaws, EasyStartsHeadsByTheirShadowsAndAllThatDelaysNoHead) {
  on_all_kinds([](const Trace& trace, TraceKind) {
    std::vector<Promise> promises;
    const Starts starts =
        easy(trace.jobs, trace.nodes, [&](const Promise& promise) { promises.push_back(promise); });
    expect_possible(trace, starts);
    expect_no_later(starts, promises);
    const Outcome outcome(trace, starts);
    for (const Instant& instant : outcome.instants()) expect_easy_is_done(outcome, instant);
  });
}

// Whether a waiting job could start now, beside those that run and all other promises.
bool could_start(const Outcome& outcome, const std::vector<std::int64_t>& promised,
                 const Instant& instant, std::size_t job) {
  const auto length = [&](std::size_t other) {
    return std::max<std::int64_t>(outcome.job(other).limit, 1);
  };
  const auto fits_at = [&](std::int64_t second) {
    std::int64_t free = outcome.free_later(instant, second);
    for (const std::size_t other : instant.waiting) {
      const std::int64_t begin = promised[other];
      if (other == job || second < begin || begin + length(other) <= second) continue;
      free -= outcome.job(other).nodes;
    }
    return outcome.job(job).nodes <= free;
  };
  if (outcome.job(job).nodes > instant.free || !fits_at(instant.now)) return false;
  // Nodes become fewer only where a promise begins.
  return std::all_of(instant.waiting.begin(), instant.waiting.end(), [&](std::size_t other) {
    const bool is_within = promised[other] < instant.now + length(job);
    return other == job || !is_within || fits_at(promised[other]);
  });
}

TEST(ReferenceLaws, ConservativeKeepsPromisesAndStartsAllThatDelaysNobody) {
  on_all_kinds([](const Trace& trace, TraceKind) {
    std::vector<Promise> promises;
    const Starts starts = conservative(
        trace.jobs, trace.nodes, [&](const Promise& promise) { promises.push_back(promise); });
    expect_possible(trace, starts);
    expect_no_later(starts, promises);
    const Outcome outcome(trace, starts);
    std::vector<std::int64_t> promised(starts.size());
    auto next = promises.begin();
    for (const Instant& instant : outcome.instants()) {
      for (; next != promises.end() && next->now <= instant.now; ++next) {
        promised[next->job] = next->start;
      }
      for (const std::size_t job : instant.waiting) {
        EXPECT_FALSE(could_start(outcome, promised, instant, job)) << job << " at " << instant.now;
      }
    }
  });
}

TEST(ReferenceLaws, OfExactLimitsConservativeKeepsEachFirstPromiseAndIsNeverBehindFcfs) {
  for (const std::uint64_t seed : support::seeds(kSeeds)) {
    const Trace trace = random_trace(seed, TraceKind::exact);
    std::vector<Promise> promises;
    const Starts starts = conservative(
        trace.jobs, trace.nodes, [&](const Promise& promise) { promises.push_back(promise); });
    for (const Promise& promise : promises) {
      ASSERT_EQ(promise.now, trace.jobs[promise.job].submit) << "seed " << seed;
      ASSERT_EQ(promise.start, *starts[promise.job]) << "seed " << seed;
    }
    const Starts in_order = fcfs(trace.jobs, trace.nodes);
    for (std::size_t job = 0; job < starts.size(); ++job) {
      ASSERT_LE(starts[job], in_order[job]) << "seed " << seed << " job " << job;
    }
  }
}

TEST(ReferenceLaws, EasyIsAsSecondBySecond) {
  for (const std::uint64_t seed : support::seeds(kTinySeeds)) {
    const Trace trace = random_trace(seed, TraceKind::tiny);
    ASSERT_EQ(easy(trace.jobs, trace.nodes), easy_by_seconds(trace.jobs, trace.nodes))
        << "seed " << seed;
  }
}

TEST(ReferenceLaws, ConservativeIsAsSecondBySecond) {
  for (const std::uint64_t seed : support::seeds(kTinySeeds)) {
    const Trace trace = random_trace(seed, TraceKind::tiny);
    ASSERT_EQ(conservative(trace.jobs, trace.nodes),
              conservative_by_seconds(trace.jobs, trace.nodes))
        << "seed " << seed;
  }
}

}  // namespace
}  // namespace berth::policies::reference_laws_test
