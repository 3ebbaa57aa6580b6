#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "berth/engine/fit.h"
#include "berth/engine/need.h"
#include "engine/fit/reachable_capacity.h"
#include "engine/fit/trial.h"
#include "engine/seeker.h"

namespace berth::engine {

// The parts by dominant share of the cluster, the largest first; equal parts keep their order.
std::vector<std::size_t> parts_largest_first(const Cluster& cluster, const Need& need);

// Nodes with their room, into which members are put until it is used up. For one need: its shapes
// stay the same.
class Bins {
 public:
  // Room is what is idle now, or the reachable capacity.
  Bins(Session& session, std::vector<NodeId> nodes);
  Bins(Session& session, std::vector<NodeId> nodes, const ReachableCapacity& reachable);

  struct Filling {
    struct Place {
      std::size_t part = 0;
      NodeId node;
      std::int32_t count = 0;
    };
    std::vector<Place> places;
    std::int32_t members = 0;  // placed
    bool is_whole = false;     // all members, and the rest
  };
  // Puts the largest shapes first, each on the first nodes that take some of them. Members without
  // a place stay in `need`. Members that want others of them near are put into one domain after the
  // other, until all have a place (RELATION-9).
  Filling fill(Need& need);
  // The same on the node at this place alone.
  std::int32_t fill_one(std::size_t bin, Need& need);
  // Subtracts from the rest of the need what this node has left.
  void give_to_rest(std::size_t bin, Need& need) const;
  // How many of each part fill_one would put there; changes nothing. Valid until the next call.
  const std::vector<std::int32_t>& would_take(std::size_t bin, const Need& need);

  // Why nodes do not take a member that fill() left, for people: how many for each reason.
  std::string why_left(const Need& left) const;

  std::size_t size() const { return nodes_.size(); }
  NodeId node(std::size_t bin) const { return nodes_[bin]; }
  std::int64_t room(std::size_t bin, Dimension d) const {
    return rooms_[bin * dimensions_ + d.index()];
  }

 private:
  template <class View>
  Bins(Session& session, std::vector<NodeId> nodes, Occupants occupants, const View& view);
  const std::vector<std::uint8_t>& passing_for(ShapeId shape) const;
  std::int32_t capacity(std::size_t bin, const Shape& shape, std::int32_t count) const;
  std::string why_not(std::size_t bin, const Shape& shape) const;
  std::int32_t put(std::size_t bin, const Shape& shape, std::int32_t count);
  std::int32_t fill_part(std::size_t p, Need& need, Filling& filling);
  bool take_rest(const Resources& rest) const;
  Filling fill_once(Need& need);
  class Search;
  std::vector<Start> starts(const Seeker& seeker, const Need& need, std::size_t most) const;
  const std::vector<std::size_t>& largest_first(const Need& need);
  void look_up_passes(const Need& need);

  Session& session_;
  const Cluster& cluster_;
  std::vector<NodeId> nodes_;
  std::size_t dimensions_;
  Occupants occupants_;  // `staying`: vetoes do not count, either
  std::vector<std::int64_t> rooms_;
  std::vector<std::uint8_t> has_ports_;  // a member that was put there has host ports
  Trial trial_;
  std::vector<std::size_t> order_;    // of parts, from the first question on
  std::vector<std::uint8_t> passes_;  // by bin and part, from the first would_take on
  std::vector<std::int32_t> would_take_;
  std::vector<std::int64_t> room_before_;
};

}  // namespace berth::engine
