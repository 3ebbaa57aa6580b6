#pragma once

#include <memory>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "views/held_room.h"
#include "views/reservation_table.h"

namespace berth::daemon {

// Keeps the table of reservations for whoever looks on, and counts what they cost for as long as
// this berthd leads; sums begin with the process. Session thread.
class ReservationKeeper {
 public:
  // After the plan was assumed: `cluster` is as the session left it.
  void note(const Plan& plan, const Cluster& cluster, TimePoint now);
  // Another leads from now on.
  void stop_leading(TimePoint now);

  // As of the last note(); null: another leads, or there was none yet.
  const std::shared_ptr<const views::ReservationTable>& table() const { return table_; }

 private:
  views::HeldRoom held_;
  std::shared_ptr<const views::ReservationTable> table_;
};

}  // namespace berth::daemon
