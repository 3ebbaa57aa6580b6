#include "kubeapi/request_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "berth/base/thread_name.h"

namespace berth::kubeapi {

namespace {

Response no_answer(std::string error) {
  Response response;
  response.error = std::move(error);
  return response;
}

}  // namespace

RequestQueue::RequestQueue(Transport& transport, const RestOptions& options, Pulse& pulse)
    : transport_(transport),
      server_(transport.server()),
      options_(options),
      pulse_(pulse),
      bucket_(options.qps, options.burst),
      thread_([this] { run(); }) {}

void RequestQueue::send(Request request, Done done) {
  {
    const std::lock_guard lock(mutex_);
    if (!is_stopping_) {
      auto& queue = request.urgent ? urgent_ : request.can_wait ? patient_ : waiting_;
      queue.push_back({std::move(request), std::move(done)});
      changed_.notify_all();
      return;
    }
  }
  done(no_answer("the client was stopped"));
}

void RequestQueue::call(std::unique_lock<std::mutex>& lock, const Done& done, Response response) {
  ++calling_;
  lock.unlock();
  if (done) done(std::move(response));
  lock.lock();
  --calling_;
  changed_.notify_all();
}

void RequestQueue::finish(std::uint64_t id, Response response) {
  pulse_.note(response.status);
  const bool is_outdated = response.error == kTermIsOver;
  if (!response.error.empty()) response.error = server_ + ": " + response.error;
  std::unique_lock lock(mutex_);
  const Flying flown = std::move(flying_.extract(id).mapped());
  if (flown.is_counted) --counted_;
  if (is_outdated) ++counters_.outdated;
  if (response.status == 0 && !is_outdated) ++counters_.failed;
  if (response.status == 429) ++counters_.throttled;
  call(lock, flown.done, std::move(response));
}

void RequestQueue::launch(std::unique_lock<std::mutex>& lock, Waiting waiting, bool is_counted) {
  const std::uint64_t id = next_id_++;
  flying_.emplace(id, Flying{std::move(waiting.done), is_counted, needs_term(waiting.request)});
  if (is_counted) ++counted_;
  ++counters_.sent;
  is_launching_ = true;
  lock.unlock();
  transport_.start(id, waiting.request,
                   [this, id](Response response) { finish(id, std::move(response)); });
  lock.lock();
  is_launching_ = false;
  changed_.notify_all();
}

// API-10: urgent requests first; the others by the rate limit and the cap, those that can wait
// last.
bool RequestQueue::start_next(std::unique_lock<std::mutex>& lock) {
  if (is_stopping_) return false;
  if (!urgent_.empty()) {
    Waiting next = std::move(urgent_.front());
    urgent_.pop_front();
    launch(lock, std::move(next), false);
    return true;
  }
  auto& queue = waiting_.empty() ? patient_ : waiting_;
  if (!queue.empty() && !may_be_sent(queue.front().request, options_.leadership)) {
    const Done done = std::move(queue.front().done);
    queue.pop_front();
    ++counters_.outdated;
    call(lock, done, no_answer(kTermIsOver));
    return true;
  }
  if (queue.empty() || counted_ >= std::max(1, options_.max_in_flight)) return false;
  if (!bucket_.take(clock_.now())) return false;
  Waiting next = std::move(queue.front());
  queue.pop_front();
  launch(lock, std::move(next), true);
  return true;
}

Duration RequestQueue::time_to_wait() const {
  Duration wait = std::chrono::hours(1);
  const bool has_room = counted_ < std::max(1, options_.max_in_flight);
  if ((!waiting_.empty() || !patient_.empty()) && has_room) wait = bucket_.wait(clock_.now());
  return std::max(wait, Duration(std::chrono::microseconds(100)));
}

void RequestQueue::run() {
  name_thread("requests");
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (start_next(lock)) continue;
    const auto before = counters_.sent + counters_.failed;
    const bool was_empty = waiting_.empty() && patient_.empty();
    const int counted = counted_;
    changed_.wait_for(lock, time_to_wait(), [&] {
      const bool is_empty = waiting_.empty() && patient_.empty();
      return is_stopping_ || (was_empty && !is_empty) || !urgent_.empty() || counted_ != counted ||
             before != counters_.sent + counters_.failed;
    });
  }
}

void RequestQueue::discard_writes(std::unique_lock<std::mutex>& lock) {
  std::deque<Waiting> discarded;
  for (auto* queue : {&waiting_, &patient_}) {
    std::deque<Waiting> kept;
    for (Waiting& each : *queue) {
      (needs_term(each.request) ? discarded : kept).push_back(std::move(each));
    }
    *queue = std::move(kept);
  }
  counters_.outdated += discarded.size();
  for (const Waiting& each : discarded) call(lock, each.done, no_answer(kTermIsOver));
}

// LEASE-7
void RequestQueue::end_writes(Duration patience) {
  std::unique_lock lock(mutex_);
  discard_writes(lock);
  const auto is_open = [](const auto& entry) { return entry.second.needs_term; };
  changed_.wait_for(lock, patience, [&] {
    return is_stopping_ || std::none_of(flying_.begin(), flying_.end(), is_open);
  });
  changed_.wait(lock, [&] { return !is_launching_; });
  std::vector<std::uint64_t> open;
  for (const auto& [id, flying] : flying_) {
    if (flying.needs_term) open.push_back(id);
  }
  for (const std::uint64_t id : open) transport_.cancel(id, kTermIsOver);
  changed_.wait(lock, [&] {
    return std::none_of(open.begin(), open.end(), [&](auto id) { return flying_.contains(id); });
  });
}

void RequestQueue::stop() {
  std::deque<Waiting> unsent;
  {
    const std::lock_guard lock(mutex_);
    is_stopping_ = true;
    changed_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  {
    const std::lock_guard lock(mutex_);
    for (auto* queue : {&urgent_, &waiting_, &patient_}) {
      std::move(queue->begin(), queue->end(), std::back_inserter(unsent));
      queue->clear();
    }
  }
  for (const Waiting& waiting : unsent) {
    if (waiting.done) waiting.done(no_answer("the client was stopped"));
  }
  std::unique_lock lock(mutex_);
  for (const auto& [id, flying] : flying_) transport_.cancel(id, "the client was stopped");
  changed_.wait(lock, [&] { return flying_.empty() && calling_ == 0; });
}

RestCounters RequestQueue::counters() const {
  const std::lock_guard lock(mutex_);
  RestCounters counters = counters_;
  counters.queued = urgent_.size() + waiting_.size() + patient_.size();
  counters.in_flight = flying_.size();
  return counters;
}

}  // namespace berth::kubeapi
