#pragma once

#include <cstdint>
#include <vector>

#include "berth/engine/verdict.h"
#include "berth/model/cluster.h"

// What a job still needs to start, and whether nodes could give it that.

namespace berth::engine {

class ReachableCapacity;  // fit/reachable_capacity.h
class Session;

// What a job's minimum lacks.
struct Need {
  struct Part {
    ShapeId shape;
    TaskId first;  // of its tasks, for messages
    std::int32_t count = 0;
  };

  std::vector<Part> parts;   // in the order in which they are placed; one a shape
  std::int32_t members = 0;  // in all parts
  Resources request;         // of all parts and the rest
  Resources rest;            // of minResources, for members that are not there yet

  bool is_nothing() const { return members == 0 && rest.is_zero(); }
};
Need need_of(const Session& session, const Job& job);

// One member more of this shape.
void add_member(std::vector<Need::Part>& parts, ShapeId shape, TaskId task);

// The job may start, or runs: it needs nothing.
bool has_minimum(const Session& session, const Job& job);

// Members that the minimum of a role lacks, before those whose role has its minimum: otherwise the
// first role could take the room that the second one cannot do without.
void lacking_roles_first(const Cluster& cluster, const Job& job, std::vector<TaskId>& tasks);

// What admission votes on: minResources, less what the job has and what its members that have
// succeeded had. The job has minResources.
Resources asked_for_admission(const Cluster& cluster, const Job& job);

// Could the job start if all others gave way that do not stay? Locks do not count.
Verdict could_start(Session& session, const Job& job, const Need& need,
                    ReachableCapacity& reachable);

// Could the node take any of it, once others have finished? Where no member is known yet: is it
// open to pods at all?
bool could_take_any(Session& session, const Need& need, NodeId node,
                    const ReachableCapacity& reachable);

}  // namespace berth::engine
