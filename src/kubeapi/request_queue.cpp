#include "kubeapi/request_queue.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

namespace berth::kubeapi {

namespace {

constexpr const char* kGivenUp = "given up";

void refuse(const RequestQueue::Done& done, const char* why) {
  if (done) done({.error = why});
}

}  // namespace

std::uint64_t RequestQueue::send(Request request, Done done) {
  const std::uint64_t ticket = ++last_ticket_;
  if (is_stopping_) {
    refuse(done, kStopped);
    return ticket;
  }
  Line& line = request.urgent ? urgent_ : request.can_wait ? patient_ : waiting_;
  line.push_back({std::move(request), std::move(done), ticket});
  start();
  return ticket;
}

// API-2: an answer that does not come may be that of a dead connection.
void RequestQueue::give_up(std::uint64_t ticket) {
  for (Line* line : {&urgent_, &waiting_, &patient_}) {
    const auto found = std::find_if(line->begin(), line->end(),
                                    [&](const Waiting& each) { return each.ticket == ticket; });
    if (found == line->end()) continue;
    const Done done = std::move(found->done);
    line->erase(found);
    return refuse(done, kGivenUp);
  }
  for (const auto& [id, flying] : flying_) {
    if (flying.ticket == ticket) return transport_.cancel(id, kGivenUp);
  }
}

void RequestQueue::start() {
  while (start_next()) {
  }
}

// API-10: urgent requests first; the others by the rate limit and the cap, those that can wait
// last.
bool RequestQueue::start_next() {
  const bool is_urgent = !urgent_.empty();
  Line& line = is_urgent ? urgent_ : waiting_.empty() ? patient_ : waiting_;
  if (line.empty()) return false;
  if (!is_urgent && !may_be_sent(line.front().request, options_.leadership)) {
    ++counters_.outdated;
    const Done done = std::move(line.front().done);
    line.pop_front();
    refuse(done, kTermIsOver);
    return true;
  }
  if (!is_urgent && counted_ >= std::max(1, options_.max_in_flight)) return false;
  if (!is_urgent && !bucket_.take(executor_.now())) {
    if (std::exchange(is_waking_, true)) return false;
    executor_.after(bucket_.wait(executor_.now()), [this] {
      is_waking_ = false;
      start();
    });
    return false;
  }
  Waiting next = std::move(line.front());
  line.pop_front();
  launch(std::move(next), !is_urgent);
  return true;
}

void RequestQueue::launch(Waiting waiting, bool is_counted) {
  const std::uint64_t id = ++last_id_;
  flying_.emplace(
      id, Flying{std::move(waiting.done), is_counted, needs_term(waiting.request), waiting.ticket});
  if (is_counted) ++counted_;
  ++counters_.sent;
  transport_.start(id, waiting.request, [this, id](Response response) {
    pulse_.note(response.status);
    executor_.post(
        [this, id, response = std::move(response)]() mutable { finish(id, std::move(response)); });
  });
}

void RequestQueue::finish(std::uint64_t id, Response response) {
  const bool is_outdated = response.error == kTermIsOver;
  if (!response.error.empty()) response.error = transport_.server() + ": " + response.error;
  const Flying flown = std::move(flying_.extract(id).mapped());
  if (flown.is_counted) --counted_;
  if (is_outdated) ++counters_.outdated;
  if (response.status == 0 && !is_outdated) ++counters_.failed;
  if (response.status == 429) ++counters_.throttled;
  if (flown.done) flown.done(std::move(response));
  start();
  if (writes_ended_ && !has_writes()) std::exchange(writes_ended_, nullptr)();
  if (stopped_ && flying_.empty()) std::exchange(stopped_, nullptr)();
}

// LEASE-7
void RequestQueue::end_writes(Duration patience, std::function<void()> ended) {
  const auto is_write = [](const Waiting& each) { return needs_term(each.request); };
  for (Line* line : {&waiting_, &patient_}) {
    const auto writes = std::stable_partition(line->begin(), line->end(), std::not_fn(is_write));
    for (auto each = writes; each != line->end(); ++each) refuse(each->done, kTermIsOver);
    counters_.outdated += static_cast<std::uint64_t>(line->end() - writes);
    line->erase(writes, line->end());
  }
  last_write_ = std::numeric_limits<std::uint64_t>::max();
  if (!has_writes()) return ended();
  writes_ended_ = std::move(ended);
  executor_.after(patience, [this, number = ++ending_] {
    if (!writes_ended_ || number != ending_) return;
    last_write_ = last_id_;
    for (const auto& [id, flying] : flying_) {
      if (flying.needs_term) transport_.cancel(id, kTermIsOver);
    }
  });
}

bool RequestQueue::has_writes() const {
  return std::any_of(flying_.begin(), flying_.end(), [this](const auto& entry) {
    return entry.second.needs_term && entry.first <= last_write_;
  });
}

void RequestQueue::stop(std::function<void()> ended) {
  is_stopping_ = true;
  for (Line* line : {&urgent_, &waiting_, &patient_}) {
    for (const Waiting& each : std::exchange(*line, {})) refuse(each.done, kStopped);
  }
  if (flying_.empty()) return ended();
  stopped_ = std::move(ended);
  for (const auto& [id, flying] : flying_) transport_.cancel(id, kStopped);
}

RestCounters RequestQueue::counters() const {
  RestCounters counters = counters_;
  counters.queued = urgent_.size() + waiting_.size() + patient_.size();
  counters.in_flight = flying_.size();
  return counters;
}

}  // namespace berth::kubeapi
