#pragma once

#include <initializer_list>

#include "engine/scheduler.h"

namespace berth::bench {

// The shipped configuration; without evicting actions if `actions` names others.
engine::SessionConfig shipped(std::initializer_list<const char*> actions = {});

}  // namespace berth::bench
