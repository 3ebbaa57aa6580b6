#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/strong_id.h"

// Claims: room being vacated, or held idle until the rest is, kept for a job from session to
// session. The rules are in docs/design/claims.md.

namespace berth {

// Annotation of a PodGroup, or of a pod that is in none: "2027-01-15T08:00:00Z n1*3 n2 +evicted".
inline constexpr const char* kClaimsAnnotation = "berth.dev/claims";

// How long a claim stands while its room is not vacated, and how long after that its job may hold
// none, unless the configuration says otherwise (claimTimeout).
inline constexpr Duration kClaimPatience = std::chrono::minutes(10);
// How long an evicted pod counts as leaving while nothing is seen of it.
inline constexpr Duration kEvictionPatience = std::chrono::minutes(5);

// One task's room on one node.
struct Claim {
  TaskId task;
  NodeId node;
  TimePoint since;
  bool operator==(const Claim&) const = default;
};

// The content of the annotation: the oldest claim's time, and the nodes in the order of the claims.
struct WrittenClaims {
  struct OnNode {
    std::string node;
    std::size_t count = 1;  // claims there, one after the other
    bool operator==(const OnNode&) const = default;
  };
  TimePoint since;
  std::vector<OnNode> nodes;
  bool others_left = false;  // pods were evicted for them; the last word is "+evicted"
};
std::string to_text(const WrittenClaims& claims);  // empty: no claims
// Of a text that is not ours: no claims.
WrittenClaims parse_claims(std::string_view text);

// A job's claims that ended without a placement.
struct EndedClaims {
  enum class How : std::uint8_t {
    cannot_start,  // the job could not start any more with what it was promised
    timed_out,     // the room was not vacated in time
  };
  JobId job;
  How how = How::cannot_start;
  bool operator==(const EndedClaims&) const = default;
};
// "its room was not vacated in time"
const char* to_string(EndedClaims::How how);

}  // namespace berth
