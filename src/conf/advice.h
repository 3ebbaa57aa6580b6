#pragma once

#include <string>
#include <vector>

#include "engine/configuration.h"

namespace berth::conf {

// Warnings about valid settings that a user hardly wants, with their places.
std::vector<std::string> advice_on(const engine::SessionConfig& config);

}  // namespace berth::conf
