#pragma once

#include <string>

#include "berth/model/relations.h"
#include "support/scene_line.h"

namespace berth::support {

// The options near, apart, spread, prefers-near, prefers-apart and prefers-spread of `task` and
// `pod`, as tests/scenarios/README.md has them. `name_space` is the pod's own.
Relations read_relations(SceneLine& line, const std::string& name_space);

}  // namespace berth::support
