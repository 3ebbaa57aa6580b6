#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"
#include "berth/model/cause.h"

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
inline std::string lock_text(std::string_view job_uid) {
  return std::string(kLockedForJob).append(job_uid);
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
  std::optional<TimePoint> elected_at;   // it is a target since then
  std::string why;                       // it was elected
  std::optional<TimePoint> given_up_at;  // the last time that it was given up as a target
  std::string claims;                    // berth.dev/claims (claim.h)
  bool is_elected = false;               // berth.dev/target: "elected": we say that it is one
  bool is_declined = false;              // berth.dev/target: "false": a user wants it not to be one
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

// A target that is none any more.
struct EndedReservation : Cause {  // with a reason where a rule refused it
  enum class How : std::uint8_t {
    started,     // its minimum is bound
    given_up,    // it took too long
    impossible,  // it can no longer start, even if all other jobs end
    displaced,   // a user named another
    off,         // the configuration reserves no more
    deleted,     // with all its pods: no plan says so, who counts notices (held_room.h)
    withdrawn,   // a user took its name back, or wants it not to be one
    too_many,    // the configuration allows fewer targets than before
  };
  JobId job;
  How how = How::started;
  Election election;
  std::vector<NodeId> nodes;  // that were locked
  bool operator==(const EndedReservation&) const = default;
};
const char* to_string(EndedReservation::How how);  // "started", "given-up"

}  // namespace berth
