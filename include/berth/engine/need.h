#pragma once

#include <cstdint>
#include <vector>

#include "berth/engine/verdict.h"
#include "berth/model/cluster.h"

// The members that a job still needs to start, and whether nodes can take them.

namespace berth::engine {

class ReachableCapacity;  // fit/reachable_capacity.h
class Session;

// The missing part of a job's minimum.
struct Need {
  struct Part {
    ShapeId shape;
    TaskId first;  // of its tasks, for messages
    std::int32_t count = 0;
  };

  std::vector<Part> parts;   // in the order of placement; one for each shape
  std::int32_t members = 0;  // in all parts
  Resources request;         // of all parts and the rest
  Resources rest;            // of minResources, for members that do not exist yet

  bool is_nothing() const { return members == 0 && rest.is_zero(); }
};
Need need_of(const Session& session, const Job& job);
// The tasks of its parts, in the order of placement.
std::vector<TaskId> lacking_members(const Session& session, const Job& job);
Need need_of(const Session& session, const Job& job, const std::vector<TaskId>& lacking);

// The same with the smallest that there are, of roles that lack some first. Empty: it has no
// choice.
std::vector<TaskId> smallest_members(const Session& session, const Job& job);

// Moves the smallest of the tasks from this one on to the front. False: the job needs all, or they
// are alike.
bool smallest_first(const Session& session, const Job& job, std::vector<TaskId>& tasks,
                    std::size_t from);

// The part of the cluster that this is, in 10^-9, and the largest that such a pod asks for.
std::int64_t part_of_cluster(const Cluster& cluster, Dimension d, std::int64_t amount);
std::int64_t part_of_cluster(const Cluster& cluster, const Shape& shape);

// Adds one member of this shape.
void add_member(std::vector<Need::Part>& parts, ShapeId shape, TaskId task);

// CLAIMANT-2. Is nobody evicted for the job, or for one of these tasks of it?
bool never_preempts(const Cluster& cluster, const Job& job, const std::vector<TaskId>& tasks);

// True if the job may start or runs, and so needs nothing.
bool has_minimum(const Session& session, const Job& job);

// Moves members of roles below their minimum to the front; otherwise the first role could take the
// room that the second one must have.
void lacking_roles_first(const Cluster& cluster, const Job& job, std::vector<TaskId>& tasks);

// The amount that admission votes on: minResources, less the room of the job and of its succeeded
// members. The job must have minResources.
Resources asked_for_admission(const Cluster& cluster, const Job& job);

// Decides whether the job could start if all others ended, except those that stay. Locks do not
// count.
Verdict could_start(Session& session, const Job& job, const Need& need,
                    ReachableCapacity& reachable);

// True if the node could take a member once others end. Without known members: true if the node is
// open to pods.
bool could_take_any(Session& session, const Need& need, NodeId node,
                    const ReachableCapacity& reachable);

}  // namespace berth::engine
