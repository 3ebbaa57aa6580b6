#pragma once

#include <optional>
#include <string>

#include "berth/model/cluster.h"
#include "ports/object_writer.h"

// The desired status of a PodGroup. Pure functions.

namespace berth::reconcile {

// Why a job waits; an empty code: it does not.
struct Waiting {
  std::string code;                        // of the Reason
  std::string message;                     // without the position
  WaitingPosition position;                // by the last session that worked it out
  std::optional<WrittenStart> start = {};  // none: nothing is known since this berthd leads
};

// With the position of the job, if it is in an order.
std::string message_of(const Job& job, const Waiting& waiting);

// Volcano's reasons, which its users and tools look for; ours stand in the message.
std::string volcano_reason(const std::string& code_of_ours);

struct DesiredGroupStatus {
  ports::GroupStatus status;
  // The group is young and its pods are only coming: look again soon.
  bool is_provisional = false;
};

// `before` is what the API says; times of conditions that hold as before are kept. `targeted`:
// none if the session decided nothing about it.
DesiredGroupStatus desired_group_status(const Job& job, const Waiting& waiting,
                                        const std::optional<WrittenCondition>& targeted,
                                        const ports::GroupStatus& before, TimePoint now);

// The API server's clock may be ahead of ours or behind it.
bool is_young(const Job& job, TimePoint now);

// Whether both differ in the message and the position alone.
bool is_in_texts_alone(const ports::GroupStatus& wanted, const ports::GroupStatus& before);

// Volcano's definition of a PodGroup drops the field `waiting`. The condition is left of it.
bool is_left_of(const WrittenWaiting& written, const WrittenWaiting& left);

// The least time between two writes that differ in this way (STATUS-2): none if a user must see it
// at once, a minute if amounts in the message or the position are all that changed.
Duration least_interval(const ports::GroupStatus& wanted, const ports::GroupStatus& before);

// Whether both are the same in the object: a group of scheduling.x-k8s.io has no conditions.
bool is_written_alike(ports::ObjectKind kind, ports::GroupStatus wanted,
                      const ports::GroupStatus& before);

}  // namespace berth::reconcile
