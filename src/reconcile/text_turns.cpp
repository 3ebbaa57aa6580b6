#include "reconcile/text_turns.h"

namespace berth::reconcile {

void TextTurns::want(JobId job, TimePoint at) {
  const auto [entry, is_new] = turns_.try_emplace(job, at);
  if (!is_new) {
    if (entry->second <= at) return;
    due_.erase({entry->second, job});
    entry->second = at;
  }
  due_.emplace(at, job);
}

std::optional<JobId> TextTurns::next(TimePoint now) {
  if (now - second_began_ >= std::chrono::seconds(1)) {
    second_began_ = now;
    left_ = kWritesASecond;
  }
  if (left_ <= 0 || due_.empty() || due_.begin()->first > now) return std::nullopt;
  const JobId job = due_.extract(due_.begin()).value().second;
  turns_.erase(job);
  return job;
}

}  // namespace berth::reconcile
