#pragma once

#include "berth/base/result.h"
#include "engine/configuration.h"
#include "support/scene_line.h"

// The configuration of a scenario.

namespace berth::support {

// `actions ...` and `tiers ...`
Status read_actions(SceneLine& line, engine::SessionConfig& config);
Status read_tiers(SceneLine& line, engine::SessionConfig& config);
// enqueue allocate backfill; priority gang conformance / overcommit predicates nodeorder
engine::SessionConfig default_session_config();

}  // namespace berth::support
