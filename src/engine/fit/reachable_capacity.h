#pragma once

#include <cstdint>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// A view of room (fit.h): once all others have left that ever will. Allocatable, less what never
// leaves by itself, less what the job has there.
class ReachableCapacity {
 public:
  explicit ReachableCapacity(const Cluster& cluster);
  // From now on it is that job's; before, nobody's.
  void take_in(const Job& job);
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
