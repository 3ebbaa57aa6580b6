#include <algorithm>
#include <utility>

#include "steering/steering.h"

// What became of what was written (STEER-9).

namespace berth::steering {

namespace {

using Kind = ports::PodWrite::Kind;
using Result = ports::WriteOutcome::Result;

}  // namespace

void Steering::Outcomes::add(Outcome outcome) {
  {
    const std::lock_guard lock(mutex);
    list.push_back(std::move(outcome));
  }
  wake();
}

bool Steering::Attempt::end(std::uint64_t of, const ports::WriteOutcome& outcome, TimePoint now) {
  if (of != number || !in_flight) return false;
  in_flight = false;
  if (std::exchange(is_inherited, false)) {
    *this = {};
    return false;
  }
  if (outcome.result == Result::done) {
    failures = 0;
    return true;
  }
  // Nothing more is written on what is gone; the watch is only a little behind.
  constexpr Duration kGone = std::chrono::minutes(1);
  if (outcome.result == Result::gone) {
    not_before = now + kGone;
    return true;
  }
  constexpr Duration kFirst = std::chrono::milliseconds(200);
  constexpr Duration kMost = std::chrono::seconds(10);
  constexpr std::int32_t kDoublings = 6;
  not_before = now + std::min(kMost, kFirst * (1 << std::min(failures, kDoublings)));
  ++failures;
  return true;
}

std::vector<Steering::Outcome> Steering::take_outcomes(TimePoint now) {
  std::vector<Outcome> outcomes;
  {
    const std::lock_guard lock(outcomes_->mutex);
    outcomes.swap(outcomes_->list);
  }
  for (const Outcome& outcome : outcomes) {
    if (outcome.outcome.result == Result::failed) parts_.tell(outcome.outcome.error);
    if (const auto record = records_.find(outcome.of); record != records_.end()) {
      record->second.end(outcome.number, outcome.outcome, now);
      if (outcome.outcome.result == Result::failed) continue;
      recorded_.try_emplace(outcome.of);  // of what uid, the watch will say
      records_.erase(record);
    } else if (clears_.contains(outcome.of)) {
      take_clear_outcome(outcome, now);
    } else {
      take_course_outcome(outcome, now);
    }
  }
  return outcomes;
}

void Steering::take_clear_outcome(const Outcome& outcome, TimePoint now) {
  const auto found = clears_.find(outcome.of);
  if (!found->second.end(outcome.number, outcome.outcome, now)) return;
  if (outcome.outcome.result == Result::failed) return;
  nominated_.erase(outcome.of);  // as the watch will show
  clears_.erase(found);
}

void Steering::take_course_outcome(const Outcome& outcome, TimePoint now) {
  const auto found = courses_.find(outcome.of);
  if (found == courses_.end()) return;
  Course& course = found->second;
  if (!course.attempt.end(outcome.number, outcome.outcome, now)) return;
  if (outcome.outcome.result != Result::done) return;  // gone: the watch will say so
  course.progressed = progressed_[course.task] = now;
  if (outcome.kind == Kind::nominate) course.stage = std::max(course.stage, Stage::nominated);
  if (outcome.kind == Kind::commit) course.stage = Stage::committed;
  if (outcome.kind == Kind::tolerate) course.tolerates_lock = true;
}

}  // namespace berth::steering
