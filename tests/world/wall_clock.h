#pragma once

#include "world/agenda.h"

namespace berth::world {

// The wall clock of a machine, which somebody sets now and then. All of them are near the right
// time.
class WallClock final : public Clock {
 public:
  static constexpr Duration kOffMost = 30s;

  explicit WallClock(const Agenda& agenda) : agenda_(agenda) {}

  TimePoint now() const override { return agenda_.now() + ahead_; }
  void set(Agenda& dice) { ahead_ = dice.between(-kOffMost, kOffMost); }
  void set_right() { ahead_ = {}; }

 private:
  const Agenda& agenda_;
  Duration ahead_{};
};

}  // namespace berth::world
