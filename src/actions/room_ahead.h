#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/later.h"
#include "berth/engine/need.h"
#include "berth/engine/session.h"
#include "berth/engine/within.h"
#include "berth/model/time_limit.h"

namespace berth::actions {

// A job that waits for room, and how long it may stay.
struct Asks {
  JobId job;
  const engine::Need* need;  // what its minimum lacks
  Duration stay{};           // of the pod that stays longest; max: for ever
};

// The room of nodes from now on: what is idle, and what pods give back when they end by their time
// limits, less what is kept for jobs that wait. By amounts and by the nodes' own constraints. Rules
// BEHIND-2 to BEHIND-5 of docs/design/backfill.md.
class RoomAhead {
 public:
  virtual ~RoomAhead() = default;

  // Could it start now, and stay, on what is not kept for others?
  virtual bool has_room_now(const Asks& asks) = 0;
  // The nodes that it may use now. Null: all that are open.
  virtual const engine::Within* nodes_now(const Asks& asks) = 0;
  // Its pods are placed there. False: some take what is kept for others.
  virtual bool admits(const Asks& asks, std::span<const Placement> placed) = 0;
  // They are part of the plan.
  virtual void note_started(const Asks& asks, std::span<const Placement> placed) = 0;
  // They were taken back.
  virtual void note_undone(std::span<const Placement> placed) = 0;
  // When it can start at the earliest, and stay. max: nobody knows.
  virtual TimePoint earliest(const Asks& asks) = 0;
  // Keeps the room that it has from then on. False: there is none.
  virtual bool keep(const Asks& asks, TimePoint from) = 0;
};

// For these jobs. Targets have their nodes from the time at which these will do.
std::unique_ptr<RoomAhead> room_ahead_of(engine::Session& session, std::span<const Asks> jobs,
                                         LimitTrust trust);

// BEHIND-5. Each pod of these jobs takes a node of its own, and all take the same nodes: then only
// numbers of nodes count. Null: it is not so.
std::unique_ptr<RoomAhead> whole_nodes_ahead(engine::Session& session, std::span<const Asks> jobs,
                                             LimitTrust trust);

}  // namespace berth::actions
