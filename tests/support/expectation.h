#pragma once

#include <string>

#include "support/scene_line.h"
#include "support/world.h"

namespace berth::support {

// `expect SUBJECT WHAT...`; empty when it is so, else what is instead.
//   j1/0..2 on n1 | placed | pending | planned | pipelined [on n1] | evicted | leaving | gone
//   j1 PHASE [REASON [HAVE/NEED] [WHAT] | no-reason]     job j1 | pod's own job
//   j1 claims n1*2 n2 | claims nothing
//   j1 admitted | placed N | priority N | queue NAME | says WORD...
//   n1 idle cpu=2 ...        queue q1 allocated cpu=2 ...
//   nothing                  the last plan binds, evicts and admits nobody
std::string check_expectation(SceneLine& line, const World& world);

}  // namespace berth::support
