#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "berth/engine/queue_tree.h"
#include "berth/model/cluster.h"
#include "berth/model/plan.h"
#include "views/reserved_nodes.h"
#include "views/useless_room.h"

namespace berth::views {

inline constexpr std::size_t kGroupPhaseCount = 5;
using PhaseCounts = std::array<std::int32_t, kGroupPhaseCount>;  // by GroupPhase

// The queues after a session, for statuses, metrics and `berth queues`. A value; amounts are in the
// units of D4. Rows are in tree order: each queue is followed by all queues below it, children by
// name.
struct QueueTable {
  static constexpr std::uint32_t kNoParent = 0xffffffff;
  using Amounts = std::vector<std::int64_t>;  // row * resources.size() + resource

  struct Row {
    QueueId queue;  // in the source cluster; documents do not keep it
    std::string name;
    std::string uid;
    std::uint32_t parent = kNoParent;  // a row
    std::uint32_t depth = 0;           // the number of rows above it
    QueueState state = QueueState::open;
    std::string closed_above;  // the nearest queue above it that is not open; empty: none
    std::string fault;         // why its jobs must wait; empty: no fault
    std::string namespaces;    // selector of those that it serves; empty: all
    bool has_children = false;
    bool is_scaled = false;  // its guarantee is not in force in full
    bool is_reclaimable = true;
    bool is_fifo = false;
    // Parts of its spec without effect, or with less than written.
    std::vector<std::string> notes;
    std::int32_t weight = 1;
    std::int32_t priority = 0;
    std::int64_t used = 0;  // decayed, in seconds of the whole cluster; with all queues below
    PhaseCounts jobs{};     // of this queue alone
    PhaseCounts groups{};   // the pod groups among them
    std::optional<ReservedNodes> reservation;  // none: it asks for no nodes, and has none
    bool operator==(const Row&) const = default;
  };

  // True if a plugin divides the cluster. Otherwise `deserved` and `real_capability` are 0, and
  // `guarantee` is the written one.
  bool is_divided = false;
  // True if it is made of Queue objects alone: `total` only ranks resources, `demand`, `due` and
  // `piece` are 0, and jobs in no group are not counted.
  bool is_partial = false;
  std::vector<std::string> resources;
  std::vector<Row> rows;
  std::vector<std::int64_t> total;  // the amounts to divide, by resource
  Amounts written;                  // the guarantee as written
  Amounts guarantee;                // in force
  Amounts deserved;
  Amounts allocated;  // with all queues below
  Amounts demand;     // requested, placed or not; with all queues below
  Amounts real_capability;
  Amounts due;    // the unused part of its own guarantee and of those below it
  Amounts piece;  // the largest part of it that one node could give now
  std::map<std::string, IdleRoom> idle;  // of the whole cluster, by extended resource
  bool operator==(const QueueTable&) const = default;

  std::int64_t at(const Amounts& amounts, std::size_t row, std::size_t resource) const {
    return amounts[row * resources.size() + resource];
  }
  // The row's amounts above 0, by name.
  NamedAmounts named(const Amounts& amounts, std::size_t row) const;
  // Its use beyond its share, of each resource (beyond_share()); 0 if nobody divides.
  std::int64_t lent(std::size_t row, std::size_t resource) const;
  NamedAmounts lent(std::size_t row) const;
  // True if it has more than it deserves of a resource.
  bool is_overused(std::size_t row) const;
  // "3 of 4 cpu, 6Gi of 8Gi memory": the guarantee in force of the written one, if it is less.
  std::string scaled_text(std::size_t row) const;
  // "1 of 4 cpu": the largest piece of its due, if it is less than all of it.
  std::string piece_text(std::size_t row) const;
  // Sizes all amounts to the rows and resources, with zeros.
  void clear_amounts();

 private:
  std::string less_text(const Amounts& part, const Amounts& all, std::size_t row) const;
};

// The table of the last plan and the cluster after it. If no plugin divides the cluster, `tree`
// finds faulty queues; it is refreshed, so a caller should keep it. Reads every job, and every node
// for each resource with an unused guarantee. Without a time, `used` is 0.
QueueTable make_queue_table(const Cluster& cluster, const Plan& plan, engine::QueueTree& tree,
                            std::optional<TimePoint> now = std::nullopt);

}  // namespace berth::views
