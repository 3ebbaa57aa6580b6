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
  using Set = std::uint64_t;  // of pods
  struct Giver {
    JobId job;
    Set pods = 0;
    int surplus = 0;  // that may leave, any of them
    bool may_leave_whole = false;
  };
  static constexpr std::int64_t kTriesMost = 400'000;

  void add_givers();
  bool may_give(const Job& job, bool is_whole) const;
  bool is_entitled() const;
  bool is_allowed(Set set);
  bool is_allowed_if_last(const Giver& giver, Set set);
  bool may_leave_last(Set before, Set last);
  bool try_giver(std::size_t giver, Set set, int left);
  bool try_surplus(std::size_t giver, std::size_t pod, Set set, int most, int left);
  bool could_have_room(Set set, Set open, int left) const;
  bool has_room(Set set);
  bool place(std::size_t next, std::size_t first_node, std::vector<Resources>& room) const;
  std::size_t row_of(JobId job) const;

  const Cluster& cluster_;
  const QueueShares* shares_;
  const Job& claimant_;
  const Terms terms_;
  std::vector<TaskId> pods_;
  std::vector<Giver> givers_;
  std::vector<TaskId> waiting_;  // tasks alike are neighbours
  std::vector<Resources> idle_;
  std::map<Set, bool> allowed_;
  std::int64_t tries_ = 0;
};

}  // namespace berth::support
