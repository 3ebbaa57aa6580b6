#include "reservations/held_room.h"

namespace berth::reservations {

void HeldRoom::count_until(TimePoint now) {
  for (auto& [key, target] : targets_) {
    add(target.held, target.idle, now - counted_until_);
    add(total_, target.idle, now - counted_until_);
  }
  counted_until_ = now;
}

void HeldRoom::note(ReservationTable& table) {
  count_until(table.at);
  std::map<Key, Target> before;
  before.swap(targets_);
  for (ReservationTable::Row& row : table.rows) {
    const Key key(row.uid, row.elected_since);
    row.held = std::move(before[key].held);
    targets_[key] = {row.idle, row.held};
  }
  table.held = total_;
  table.ended = ended_;
}

void HeldRoom::note_ends(const Plan& plan) {
  for (const EndedReservation& each : plan.ended) ++ended_[static_cast<std::size_t>(each.how)];
}

void HeldRoom::pause(TimePoint now) {
  count_until(now);
  for (auto& [key, target] : targets_) target.idle.clear();
}

}  // namespace berth::reservations
