#include "results/shares.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <map>

namespace berth::results {

namespace {

// Slices of time: short enough to show a day of a month, few enough to be cheap for each owner.
constexpr std::size_t kSlices = 100;

// Of one owner, or of all.
struct Use {
  std::array<double, kSlices> used{};     // node-seconds
  std::array<double, kSlices> waiting{};  // node-seconds that waiting jobs ask for

  bool is_active(std::size_t slice) const { return used[slice] > 0 || waiting[slice] > 0; }
};

void spread(const Interval& interval, double size, const Interval& whole,
            std::array<double, kSlices>& slices) {
  const double width = whole.length() / kSlices;
  const double from = std::max(interval.from, whole.from);
  const double to = std::min(interval.to, whole.to);
  if (!(to > from)) return;
  auto slice = static_cast<std::size_t>((from - whole.from) / width);
  for (; slice < kSlices; ++slice) {
    const double begin = whole.from + width * static_cast<double>(slice);
    if (begin >= to) return;
    slices[slice] += size * std::max(0.0, std::min(to, begin + width) - std::max(from, begin));
  }
}

using Jobs = std::vector<const JobTimes*>;

Use use_of(const Jobs& jobs, const Interval& whole) {
  Use use;
  for (const JobTimes* job : jobs) {
    job->for_each_run([&](const Interval& run) { spread(run, job->size, whole, use.used); });
    job->for_each_wait([&](const Interval& wait) { spread(wait, job->size, whole, use.waiting); });
  }
  return use;
}

struct Totals {
  std::array<double, kSlices> used{};
  std::array<double, kSlices> owners{};  // that are active
  double capacity = 0;                   // of a slice, in node-seconds
};

// Adds one owner to the largest of all.
void add(const std::string& name, const Use& use, const Totals& totals, Shares& shares) {
  for (std::size_t i = 0; i < kSlices; ++i) {
    if (!use.is_active(i)) continue;
    const double fair = 1 / totals.owners[i];
    if (totals.used[i] > 0) {
      const double deviation = std::min(1.0, std::abs(use.used[i] / totals.used[i] - fair));
      if (deviation > shares.largest_deviation) {
        shares.largest_deviation = deviation;
        shares.deviating = name;
      }
    }
    if (!(totals.capacity > 0)) continue;
    const double possible = std::min(fair * totals.capacity, use.used[i] + use.waiting[i]);
    const double shortfall = (possible - use.used[i]) / totals.capacity;
    if (shortfall > shares.largest_shortfall) {
      shares.largest_shortfall = shortfall;
      shares.short_of = name;
    }
  }
}

}  // namespace

Shares shares_of(const std::vector<JobTimes>& jobs, std::string JobResult::*owner, double nodes) {
  const Interval whole = whole_time(jobs);
  std::map<std::string, Jobs> by_owner;
  for (const JobTimes& job : jobs) by_owner[job.job->*owner].push_back(&job);
  Shares shares;
  shares.owners = by_owner.size();
  if (shares.owners < 2 || !(whole.length() > 0)) return shares;
  Totals totals;
  totals.capacity = bounded_amount(nodes) * whole.length() / kSlices;
  for (const auto& [name, theirs] : by_owner) {
    const Use use = use_of(theirs, whole);
    for (std::size_t i = 0; i < kSlices; ++i) {
      totals.used[i] += use.used[i];
      if (use.is_active(i)) ++totals.owners[i];
    }
  }
  // Worked out again, since an array for each of many users takes much memory.
  for (const auto& [name, theirs] : by_owner) {
    add(name, use_of(theirs, whole), totals, shares);
  }
  return shares;
}

}  // namespace berth::results
