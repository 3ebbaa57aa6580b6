#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>

namespace berth {

// A dense index that cannot be confused with the index of another kind of thing.
template <class Tag>
class StrongId {
 public:
  constexpr StrongId() = default;
  constexpr explicit StrongId(std::size_t index) : value_(static_cast<std::uint32_t>(index)) {}

  constexpr std::size_t index() const { return value_; }
  constexpr bool is_valid() const { return value_ != kNone; }
  constexpr auto operator<=>(const StrongId&) const = default;

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value_ = kNone;
};

using NodeId = StrongId<struct NodeTag>;
using TaskId = StrongId<struct TaskTag>;
using JobId = StrongId<struct JobTag>;
using QueueId = StrongId<struct QueueTag>;
using ShapeId = StrongId<struct ShapeTag>;
using LabelSetId = StrongId<struct LabelSetTag>;
using TermId = StrongId<struct TermTag>;
using TopologyKeyId = StrongId<struct TopologyKeyTag>;
using DomainId = StrongId<struct DomainTag>;
using NodeSetId = StrongId<struct NodeSetTag>;
using Dimension = StrongId<struct DimensionTag>;

}  // namespace berth

template <class Tag>
struct std::hash<berth::StrongId<Tag>> {
  std::size_t operator()(berth::StrongId<Tag> id) const noexcept { return id.index(); }
};
