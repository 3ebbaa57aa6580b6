#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/configuration.h"

namespace berth::conf {

// Warnings about valid settings that a user hardly wants, with their places.
std::vector<std::string> advice_on(const engine::SessionConfig& config);

// The action of ours that does what this action of Volcano does, which we do not have: it is
// accepted with a warning and left out (docs/decisions/0009). Empty for all other names.
std::string_view substitute_of(std::string_view action);

}  // namespace berth::conf
