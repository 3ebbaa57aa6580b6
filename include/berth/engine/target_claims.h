#pragma once

#include <cstdint>
#include <vector>

#include "berth/engine/session.h"

namespace berth::engine {

// What targets lack of their minimum, by the queues to whose account it will go: others of these
// queues must leave it alone, or a target would find its nodes empty and its queue full.
class TargetClaims {
 public:
  void reset() { targets_.clear(), claims_.clear(); }
  // Of all targets, at the queue of this position and below it; for a target's own task, of those
  // elected before it: or each of two could wait for the other.
  std::int64_t at(const Session& session, std::size_t position, Dimension d, const Task& task);

 private:
  struct Claim {
    JobId job;
    std::vector<std::size_t> path;  // positions of its queue and of those above it
    Resources minimum;
  };

  void follow(const Session& session);

  std::vector<JobId> targets_;
  std::vector<Claim> claims_;
};

}  // namespace berth::engine
