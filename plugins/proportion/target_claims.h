#pragma once

#include <cstdint>
#include <vector>

#include "berth/engine/admissions.h"
#include "berth/engine/session.h"

namespace berth::plugins {

// The amounts that targets lack of their minimum, by the queues that will be charged for them.
// Other jobs of these queues must not take them, or a target would find its nodes empty and its
// queue full. Usage of the same queues on the target's nodes is subtracted: it ends before then.
class TargetClaims {
 public:
  // Tasks may have come and gone since.
  void reset() { version_ = 0; }
  // The sum over all targets, at the queue of this position and below it. For a target's own task,
  // only earlier targets count, or two targets could wait for each other.
  std::int64_t at(const engine::Session& session, std::size_t position, Dimension d,
                  const Task& task);
  // The same, one by one.
  std::vector<engine::TargetPart> parts(const engine::Session& session, std::size_t position,
                                        Dimension d, JobId job);
  // The first target of the queue at this position that lacks some of this and waits for its
  // queue's share; for a target's own task, of those elected before it. Invalid: none.
  JobId waits_for_share(const engine::Session& session, std::size_t position, Dimension d,
                        const Task& task);

 private:
  // At its queue, or at one above it.
  struct Account {
    std::size_t position = 0;
    Resources on_its_nodes;  // used by others
  };
  struct Claim {
    JobId job;
    bool may_exceed_share = false;
    Resources minimum;
    std::vector<Account> accounts;  // its queue's, and upwards
  };

  void follow(const engine::Session& session);
  // Calls `take` with each of the parts.
  template <class Take>
  void each_part(const engine::Session& session, std::size_t position, Dimension d, JobId job,
                 const Take& take);
  static std::int64_t lacks(const engine::Session& session, const Claim& claim, Dimension d);

  static void count_use(const engine::Session& session, TaskId id, Claim& claim);

  std::uint64_t version_ = 0;  // of targets and locks
  std::vector<Claim> claims_;
};

}  // namespace berth::plugins
