// The room ahead of jobs whose pods take whole nodes, any of the same: a number of nodes over time.

#include <algorithm>
#include <optional>
#include <utility>

#include "actions/room_ahead.h"
#include "berth/base/look_up.h"
#include "berth/engine/fit.h"
#include "berth/model/time_limit.h"

namespace berth::actions {

using namespace engine;

namespace {

// How many nodes are free, from each time on.
class FreeNodes {
 public:
  explicit FreeNodes(TimePoint now) : steps_{{now, 0}} {}

  // All in one go: those that are free now, and then one at each time.
  void set(std::int64_t now, std::vector<TimePoint> later) {
    std::sort(later.begin(), later.end());
    steps_.front().count = now;
    for (const TimePoint at : later) {
      if (steps_.back().from != at) steps_.push_back({at, steps_.back().count});
      ++steps_.back().count;
    }
  }

  std::int64_t least(TimePoint from, TimePoint until) const {
    auto step = std::prev(after_of(from));
    std::int64_t least = step->count;
    for (++step; step != steps_.end() && step->from < until; ++step) {
      least = std::min(least, step->count);
    }
    return least;
  }

  TimePoint earliest(std::int64_t count, Duration stay) const {
    std::size_t start = 0;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
      if (start < i && steps_[i].from >= later(steps_[start].from, stay)) break;
      if (steps_[i].count < count) start = i + 1;
    }
    return start < steps_.size() ? steps_[start].from : TimePoint::max();
  }

  void take(std::int64_t count, TimePoint from, TimePoint until) {
    if (from >= until) return;
    const std::size_t first = begin_at(from);
    const std::size_t end = until == TimePoint::max() ? steps_.size() : begin_at(until);
    for (std::size_t i = first; i < end; ++i) steps_[i].count -= count;
  }

 private:
  struct Step {
    TimePoint from;
    std::int64_t count = 0;
  };

  std::vector<Step>::const_iterator after_of(TimePoint time) const {
    return std::upper_bound(steps_.begin(), steps_.end(), time,
                            [](TimePoint at, const Step& step) { return at < step.from; });
  }

  // The step that begins there.
  std::size_t begin_at(TimePoint time) {
    const auto next = after_of(time);
    const auto before = std::prev(next);
    if (before->from == time) return static_cast<std::size_t>(before - steps_.begin());
    const auto made = steps_.insert(next, {time, before->count});
    return static_cast<std::size_t>(made - steps_.begin());
  }

  std::vector<Step> steps_;  // by time; never empty; the first is now
};

struct WholeNode {
  NodeId node;
  bool is_idle = false;
  bool operator==(const WholeNode&) const = default;
};

class WholeNodes final : public RoomAhead {
 public:
  WholeNodes(const Session& session, const std::vector<ShapeId>& shapes,
             const std::vector<WholeNode>& nodes, LimitTrust trust)
      : session_(session), free_(session.now()) {
    std::int64_t idle = 0;
    std::vector<TimePoint> later;
    for (const WholeNode& each : nodes) {
      if (each.is_idle) {
        ++idle;
        continue;
      }
      TimePoint free = TimePoint::min();
      for (const ShapeId shape : shapes) {
        free = std::max(free, free_at(session, session.cluster().shape(shape), each.node, trust));
      }
      if (free != TimePoint::max()) later.push_back(free);
    }
    free_.set(idle, std::move(later));
  }

  bool has_room_now(const Asks& asks) override {
    const TimePoint now = session_.now();
    return free_.least(now, later(now, asks.stay)) >= asks.need->members;
  }
  const Within* nodes_now(const Asks& /*asks*/) override { return nullptr; }
  bool admits(const Asks& /*asks*/, std::span<const Placement> /*placed*/) override { return true; }
  void note_started(const Asks& asks, std::span<const Placement> placed) override {
    free_.take(std::ssize(placed), session_.now(), later(session_.now(), asks.stay));
  }
  void note_undone(std::span<const Placement> /*placed*/) override {}
  TimePoint earliest(const Asks& asks) override {
    return free_.earliest(asks.need->members, asks.stay);
  }
  bool keep(const Asks& asks, TimePoint from) override {
    free_.take(asks.need->members, from, later(from, asks.stay));
    return true;
  }

 private:
  // When so many of its pods have ended that one of the shape fits.
  static TimePoint free_at(const Session& session, const Shape& shape, NodeId node,
                           LimitTrust trust) {
    const Cluster& cluster = session.cluster();
    const auto& tasks = cluster.node(node).tasks;
    if (tasks.size() == 1 && !cluster.task(tasks.front()).is_of_node) {
      return gone_by(cluster, cluster.task(tasks.front()), session.now(), trust);
    }
    std::vector<std::pair<TimePoint, TaskId>> ends;
    for (const TaskId id : tasks) {
      const Task& task = cluster.task(id);
      if (!occupies_node(task.status) || task.is_of_node) continue;
      ends.emplace_back(gone_by(cluster, task, session.now(), trust), id);
    }
    std::sort(ends.begin(), ends.end());
    Resources freed;
    for (const auto& [at, id] : ends) {
      freed += cluster.shape_of(id).request;
      const bool fits = is_covered(
          shape.requested, [&](Dimension d) { return cluster.available().at(node, d) + freed[d]; });
      if (fits) return at;
    }
    return TimePoint::max();
  }

  const Session& session_;
  FreeNodes free_;
};

// The nodes that pass for the shape; nullopt if one has room for several pods of it.
std::optional<std::vector<WholeNode>> whole_nodes_of(Session& session, ShapeId id) {
  const Cluster& cluster = session.cluster();
  const Shape& shape = cluster.shape(id);
  const std::vector<std::uint8_t>& passes = session.passing(id);
  std::vector<WholeNode> nodes;
  nodes.reserve(cluster.node_count());
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    if (passes[n] == 0) continue;
    const std::int32_t idle = room_for(IdleNow{cluster}, shape, NodeId(n));
    if (idle > 1 || room_for(OnceEmptied{cluster}, shape, NodeId(n)) != 1) return std::nullopt;
    nodes.push_back({NodeId(n), idle == 1});
  }
  return nodes;
}

}  // namespace

std::unique_ptr<RoomAhead> whole_nodes_ahead(Session& session, std::span<const Asks> jobs,
                                             LimitTrust trust) {
  const Cluster& cluster = session.cluster();
  if (cluster.locks().are_any() || !cluster.claimants().empty()) return nullptr;
  std::vector<ShapeId> shapes;
  for (const Asks& each : jobs) {
    if (each.need->parts.size() != 1 || !each.need->rest.is_zero()) return nullptr;
    const ShapeId shape = each.need->parts.front().shape;
    if (!is_any_of(shape, shapes)) shapes.push_back(shape);
    constexpr std::size_t kShapesMost = 8;
    const bool is_plain =
        cluster.shape(shape).terms.are_empty() && !cluster.shape(shape).has_host_ports &&
        !cluster.shape(shape).has_volumes && cluster.job(each.job).topology.rules.empty();
    if (shapes.size() > kShapesMost || !is_plain) return nullptr;
  }
  std::optional<std::vector<WholeNode>> nodes;
  for (const ShapeId id : shapes) {
    std::optional<std::vector<WholeNode>> of_this = whole_nodes_of(session, id);
    if (!of_this || (nodes && nodes != of_this)) return nullptr;
    nodes = std::move(of_this);
  }
  return std::make_unique<WholeNodes>(session, shapes, *nodes, trust);
}

}  // namespace berth::actions
