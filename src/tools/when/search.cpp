#include "tools/when/search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "berth/base/text.h"
#include "tools/when/search_candidates.h"

namespace berth::tools {

namespace {

using std::chrono::minutes;

class Search {
 public:
  Search(Cases& cases, const WhatIf& base, const Forecast& before,
         const std::function<void(std::size_t)>& on_progress)
      : cases_(cases), base_(base), before_(before), on_progress_(on_progress) {}

  Result<SearchResult> run(const std::string& job, TimePoint by) {
    result_.job = job;
    result_.by = by;
    by_ = by - before_.now;
    const auto row = std::find_if(before_.jobs.begin(), before_.jobs.end(),
                                  [&](const ForecastRow& each) { return each.job == job; });
    if (row == before_.jobs.end()) {
      return Error{fmt::format("\"{}\" is no job that waits, expected namespace/name", job),
                   "--job"};
    }
    result_.start = row->start;
    result_.is_in_time = row->start && *row->start <= by_;
    if (result_.is_in_time) return std::move(result_);
    const Result<Candidates> candidates = candidates_for(job, base_, before_, cases_);
    if (!candidates) return candidates.error();
    if (candidates->own_limit) try_limit(*candidates->own_limit);
    first_that_helps(candidates->limits, [&](const auto& each) { return try_limit(each); });
    for (const auto* const jobs : {&candidates->waiting, &candidates->running}) {
      first_that_helps(*jobs, [&](const MoveCandidate& each) { return try_without(each); });
    }
    for (const std::string& like : candidates->kinds) try_nodes(like);
    if (fault_) return *fault_;
    return std::move(result_);
  }

 private:
  bool is_over() {
    result_.was_cut = result_.was_cut || result_.simulations >= SearchBounds::kSimulations;
    return fault_ || result_.was_cut;
  }

  // The sessions say so; false, too, if the search is over.
  bool helps(const WhatIf& changes) {
    if (is_over()) return false;
    on_progress_(++result_.simulations);
    const Result<bool> starts = cases_.starts_by(changes, result_.job, by_);
    if (!starts) fault_ = starts.error();
    return starts && *starts;
  }

  // How all would be with it.
  void add(const WhatIf& changes, const std::string& change, double lost = 0) {
    if (fault_) return;
    on_progress_(++result_.simulations);
    const Result<Forecast> with = cases_.with(changes);
    if (!with) {
      fault_ = with.error();
      return;
    }
    SearchAnswer answer{change, {}, lost, difference_of(*with, before_)};
    answer.lost += std::max(0.0, with->lost - before_.lost);
    for (const ForecastRow& row : with->jobs) {
      if (row.job == result_.job) answer.start = row.start;
    }
    result_.answers.push_back(std::move(answer));
  }

  template <typename Each, typename Try>
  void first_that_helps(const std::vector<Each>& all, const Try& tries) {
    for (const Each& each : all) {
      if (is_over() || tries(each)) return;
    }
  }

  WhatIf with_limit(const std::string& job, minutes limit) const {
    WhatIf changes = base_;
    changes.time_limits.push_back(job + "=" + format_duration(limit));
    return changes;
  }

  // The longest limit that suffices, to a fiftieth of the present one.
  bool try_limit(const LimitCandidate& candidate) {
    minutes low = std::chrono::ceil<minutes>(candidate.least);
    minutes high = std::chrono::ceil<minutes>(candidate.limit);
    if (low >= high || !helps(with_limit(candidate.job, low))) return false;
    const minutes step = std::max(minutes(1), (high - low) / 50);
    while (high - low > step && !is_over()) {
      const minutes middle = low + (high - low) / 2;
      (helps(with_limit(candidate.job, middle)) ? low : high) = middle;
    }
    const WhatIf changes = with_limit(candidate.job, low);
    add(changes, std::string(kTimeLimit) + " " + changes.time_limits.back());
    return true;
  }

  bool try_without(const MoveCandidate& candidate) {
    WhatIf changes = base_;
    changes.without_jobs.push_back(candidate.job);
    if (!helps(changes)) return false;
    add(changes, std::string(kWithoutJob) + " " + candidate.job, candidate.lost);
    return true;
  }

  WhatIf with_nodes(const std::string& like, std::int32_t count) const {
    WhatIf changes = base_;
    changes.add_nodes.push_back(fmt::format("{}:like={}", count, like));
    return changes;
  }

  // The smallest number, by doubling and bisection.
  void try_nodes(const std::string& like) {
    std::int32_t high = SearchBounds::kNodes;
    if (!helps(with_nodes(like, high))) return;
    std::int32_t low = 0;  // does not suffice
    for (std::int32_t count = 1; count < SearchBounds::kNodes && !is_over(); count *= 2) {
      if (helps(with_nodes(like, count))) {
        high = count;
        break;
      }
      low = count;
    }
    while (high - low > 1 && !is_over()) {
      const std::int32_t middle = low + (high - low) / 2;
      (helps(with_nodes(like, middle)) ? high : low) = middle;
    }
    const WhatIf changes = with_nodes(like, high);
    add(changes, std::string(kAddNodes) + " " + changes.add_nodes.back());
  }

  Cases& cases_;
  const WhatIf& base_;
  const Forecast& before_;
  const std::function<void(std::size_t)>& on_progress_;
  Duration by_{};
  SearchResult result_;
  std::optional<Error> fault_;
};

}  // namespace

Result<SearchResult> search(Cases& cases, const WhatIf& base, const Forecast& before,
                            const std::string& job, TimePoint by,
                            const std::function<void(std::size_t)>& on_progress) {
  return Search(cases, base, before, on_progress).run(job, by);
}

}  // namespace berth::tools
