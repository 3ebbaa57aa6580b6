#include "berth/engine/room_maker.h"

#include <algorithm>

namespace berth::engine {

RoomMaker* RoomMakers::of(std::string_view action) const {
  for (const auto& [name, maker] : makers_) {
    if (name == action) return maker.get();
  }
  return nullptr;
}

bool RoomMakers::make_room(JobId job) {
  return std::any_of(makers_.begin(), makers_.end(), [&](const auto& each) {
    return each.second->may_go_on() && each.second->make_room(job);
  });
}

std::int64_t RoomMakers::counted() const {
  std::int64_t sum = 0;
  for (const auto& each : makers_) sum += each.second->counted();
  return sum;
}

}  // namespace berth::engine
