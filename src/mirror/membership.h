#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "mirror/owner_chain.h"

namespace berth::mirror {

// The state of a pod without a group of its user's: one of a gang, or not.
struct Membership {
  // None: a job of one pod. Else one of a gang of so many.
  std::optional<std::int32_t> number;
  // Why that is not known, so that the pod waits; empty: it is.
  std::string fault;
  std::string advice;  // PodObject::gang_advice
  bool is_member() const { return number.has_value() && fault.empty(); }
};

// OWNED-3 to OWNED-8 of docs/design/gangs-of-owners.md. `has_waited`: for objects that are watched
// and not known.
Membership membership_of(const PodObject& pod, const Owners::Chain& chain, GangRule rule,
                         bool has_waited);

// The name of the PodGroup that Berth makes for the owner.
std::string name_of_group(const OwnerReference& owner, const std::string& suffix);

}  // namespace berth::mirror
