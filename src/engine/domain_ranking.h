#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "berth/model/cluster.h"
#include "engine/node_groups.h"

namespace berth::engine {

class Ranking;

// The nodes of a ranking that relations allow, for shapes whose terms have certain topology keys.
//
// It has the scores of the ranking, but in another order: nodes that are alike in all keys with few
// domains are a group, side by side in blocks of their own, with the best score of the group. So a
// domain that is refused is left out, and comes back, at the cost of one node.
//
// Law: best() is the node of the ranking with the highest score, then the lowest id, among those
// that are not left out.
class DomainRanking {
 public:
  // `keys`: sorted.
  DomainRanking(const DomainTable& domains, std::vector<TopologyKeyId> keys);
  // Is it for these keys? The id of a key that no term has any more is given to another.
  bool is_for(const DomainTable& domains, const std::vector<TopologyKeyId>& keys) const;

  // Brings it up to date with the ranking, which is up to date. A node that has changed is not left
  // out any more.
  void catch_up(const Cluster& cluster, const Ranking& ranking);
  // Nodes are left out until it is the turn of another shape, or until more may be admitted.
  // `opened` changes whenever that is so.
  void take_turn(std::uint64_t serial, std::uint64_t opened, const Ranking& ranking);
  // Invalid if there is none.
  NodeId best() const;
  void leave_out(NodeId node);
  void leave_out_group_of(NodeId node);
  // The keys by which nodes of one group are alike.
  const std::vector<TopologyKeyId>& grouped_by() const { return groups_.keys; }

  std::size_t bytes() const;

 private:
  struct Group {
    std::size_t first_block = 0;
    std::size_t blocks = 0;
    std::int32_t best = 0;
    bool is_left_out = false;
  };

  void arrange(const Cluster& cluster);
  void take_all(const Ranking& ranking);
  void set(std::size_t place, std::int32_t score);
  NodeId first_with(const Group& group, std::int32_t score) const;

  std::vector<TopologyKeyId> keys_;
  std::vector<std::string> key_names_;
  NodeGroups groups_;
  std::vector<Group> group_;             // by number of the group
  std::vector<std::uint32_t> group_at_;  // by block
  std::vector<std::uint32_t> place_of_;  // by node
  std::vector<NodeId> node_at_;          // by place, of whole blocks
  std::vector<std::int32_t> scores_;     // the same
  std::vector<std::int32_t> block_best_;
  std::vector<NodeId> left_out_;                  // beside groups; some have been scored again
  std::pair<std::uint64_t, std::uint64_t> turn_;  // serial of the shape, and `opened`
  std::uint64_t spec_version_ = 0;
  std::uint64_t rescored_ = 0;  // Ranking::rescored()
  std::uint64_t position_ = 0;  // in the change journal
};

}  // namespace berth::engine
