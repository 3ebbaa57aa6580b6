#pragma once

#include <cstdint>
#include <vector>

#include "berth/engine/need.h"
#include "engine/bins.h"

namespace berth::engine {

// Puts members of several shapes into a few nodes, by trying how many of each shape a node takes:
// the largest shapes first, as many as it can take first. For shapes that look at room alone, so
// that the order of placement does not matter. Rule ALLOCATE-11 of docs/design/allocate.md.
class ExactFill {
 public:
  ExactFill(Session& session, const Need& need, const std::vector<NodeId>& nodes);

  // Empty: some have no place, or it cannot be known in a bounded number of steps.
  std::vector<Bins::Filling::Place> run();

 private:
  using Amounts = std::vector<std::int64_t>;  // by resource that is asked for

  struct Part {
    std::size_t number = 0;  // in the need
    Amounts request;
    std::int32_t count = 0;
    std::vector<std::uint8_t> passing;  // by node
  };

  void add_part(Session& session, const Need& need, std::size_t number);
  void add_nodes(const Cluster& cluster, const std::vector<NodeId>& nodes);
  bool may_do() const;
  std::int64_t capacity(const Part& part, std::size_t node) const;
  bool try_part(std::size_t p);
  bool try_node(std::size_t p, std::size_t node, std::int32_t left,
                const std::vector<std::int64_t>& room_behind);
  void take(std::size_t p, std::size_t node, std::int32_t count);
  bool are_alike(std::size_t p, std::size_t first, std::size_t second) const;

  static constexpr std::size_t kNodesMost = 64;
  static constexpr std::int64_t kStepsMost = 20'000;  // a node that is looked at is one

  std::vector<Dimension> asked_;
  std::vector<Part> parts_;  // the largest first
  std::vector<NodeId> nodes_;
  std::vector<Amounts> rooms_;                    // by node
  std::vector<std::vector<std::int32_t>> taken_;  // by part and node
  std::int64_t steps_ = 0;
  bool is_possible_ = false;
};

}  // namespace berth::engine
