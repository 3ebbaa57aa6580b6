#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// The jobs that the vote on admission keeps out in this session, and whose pods are there. They are
// served all the same, and admitted once they have a place (ENQUEUE-8 of docs/design/enqueue.md).
// Jobs that are alike are refused alike, so only the first of each kind is asked about. Session
// thread only; the names of jobs must outlive it.
class KeptOut {
 public:
  // Adds a job behind all others of its kind: those that ask for the same, and are refused for the
  // same reasons.
  void add(const Cluster& cluster, const Job& job);
  // It is admitted. No effect on others than those that were added.
  void remove(JobId job);

  bool contains(JobId job) const {
    return job.index() < line_of_.size() && line_of_[job.index()] != kNone;
  }
  // Is it the first of its kind?
  bool has_turn(JobId job) const { return contains(job) && first_of(job) == job; }
  // Of the kind of this job, which has been removed; invalid: none.
  JobId first_like(JobId job) const;

  // The jobs of one kind, in their order. Those before `first` are admitted.
  struct Line {
    std::vector<JobId> jobs;
    std::size_t first = 0;
  };
  const std::vector<Line>& lines() const { return lines_; }

 private:
  using Key = std::tuple<QueueId, std::int32_t, ShapeId, std::int32_t, std::int32_t, bool,
                         std::string_view>;
  JobId first_of(JobId job) const {
    const Line& line = lines_[line_of_[job.index()]];
    return line.jobs[line.first];
  }

  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);
  std::uint32_t line_for(const Cluster& cluster, const Job& job);

  std::map<Key, std::uint32_t> line_of_kind_;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> line_of_;       // by job; kNone: it is not kept out
  std::map<JobId, std::uint32_t> admitted_;  // of those that were removed: their lines
};

}  // namespace berth::engine
