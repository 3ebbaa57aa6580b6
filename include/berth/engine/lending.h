#pragma once

#include <set>
#include <utility>

#include "berth/base/strong_id.h"

namespace berth::engine {

// Idle room that no job within its queue's share can use goes to jobs beyond theirs: rule
// PROPORTION-9 of docs/design/proportion.md. Session thread only.
class Lending {
 public:
  // Until the end of the scope.
  class Scope {
   public:
    explicit Scope(Lending& lending) : lending_(lending) { lending_.is_on_ = true; }
    ~Scope() { lending_.is_on_ = false; }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Lending& lending_;
  };

  // Do queues get room beyond their shares at this moment?
  bool is_on() const { return is_on_; }
  // The share of its queue refused a pod of the job.
  void note_beyond_share(JobId job) { beyond_share_.insert(job); }
  bool is_beyond_share(JobId job) const { return beyond_share_.contains(job); }
  bool is_on_for(JobId job) const { return is_on_ && is_beyond_share(job); }

 private:
  bool is_on_ = false;
  std::set<JobId> beyond_share_;
};

}  // namespace berth::engine
