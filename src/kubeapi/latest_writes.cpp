#include "kubeapi/latest_writes.h"

#include <algorithm>
#include <utility>

namespace berth::kubeapi {

LatestWrites::LatestWrites(RestClient& client, Timer& timer,
                           std::function<void(const std::string&)> complain)
    : state_(new State{client, timer, std::move(complain), {}, {}}) {}

void LatestWrites::put(const std::string& key, Request request) {
  {
    const std::lock_guard lock(state_->mutex);
    const auto [entry, is_new] = state_->writes.try_emplace(key);
    if (!is_new) {
      entry->second.next = std::move(request);
      return;
    }
    entry->second.current = request;
  }
  send(state_, key, std::move(request));
}

void LatestWrites::forget() {
  const std::lock_guard lock(state_->mutex);
  state_->writes.clear();
}

void LatestWrites::send(const std::shared_ptr<State>& state, const std::string& key,
                        Request request) {
  state->client.send(std::move(request),
                     [state, key](const Response& response) { on_answer(state, key, response); });
}

void LatestWrites::take_next(Write& write) {
  if (!write.next) return;
  write.current = std::move(*write.next);
  write.next.reset();
}

void LatestWrites::on_answer(const std::shared_ptr<State>& state, const std::string& key,
                             const Response& response) {
  constexpr Duration kFirst = std::chrono::milliseconds(200);
  constexpr Duration kMost = std::chrono::seconds(30);
  constexpr std::int32_t kDoublings = 8;
  constexpr int kNotFound = 404;
  std::unique_lock lock(state->mutex);
  const auto entry = state->writes.find(key);
  if (entry == state->writes.end()) return;
  Write& write = entry->second;
  const bool failed = is_retryable(response);
  if (!failed && !response.ok() && response.status != kNotFound) {
    state->complain(key + ": " + response.to_string());
  }
  if (!failed && !write.next) {
    state->writes.erase(entry);
    return;
  }
  take_next(write);
  Request request = write.current;
  if (!failed) {
    write.failures = 0;
    lock.unlock();
    return send(state, key, std::move(request));
  }
  const Duration delay =
      std::max(response.retry_after.value_or(Duration()),
               std::min(kMost, kFirst * (1 << std::min(write.failures, kDoublings))));
  ++write.failures;
  lock.unlock();
  // What is to be sent is looked up then: it may have been replaced.
  state->timer.after(delay, [state, key] {
    Request due;
    {
      const std::lock_guard locked(state->mutex);
      const auto found = state->writes.find(key);
      if (found == state->writes.end()) return;
      take_next(found->second);
      due = found->second.current;
    }
    send(state, key, std::move(due));
  });
}

}  // namespace berth::kubeapi
