#pragma once

#include <string>
#include <vector>

#include "engine/configuration.h"

namespace berth::conf {

// What works as it is written, but is hardly meant; with places.
std::vector<std::string> advice_on(const engine::SessionConfig& config);

}  // namespace berth::conf
