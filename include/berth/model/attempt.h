#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"

namespace berth {

// The mirror's memory of plans of a job that kube-scheduler refused (docs/design/hints.md).
// Immutable; sessions read it at Job::attempt.
struct Attempt {
  static constexpr std::size_t kPlacesMost = 8;

  std::int32_t times = 0;             // failed, since a member was last bound
  TimePoint failed_at;                // the last time
  TimePoint until;                    // it is not planned before
  TimePoint repeats_at;               // from then on, a plan of `places` may come again
  Duration pause{};                   // the whole of the last one
  bool is_open = false;               // it goes on: a plan was refused since the last failure
  std::string why;                    // in kube-scheduler's words
  std::vector<std::uint64_t> places;  // of plans that were refused, the oldest first
  std::vector<std::string> nodes;     // that refused the last one, sorted; empty: all

  bool is_waiting(TimePoint now) const { return now < until; }
};

// The set of places of a plan is the sum, modulo 2^64, of these: the order does not matter.
std::uint64_t place_of(std::uint64_t lasting_key, std::string_view node);
// Of all tasks that have a node now and are not leaving it.
std::uint64_t places_of(const Cluster& cluster, const Job& job);

}  // namespace berth
