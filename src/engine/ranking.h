#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/strong_id.h"
#include "berth/engine/fit.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "engine/domain_ranking.h"
#include "engine/known_scores.h"
#include "engine/score_blocks.h"

namespace berth::engine {

class NodeBlock;
class Session;

// All nodes ranked for one shape, kept between tasks, jobs and sessions.
//
// Members of a gang share a shape, so after placing one only the node just used has another score.
// A full pass scores every node in blocks of 64 and keeps the best score of each block and of each
// 64 blocks; a placement re-scores one node and its two maxima; the best node is found by walking
// down the three levels. The cluster's journal lists the changes since the last use.
//
// Law: best() is the node a naive scan would choose: highest score, then lowest id.
class Ranking {
 public:
  static constexpr std::size_t kBlock = kScoreBlock;

  // The tasks that it is for, and their nodes.
  struct For {
    JobId target;   // may use the nodes that are locked for it; invalid: any other job
    QueueId queue;  // of these tasks: the nodes of this queue alone; invalid: nodes of no queue
    auto operator<=>(const For&) const = default;
  };
  // Of a shape without relations, i.e. a base; or of a shape with preferences of its own, as if it
  // had no relations but these.
  Ranking(const Shape& base, const Shape& shape, const For& tasks)
      : base_(base.id),
        shape_(shape.id),
        serial_(shape.serial),
        for_(tasks),
        depends_on_(depends_on(base)) {}
  std::uint64_t serial() const { return serial_; }  // Shape::serial

  // Brings it up to date with the cluster as it is now.
  void catch_up(Session& session);
  // Invalid if no node has idle room.
  NodeId best() const;
  // kUnfit if there is no room.
  std::int32_t score(NodeId node) const { return scores_[node.index()]; }
  // Changes whenever scores of nodes have changed that have not.
  std::uint64_t rescored() const { return rescored_; }
  // RELATION-2. These nodes as the relations of the shape allow them, whose turn it is. It has this
  // base. Until the turn of another shape.
  DomainRanking& allowed(const Cluster& cluster, const Shape& shape);
  // Nodes that pass the predicates, whatever room they have: 1 or 0, by node.
  const std::vector<std::uint8_t>& passing() const { return passes_; }
  // The same without vetoes, which end soon.
  const std::vector<std::uint8_t>& passing_but_for_vetoes() const { return could_pass_; }
  // The scores of the specifications and the wishes, by node.
  const std::vector<std::int32_t>& preference() const { return preference_; }
  // Why each node refuses the job's tasks, of a shape with this base: one reason a node, the first
  // in kube-scheduler's order (RELATION-10). A veto and a lock come before ports and room. Most
  // frequent first, then by reason and name.
  std::vector<NodeRefusals> why_nowhere(Session& session, const Shape& shape, JobId job);

  std::size_t bytes() const {
    return scores_.size() * (2 * sizeof(std::int32_t) + 3) + wishes_.size() * sizeof(std::int32_t) +
           known_.bytes() + allowed_bytes_;
  }
  // For Memory: its last use, and bytes() at that time.
  std::uint64_t last_use = 0;
  std::size_t counted_bytes = 0;

 private:
  using RefusalCounts = std::map<std::pair<Reason, std::string>, std::int32_t>;
  // Of different sets of topology keys. More are seldom in use at once.
  static constexpr std::size_t kDomainRankingsMax = 8;

  bool has_wishes() const { return shape_ != base_; }
  void rank_specifications(Session& session);
  void rank_preferences(Session& session);
  void catch_up_wishes(Session& session);
  void rank_all(Session& session);
  void rank_node(Session& session, NodeId node);
  void rank_nodes(Session& session, std::span<const NodeId> nodes);
  void find_room(Session& session, const NodeBlock& block, std::uint8_t* fits) const;
  // Scores of at most kBlock nodes as they are now.
  void score(Session& session, const NodeBlock& block, std::int32_t* scores);
  void score_each(Session& session, const NodeBlock& block, const std::uint8_t* marked,
                  std::int32_t* scores) const;
  // Of node_order alone, for a node with room.
  std::int32_t sum_of(Session& session, NodeId node);
  void lift_block(std::size_t block);
  void lift_super(std::size_t super);
  void lift(NodeId node, std::int32_t before);
  void begin_turn(const Cluster& cluster, const Shape& shape);

  ShapeId base_;
  ShapeId shape_;
  std::uint64_t serial_;
  For for_;
  DependsOn depends_on_;
  std::uint64_t spec_version_ = 0;
  std::uint64_t position_ = 0;            // in the change journal
  std::uint64_t version_ = 0;             // points::node_order_version
  std::vector<std::uint8_t> passes_;      // predicates
  std::vector<std::uint8_t> could_pass_;  // but for vetoes
  std::vector<std::int32_t> preference_;  // batchNodeOrder and wishOrder
  std::vector<std::int32_t> wishes_;      // of that, wishOrder; none: they are 0
  std::uint64_t wish_version_ = 0;        // of the counts that wishes are about
  std::uint64_t image_version_ = 0;       // ImageTable::version()
  std::uint64_t rescored_ = 0;
  KnownScores known_;                     // without preference_
  std::vector<std::int32_t> scores_;      // kUnfit where there is no room; whole blocks
  std::vector<std::int32_t> block_best_;  // of whole blocks of them, too
  std::vector<std::int32_t> super_best_;
  std::vector<std::uint8_t> is_block_stale_;             // scratch of rank_nodes
  std::vector<std::unique_ptr<DomainRanking>> allowed_;  // that of the present turn is the last
  std::size_t allowed_bytes_ = 0;                        // of these, when the turn began
  std::uint64_t turn_ = 0;                               // Shape::serial
  std::vector<std::uint8_t> refuses_early_;  // RELATION-10: before room is asked about; 1: it does
  RefusalCounts early_refusals_;             // of these nodes
};

// Do preferences of the shape, or of pods that are there, make it score nodes otherwise than its
// base does?
bool has_wishes(const Session& session, const Shape& shape);

}  // namespace berth::engine
