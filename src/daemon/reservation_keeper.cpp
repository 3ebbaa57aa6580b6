#include "daemon/reservation_keeper.h"

#include <utility>

namespace berth::daemon {

void ReservationKeeper::note(const Plan& plan, const Cluster& cluster, TimePoint now) {
  held_.note_ends(plan, cluster);
  auto table = views::make_reservation_table(plan, cluster, now);
  held_.note(table);
  table_ = std::make_shared<const views::ReservationTable>(std::move(table));
}

void ReservationKeeper::stop_leading(TimePoint now) {
  held_.pause(now);
  table_ = nullptr;
}

}  // namespace berth::daemon
