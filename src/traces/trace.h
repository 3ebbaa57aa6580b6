#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"

namespace berth::traces {

// One job of a trace. Its reader's header says how it is made.
struct TraceJob {
  std::string id;                 // as in the trace, e.g. the job number; may repeat
  Duration submit{};              // from the trace's start; that of the first job may be above 0
  Duration run{};                 // how long each of its pods runs, once started
  std::optional<Duration> limit;  // the run time that its user asked for
  std::int64_t processors = 1;    // in all: requested, else allocated
  std::int64_t memory_kib = 0;    // per processor; 0: not known
  // Cancelled while it waited, so long after its submission. Then `run` is 0.
  std::optional<Duration> cancelled_after;
  std::string user;  // empty: not known; the next two, too
  std::string group;
  std::string queue;
  std::map<std::string, std::int64_t> request;  // of each pod; empty unless the trace has amounts
  std::vector<std::string> models;              // of GPU, any of them; empty: all

  bool operator==(const TraceJob&) const = default;
};

inline constexpr std::size_t kSkippedShown = 10;

// The lines that are left out.
struct Skipped {
  std::int64_t bad = 0;      // lines that cannot be read, if these are skipped
  std::vector<Error> first;  // the first kSkippedShown of them
  std::int64_t partial = 0;  // pieces of jobs that have a line for the whole
};

struct Trace {
  std::vector<TraceJob> jobs;  // by `submit`, then in the order of the file
  Skipped skipped;
};

// By submission. Jobs of the same time stay in their order.
void sort_by_submission(std::vector<TraceJob>& jobs);

struct ReadOptions {
  // TRACE-3: counts lines that cannot be read, in place of an Error about the first one.
  bool skip_bad_lines = false;
  // TRACE-4: reads so many jobs, in the order of the file, and nothing behind them.
  std::size_t most = std::numeric_limits<std::size_t>::max();
};

// Bounds of values (TRACE-2). A submission and two times together fit into a Duration.
inline constexpr std::int64_t kSecondsMost = 3'000'000'000;  // 95 years
inline constexpr std::int64_t kProcessorsMost = 10'000'000;
inline constexpr std::size_t kJobsMost = 10'000'000;

}  // namespace berth::traces
