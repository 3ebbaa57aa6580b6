#pragma once

#include <functional>
#include <string>

#include "world/world.h"

namespace berth::world {

// A smaller setup that breaks a law, too: fewer faults, jobs, nodes, minutes. `seen` gets each
// step in words.
Setup shrink(const Setup& failing, const std::function<bool(const Setup&)>& breaks,
             const std::function<void(const std::string&)>& seen);

// The options of simulate-world that make this setup.
std::string options_of(const Setup& setup);

}  // namespace berth::world
