#include "kubeapi/latest_writes.h"

#include <algorithm>
#include <utility>

namespace berth::kubeapi {

namespace {

constexpr Duration kFirst = std::chrono::milliseconds(200);
constexpr Duration kMost = std::chrono::seconds(30);
constexpr std::int32_t kDoublings = 8;
constexpr Duration kTellAgain = std::chrono::seconds(10);
constexpr std::int32_t kEventAttempts = 6;
// With Retry-After or without, a budget has minutes to allow it; who decided may decide anew then.
constexpr std::int32_t kEvictionAttempts = 12;
constexpr int kUnauthorized = 401;
constexpr int kForbidden = 403;
constexpr int kNotFound = 404;
constexpr int kConflict = 409;

// There is nothing to be written any more: the object is gone, or its namespace is going.
bool is_moot(const Response& response) {
  return response.status == kNotFound ||
         (response.status == kForbidden &&
          response.body.find("being terminated") != std::string::npos);
}

// API-22
bool is_to_be_repeated(WriteKind kind, bool is_amended, std::int32_t failures,
                       const Response& response) {
  if (is_amended && response.status == kConflict) return true;
  switch (kind) {
    case WriteKind::status:
      return is_retryable(response) || response.status == kUnauthorized ||
             response.status == kForbidden;
    case WriteKind::event:
      return is_retryable(response) && failures < kEventAttempts;
    case WriteKind::eviction:
      return is_retryable(response) && failures < kEvictionAttempts;
  }
  return false;
}

}  // namespace

const char* to_string(WriteKind kind) {
  switch (kind) {
    case WriteKind::status:
      return "status";
    case WriteKind::event:
      return "event";
    case WriteKind::eviction:
      return "eviction";
  }
  return "status";
}

LatestWrites::LatestWrites(RestClient& client, Timer& timer,
                           std::function<void(const std::string&)> complain)
    : state_(new State{client, timer, std::move(complain), {}, {}, {}, {}, {}, 0}) {}

void LatestWrites::put(WriteKind kind, const std::string& key, Request request, Amend amend,
                       Done done) {
  Errand errand{std::move(request), std::move(amend), std::move(done)};
  {
    const std::lock_guard lock(state_->mutex);
    const auto [entry, is_new] = state_->writes.try_emplace(key);
    if (!is_new) {
      entry->second.next = std::move(errand);
      return;
    }
    entry->second.kind = kind;
    entry->second.current = errand;
  }
  send(state_, key, std::move(errand));
}

void LatestWrites::forget() {
  const std::lock_guard lock(state_->mutex);
  state_->writes.clear();
}

WriteCounters LatestWrites::counters(WriteKind kind) const {
  const std::lock_guard lock(state_->mutex);
  WriteCounters counters = state_->counters[static_cast<std::size_t>(kind)];
  for (const auto& [key, write] : state_->writes) counters.owed += write.kind == kind ? 1 : 0;
  return counters;
}

void LatestWrites::send(const std::shared_ptr<State>& state, const std::string& key,
                        Errand errand) {
  if (errand.amend) return send_amended(state, key, std::move(errand));
  state->client.send(std::move(errand.request),
                     [state, key](const Response& response) { on_answer(state, key, response); });
}

// API-23
void LatestWrites::send_amended(const std::shared_ptr<State>& state, const std::string& key,
                                Errand errand) {
  Request reading;
  reading.path = errand.request.path;
  reading.can_wait = errand.request.can_wait;
  state->client.send(std::move(reading), [state, key, errand](const Response& seen) {
    std::optional<std::string> body = seen.ok() ? errand.amend(seen.body) : std::nullopt;
    if (!body) return on_answer(state, key, seen);
    Request writing = errand.request;
    writing.body = *std::move(body);
    send(state, key, {std::move(writing), nullptr, nullptr});
  });
}

// What is to be sent is looked up now: it may have been replaced since it failed.
void LatestWrites::send_due(const std::shared_ptr<State>& state, const std::string& key) {
  Errand due;
  {
    const std::lock_guard lock(state->mutex);
    const auto found = state->writes.find(key);
    if (found == state->writes.end()) return;
    take_next(found->second);
    due = found->second.current;
  }
  send(state, key, std::move(due));
}

void LatestWrites::take_next(Write& write) {
  if (!write.next) return;
  write.current = std::move(*write.next);
  write.next.reset();
}

// Empty: not worth a line now. A server that is away fails everything at once.
std::string LatestWrites::complaint_of(State& state, const std::string& key, const Write& write,
                                       const Response& response, bool is_given_up) {
  std::string text = key + ": " + response.to_string();
  if (is_given_up) return text + (write.failures > 1 ? "; given up" : "");
  const bool is_first_eviction = write.kind == WriteKind::eviction && write.failures == 1;
  const TimePoint now = state.clock.now();
  if (!is_first_eviction && state.told && now - *state.told < kTellAgain) {
    ++state.untold;
    return {};
  }
  text += "; tried again";
  if (state.untold > 0) text += ", " + std::to_string(state.untold) + " more failures untold";
  state.told = now;
  state.untold = 0;
  return text;
}

void LatestWrites::on_answer(const std::shared_ptr<State>& state, const std::string& key,
                             const Response& response) {
  std::unique_lock lock(state->mutex);
  const auto entry = state->writes.find(key);
  if (entry == state->writes.end()) return;
  Write& write = entry->second;
  WriteCounters& counters = state->counters[static_cast<std::size_t>(write.kind)];
  std::string complaint;
  std::optional<Duration> delay;
  if (response.ok() || is_moot(response)) {
    write.failures = 0;
  } else {
    ++write.failures;
    const bool is_overtaken = write.current.amend && response.status == kConflict;
    if (!is_overtaken) ++counters.failures;
    const bool is_repeated =
        is_to_be_repeated(write.kind, write.current.amend != nullptr, write.failures, response);
    if (!is_repeated) ++counters.given_up;
    if (!is_overtaken) complaint = complaint_of(*state, key, write, response, !is_repeated);
    if (is_repeated) {
      const Duration least = kFirst * (1 << std::min(write.failures - 1, kDoublings));
      delay = std::max(response.retry_after.value_or(Duration()), std::min(kMost, least));
    } else {
      write.failures = 0;
    }
  }
  using Result = ports::WriteOutcome::Result;
  const Done done = delay ? nullptr : std::exchange(write.current.done, nullptr);
  const bool has_next = write.next.has_value();
  if (!delay && !has_next) state->writes.erase(entry);
  lock.unlock();
  if (!complaint.empty()) state->complain(complaint);
  if (done) {
    const Result failed = is_moot(response) ? Result::gone : Result::failed;
    done({response.ok() ? Result::done : failed, response.to_string()});
  }
  if (delay) {
    state->timer.after(*delay, [state, key] { send_due(state, key); });
  } else if (has_next) {
    send_due(state, key);
  }
}

}  // namespace berth::kubeapi
