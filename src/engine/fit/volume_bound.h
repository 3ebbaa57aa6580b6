#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "berth/model/cluster.h"

namespace berth::engine {

// The most pods of one shape for which there are free volumes: an upper bound. VOLUME-14.
class VolumeBound {
 public:
  VolumeBound(const Cluster& cluster, const Shape& shape);
  // A node that takes so many of them but for this.
  void add(NodeId node, std::int64_t pods);
  std::int64_t pods() const;
  std::string why() const;

 private:
  // Late claims of a pod that are alike.
  struct OfNeed {
    const VolumeNeed* need = nullptr;
    std::int64_t each = 0;
    std::int64_t elsewhere = 0;                                // pods where volumes can be made
    std::map<std::vector<std::uint32_t>, std::int64_t> nodes;  // pods by the volumes they reach
    std::set<std::uint32_t> volumes;
    std::int64_t beside_room = 0;  // the sum over `nodes` of what volumes and nodes allow
    std::int64_t pods() const;
  };
  const OfNeed* least() const;

  const Cluster& cluster_;
  std::int64_t all_ = 0;
  std::vector<OfNeed> needs_;
};

}  // namespace berth::engine
