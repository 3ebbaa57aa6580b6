#include "reconcile/start_moves.h"

#include <algorithm>
#include <optional>

namespace berth::reconcile {

namespace {

constexpr Duration kMinute = std::chrono::minutes(1);

bool is_moved(const std::optional<TimePoint>& wanted, const std::optional<TimePoint>& before,
              TimePoint now) {
  if (wanted.has_value() != before.has_value()) return true;
  if (!wanted) return false;
  const Duration by = std::max(*wanted - *before, *before - *wanted);
  return by > kMinute + std::max(Duration(), *before - now) / 10;
}

}  // namespace

bool is_moved(const WrittenStart& wanted, const WrittenStart& before, TimePoint now) {
  const bool begins_now = wanted.likely_from && before.likely_from &&
                          *wanted.likely_from <= now + kMinute && *before.likely_from <= now;
  return is_moved(wanted.starts_by, before.starts_by, now) ||
         (!begins_now && is_moved(wanted.likely_from, before.likely_from, now)) ||
         is_moved(wanted.likely_to, before.likely_to, now);
}

}  // namespace berth::reconcile
