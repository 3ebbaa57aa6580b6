#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "berth/base/clock.h"
#include "berth/engine/queue_tree.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "ports/published.h"
#include "views/held_room.h"
#include "views/queue_table.h"
#include "views/reservation_table.h"

namespace berth::daemon {

// The tables that other threads read: queues and reservations, as the last session left them; null
// while another leads. Sums of held room begin with the process. Session thread.
class PublishedViews {
 public:
  PublishedViews(ports::Published<views::QueueTable>& queues,
                 ports::Published<views::ReservationTable>& reservations)
      : published_queues_(queues), published_reservations_(reservations) {}

  // After the plan was assumed: `cluster` is as the session left it. True if there is another table
  // of queues; at most one in a second.
  bool refresh(const Plan& plan, const Cluster& cluster, TimePoint now);
  void stop_leading(TimePoint now);

  const std::shared_ptr<const views::QueueTable>& queues() const { return queues_; }

 private:
  bool refresh_queues(const Plan& plan, const Cluster& cluster, TimePoint now);

  ports::Published<views::QueueTable>& published_queues_;
  ports::Published<views::ReservationTable>& published_reservations_;
  engine::QueueTree tree_;
  std::shared_ptr<const views::QueueTable> queues_;
  std::shared_ptr<const QueueShares> shares_;  // that it was made of
  std::uint64_t stamp_ = 0;                    // of the cluster that it was made of
  bool evicts_ = false;                        // of the plan that it was made of
  bool reclaims_ = false;
  std::vector<QueueReservation> reservations_;
  TimePoint made_at_;
  views::HeldRoom held_;
};

}  // namespace berth::daemon
