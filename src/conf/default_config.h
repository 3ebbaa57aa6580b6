#pragma once

#include <string_view>

namespace berth::conf {

// The text of config/berth.yaml at build time.
std::string_view default_config_text();

}  // namespace berth::conf
