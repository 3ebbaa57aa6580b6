#include "extender/attempt_log.h"

#include <algorithm>

namespace berth::extender {

namespace {

// kube-scheduler may have been killed in the middle: an attempt that is older is over.
constexpr Duration kAttemptMost = std::chrono::seconds(30);
constexpr std::size_t kFewAttempts = 1024;

}  // namespace

void AttemptLog::begun(const std::string& pod_uid) {
  const TimePoint now = clock_.now();
  const std::lock_guard lock(mutex_);
  begun_[pod_uid] = now;
  if (begun_.size() > std::max(kFewAttempts, 2 * looked_at_)) forget_old(now);
}

void AttemptLog::ended(const std::string& pod_uid) {
  const std::lock_guard lock(mutex_);
  begun_.erase(pod_uid);
}

ports::Attempts::Stage AttemptLog::of(const std::string& pod_uid) const {
  const Stage calls = barrier_.stage_of(pod_uid);
  if (calls != Stage::none) return calls;
  const TimePoint now = clock_.now();
  const std::lock_guard lock(mutex_);
  const auto found = begun_.find(pod_uid);
  const bool is_open = found != begun_.end() && now - found->second < kAttemptMost;
  return is_open ? Stage::open : Stage::none;
}

void AttemptLog::forget_old(TimePoint now) {
  std::erase_if(begun_, [now](const auto& each) { return now - each.second >= kAttemptMost; });
  looked_at_ = begun_.size();
}

}  // namespace berth::extender
