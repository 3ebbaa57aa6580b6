#pragma once

#include <vector>

#include "berth/base/result.h"
#include "results/measures.h"
#include "results/run.h"
#include "tools/console.h"
#include "tools/simulate/input.h"
#include "tools/simulate/variants.h"

namespace berth::tools {

// Runs the variants, each with each input, several at once, with progress. Ctrl-C ends them early.
// `forecasts`: starts are forecast, and compared with what came.
Result<std::vector<results::JudgedRun>> run_all(const std::vector<Variant>& variants,
                                                const std::vector<Input>& inputs,
                                                const simulation::StreamTroubles& troubles,
                                                bool forecasts, Console& console);

}  // namespace berth::tools
