#pragma once

#include <string>
#include <vector>

#include "berth/model/job.h"

namespace berth::mirror {

// The facts about a PodGroup that decide its owner.
struct GroupEvidence {
  bool has_our_pods = false;
  bool had_our_pods = false;         // since the start of this process
  bool has_others_pods = false;      // pods of other schedulers
  std::string scheduler = {};        // annotation berth.dev/scheduler; empty: none
  std::string queue_scheduler = {};  // the same of its queue
  bool bears_our_marks = false;      // annotations that only Berth reads or writes
  bool is_volcano = true;            // of scheduling.volcano.sh
};

// Applies the rules OWNER-1 to OWNER-6 of docs/operating.md. `ours`: the names of our schedulers.
GroupOwner owner_of(const GroupEvidence& evidence, const std::vector<std::string>& ours);

}  // namespace berth::mirror
