#pragma once

#include <string_view>

#include "berth/model/objects.h"
#include "document/cursor.h"

namespace berth::kube {

// Fields of all three kinds of affinity.
inline constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
inline constexpr std::string_view kPreferred = "preferredDuringSchedulingIgnoredDuringExecution";

// {key, operator, values}, of a node's or a label selector.
Expression read_expression(const document::Cursor& from);

// A term of a node selector, of a pod or a volume.
SelectorTerm read_selector_term(const document::Cursor& from);

// Reads where a pod may run from its spec, without what it requires of other pods
// (pod_relations.h). Lists without a meaningful order are sorted, so that pods of one template have
// equal constraints.
Constraints read_constraints(const document::Cursor& spec);

// Removes the toleration that we write for locks, so that it does not distinguish a pod from its
// siblings. Returns the locks that the pod tolerates by any toleration.
LockTolerations take_lock_tolerations(Constraints& constraints);

}  // namespace berth::kube
