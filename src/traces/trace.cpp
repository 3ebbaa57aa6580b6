#include "traces/trace.h"

#include <algorithm>

namespace berth::traces {

// TRACE-11
void sort_by_submission(std::vector<TraceJob>& jobs) {
  const auto comes_first = [](const TraceJob& left, const TraceJob& right) {
    return left.submit < right.submit;
  };
  if (std::is_sorted(jobs.begin(), jobs.end(), comes_first)) return;
  std::stable_sort(jobs.begin(), jobs.end(), comes_first);
}

}  // namespace berth::traces
