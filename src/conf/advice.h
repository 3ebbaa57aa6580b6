#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/configuration.h"

namespace berth::conf {

// Warnings about valid settings that a user hardly wants, with their places.
std::vector<std::string> advice_on(const engine::SessionConfig& config);

// Names of actions in Volcano's own configuration that this version does not have: they are
// accepted with a warning and left out (docs/decisions/0009). Not asked about registered names.
bool is_later_action(std::string_view name);

}  // namespace berth::conf
