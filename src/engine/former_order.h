#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "berth/base/strong_id.h"

namespace berth::engine {

// The order that jobs had before. Few of them change their places from one session to the next, so
// that order is nearly the one to come. It changes no decision: it only saves comparisons.
class FormerOrder {
 public:
  // Puts those that had a place into their former order, and before all others.
  void restore(std::vector<JobId>& jobs);
  void note(const std::vector<JobId>& order);

 private:
  std::uint32_t place_of(JobId job) const {
    return job.index() < places_.size() ? places_[job.index()] : kNowhere;
  }

  static constexpr std::uint32_t kNowhere = static_cast<std::uint32_t>(-1);
  std::vector<JobId> order_;
  std::vector<std::uint32_t> places_;  // by job
  std::vector<JobId> found_;
};

// As std::sort by a total order, with few comparisons where few are out of order.
template <class Before>
void sort_nearly_sorted(std::vector<JobId>& jobs, const Before& before) {
  std::vector<JobId> out;
  std::size_t kept = 0;
  for (const JobId job : jobs) {
    if (kept > 0 && before(job, jobs[kept - 1])) {
      out.push_back(job);
    } else {
      jobs[kept++] = job;
    }
  }
  if (out.empty()) return;
  std::sort(out.begin(), out.end(), before);
  jobs.resize(kept);
  constexpr std::size_t kFew = 16;
  if (out.size() > kept / kFew) {
    const auto middle = static_cast<std::ptrdiff_t>(kept);
    jobs.insert(jobs.end(), out.begin(), out.end());
    std::inplace_merge(jobs.begin(), jobs.begin() + middle, jobs.end(), before);
    return;
  }
  for (const JobId job : out) {
    jobs.insert(std::upper_bound(jobs.begin(), jobs.end(), job, before), job);
  }
}

}  // namespace berth::engine
