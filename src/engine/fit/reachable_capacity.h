#pragma once

#include <cstdint>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// A view of room (fit.h): once all other pods that ever end have ended. It is allocatable, less the
// pods that never end by themselves, less what the job has there.
class ReachableCapacity {
 public:
  explicit ReachableCapacity(const Cluster& cluster);
  // From now on, it is the view of this job; before, of no job.
  void take_in(const Job& job);
  // From now on, without the room of one such pod there: it stays.
  void take_off(NodeId node, const Shape& shape);
  std::int64_t at(NodeId node, Dimension d) const {
    return rooms_[node.index() * dimensions_ + d.index()];
  }

 private:
  void take_in_nobody();
  void count(const Job& job, int sign);

  const Cluster& cluster_;
  std::size_t dimensions_;
  std::vector<std::int64_t> rooms_;
  JobId job_;
};

}  // namespace berth::engine
