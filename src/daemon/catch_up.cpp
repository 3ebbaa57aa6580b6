#include "daemon/catch_up.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "berth/base/text.h"

namespace berth::daemon {

namespace {

constexpr Duration kLongest = std::chrono::seconds(10);
constexpr Duration kAskAgain = std::chrono::milliseconds(500);

}  // namespace

// The answer, which may come when nobody waits for it any more.
struct CatchUp::Mailbox {
  std::mutex mutex;
  bool has_come = false;
  std::optional<std::vector<ports::PendingPod>> pods;
};

bool CatchUp::has_ended(std::uint64_t epoch, const Seen& seen, Time now) {
  if (parts_.pods == nullptr) return true;
  if (!is_open_ || epoch != epoch_) begin(epoch, seen, now);
  if (!is_answered_) take_answer(now);
  if (is_answered_) {
    std::erase_if(to_be_bound_, [&](const std::string& uid) { return seen.is_bound(uid); });
    std::erase_if(to_leave_, [&](const std::string& uid) { return !seen.is_waiting(uid); });
  }
  const std::size_t missing = to_be_bound_.size() + to_leave_.size();
  const bool is_late = now - begun_at_ >= kLongest;
  if (is_late) {
    parts_.log(is_answered_ ? "the watches are behind: they have not shown the change of " +
                                  std::to_string(missing) + " pods within " +
                                  format_duration(kLongest) + "; sessions begin"
                            : "the pending pods could not be read; sessions begin");
  }
  is_open_ = !is_late && (!is_answered_ || missing > 0);
  return !is_open_;
}

void CatchUp::begin(std::uint64_t epoch, const Seen& seen, Time now) {
  is_open_ = true;
  epoch_ = epoch;
  begun_at_ = now;
  is_answered_ = false;
  waiting_ = seen.waiting();
  to_be_bound_.clear();
  to_leave_.clear();
  ask(now);
}

void CatchUp::ask(Time now) {
  ask_at_ = now + kAskAgain;
  mailbox_ = std::make_shared<Mailbox>();
  parts_.pods->read([mailbox = mailbox_, wake = parts_.wake](auto pods) {
    {
      const std::lock_guard lock(mailbox->mutex);
      mailbox->has_come = true;
      mailbox->pods = std::move(pods);
    }
    wake();
  });
}

void CatchUp::take_answer(Time now) {
  if (mailbox_ == nullptr) {
    if (now >= ask_at_) ask(now);
    return;
  }
  std::optional<std::vector<ports::PendingPod>> pods;
  {
    const std::lock_guard lock(mailbox_->mutex);
    if (!mailbox_->has_come) return;
    pods = std::move(mailbox_->pods);
  }
  mailbox_ = nullptr;
  if (!pods) return;
  is_answered_ = true;
  to_leave_ = std::move(waiting_);
  for (const ports::PendingPod& pod : *pods) {
    const auto& ours = parts_.schedulers;
    if (std::find(ours.begin(), ours.end(), pod.scheduler) == ours.end()) continue;
    if (pod.node.empty()) {
      to_leave_.erase(pod.uid);
    } else {
      to_be_bound_.insert(pod.uid);
    }
  }
}

}  // namespace berth::daemon
