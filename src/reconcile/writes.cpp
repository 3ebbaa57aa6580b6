#include "reconcile/writes.h"

#include <algorithm>

#include "berth/base/check.h"

namespace berth::reconcile {

namespace {

using WriteResult = ports::WriteOutcome::Result;

constexpr Duration kFirst = std::chrono::milliseconds(200);
constexpr std::int32_t kDoublings = 8;
constexpr std::int32_t kEventAttempts = 6;
constexpr std::int32_t kEvictionAttempts = 12;  // within two minutes: a server may restart
constexpr Duration kKept = std::chrono::minutes(1);
constexpr Duration kLogInterval = std::chrono::seconds(10);

Writes::Kind kind_of(Aspect aspect) {
  switch (aspect) {
    case Aspect::steering:
      return Writes::Kind::steering;
    case Aspect::eviction:
      return Writes::Kind::eviction;
    case Aspect::event:
      return Writes::Kind::event;
    case Aspect::group_status:
    case Aspect::queue_status:
    case Aspect::lock:
    case Aspect::marks:
    case Aspect::condition:
    case Aspect::group_spec:
      return Writes::Kind::status;
  }
  return Writes::Kind::status;
}

bool is_sent_once(Aspect aspect) { return aspect == Aspect::event || aspect == Aspect::eviction; }

Duration back_off(std::int32_t failures, Duration most) {
  return std::min(most, kFirst * (1 << std::min(failures - 1, kDoublings)));
}

}  // namespace

Aspect aspect_of(const ports::Content& content) { return static_cast<Aspect>(content.index()); }

std::optional<Duration> retry_delay(Aspect aspect, const ports::WriteOutcome& outcome,
                                    std::int32_t failures) {
  constexpr Duration kMost = std::chrono::seconds(30);
  constexpr Duration kMostOfSteering = std::chrono::seconds(10);
  const Duration asked = outcome.retry_after.value_or(Duration());
  const bool is_for_now =
      outcome.result == WriteResult::failed || outcome.result == WriteResult::conflict;
  switch (kind_of(aspect)) {
    case Writes::Kind::steering:  // WRITE-3
      return std::min(kMostOfSteering, std::max(asked, back_off(failures, kMostOfSteering)));
    case Writes::Kind::status:  // WRITE-4
      if (outcome.result == WriteResult::refused) return std::nullopt;
      return std::max(asked, back_off(failures, kMost));
    case Writes::Kind::event:  // WRITE-5
      if (!is_for_now || failures >= kEventAttempts) return std::nullopt;
      return std::max(asked, back_off(failures, kMost));
    case Writes::Kind::eviction:
      if (!is_for_now || failures >= kEvictionAttempts) return std::nullopt;
      return std::max(asked, back_off(failures, kMost));
  }
  return std::nullopt;
}

bool is_believed(const Ended& ended) {
  return ended.is(WriteResult::done) || ended.is(WriteResult::gone) ||
         ended.is(WriteResult::refused);
}

std::optional<EvictionRefused> refused_eviction(const Ended& ended) {
  const bool is_under_way = ended.is(WriteResult::done) || ended.is(WriteResult::gone);
  if (is_under_way || aspect_of(ended.write.content) != Aspect::eviction) return std::nullopt;
  return EvictionRefused{ended.write.object.uid, ended.outcome.error};
}

void Writes::start_leading(std::uint64_t epoch) {
  stop_leading();
  epoch_ = epoch;
}

// WRITE-6
void Writes::stop_leading() {
  epoch_ = 0;
  attempts_.clear();
  under_way_.clear();
  const std::lock_guard lock(mutex_);
  for (Counters& counters : counters_) counters.pending = 0;
}

bool Writes::may_begin(const ports::ObjectRef& object, Aspect aspect, TimePoint now) const {
  const auto found = attempts_.find({object.uid, aspect});
  return found == attempts_.end() ||
         (!found->second.is_under_way && now >= found->second.not_before);
}

bool Writes::is_pending(const ports::ObjectRef& object, Aspect aspect) const {
  const auto found = attempts_.find({object.uid, aspect});
  return found != attempts_.end() && found->second.is_pending;
}

std::uint64_t Writes::begin(ports::ObjectRef object, ports::Content content, TimePoint now) {
  BERTH_CHECK(leads());
  const Aspect aspect = aspect_of(content);
  const std::uint64_t number = ++number_;
  Key key{object.uid, aspect};
  if (aspect == Aspect::event) {
    key.uid += "#" + std::to_string(number);
  } else {
    BERTH_CHECK(may_begin(object, aspect, now));
  }
  const auto entry = attempts_.try_emplace(std::move(key)).first;
  Attempt& attempt = entry->second;
  attempt.write = {std::move(object), std::move(content), epoch_, number};
  under_way_.emplace(number, entry->first);
  set_pending(attempt, true);
  send(attempt);
  return number;
}

void Writes::send(Attempt& attempt) {
  attempt.is_under_way = true;
  parts_.writer.write(attempt.write, [answer = parts_.answer,
                                      number = attempt.write.number](ports::WriteOutcome outcome) {
    answer({number, std::move(outcome)});
  });
}

std::optional<Ended> Writes::take(const ports::WriteAnswer& answer, TimePoint now) {
  const auto number = under_way_.find(answer.number);
  if (number == under_way_.end()) return std::nullopt;
  const auto found = attempts_.find(number->second);
  const Aspect aspect = found->first.aspect;
  Attempt& attempt = found->second;
  attempt.is_under_way = false;
  Ended ended{attempt.write, answer.outcome};
  if (ended.is(WriteResult::done) || ended.is(WriteResult::gone)) {
    under_way_.erase(number);
    set_pending(attempt, false);
    attempt.failures = 0;
    // The watch is only a little behind: it will show that the object is gone.
    attempt.not_before = ended.is(WriteResult::gone) ? now + kKept : TimePoint();
    if (ended.is(WriteResult::done) || is_sent_once(aspect)) attempts_.erase(found);
    return ended;
  }
  ++attempt.failures;
  const auto delay = retry_delay(aspect, answer.outcome, attempt.failures);
  if (!ended.is(WriteResult::conflict)) {
    count(aspect, &Counters::failures, 1);
    log_failure(attempt, answer.outcome, delay.has_value(), now);
  }
  if (delay) attempt.not_before = now + *delay;
  if (delay && is_sent_once(aspect)) return std::nullopt;
  under_way_.erase(number);
  if (delay) return ended;
  count(aspect, &Counters::given_up, 1);
  set_pending(attempt, false);
  attempts_.erase(found);
  return ended;
}

void Writes::doubt_watches(TimePoint now) {
  if (now - doubted_at_ < kSeenWithin) return;
  doubted_at_ = now;
  parts_.doubt_watches();
}

void Writes::settle(const ports::ObjectRef& object, Aspect aspect) {
  const auto found = attempts_.find({object.uid, aspect});
  if (found == attempts_.end() || found->second.is_under_way) return;
  set_pending(found->second, false);
  attempts_.erase(found);
}

void Writes::repeat(TimePoint now) {
  for (auto next = attempts_.begin(); next != attempts_.end();) {
    const auto entry = next++;
    auto& [key, attempt] = *entry;
    if (attempt.is_under_way || now < attempt.not_before) continue;
    if (is_sent_once(key.aspect)) {
      send(attempt);
    } else if (now - attempt.not_before >= kKept) {  // nobody wants it any more
      set_pending(attempt, false);
      attempts_.erase(entry);
    }
  }
}

// A server that is away fails everything at once: one line in ten seconds says so.
void Writes::log_failure(const Attempt& attempt, const ports::WriteOutcome& outcome,
                         bool is_repeated, TimePoint now) {
  const std::string& error = outcome.error;
  if (!is_repeated) return parts_.log(error + (attempt.failures > 1 ? "; given up" : ""));
  const bool is_first_eviction =
      aspect_of(attempt.write.content) == Aspect::eviction && attempt.failures == 1;
  if (!is_first_eviction && logged_at_ && now - *logged_at_ < kLogInterval) {
    ++unlogged_;
    return;
  }
  std::string line = error + "; tried again";
  if (unlogged_ > 0)
    line += "; " + std::to_string(unlogged_) + " more failures since the last line";
  logged_at_ = now;
  unlogged_ = 0;
  parts_.log(line);
}

void Writes::set_pending(Attempt& attempt, bool is_pending) {
  if (attempt.is_pending == is_pending) return;
  attempt.is_pending = is_pending;
  count(aspect_of(attempt.write.content), &Counters::pending, is_pending ? 1 : -1);
}

void Writes::count(Aspect aspect, std::uint64_t Counters::*counter, std::int64_t by) {
  const std::lock_guard lock(mutex_);
  counters_[static_cast<std::size_t>(kind_of(aspect))].*counter += static_cast<std::uint64_t>(by);
}

Writes::Counters Writes::counters(Kind kind) const {
  const std::lock_guard lock(mutex_);
  return counters_[static_cast<std::size_t>(kind)];
}

}  // namespace berth::reconcile
