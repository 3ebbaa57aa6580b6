#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "berth/model/cluster.h"
#include "berth/model/plan.h"

namespace berth::support {

// The fewest pods that have to leave for one job, found by trying all sets: for clusters of a few
// nodes and jobs. It knows the rules of preempt and reclaim in their plain form: flat queues, no
// protected pods, no limit of a queue but its deserved share.
class VictimSearch {
 public:
  struct Terms {
    bool is_reclaim = false;  // else preempt
    bool takes_whole_jobs = false;
    bool is_strict = false;  // no queue is to lose any of what it deserves
  };

  VictimSearch(const Cluster& cluster, const QueueShares* shares, JobId claimant, Terms terms);

  // Nothing: no set will do, or `is_too_large`.
  std::optional<int> fewest();
  // So many sets that they were not all tried.
  bool is_too_large() const { return tries_ > kTriesMost; }

 private:
  using Set = std::uint64_t;  // of lots
  using Amounts = std::vector<std::int64_t>;
  struct Lot {
    JobId job;
    bool is_whole = false;  // all beside its surplus
    std::vector<TaskId> tasks;
  };
  static constexpr std::int64_t kTriesMost = 60'000;

  void add_lots();
  bool may_give(const Job& job, bool is_whole) const;
  bool is_entitled() const;
  Set surplus_of(JobId job) const;
  bool is_allowed(Set set);
  bool may_leave_last(Set before, Set last);
  bool try_from(std::size_t lot, Set set, int cost, int most);
  bool has_room(Set set);
  bool place(std::size_t next, std::size_t first_node, std::vector<Resources>& room) const;
  std::size_t row_of(JobId job) const;

  const Cluster& cluster_;
  const QueueShares* shares_;
  const Job& claimant_;
  const Terms terms_;
  std::vector<Lot> lots_;
  std::vector<TaskId> waiting_;  // tasks alike are neighbours
  std::vector<Resources> idle_;
  std::map<Set, bool> allowed_;
  std::int64_t tries_ = 0;
};

}  // namespace berth::support
