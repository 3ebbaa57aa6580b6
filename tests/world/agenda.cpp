#include "world/agenda.h"

#include <fmt/format.h>

#include <algorithm>

namespace berth::world {

void Agenda::after(Duration delay, Task task) {
  entries_.push_back({now_ + delay, ++last_number_, std::move(task)});
  std::push_heap(entries_.begin(), entries_.end());
}

bool Agenda::step(TimePoint until) {
  if (entries_.empty() || entries_.front().due > until) {
    now_ = until;
    return false;
  }
  std::pop_heap(entries_.begin(), entries_.end());
  const Entry next = std::move(entries_.back());
  entries_.pop_back();
  now_ = next.due;
  ++steps_;
  next.task();
  return true;
}

Duration Agenda::between(Duration least, Duration most) {
  return least + Duration(below(static_cast<std::uint64_t>((most - least).count()) + 1));
}

void Agenda::note(const std::string& line) {
  const auto since = now_ - TimePoint(std::chrono::hours(500'000));
  const std::string whole =
      fmt::format("{:9.3f} {}", std::chrono::duration<double>(since).count(), line);
  for (const char c : whole)
    digest_ = (digest_ ^ static_cast<unsigned char>(c)) * 1'099'511'628'211U;
  if (keeps_story_) story_.push_back(whole);
}

void Life::after(Duration delay, Agenda::Task task) const {
  agenda_.after(delay, [&agenda = agenda_, token = std::weak_ptr(token_), task = std::move(task)] {
    run(agenda, token, task);
  });
}

void Life::run(Agenda& agenda, const std::weak_ptr<Token>& token, const Agenda::Task& task) {
  const auto alive = token.lock();
  if (!alive) return;
  const Duration still = alive->frozen_until - agenda.now();
  if (still <= Duration()) return task();
  agenda.after(still, [&agenda, token, task] { run(agenda, token, task); });
}

}  // namespace berth::world
