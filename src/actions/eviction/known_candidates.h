#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <utility>

#include "actions/eviction/candidates.h"
#include "actions/eviction/policy.h"
#include "berth/engine/session.h"

namespace berth::actions {

// The pods that may leave for jobs of one queue and priority, until anything changes. Counts how
// many it has looked at.
class KnownCandidates {
 public:
  KnownCandidates(engine::Session& session, const EvictionPolicy& policy)
      : session_(session), policy_(policy), first_stamp_(session.cluster().stamp()) {}

  Candidates& of(const Job& job) {
    if (known_.size() >= kKnownMost && !known_.contains({job.queue, job.priority})) known_.clear();
    Known& known = known_[{job.queue, job.priority}];
    const std::uint64_t stamp = session_.cluster().stamp();
    if (known.candidates == nullptr || known.stamp != stamp) {
      known = {stamp, std::make_unique<Candidates>(session_, policy_, job)};
      const std::int32_t pods = known.candidates->pods_without(JobId());
      if (std::exchange(has_evicted_, false)) counted_after_success_ += pods;
      if (stamp != first_stamp_) counted_ += pods + known.candidates->asked();
    }
    return *known.candidates;
  }
  void clear() { known_.clear(); }
  void note_success() { has_evicted_ = true; }

  // After each success candidates are counted anew; the next session goes on.
  bool may_go_on() const { return counted_after_success_ <= kCountedMost; }
  std::int64_t counted() const { return counted_; }

 private:
  struct Known {
    std::uint64_t stamp = 0;
    std::unique_ptr<Candidates> candidates;
  };

  static constexpr std::int64_t kCountedMost = 200'000;
  static constexpr std::size_t kKnownMost = 64;  // each has numbers of all nodes

  engine::Session& session_;
  const EvictionPolicy& policy_;
  const std::uint64_t first_stamp_;
  std::map<std::pair<QueueId, std::int32_t>, Known> known_;
  std::int64_t counted_ = 0;
  std::int64_t counted_after_success_ = 0;
  bool has_evicted_ = false;
};

}  // namespace berth::actions
