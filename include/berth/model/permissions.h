#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "berth/base/clock.h"

// The right to name a target (docs/design/permissions.md). Plain values.

namespace berth {

// How it is known whether a user may have nodes kept for a job.
enum class NamingCheck : std::uint8_t {
  none,       // everybody may
  policy,     // the API server has checked it when the annotation was written
  review,     // the service account of the job's pods has the verb "reserve" on its queue
  automatic,  // as `policy` where the API server has that policy, else as `review`
};

// May this service account reserve nodes in this queue?
struct ReserveQuestion {
  std::string name_space;
  std::string account;
  std::string queue;
  auto operator<=>(const ReserveQuestion&) const = default;
};

// The API server's answer. An event of the cluster.
struct ReserveAnswer {
  ReserveQuestion question;
  bool is_allowed = false;
  std::string error = {};  // why there is no answer; empty: there is one
};

// Since when the API server checks who names a target; none: it does not. An event of the cluster.
struct NamingPolicy {
  std::optional<TimePoint> since;
};

}  // namespace berth
