#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

#include "berth/base/clock.h"

// The rights of users that Berth itself asks about (docs/design/permissions.md). Plain values.

namespace berth {

// How it is known whether a user may have nodes kept for a job.
enum class NamingCheck : std::uint8_t {
  none,       // everybody may
  policy,     // the API server has checked it when the annotation was written
  review,     // the service account of the job's pods has the verb "reserve" on its queue
  automatic,  // as `policy` where the API server has that policy, else as `review`
};

enum class Verb : std::uint8_t {
  reserve,  // nodes, for jobs of a queue (MAY-6)
  name,     // a priority class, on a group (MAY-12)
  protect,  // pods of a queue from evictions (MAY-14)
};
const char* to_string(Verb verb);
// "queues" or "priorityclasses", and its API group.
const char* resource_of(Verb verb);
const char* api_group_of(Verb verb);

// Has this service account the verb on this object?
struct RightQuestion {
  std::string name_space;
  std::string account;
  std::string object;  // a queue, or a priority class
  Verb verb = Verb::reserve;
  auto operator<=>(const RightQuestion&) const = default;
};

// The API server's answer. An event of the cluster.
struct RightAnswer {
  RightQuestion question;
  bool is_allowed = false;
  std::string error = {};  // why there is no answer; empty: there is one
};

// Since when the API server checks who names a target; none: it does not. An event of the cluster.
struct NamingPolicy {
  std::optional<TimePoint> since;
};

}  // namespace berth
