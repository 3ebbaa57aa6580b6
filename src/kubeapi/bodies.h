#pragma once

#include <string>
#include <utility>

#include "berth/base/clock.h"
#include "ports/binder.h"
#include "ports/object_writer.h"

// The bodies of requests to the API server. Patches are idempotent and carry the object's uid where
// the object has one: a patch on another object of the same name is refused by the server (409).

namespace berth::kubeapi {

// Its API version and kind.
std::pair<std::string, std::string> type_of(const ports::ObjectRef& object);
std::string binding_body(const ports::Binding& binding);
std::string eviction_body(const ports::ObjectRef& pod);
// Strategic; not of tolerations.
std::string pod_patch(const ports::Write& write, const ports::PodWrite& pod);
// Strategic
std::string condition_patch(const ports::ObjectRef& pod, const ports::PodCondition& written);
// JSON
std::string toleration_patch(const ports::ObjectRef& pod, const ports::PodWrite& write);
// In the terms of the group's API.
std::string group_status_patch(const ports::ObjectRef& group, const ports::GroupStatus& status);
std::string queue_status_patch(const ports::ObjectRef& queue, const ports::QueueStatus& status);
// A PodGroup that goes with its owner.
std::string group_body(const ports::ObjectRef& group, const ports::GroupSpec& spec);
std::string group_spec_patch(const ports::ObjectRef& group, const ports::GroupSpec& spec);
std::string deletion_body(const ports::ObjectRef& object);
// Of objects without a namespace, events are in this one: the API server accepts them nowhere else.
std::string event_namespace(const ports::ObjectRef& about);
std::string event_body(const ports::ObjectRef& about, const ports::Event& event, TimePoint now,
                       const std::string& instance);

}  // namespace berth::kubeapi
