#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "simulation/report.h"
#include "views/held_room.h"
#include "views/lost_work.h"
#include "views/room_time.h"

namespace berth::simulation {

// Adds up all cycles: waiting times, idle room on locks, utilisation, and the work that evictions
// lose. A cycle counts until the next one.
class SummaryBuilder {
 public:
  explicit SummaryBuilder(Duration period) : period_(period) {}

  // Called after each cycle. Writes the room held so far into its table of reservations.
  void add(CycleReport& cycle, const Plan& plan, const Cluster& after);
  // The sum of all cycles. Call it once.
  Summary finish();

 private:
  struct Use {
    __int128 used = 0;
    __int128 total = 0;
  };

  void note_work(const Plan& plan, const Cluster& after, TimePoint now);
  void note_targets(const CycleReport& cycle);
  void add_job(const JobRow& job, const CycleReport& cycle, bool is_placed_now);

  Duration period_;
  TimePoint end_;                      // of the last cycle
  TimePoint last_ = TimePoint::min();  // cycle
  std::size_t cycles_ = 0;
  std::map<std::string, WaitRow> waits_;
  views::HeldRoom held_;
  std::map<std::string, Use> use_;           // by resource
  std::map<std::string, __int128> useless_;  // by extended resource
  // Of pods of ours, since they have their nodes. Lost work was done, too.
  views::RoomTimes done_;
  views::RoomTimes lost_;
  views::EvictedByAge evicted_{};
};

}  // namespace berth::simulation
