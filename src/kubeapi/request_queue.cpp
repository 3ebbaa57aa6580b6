#include "kubeapi/request_queue.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "berth/base/text.h"

namespace berth::kubeapi {

namespace {

Response no_answer(std::string error) {
  Response response;
  response.error = std::move(error);
  return response;
}

}  // namespace

// Collects one body. It holds the queue weakly, because an exchange may outlive it in a slow
// transport.
class RequestQueue::Answer final : public AnswerSink {
 public:
  Answer(std::weak_ptr<RequestQueue> queue, std::uint64_t id, Format format, std::size_t body_max)
      : queue_(std::move(queue)), id_(id), format_(format), body_max_(body_max) {}

  void head(const AnswerHead& head) override {
    const std::lock_guard lock(mutex_);
    response_.status = head.status;
    response_.retry_after = head.retry_after;
    if (is_foreign(head, format_)) foreign_type_ = head.content_type;
  }

  void body(std::string_view bytes, std::function<void(bool)> resume) override {
    bool fits = false;
    {
      const std::lock_guard lock(mutex_);
      fits = response_.body.size() + bytes.size() <= body_max_;
      if (fits) response_.body += bytes;
    }
    resume(fits);
  }

  void end(const std::string& error) override {
    Response response;
    std::string foreign_type;
    {
      const std::lock_guard lock(mutex_);
      response = std::move(response_);
      foreign_type = std::move(foreign_type_);
    }
    if (!error.empty()) {
      response = no_answer(error);
    } else if (!foreign_type.empty()) {
      response = no_answer(not_expected(format_, foreign_type, response.body));
    }
    if (response.status == 0 && response.error.empty()) response.error = "no answer";
    if (const auto queue = queue_.lock()) queue->finish(id_, std::move(response), true);
  }

 private:
  const std::weak_ptr<RequestQueue> queue_;
  const std::uint64_t id_;
  const Format format_;
  const std::size_t body_max_;
  std::mutex mutex_;  // head and body come from different threads of the transport
  Response response_;
  std::string foreign_type_;  // of a success in another format
};

RequestQueue::RequestQueue(Transport& transport, const RestOptions& options, Pulse& pulse)
    : transport_(transport),
      server_(transport.server()),
      options_(options),
      pulse_(pulse),
      bucket_(options.qps, options.burst) {}

void RequestQueue::start() {
  thread_ = std::thread([this] { run(); });
}

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

void RequestQueue::finish(std::uint64_t id, Response response, bool is_over) {
  pulse_.note(response.status);
  const bool is_outdated = response.error == kTermIsOver;
  if (!response.error.empty()) response.error = server_ + ": " + response.error;
  std::unique_lock lock(mutex_);
  const auto found = flying_.find(id);
  if (found == flying_.end()) return;
  const Done done = std::exchange(found->second.done, nullptr);
  if (is_over) {
    if (found->second.is_counted) --counted_;
    flying_.erase(found);
    changed_.notify_all();
  }
  if (!done) return;
  if (is_outdated) ++counters_.outdated;
  if (response.status == 0 && !is_outdated) ++counters_.failed;
  if (response.status == 429) ++counters_.throttled;
  call(lock, done, std::move(response));
}

void RequestQueue::launch(std::unique_lock<std::mutex>& lock, Waiting waiting, bool is_counted) {
  const std::uint64_t id = next_id_++;
  Flying flying;
  flying.done = std::move(waiting.done);
  flying.allowed = waiting.request.deadline;
  flying.deadline = clock_.now() + waiting.request.deadline;
  flying.is_counted = is_counted;
  flying.needs_term = needs_term(waiting.request);
  flying_.emplace(id, std::move(flying));
  if (is_counted) ++counted_;
  ++counters_.sent;
  lock.unlock();
  auto answer =
      std::make_shared<Answer>(weak_from_this(), id, waiting.request.format, options_.body_max);
  auto exchange = transport_.start(waiting.request, Transport::Lane::unary, std::move(answer));
  lock.lock();
  const auto found = flying_.find(id);
  if (found == flying_.end()) return;
  found->second.exchange = exchange;
  if (!found->second.is_cancelled) return;
  lock.unlock();
  exchange->cancel();
  lock.lock();
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

// API-11: the caller gets an answer at the deadline, even if the connection is slow to close.
bool RequestQueue::expire(std::unique_lock<std::mutex>& lock) {
  const TimePoint now = clock_.now();
  for (auto& [id, flying] : flying_) {
    if (flying.is_cancelled || flying.exchange == nullptr || flying.deadline > now) continue;
    flying.is_cancelled = true;
    const auto exchange = flying.exchange;
    const std::uint64_t expired = id;
    const std::string error = "no answer within " + format_duration(flying.allowed);
    lock.unlock();
    finish(expired, no_answer(error), false);
    exchange->cancel();
    lock.lock();
    return true;  // the map may have changed
  }
  return false;
}

Duration RequestQueue::time_to_wait() const {
  const TimePoint now = clock_.now();
  Duration wait = std::chrono::hours(1);
  for (const auto& [id, flying] : flying_) {
    if (!flying.is_cancelled) wait = std::min(wait, Duration(flying.deadline - now));
  }
  const bool has_room = counted_ < std::max(1, options_.max_in_flight);
  if ((!waiting_.empty() || !patient_.empty()) && has_room)
    wait = std::min(wait, bucket_.wait(now));
  return std::max(wait, Duration(std::chrono::microseconds(100)));
}

void RequestQueue::run() {
  std::unique_lock lock(mutex_);
  while (!is_stopping_) {
    if (expire(lock) || start_next(lock)) continue;
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
  const auto is_open = [](const auto& entry) {
    return entry.second.needs_term && !entry.second.is_cancelled;
  };
  changed_.wait_for(lock, patience, [&] {
    return is_stopping_ || std::none_of(flying_.begin(), flying_.end(), is_open);
  });
  std::vector<std::pair<std::uint64_t, std::shared_ptr<Exchange>>> open;
  for (auto& entry : flying_) {
    if (!is_open(entry)) continue;
    entry.second.is_cancelled = true;
    open.emplace_back(entry.first, entry.second.exchange);
  }
  lock.unlock();
  for (const auto& [id, exchange] : open) {
    finish(id, no_answer(kTermIsOver), false);
    if (exchange) exchange->cancel();
  }
}

void RequestQueue::stop() {
  std::deque<Waiting> unsent;
  std::vector<std::pair<std::uint64_t, std::shared_ptr<Exchange>>> running;
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
    for (auto& [id, flying] : flying_) running.emplace_back(id, flying.exchange);
  }
  for (const Waiting& waiting : unsent) {
    if (waiting.done) waiting.done(no_answer("the client was stopped"));
  }
  for (const auto& [id, exchange] : running) {
    finish(id, no_answer("the client was stopped"), false);
    if (exchange) exchange->cancel();
  }
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, kEndMax, [&] { return flying_.empty(); });
  changed_.wait(lock, [&] { return calling_ == 0; });
}

RestCounters RequestQueue::counters() const {
  const std::lock_guard lock(mutex_);
  RestCounters counters = counters_;
  counters.queued = urgent_.size() + waiting_.size() + patient_.size();
  counters.in_flight = flying_.size();
  return counters;
}

}  // namespace berth::kubeapi
