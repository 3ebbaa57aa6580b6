#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "berth/base/clock.h"
#include "berth/model/plan.h"
#include "views/reservation_table.h"

namespace berth::views {

// Counts the cost of reservations: idle room on locked nodes, times its duration, in total and for
// each target since its election. Also counts how targets ended. The state after a session counts
// until the next one. Exact. Not thread-safe.
class HeldRoom {
 public:
  // Takes the table of a session and writes the sums into it. A clock that steps back adds nothing.
  // A target of the last table that is missing here, and not in note_ends(), counts as deleted.
  void note(ReservationTable& table);
  // Called before note() of the same session. `cluster` has the plan assumed.
  void note_ends(const Plan& plan, const Cluster& cluster);
  // Stops counting at `now`, until the next note(): another berthd leads meanwhile.
  void pause(TimePoint now);

  const RoomTimes& total() const { return total_; }

 private:
  using Key = std::pair<std::string, TimePoint>;  // uid and election
  struct Target {
    NamedAmounts idle;
    RoomTimes held;
    std::string job;         // namespace/name: it outlives the uid, should its group be deleted
    bool is_watched = true;  // no other berthd has led since it was first counted
  };

  void count_until(TimePoint now);

  TimePoint counted_until_;
  std::map<Key, Target> targets_;
  RoomTimes total_;
  EndCounts ended_{};
  std::set<std::pair<std::string, TimePoint>> just_ended_;  // job and election
};

}  // namespace berth::views
