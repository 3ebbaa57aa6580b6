#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/engine/feasibility.h"
#include "berth/model/cluster.h"
#include "engine/fit/relation_bound.h"
#include "engine/fit/volume_bound.h"

namespace berth::engine {

class Session;

// How many pods of one shape the nodes can take together, at most, once all others have ended.
class MemberBound {
 public:
  // `spread_over`: by term of role `spread`, the shapes that it counts.
  MemberBound(const Session& session, const Shape& shape,
              const std::vector<std::vector<ShapeId>>& spread_over);
  void add(NodeId node);
  bool has_spreads() const { return !spreads_.empty(); }
  std::int64_t pods() const;
  // Do some nodes take one of them by itself?
  bool is_any_possible() const { return attached_ > 0; }
  // Each limit that is lower than those before it, in the order of RELATION-10: the last is pods().
  std::vector<MemberLimit> limits() const;

 private:
  struct OfSpread {
    SpreadBound bound;
    std::vector<ShapeId> others;
  };
  std::int64_t attachable(NodeId node, std::int64_t pods);
  std::string attach_text() const;

  const Session& session_;
  const Cluster& cluster_;
  const Shape& shape_;
  std::int64_t room_ = 0;
  std::int64_t ports_ = 0;
  std::int64_t attached_ = 0;
  VolumeTable::Attachable tightest_;  // the highest limit of those that limit them
  std::int64_t limited_nodes_ = 0;
  VolumeBound volumes_;
  std::vector<OfSpread> spreads_;
  ApartBound apart_;
};

// So many of them the node takes by itself, by all that concerns it alone.
std::int64_t members_on(const Cluster& cluster, const Shape& shape, NodeId node);

}  // namespace berth::engine
