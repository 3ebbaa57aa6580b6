#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/result.h"
#include "berth/model/event.h"
#include "conf/config.h"
#include "simulation/node_time.h"
#include "simulation/report.h"

namespace berth::simulation {

struct SimulationRequest {
  std::vector<ClusterEvent> objects;  // no deletions; pods have distinct uids
  conf::Config config;
  std::size_t cycles = 1;
  std::vector<NodeTime> node_times = {};  // nodes among the objects that come or go later
  std::optional<TimePoint> now;           // of the first cycle; default: start_of(objects)
  std::string explain;                    // namespace/name of a job or pod to explain; empty: none
  // Called before each cycle, for progress; may be empty.
  std::function<void(std::size_t cycle)> on_cycle;
};

// The latest creation or start among the objects. All of them exist at that time, and it depends
// only on the input.
TimePoint start_of(const std::vector<ClusterEvent>& objects);

// Pods that wait and groups without a creation time are new: they are tried beside what waits
// already, and are created when the first session begins. That is `now`, or a second after
// start_of(), if there is a later time than 1970. Returns it.
TimePoint date_new_objects(const std::optional<TimePoint>& now, std::vector<ClusterEvent>& objects);

// Runs sessions one schedule period apart on a copy of the cluster and carries out each plan
// (cluster_copy.h). Reads no clock and no file: equal requests give equal reports. An Error if the
// engine refuses the configuration, or if what is to be explained does not exist.
Result<Report> simulate(SimulationRequest request);

}  // namespace berth::simulation
