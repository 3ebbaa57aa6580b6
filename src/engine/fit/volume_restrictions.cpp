#include <algorithm>

#include "berth/engine/fit.h"

namespace berth::engine::constraints {

// VOLUME-10. No task that counts has one of the pod's own disks in a way that conflicts.
const Constraint disks{
    DependsOn::occupants,
    [](const Place& place) {
      const std::vector<Disk>& wanted = place.shape.constraints.volumes.disks;
      for (const TaskId id : place.node.tasks) {
        const Task& task = place.cluster.task(id);
        if (place.occupants == Occupants::staying && !task.never_leaves) continue;
        const bool leaves = task.status == TaskStatus::releasing;
        if (place.occupants == Occupants::once_vacated && leaves) continue;
        for (const Disk& taken : place.cluster.shape_of(id).constraints.volumes.disks) {
          const bool conflicts = std::any_of(wanted.begin(), wanted.end(), [&](const Disk& disk) {
            return conflict(disk, taken);
          });
          if (conflicts) return reject(Reason::disk_conflict);
        }
      }
      return pass();
    },
    [](const Shape& shape) { return !shape.constraints.volumes.disks.empty(); }};

}  // namespace berth::engine::constraints
