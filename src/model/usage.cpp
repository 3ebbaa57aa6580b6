#include "berth/model/usage.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "berth/base/look_up.h"

namespace berth {

namespace {

constexpr double kForgotten = 1e-3;        // USAGE-6: of the whole cluster, in seconds
constexpr std::size_t kIdleMost = 20'000;  // USAGE-6: accounts that no job is of
constexpr Duration kDropInterval = std::chrono::hours(1);

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

// USAGE-2. The integral of what is left of each moment's share.
double after(double used, double share, Duration time, Duration half_life) {
  if (time <= Duration()) return used;
  const double decay = seconds(time) / seconds(half_life) * std::numbers::ln2;
  return used * std::exp(-decay) -
         share * seconds(half_life) / std::numbers::ln2 * std::expm1(-decay);
}

}  // namespace

UsageTable::Slot UsageTable::find(std::string_view queue, std::string_view name_space) const {
  const auto of_queue = slots_.find(queue);
  if (of_queue == slots_.end()) return kNone;
  return value_or(of_queue->second, name_space, kNone);
}

double UsageTable::used(Slot slot, TimePoint now) const {
  if (slot == kNone) return 0;
  const UsageAccount& account = accounts_[slot];
  return after(account.used, account.share, now - account.since, half_life_);
}

UsageTable::Slot UsageTable::slot_of(std::string_view queue, std::string_view name_space) {
  if (const Slot known = find(queue, name_space); known != kNone) return known;
  Slot slot = static_cast<Slot>(accounts_.size());
  if (free_.empty()) {
    accounts_.emplace_back();
  } else {
    slot = free_.back();
    free_.pop_back();
  }
  accounts_[slot].queue = queue;
  accounts_[slot].name_space = name_space;
  slots_[std::string(queue)].emplace(name_space, slot);
  return slot;
}

void UsageTable::change(Slot slot, const Resources& allocated, int sign) {
  UsageAccount& account = accounts_[slot];
  sign > 0 ? account.allocated += allocated : account.allocated -= allocated;
  changed_.push_back(slot);
}

// USAGE-1, USAGE-3, USAGE-4
void UsageTable::count(JobId id, std::string_view queue, std::string_view name_space,
                       const Resources& allocated) {
  if (queue.empty()) return forget(id);
  if (id.index() >= jobs_.size()) jobs_.resize(id.index() + 1);
  OfJob& job = jobs_[id.index()];
  const bool is_here = job.user != kNone && accounts_[job.user].queue == queue &&
                       accounts_[job.user].name_space == name_space;
  if (is_here && job.allocated == allocated) return;
  leave(job);
  job = {slot_of(queue, {}), slot_of(queue, name_space), allocated};
  for (const Slot slot : {job.queue, job.user}) {
    ++accounts_[slot].jobs;
    change(slot, allocated, +1);
  }
}

void UsageTable::forget(JobId id) {
  if (id.index() < jobs_.size()) leave(jobs_[id.index()]);
}

void UsageTable::leave(OfJob& job) {
  for (const Slot slot : {job.queue, job.user}) {
    if (slot == kNone) continue;
    --accounts_[slot].jobs;
    change(slot, job.allocated, -1);
  }
  job = {};
}

double UsageTable::share_of(const Resources& allocated) const {
  double most = 0;
  for (std::size_t i = 0; i < allocated.extent(); ++i) {
    const Dimension d(i);
    if (total_[d] <= 0 || allocated[d] <= 0) continue;
    most = std::max(most, static_cast<double>(allocated[d]) / static_cast<double>(total_[d]));
  }
  return std::min(most, 1.0);
}

void UsageTable::bring_up_to_date(UsageAccount& account, TimePoint now) const {
  account.used = after(account.used, account.share, now - account.since, half_life_);
  account.since = now;
}

void UsageTable::pass(const Resources& total, TimePoint now) {
  if (!(total_ == total)) {
    total_ = total;
    changed_.clear();
    for (Slot slot = 0; slot < accounts_.size(); ++slot) changed_.push_back(slot);
  }
  for (const Slot slot : std::exchange(changed_, {})) {
    UsageAccount& account = accounts_[slot];
    const double share = share_of(account.allocated);
    if (share == account.share) continue;
    bring_up_to_date(account, now);
    account.share = share;
  }
  if (now >= drops_at_) drop_the_forgotten(now);
}

// USAGE-5
void UsageTable::raise(std::string_view queue, std::string_view name_space, double used,
                       TimePoint at, TimePoint now) {
  UsageAccount& account = accounts_[slot_of(queue, name_space)];
  bring_up_to_date(account, now);
  account.used = std::max(account.used, after(used, 0, now - at, half_life_));
}

// USAGE-6
void UsageTable::drop_the_forgotten(TimePoint now) {
  drops_at_ = now + kDropInterval;
  std::vector<std::pair<double, Slot>> idle;
  for (Slot slot = 0; slot < accounts_.size(); ++slot) {
    if (accounts_[slot].queue.empty() || accounts_[slot].jobs > 0) continue;
    idle.emplace_back(used(slot, now), slot);
  }
  std::sort(idle.begin(), idle.end(), std::greater<>());
  while (!idle.empty() && (idle.size() > kIdleMost || idle.back().first < kForgotten)) {
    const Slot slot = idle.back().second;
    idle.pop_back();
    const auto of_queue = slots_.find(accounts_[slot].queue);
    of_queue->second.erase(accounts_[slot].name_space);
    if (of_queue->second.empty()) slots_.erase(of_queue);
    accounts_[slot] = {};
    free_.push_back(slot);
  }
}

}  // namespace berth
