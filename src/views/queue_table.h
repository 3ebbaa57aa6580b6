#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "berth/engine/queue_tree.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"

namespace berth::views {

inline constexpr std::size_t kGroupPhaseCount = 5;
using PhaseCounts = std::array<std::int32_t, kGroupPhaseCount>;  // by GroupPhase

// The queues as they stand, for those who look on: statuses, metrics, `berth queues`. A value;
// amounts are in the units of D4. Rows are in tree order: each queue is followed by all below it,
// children by name.
struct QueueTable {
  static constexpr std::uint32_t kNoParent = 0xffffffff;
  using Amounts = std::vector<std::int64_t>;  // row * resources.size() + resource

  struct Row {
    QueueId queue;  // of the cluster it was made of; not kept by documents
    std::string name;
    std::string uid;
    std::uint32_t parent = kNoParent;  // a row
    std::uint32_t depth = 0;           // how many rows are above it
    QueueState state = QueueState::open;
    std::string closed_above;  // the nearest queue above it that is not open; empty: none
    std::string fault;         // why its jobs have to wait; empty: nothing
    bool has_children = false;
    bool is_scaled = false;  // its guarantee is not in force in full
    bool is_reclaimable = true;
    bool is_fifo = false;
    // What of its spec has no effect, or less than is written.
    std::vector<std::string> notes;
    std::int32_t weight = 1;
    std::int32_t priority = 0;
    PhaseCounts jobs{};    // of its own
    PhaseCounts groups{};  // those of them that are pod groups
    bool operator==(const Row&) const = default;
  };

  // Somebody divides the cluster. Otherwise `deserved` and `real_capability` are 0, and `guarantee`
  // is what is written, not what is in force.
  bool is_divided = false;
  std::vector<std::string> resources;
  std::vector<Row> rows;
  std::vector<std::int64_t> total;  // to be divided, by resource
  Amounts written;                  // the guarantee as its owner wrote it
  Amounts guarantee;                // in force
  Amounts deserved;
  Amounts allocated;  // with all below
  Amounts demand;     // asked for, placed or not; with all below
  Amounts real_capability;
  Amounts due;    // of what is kept for it and for those below it, what they have not taken
  Amounts piece;  // the largest part of that which one node could give it now
  bool operator==(const QueueTable&) const = default;

  std::int64_t at(const Amounts& amounts, std::size_t row, std::size_t resource) const {
    return amounts[row * resources.size() + resource];
  }
  // Those of the row that are not 0, by name.
  NamedAmounts named(const Amounts& amounts, std::size_t row) const;
  // It has more than it deserves of some resource (beyond_share()).
  bool is_overused(std::size_t row) const;
  // "3 of 4 cpu, 6Gi of 8Gi memory": what is in force of what is written, where that is less.
  std::string scaled_text(std::size_t row) const;
  // "1 of 4 cpu": the largest piece of what it is due, where that is less than all of it.
  std::string piece_text(std::size_t row) const;
  // Sizes all amounts for the rows and resources there are, as zeros.
  void clear_amounts();

 private:
  std::string less_text(const Amounts& part, const Amounts& all, std::size_t row) const;
};

// Of the last plan and the cluster after it. Where nobody divides the cluster, `tree` says which
// queues are at fault; it is refreshed, so a caller that comes again keeps it. Costs a look at
// every job, and at every node for each resource that is kept for a queue that has not taken it.
QueueTable make_queue_table(const Cluster& cluster, const Plan& plan, engine::QueueTree& tree);

}  // namespace berth::views
