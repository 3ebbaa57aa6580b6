#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

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
  // Do jobs leave whole, too?
  virtual bool takes_whole_jobs() const = 0;
  // The candidates, and the jobs that were asked for some, in states that this session has made.
  virtual std::int64_t counted() const = 0;
};

// Of the configured actions that evict job by job, in their order. Session thread only.
class RoomMakers {
 public:
  // For the Scheduler. The name must outlive it.
  void add(std::string_view action, std::unique_ptr<RoomMaker> maker) {
    makers_.emplace_back(action, std::move(maker));
  }
  // Null: the action is not configured, or does not evict job by job.
  RoomMaker* of(std::string_view action) const;
  // The first that can makes room for the job.
  bool make_room(JobId job);
  // The sum over all.
  std::int64_t counted() const;

 private:
  std::vector<std::pair<std::string_view, std::unique_ptr<RoomMaker>>> makers_;
};

}  // namespace berth::engine
