#pragma once

#include <string>

#include "forecast/state.h"

// States by hand: nodes with slots of one dimension.

namespace berth::forecast {

inline constexpr Duration kHour = std::chrono::hours(1);
inline constexpr Duration kForever = Duration::max();

inline TimePoint at_hour(double hours) {
  return TimePoint(std::chrono::hours(24 * 365)) +
         Duration(static_cast<std::int64_t>(hours * static_cast<double>(kHour.count())));
}

// It is at_hour(0). Kind 0 takes one slot, kind k takes k + 1.
inline State state_with(std::size_t nodes, std::int64_t slots) {
  State state;
  state.now = at_hour(0);
  state.nodes = nodes;
  state.dimensions = 1;
  state.idle.assign(nodes, slots);
  state.kept_for.assign(nodes, kNone);
  for (std::int64_t kind = 1; kind <= 4; ++kind) {
    state.kinds.push_back({{{0, kind}}, std::vector<std::uint8_t>(nodes, 1)});
  }
  state.queues.push_back({kNone, false, {0}, {std::numeric_limits<std::int64_t>::max()}});
  return state;
}

inline void run(State& state, std::uint32_t node, TimePoint gone_by, TimePoint expected,
                std::uint32_t kind = 0) {
  state.running.push_back({node, kind, 0, gone_by, expected});
  state.idle[node] -= static_cast<std::int64_t>(kind) + 1;
  state.queues[0].has[0] += static_cast<std::int64_t>(kind) + 1;
}

inline WaitingJob& wait(State& state, std::int32_t pods, Duration stay, Duration run,
                        std::uint32_t kind = 0) {
  WaitingJob job;
  job.name = "ns/j" + std::to_string(state.waiting.size());
  job.uid = job.name;
  job.parts = {{kind, pods}};
  job.stay = stay;
  job.run = run;
  job.since = state.now;
  state.waiting.push_back(job);
  return state.waiting.back();
}

}  // namespace berth::forecast
