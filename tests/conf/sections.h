#pragma once

#include <string>

#include "conf/config.h"

namespace berth::conf {

// The smallest configuration, with these sections.
inline Result<Config> with_sections(const std::string& sections) {
  return load_config("actions: allocate\ntiers: [{plugins: [{name: gang}]}]\n" + sections, "c.yaml",
                     {{"allocate"}, {"gang"}, {}});
}

}  // namespace berth::conf
