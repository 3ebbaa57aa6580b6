#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/later.h"
#include "berth/engine/session.h"
#include "berth/model/time_limit.h"
#include "forecast/rules.h"

// A cluster at one moment, as far as a planner of starts needs it: plain values, for another
// thread. Rules of docs/design/forecast.md.

namespace berth::forecast {

inline constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

// Pods of one shape.
struct PodKind {
  std::vector<std::pair<std::uint32_t, std::int64_t>> request;  // by dimension, above 0
  std::vector<std::uint8_t> passes;  // by node, room aside; empty: none of it waits
};

struct WaitingJob {
  struct Part {
    std::uint32_t kind = 0;
    std::int32_t count = 0;
  };
  JobId id;
  std::string name;  // namespace/name
  std::string uid;
  std::vector<Part> parts;  // of its minimum, as far as it has no place
  Duration stay{};          // by its limits, grace periods included; max: for ever
  Duration run{};           // expected; max: nobody knows
  std::uint32_t queue = 0;
  std::int32_t priority = 0;
  TimePoint since;                        // it waits
  std::optional<TimePoint> target_since;  // nodes are kept for it; none: it is no target
  bool is_plain = true;                   // room alone decides where its pods may be together
  std::optional<TimePoint> promised;      // by backfill (BEHIND-6); none: nobody has promised
};

// Pods of one shape and job that have a node.
struct RunningPods {
  std::uint32_t node = 0;
  std::uint32_t kind = 0;
  std::uint32_t queue = kNone;
  TimePoint gone_by;   // by its limits; max: nobody knows
  TimePoint expected;  // PLANNER-4; never later
};

struct QueueRoom {
  std::uint32_t above = kNone;
  bool is_fifo = false;
  std::vector<std::int64_t> has;   // by dimension
  std::vector<std::int64_t> most;  // likewise; int64's most: no bound
};

struct State {
  TimePoint now;
  std::size_t nodes = 0;
  std::size_t dimensions = 0;
  std::vector<std::int64_t> idle;       // node * dimensions + dimension
  std::vector<std::uint32_t> kept_for;  // by node: a target, by its place in `waiting`; kNone: none
  std::vector<PodKind> kinds;
  std::vector<RunningPods> running;
  std::vector<WaitingJob> waiting;  // in the order of service; targets come first
  std::vector<QueueRoom> queues;
  Rules rules;
};

// For how long a job runs, of which `elapsed` are over; none: nobody knows.
using ExpectedRun = std::function<std::optional<Duration>(const Job& job, const Cluster& cluster,
                                                          Duration elapsed)>;

// Jobs that lack nothing but room, and pods that have it.
State state_of(engine::Session& session, const Rules& rules, const ExpectedRun& expected);

}  // namespace berth::forecast
