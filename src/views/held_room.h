#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "berth/base/clock.h"
#include "berth/model/plan.h"
#include "views/reservation_table.h"

namespace berth::views {

// Counts what reservations cost: the idle room on locked nodes, times the time for which it was
// kept idle, in all and for each target since its election; and how targets ended. What a session
// left counts until the next. Exact. Not thread-safe.
class HeldRoom {
 public:
  // The table that a session left; writes the sums into it. A clock that steps back costs nothing.
  // A target of the table before that is neither in this one nor told by note_ends() counts as
  // deleted.
  void note(ReservationTable& table);
  // Before note() of the same session. `cluster`: with the plan assumed.
  void note_ends(const Plan& plan, const Cluster& cluster);
  // From `now` on nothing is counted until the next note(): nobody knows what is held.
  void pause(TimePoint now);

  const RoomTimes& total() const { return total_; }

 private:
  using Key = std::pair<std::string, TimePoint>;  // uid and election
  struct Target {
    NamedAmounts idle;
    RoomTimes held;
    std::string job;         // namespace/name: it outlives the uid, should its group be deleted
    bool is_watched = true;  // nobody else has led since it was seen
  };

  void count_until(TimePoint now);

  TimePoint counted_until_;
  std::map<Key, Target> targets_;
  RoomTimes total_;
  EndCounts ended_{};
  std::set<std::pair<std::string, TimePoint>> just_ended_;  // job and election
};

}  // namespace berth::views
