#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "berth/base/strong_id.h"

namespace berth::engine {

// Idle room that no job within its queue's share can use goes to jobs beyond theirs: rule
// PROPORTION-9 of docs/design/proportion.md. Session thread only.
class Lending {
 public:
  // Until the end of the scope.
  class Scope {
   public:
    Scope(Lending& lending, bool is_on)
        : lending_(lending), was_on_(std::exchange(lending.is_on_, is_on)) {}
    ~Scope() { lending_.is_on_ = was_on_; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Lending& lending_;
    bool was_on_;
  };

  // Do queues get room beyond their shares at this moment?
  bool is_on() const { return is_on_; }
  // The share of its queue refused a pod of the job.
  void note_beyond_share(JobId job) {
    if (job.index() >= beyond_share_.size()) beyond_share_.resize(job.index() + 1, 0);
    beyond_share_[job.index()] = 1;
  }
  bool is_beyond_share(JobId job) const {
    return job.index() < beyond_share_.size() && beyond_share_[job.index()] != 0;
  }
  bool is_on_for(JobId job) const { return is_on_ && is_beyond_share(job); }

 private:
  bool is_on_ = false;
  std::vector<std::uint8_t> beyond_share_;  // by job
};

}  // namespace berth::engine
