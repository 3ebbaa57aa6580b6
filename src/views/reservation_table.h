#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "berth/model/reservation.h"
#include "views/room_time.h"

namespace berth::views {

inline constexpr std::size_t kEndCount =
    static_cast<std::size_t>(EndedReservation::How::too_many) + 1;
using EndCounts = std::array<std::uint64_t, kEndCount>;  // by EndedReservation::How

// The targets and their locks, for metrics, `berth reservations` and `berth plan`. A value; amounts
// are in the units of D4; zero amounts are left out.
struct ReservationTable {
  struct Missing {
    std::string resource;
    std::int64_t idle = 0;  // on its locked nodes
    std::int64_t need = 0;  // by its minimum, beyond what it has
    bool operator==(const Missing&) const = default;
  };
  struct Row {
    std::string job;  // namespace/name
    std::string uid;
    std::string queue;
    std::int32_t priority = 0;
    TimePoint waits_since;  // when a scheduler first saw it
    TimePoint elected_since;
    std::string why;
    LockScheme scheme = LockScheme::multi_node;  // in force
    std::vector<std::string> nodes;              // locked for it, by name
    std::optional<TimePoint> locked_since;
    bool is_covered = false;  // it can start on its locked nodes once other jobs end
    std::optional<TimePoint> times_out_at;
    std::optional<TimePoint> gives_up_at;
    std::vector<Missing> missing;
    NamedAmounts locked;  // allocatable of its nodes
    NamedAmounts idle;    // the unused part of that
    RoomTimes held;       // idle room times time since its election
    bool operator==(const Row&) const = default;
  };

  TimePoint at;
  std::size_t node_count = 0;  // of the cluster
  NamedAmounts total;          // allocatable of all nodes
  std::vector<Row> rows;       // by election
  // Since the counting began (held_room.h).
  RoomTimes held;
  EndCounts ended{};
  bool operator==(const ReservationTable&) const = default;

  std::size_t locked_node_count() const;
  NamedAmounts locked() const;  // of all rows together
  NamedAmounts idle() const;
};

// `cluster` has the plan assumed. Another part fills in `held` and `ended`.
ReservationTable make_reservation_table(const Plan& plan, const Cluster& cluster, TimePoint now);

}  // namespace berth::views
