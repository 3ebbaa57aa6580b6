#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "berth/engine/verdict.h"
#include "berth/model/cluster.h"

namespace berth::engine {

// The queues as a tree, with the results of their configuration and the cluster's size: faults,
// guarantees in force, and the most that each queue may have. Rules QUEUE-1 to QUEUE-5 of
// docs/design/queues.md; source: S1.
//
// Position 0 is the root, which stands for the whole cluster. Parents come before their children.
// Children of one parent are neighbours, in the order of their names.
class QueueTree {
 public:
  static constexpr std::uint32_t kNowhere = 0xffffffff;

  struct Member {
    QueueId queue;             // of the root: invalid, unless a queue has the name "root"
    std::uint32_t parent = 0;  // of the root: the root
    std::uint32_t first_child = 0;
    std::uint32_t child_count = 0;
    std::int64_t weight = 1;
    bool is_open = true;  // the queue and all above it are open
    bool is_scaled = false;
    bool is_hard = false;  // others leave for its guarantee
    std::string fault;     // why its jobs must wait; empty: no fault
    bool takes_jobs() const { return is_open && fault.empty(); }
  };

  // Computes it again if queues or the size of the cluster changed.
  void refresh(const Cluster& cluster);

  std::size_t size() const { return members_.size(); }
  std::size_t dimensions() const { return dimensions_; }
  const Member& member(std::size_t position) const { return members_[position]; }
  // kNowhere if there is no such queue.
  std::uint32_t position_of(QueueId queue) const {
    return queue.is_valid() && queue.index() < position_.size() ? position_[queue.index()]
                                                                : kNowhere;
  }
  // The ancestors of two positions below their common parent. The same one twice if one position is
  // above the other.
  std::pair<std::uint32_t, std::uint32_t> where_paths_part(std::uint32_t left,
                                                           std::uint32_t right) const;
  std::pair<std::uint32_t, std::uint32_t> where_paths_part(const Queue& left,
                                                           const Queue& right) const {
    return where_paths_part(position_of(left.id), position_of(right.id));
  }
  // Changes whenever anything here does.
  std::uint64_t version() const { return version_; }

  // The amount to divide (QUEUE-5), within the capability of a queue "root".
  std::int64_t total(Dimension d) const { return at(capability_, 0, d); }
  // In force.
  std::int64_t guarantee(std::size_t position, Dimension d) const {
    return at(guarantee_, position, d);
  }
  // The children of a position with the largest guarantees, the first of equals first, and the
  // number of those that have any. One more than texts name, since a queue's own is left out.
  struct Largest {
    std::array<std::uint32_t, 3> at{};
    std::uint32_t count = 0;
  };
  Largest largest_guarantees(std::size_t parent, Dimension d) const {
    return d.index() < dimensions_ ? largest_[parent * dimensions_ + d.index()] : Largest();
  }
  // In force without QUEUE-11: it does not depend on the nodes that queues have.
  std::int64_t guarantee_without_nodes(std::size_t position, Dimension d) const {
    return at(without_nodes_, position, d);
  }
  // Of the guarantee: what it has on nodes of its own, as idle room or used by its pods (QUEUE-11).
  std::int64_t on_own_nodes(std::size_t position, Dimension d) const {
    return std::min(guarantee(position, d), on_own_nodes_of(members_[position].queue, d));
  }
  // As written; the largest amount if there is none.
  std::int64_t limit(std::size_t position, Dimension d) const { return at(limit_, position, d); }
  bool is_flat() const { return members_[0].child_count + 1 == members_.size(); }
  bool has_hard_guarantees() const { return has_hard_guarantees_; }
  // S1: the capability, but no more than the others' guarantees leave.
  std::int64_t real_capability(std::size_t position, Dimension d) const {
    return at(capability_, position, d);
  }

  // QUEUE-3. The written guarantee: an amount, a part of `total`, or the larger of both.
  static std::int64_t written_guarantee(const Queue& queue, Dimension d, std::int64_t total);

  // Whether jobs of this queue may be served at all. The queue must exist.
  Verdict standing(const Cluster& cluster, QueueId queue) const;

 private:
  struct Orphan {
    QueueId queue;
    std::string fault;
  };

  std::int64_t at(const std::vector<std::int64_t>& amounts, std::size_t position,
                  Dimension d) const {
    return d.index() < dimensions_ ? amounts[position * dimensions_ + d.index()] : 0;
  }
  std::int64_t on_own_nodes_of(QueueId queue, Dimension d) const {
    const std::size_t at = queue.is_valid() ? queue.index() * dimensions_ + d.index() : SIZE_MAX;
    return at < on_own_nodes_.size() ? on_own_nodes_[at] : 0;
  }
  bool measure(const Cluster& cluster);
  bool measure_own_nodes(const Cluster& cluster);
  void plant(const Cluster& cluster);
  void grow(const Cluster& cluster, std::vector<Orphan>& orphans);
  void judge(const Cluster& cluster, std::uint32_t position);
  void find_largest();
  void bound(const Cluster& cluster, Dimension d, bool with_own_nodes);
  void bound_children(const Cluster& cluster, std::uint32_t parent, Dimension d,
                      bool with_own_nodes);

  std::uint64_t version_ = 0;
  std::uint64_t queue_version_ = 0;
  std::uint64_t room_version_ = 0;
  std::uint64_t stamp_ = 0;
  bool depends_on_use_ = false;  // of nodes that are closed or overfilled
  bool has_hard_guarantees_ = false;
  std::vector<std::int64_t> total_;  // QUEUE-5, by dimension
  std::size_t dimensions_ = 0;
  std::vector<Member> members_;
  std::vector<std::uint32_t> position_;  // by queue
  std::vector<std::int64_t> guarantee_;  // by position and dimension
  std::vector<Largest> largest_;         // of guarantee_
  std::vector<std::int64_t> without_nodes_;
  std::vector<std::int64_t> capability_;
  std::vector<std::int64_t> limit_;
  std::vector<std::int64_t> on_own_nodes_;  // by queue and dimension; empty: no queue has any
  std::vector<std::int64_t> wanted_;        // scratch: by position, before it is scaled
};

}  // namespace berth::engine
