#pragma once

#include <string>
#include <vector>

#include "berth/model/job.h"

namespace berth::mirror {

// What is known of a PodGroup that tells whose it is.
struct GroupEvidence {
  bool has_our_pods = false;
  bool had_our_pods = false;         // since we run
  bool has_others_pods = false;      // of a scheduler that is none of ours
  std::string scheduler = {};        // annotation berth.dev/scheduler; empty: none
  std::string queue_scheduler = {};  // the same of its queue
  bool bears_our_marks = false;      // annotations that only Berth reads or writes
  bool is_volcano = true;            // of scheduling.volcano.sh
};

// By the rules OWNER-1 to OWNER-6 of docs/operating.md. `ours`: the names of our schedulers.
GroupOwner owner_of(const GroupEvidence& evidence, const std::vector<std::string>& ours);

}  // namespace berth::mirror
