#pragma once

#include <cstdint>

#include "berth/base/strong_id.h"

namespace berth::engine {

// The work of one evicting action in one session, job by job. Session thread only.
class RoomMaker {
 public:
  virtual ~RoomMaker() = default;
  // For a job that lacks its minimum, once. True: others leave for it, and it claims their room.
  // False: nothing has happened, and the plan says why.
  virtual bool make_room(JobId job) = 0;
  // False: others have left in this session, and to go on would take too long.
  virtual bool may_go_on() const = 0;
  // The candidates, and the jobs that were asked for some, in states that this session has made.
  virtual std::int64_t counted() const = 0;
};

}  // namespace berth::engine
