#pragma once

#include <string>

#include "berth/model/event.h"

namespace berth {

// The name of an object among those of its kind: a pod's and an owner's uid, "Service ns/web" of
// kinds that share a type, else its full name. Empty: the event is of no object.
std::string key_of(const ClusterEvent& object);

// The event that says that this object is gone.
ClusterEvent deletion_of(const ClusterEvent& object);

// The key of the object that is gone; empty: the event is no deletion.
std::string key_of_deleted(const ClusterEvent& deletion);

}  // namespace berth
