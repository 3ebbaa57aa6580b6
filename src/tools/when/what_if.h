#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "berth/model/event.h"
#include "history/recording.h"
#include "tools/planning.h"

// Changes of a cluster that a user asks about.

namespace berth::tools {

struct WhatIf {
  std::vector<std::string> add_nodes;     // "4:like=n1"
  std::vector<std::string> remove_nodes;  // names
  std::vector<std::string> cordons;       // names
  std::vector<std::string> without_jobs;  // namespace/name
  std::vector<std::string> set;           // as VariantFlags has them

  bool is_empty() const;
  std::vector<std::string> texts() const;  // as they were given: "--cordon n1"
};

void declare_what_if(CLI::App& command, WhatIf& flags);

// Nodes that come, go or take no more pods. The pods of a node that goes wait again, if they are
// ours. An Error names the flag, and a node that is not there.
Status change_nodes(const WhatIf& flags, const std::vector<std::string>& our_schedulers,
                    std::vector<ClusterEvent>& objects);

// An Error names a job that is not there.
Status leave_out_jobs(const WhatIf& flags, history::Recording& recording);

}  // namespace berth::tools
