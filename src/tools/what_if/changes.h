#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/event.h"
#include "conf/config.h"
#include "history/recording.h"
#include "simulation/job_stream.h"
#include "simulation/node_time.h"
#include "tools/what_if/flags.h"

// The effects of the flags of flags.h on a cluster.

namespace berth::tools {

// Nodes that come, go or take no more pods, at `now`. The pods of a node that goes wait again, if
// they are ours. Returned are those that come or go later; they are among the objects. An Error
// names the flag, and a node that is not there.
Result<std::vector<simulation::NodeTime>> change_nodes(
    const WhatIf& flags, const std::vector<std::string>& our_schedulers, TimePoint now,
    std::vector<ClusterEvent>& objects);

// The same for a recording, at its beginning.
Result<std::vector<simulation::NodeTime>> change_nodes(const WhatIf& flags,
                                                       history::Recording& recording);

// As a stream has them: by index in `nodes`, from `begin` on.
std::vector<simulation::NodeChange> node_changes_of(const std::vector<simulation::NodeTime>& later,
                                                    const std::vector<NodeObject>& nodes,
                                                    TimePoint begin);

// Jobs that are not there, or have other limits. Returned are the faults: jobs that it has not
// found, and texts that are not understood.
std::vector<Error> change_jobs(const WhatIf& flags, history::Recording& recording);
// Jobs that are not there: neither their pods nor their PodGroup. An Error names a job that is
// none of them.
Status leave_out_jobs(const WhatIf& flags, const conf::Config& config, TimePoint now,
                      std::vector<ClusterEvent>& objects);

// The configuration as the flag --set has it.
Result<conf::Config> changed_config(const conf::Config& config, const WhatIf& flags);

}  // namespace berth::tools
