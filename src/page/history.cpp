#include "page/history.h"

#include <algorithm>
#include <bit>

namespace berth::page {

namespace {

constexpr Duration kMinute = std::chrono::minutes(1);
constexpr Duration kTen = std::chrono::minutes(10);

TimePoint begin_of(TimePoint at, Duration length) {
  return TimePoint(at.time_since_epoch() - at.time_since_epoch() % length);
}

// The span at this time, a new one if need be. A clock that steps back adds to the last one.
Span& span_at(std::deque<Span>& spans, TimePoint at, Duration length, std::size_t most) {
  const TimePoint begin = begin_of(at, length);
  if (spans.empty() || spans.back().begin < begin) {
    Span& span = spans.emplace_back();
    span.begin = begin;
    span.length = length;
  }
  while (spans.size() > most ||
         spans.front().begin + length * static_cast<std::int64_t>(most) <= begin) {
    spans.pop_front();
  }
  return spans.back();
}

void add_parts(UseSample::Parts& to, const UseSample::Parts& parts) {
  if (to.size() < parts.size()) to.resize(parts.size());
  for (std::size_t r = 0; r < parts.size(); ++r) to[r] += parts[r];
}

// PAGE-7
void join_small_queues(UseSample& sample) {
  const auto largest = [](const UseSample::Parts& parts) {
    return parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end());
  };
  std::stable_sort(sample.queues.begin(), sample.queues.end(),
                   [&](const auto& left, const auto& right) {
                     return largest(left.second) > largest(right.second);
                   });
  if (sample.queues.size() <= History::kQueues) return;
  std::pair<std::string, UseSample::Parts> others{History::kOthers, {}};
  for (std::size_t q = History::kQueues; q < sample.queues.size(); ++q) {
    add_parts(others.second, sample.queues[q].second);
  }
  sample.queues.resize(History::kQueues);
  sample.queues.push_back(std::move(others));
}

void add_to(Span& span, const SessionRecord& session) {
  ++span.sessions;
  span.took += session.took;
  span.longest = std::max(span.longest, session.took);
  for (const auto& [action, took] : session.actions) span.actions[action] += took;
  span.binds += session.binds;
  span.admitted += session.admitted;
  span.started += session.waits.size();
  for (const Duration wait : session.waits) ++span.waits[class_of_wait(wait)];
  span.waiting_jobs = std::max(span.waiting_jobs, session.waiting_jobs);
  span.waiting_pods = std::max(span.waiting_pods, session.waiting_pods);
}

// Other resources than before: the sums begin again. Of so many queues the names are kept in one
// span, whatever comes and goes in it.
void add_to(Span& span, const UseSample& sample) {
  if (span.resources != sample.resources) {
    span.resources = sample.resources;
    span.samples = 0;
    span.used.clear();
    span.queues.clear();
  }
  ++span.samples;
  add_parts(span.used, sample.all);
  for (const auto& [queue, parts] : sample.queues) {
    const bool is_known = span.queues.contains(queue);
    const bool fits = is_known || span.queues.size() < 2 * History::kQueues;
    add_parts(span.queues[fits ? queue : History::kOthers], parts);
  }
}

}  // namespace

std::size_t class_of_wait(Duration wait) {
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(wait).count();
  if (seconds <= 1) return 0;
  const auto width = std::bit_width(static_cast<std::uint64_t>(seconds - 1));
  return std::min(static_cast<std::size_t>(width), kWaitClasses - 1);
}

template <class Add>
void History::add_to_spans(TimePoint at, const Add& add_to_one) {
  for (auto& [spans, length, most] :
       {std::tuple(&minutes_, kMinute, kMinutes), std::tuple(&tens_, kTen, kTens)}) {
    Span& span = span_at(*spans, at, length, most);
    add_to_one(span);
    span.version = version_;
  }
}

void History::add(const SessionRecord& session) {
  const std::lock_guard lock(mutex_);
  ++version_;
  ++session_count_;
  sessions_.push_back({version_, session});
  if (sessions_.size() > kSessions) sessions_.pop_front();
  add_to_spans(session.at, [&](Span& span) { add_to(span, session); });
}

void History::add(TimePoint at, UseSample sample) {
  join_small_queues(sample);
  const std::lock_guard lock(mutex_);
  ++version_;
  add_to_spans(at, [&](Span& span) { add_to(span, sample); });
}

void History::add(EvictionRecord eviction) {
  const std::lock_guard lock(mutex_);
  ++version_;
  ++eviction_count_;
  const TimePoint at = eviction.at;
  evictions_.push_back({version_, std::move(eviction)});
  if (evictions_.size() > kEvictions) evictions_.pop_front();
  add_to_spans(at, [](Span& span) { ++span.evictions; });
}

History::News History::since(std::uint64_t version) const {
  const std::lock_guard lock(mutex_);
  News news;
  news.version = version_;
  news.first_session = session_count_ - sessions_.size() + 1;
  news.first_eviction = eviction_count_ - evictions_.size() + 1;
  for (std::size_t i = 0; i < sessions_.size(); ++i) {
    if (sessions_[i].version <= version) continue;
    news.sessions.emplace_back(news.first_session + i, sessions_[i].value);
  }
  for (std::size_t i = 0; i < evictions_.size(); ++i) {
    if (evictions_[i].version <= version) continue;
    news.evictions.emplace_back(news.first_eviction + i, evictions_[i].value);
  }
  for (const std::deque<Span>* const spans : {&minutes_, &tens_}) {
    for (const Span& span : *spans) {
      if (span.version > version) news.spans.push_back(span);
    }
  }
  if (!minutes_.empty()) news.first_minute = minutes_.front().begin;
  if (!tens_.empty()) news.first_ten = tens_.front().begin;
  return news;
}

}  // namespace berth::page
