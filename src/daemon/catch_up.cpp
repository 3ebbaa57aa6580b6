#include "daemon/catch_up.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "berth/base/text.h"

namespace berth::daemon {

namespace {

constexpr Duration kLongest = std::chrono::seconds(10);
constexpr Duration kAskAgain = std::chrono::milliseconds(500);
constexpr Duration kDoubtAgain = std::chrono::seconds(3);

}  // namespace

// The answer, which may come when nobody waits for it any more.
struct CatchUp::Mailbox {
  std::mutex mutex;
  bool has_come = false;
  std::optional<std::set<std::string>> uids;
};

bool CatchUp::has_ended(std::uint64_t epoch, const IsBound& is_bound, TimePoint now) {
  if (parts_.pods == nullptr) return true;
  if (!is_open_ || epoch != epoch_) begin(epoch, now);
  take_answer(now);
  if (missing_) std::erase_if(*missing_, is_bound);
  const Duration since_begun = now - begun_at_;
  const bool is_late = since_begun >= kLongest;
  // While pods are missing, no proof was enough, and the next watch may be dead as well.
  const bool are_waited_for = missing_ && !missing_->empty() && !is_late;
  const Duration proved_within = are_waited_for ? Duration() : std::min(since_begun, kLongest);
  const ports::Behind behind = parts_.behind(proved_within);
  if (now >= doubt_at_) doubt_silence(proved_within, now);
  const bool is_complete = missing_ && missing_->empty() && behind.is_empty();
  is_open_ = !is_complete && !(is_late && may_go_on_without(behind));
  return !is_open_;
}

bool CatchUp::may_go_on_without(const ports::Behind& behind) {
  const bool may = behind.required.empty();
  if (may) {
    parts_.log(what_is_missing(behind) + "; sessions begin");
  } else if (!std::exchange(has_logged_, true)) {
    parts_.log(first_names(behind.required) + " could not be listed or watched again within " +
               format_duration(kLongest) + "; no session begins before that");
  }
  return may;
}

std::string CatchUp::what_is_missing(const ports::Behind& behind) const {
  const std::string limit = " within " + format_duration(kLongest);
  if (!missing_) return "the pods that were just bound could not be read";
  if (missing_->empty()) {
    return first_names(behind.optional) + " could not be listed or watched again" + limit;
  }
  return "the watches are behind: they have not shown the binding of " +
         std::to_string(missing_->size()) + " pods" + limit;
}

void CatchUp::begin(std::uint64_t epoch, TimePoint now) {
  is_open_ = true;
  epoch_ = epoch;
  begun_at_ = now;
  has_logged_ = false;
  missing_.reset();
  doubt_silence({}, now);
  ask(now);
}

void CatchUp::doubt_silence(Duration proved_within, TimePoint now) {
  doubt_at_ = now + kDoubtAgain;
  parts_.doubt_silence(proved_within);
}

void CatchUp::ask(TimePoint now) {
  ask_at_ = now + kAskAgain;
  mailbox_ = std::make_shared<Mailbox>();
  parts_.pods->read([mailbox = mailbox_, wake = parts_.wake](auto uids) {
    {
      const std::lock_guard lock(mailbox->mutex);
      mailbox->has_come = true;
      mailbox->uids = std::move(uids);
    }
    wake();
  });
}

// Asked again and again: a pod that has gone is never shown as bound.
void CatchUp::take_answer(TimePoint now) {
  if (mailbox_ == nullptr) {
    if (now >= ask_at_) ask(now);
    return;
  }
  {
    const std::lock_guard lock(mailbox_->mutex);
    if (!mailbox_->has_come) return;
    std::optional<std::set<std::string>>& uids = mailbox_->uids;
    if (missing_ && uids) {
      std::erase_if(*missing_, [&](const std::string& uid) { return !uids->contains(uid); });
    } else if (uids) {
      missing_ = std::move(uids);
    }
  }
  mailbox_ = nullptr;
}

}  // namespace berth::daemon
