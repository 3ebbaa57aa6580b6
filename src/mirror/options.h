#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/objects.h"
#include "berth/model/owner.h"
#include "berth/model/permissions.h"
#include "berth/model/usage.h"

namespace berth::mirror {

struct Options {
  std::vector<std::string> managed_schedulers{"berth"};  // spec.schedulerName of our pods
  std::string default_queue = "default";                 // exists even without an object
  bool default_queue_is_fifo = false;                    // while it has no object
  NamingCheck naming_check = NamingCheck::none;
  bool checks_classes = false;     // MAY-12
  bool checks_protection = false;  // MAY-14
  // Of OwnedGangs (owned_gangs.h): which owners of pods are gangs, which of their resources are
  // watched, and how long a pod waits for an owner that is not known. 0: no pod does.
  GangRule gangs = GangRule::annotated;
  std::vector<std::string> owners = default_owner_resources();
  Duration owner_patience = std::chrono::seconds(10);
  // Of pods without constraints of their own (SPREAD-8); their selectors are filled in.
  std::vector<SpreadConstraint> default_spreads = {};
  std::vector<std::string> topology_levels = {};  // labels of nodes, the outermost first (TOPO-1)
  Duration usage_half_life = kUsageHalfLife;      // USAGE-2
};

// A queue without a spec: weight 1, open, no bounds.
QueueObject bare_queue(const std::string& name);

}  // namespace berth::mirror
