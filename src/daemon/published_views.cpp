#include "daemon/published_views.h"

#include <utility>

namespace berth::daemon {

bool PublishedViews::refresh(const Plan& plan, const Cluster& cluster, TimePoint now) {
  const bool has_new_queues = refresh_queues(plan, cluster, now);
  if (has_new_queues) published_queues_.store(queues_);
  held_.note_ends(plan, cluster);
  auto reservations = views::make_reservation_table(plan, cluster, now);
  held_.note(reservations);
  published_reservations_.store(
      std::make_shared<const views::ReservationTable>(std::move(reservations)));
  return has_new_queues;
}

bool PublishedViews::refresh_queues(const Plan& plan, const Cluster& cluster, TimePoint now) {
  constexpr Duration kInterval = std::chrono::seconds(1);
  constexpr Duration kOldest = std::chrono::minutes(1);  // what was used changes by time alone
  const bool is_as_before = stamp_ == cluster.stamp() && shares_ == plan.shares &&
                            evicts_ == plan.evicts && reclaims_ == plan.reclaims &&
                            reservations_ == plan.queue_reservations;
  const Duration age = now - made_at_;
  if (queues_ != nullptr && age < (is_as_before ? kOldest : kInterval)) return false;
  queues_ =
      std::make_shared<const views::QueueTable>(views::make_queue_table(cluster, plan, tree_, now));
  shares_ = plan.shares;
  evicts_ = plan.evicts;
  reclaims_ = plan.reclaims;
  reservations_ = plan.queue_reservations;
  stamp_ = cluster.stamp();
  made_at_ = now;
  return true;
}

void PublishedViews::stop_leading(TimePoint now) {
  held_.pause(now);
  queues_ = nullptr;
  published_queues_.store(nullptr);
  published_reservations_.store(nullptr);
}

}  // namespace berth::daemon
