#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"
#include "berth/model/reason.h"

// Targets are jobs that starved and get help (S0, S2). Locks are nodes that are kept for them. The
// rules are in docs/design/reservation.md.

namespace berth {

// Label of a locked node, and key of its taint if taints enforce locks. Its value is "job.UID" for
// a target; any other value belongs to another owner.
inline constexpr const char* kLockedForLabel = "berth.dev/locked-for";
inline constexpr const char* kLockedSinceAnnotation = "berth.dev/locked-since";
inline constexpr std::string_view kLockedForJob = "job.";
constexpr bool is_for_job(std::string_view locked_for) {
  return locked_for.starts_with(kLockedForJob);
}

// Annotations of a PodGroup, or of a pod that is in none.
inline constexpr const char* kTargetAnnotation = "berth.dev/target";  // "true", "false": a user's
inline constexpr const char* kTargetSinceAnnotation = "berth.dev/target-since";
inline constexpr const char* kTargetWhyAnnotation = "berth.dev/target-why";
inline constexpr const char* kGivenUpAnnotation = "berth.dev/target-given-up";
inline constexpr const char* kFirstSeenAnnotation = "berth.dev/first-seen";

// The values of those annotations. Times are as precise as written.
struct TargetMarks {
  bool is_named = false;                 // berth.dev/target: "true": a user names it
  std::optional<TimePoint> first_seen;   // by a scheduler
  std::optional<TimePoint> elected_at;   // the time since when it is a target
  std::string why;                       // the reason of its election
  std::optional<TimePoint> given_up_at;  // the last time that it was given up
  bool is_elected = false;               // berth.dev/target: "elected", written by Berth
  bool is_declined = false;              // berth.dev/target: "false": a user excludes it
  bool operator==(const TargetMarks&) const = default;
};

// Keeps a user's value; "elected" is written only if there is none.
void keep_users_word(TargetMarks& marks, const TargetMarks& written);

// The election of a job that is a target.
struct Election {
  TimePoint since;
  std::string why;
  bool is_named = false;  // by a user: it ends with that annotation
  bool operator==(const Election&) const = default;
};

// The lock of a node. Without a job, and not foreign, the node is open to all.
struct Lock {
  JobId job;                // only its tasks are placed here
  bool is_foreign = false;  // kept by another owner, and never for a target
  TimePoint since;
  bool operator==(const Lock&) const = default;
};

enum class LockScheme : std::uint8_t { cluster, multi_node, single_node, closest_fit };
const char* to_string(LockScheme scheme);  // as in the configuration: "multi-node"

// A target and its nodes after a session.
struct Reservation {
  struct Missing {
    Dimension dimension;
    std::int64_t idle = 0;  // on its locked nodes, now
    std::int64_t need = 0;  // by its minimum, beyond what it has
    bool operator==(const Missing&) const = default;
  };

  JobId job;
  Election election;
  LockScheme scheme = LockScheme::multi_node;  // in force: `cluster` also after the timeout
  std::vector<NodeId> nodes;                   // by id
  std::optional<TimePoint> locked_since;       // its first lock in force
  std::optional<TimePoint> times_out_at;       // then every usable node is locked
  std::optional<TimePoint> gives_up_at;
  bool is_covered = false;       // it can start on its locked nodes once other jobs end
  std::vector<Missing> missing;  // by the names of the dimensions; idle < need
  bool operator==(const Reservation&) const = default;
};

// A target that has ended.
struct EndedReservation {
  enum class How : std::uint8_t {
    started,     // its minimum is bound
    given_up,    // it took too long
    impossible,  // it can no longer start, even if all other jobs end
    displaced,   // a user named another
    off,         // the configuration has no reservations
    deleted,     // with all its pods; not in a plan, but counted (held_room.h)
    withdrawn,   // a user took the name back or excludes it
  };
  JobId job;
  How how = How::started;
  Election election;
  std::vector<NodeId> nodes;  // the nodes that were locked
  // The cause if it is impossible, as for a Refusal.
  Reason reason = Reason::none;
  std::int64_t have = 0;
  std::int64_t need = 0;
  std::string what = {};
  bool operator==(const EndedReservation&) const = default;
};
const char* to_string(EndedReservation::How how);  // "started", "given-up"

}  // namespace berth
