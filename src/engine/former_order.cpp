#include "engine/former_order.h"

namespace berth::engine {

void FormerOrder::restore(std::vector<JobId>& jobs) {
  constexpr std::size_t kFew = 8;
  if (jobs.size() * kFew < order_.size()) return;
  found_.assign(order_.size(), JobId());
  std::size_t kept = 0;
  for (const JobId job : jobs) {
    const std::uint32_t place = place_of(job);
    if (place == kNowhere || found_[place].is_valid()) {
      jobs[kept++] = job;
    } else {
      found_[place] = job;
    }
  }
  const auto others = jobs.begin() + static_cast<std::ptrdiff_t>(kept);
  const auto rest =
      std::copy_if(found_.begin(), found_.end(), others, [](JobId job) { return job.is_valid(); });
  std::rotate(jobs.begin(), others, rest);
}

void FormerOrder::note(const std::vector<JobId>& order) {
  if (order_ == order) return;
  for (const JobId job : order_) places_[job.index()] = kNowhere;
  order_ = order;
  std::size_t slots = 0;
  for (const JobId job : order_) slots = std::max<std::size_t>(slots, job.index() + 1);
  places_.resize(slots, kNowhere);
  for (std::size_t i = 0; i < order_.size(); ++i) {
    places_[order_[i].index()] = static_cast<std::uint32_t>(i);
  }
}

}  // namespace berth::engine
