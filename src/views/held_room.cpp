#include "views/held_room.h"

namespace berth::views {

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
    before.erase(key);
    targets_[key] = {row.idle, row.held, row.job};
  }
  for (const auto& [key, gone] : before) {
    if (!gone.is_watched || just_ended_.contains({gone.job, key.second})) continue;
    ++ended_[static_cast<std::size_t>(EndedReservation::How::deleted)];
  }
  just_ended_.clear();
  table.held = total_;
  table.ended = ended_;
}

void HeldRoom::note_ends(const Plan& plan, const Cluster& cluster) {
  for (const EndedReservation& each : plan.ended) {
    ++ended_[static_cast<std::size_t>(each.how)];
    just_ended_.emplace(cluster.job(each.job).name, each.election.since);
  }
}

void HeldRoom::pause(TimePoint now) {
  count_until(now);
  for (auto& [key, target] : targets_) {
    target.idle.clear();
    target.is_watched = false;
  }
}

}  // namespace berth::views
