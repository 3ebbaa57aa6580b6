#include "actions/room_ahead.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "actions/targets.h"
#include "berth/base/look_up.h"
#include "berth/engine/fit.h"
#include "berth/model/time_limit.h"

namespace berth::actions {

using namespace engine;

namespace {

// BEHIND-4. Node by node.
class NodesAhead final : public RoomAhead {
 public:
  NodesAhead(Session& session, LimitTrust trust)
      : session_(session),
        trust_(trust),
        nodes_(session.cluster().node_count()),
        within_(session.cluster()) {
    for (const JobId id : session.cluster().targets()) keep_for_target(id);
  }

  bool has_room_now(const Asks& asks) override {
    return std::all_of(asks.need->parts.begin(), asks.need->parts.end(),
                       [&](const Need::Part& part) { return has_slots_now(asks, part); });
  }

  const Within* nodes_now(const Asks& asks) override {
    within_ = Within(session_.cluster());
    std::vector<NodeId> chosen;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const auto takes = [&](const Need::Part& part) {
        return slots_now(asks, part.shape, NodeId(n)) > 0;
      };
      if (std::any_of(asks.need->parts.begin(), asks.need->parts.end(), takes))
        chosen.emplace_back(n);
    }
    within_.add(std::move(chosen));
    return &within_;
  }

  // The room that is there now is less by these pods. The rest must be enough for what is kept.
  bool admits(const Asks& asks, std::span<const Placement> placed) override {
    forget_ends(placed);
    const TimePoint until = later(session_.now(), asks.stay);
    return std::all_of(placed.begin(), placed.end(), [&](const Placement& each) {
      const Shape& shape = session_.cluster().shape_of(each.task);
      return std::all_of(shape.requested.begin(), shape.requested.end(), [&](const auto& asked) {
        return least(each.node, asked.first, session_.now(), until) >= 0;
      });
    });
  }

  void note_started(const Asks& /*asks*/, std::span<const Placement> placed) override {
    forget_ends(placed);
  }

  void note_undone(std::span<const Placement> placed) override { forget_ends(placed); }

  TimePoint earliest(const Asks& asks) override {
    if (asks.need->parts.size() == 1) return earliest_of(asks, asks.need->parts.front());
    const auto is_too_early = [&](TimePoint at) {
      if (!lay_out(asks, at)) return true;
      take_back();
      return false;
    };
    const std::vector<TimePoint> times = times_of_change(asks);
    // Where nothing is kept, room only grows.
    const auto first = is_anything_kept_
                           ? std::find_if_not(times.begin(), times.end(), is_too_early)
                           : std::partition_point(times.begin(), times.end(), is_too_early);
    return first == times.end() ? TimePoint::max() : *first;
  }

  bool keep(const Asks& asks, TimePoint from) override {
    if (!has_choice(asks)) {
      close_from(asks, from);
      return true;
    }
    const bool is_kept = lay_out(asks, from);
    is_anything_kept_ = is_anything_kept_ || is_kept;
    laid_.clear();
    return is_kept;
  }

 private:
  struct End {
    TimePoint at;
    TaskId task;
  };
  struct Kept {
    ShapeId shape;
    std::int64_t count = 0;
    TimePoint from, until;
  };
  struct NodeAhead {
    bool is_known = false;
    TimePoint closed_from = TimePoint::max();
    TimePoint claimed_from = TimePoint::max();  // claims take from then on what is vacated
    std::vector<End> ends;                      // by time
    std::vector<Kept> kept;
  };

  NodeAhead& at(NodeId node) {
    NodeAhead& ahead = nodes_[node.index()];
    if (std::exchange(ahead.is_known, true)) return ahead;
    const Cluster& cluster = session_.cluster();
    ahead.ends.clear();
    ahead.claimed_from = TimePoint::max();
    for (const TaskId id : cluster.node(node).tasks) {
      const Task& task = cluster.task(id);
      if (!occupies_node(task.status) || task.is_of_node) continue;
      const TimePoint end = gone_by(cluster, task, session_.now(), trust_);
      if (task.status == TaskStatus::releasing) {
        ahead.claimed_from = std::min(ahead.claimed_from, end);
      }
      if (end != TimePoint::max()) ahead.ends.push_back({end, id});
    }
    std::sort(ahead.ends.begin(), ahead.ends.end(),
              [](const End& left, const End& right) { return left.at < right.at; });
    return ahead;
  }

  void forget_ends(std::span<const Placement> placed) {
    for (const Placement& each : placed) nodes_[each.node.index()].is_known = false;
  }

  std::int64_t room(NodeId node, Dimension d, TimePoint time) {
    const Cluster& cluster = session_.cluster();
    const NodeAhead& ahead = at(node);
    std::int64_t room = cluster.available().at(node, d);
    for (const End& end : ahead.ends) {
      if (end.at > time) break;
      room += cluster.shape_of(end.task).request[d];
    }
    for (const Kept& kept : ahead.kept) {
      if (kept.from <= time && time < kept.until) {
        room -= kept.count * cluster.shape(kept.shape).request[d];
      }
    }
    return time < ahead.claimed_from ? room : room - claimed(node, d);
  }

  // Claims take so much of the room that is being vacated.
  std::int64_t claimed(NodeId node, Dimension d) const {
    const Cluster& cluster = session_.cluster();
    std::int64_t vacated = 0;
    for (const TaskId id : cluster.node(node).tasks) {
      const bool leaves = cluster.task(id).status == TaskStatus::releasing;
      if (leaves) vacated += cluster.shape_of(id).request[d];
    }
    return cluster.available().at(node, d) + vacated - cluster.future_idle(node, d);
  }

  // Room only grows by ends, so it is least at the beginning, or where something is kept or
  // claimed.
  std::int64_t least(NodeId node, Dimension d, TimePoint from, TimePoint until) {
    std::int64_t least = room(node, d, from);
    const auto look_at = [&](TimePoint time) {
      if (from < time && time < until) least = std::min(least, room(node, d, time));
    };
    const NodeAhead& ahead = at(node);
    look_at(ahead.claimed_from);
    for (const Kept& kept : ahead.kept) look_at(kept.from);
    return least;
  }

  // The first time at which the nodes take so many. Each node is asked only where its own room
  // changes.
  TimePoint earliest_of(const Asks& asks, const Need::Part& part) {
    struct Change {
      TimePoint at;
      std::int64_t by;
    };
    std::vector<Change> changes;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const NodeId node(n);
      if (passing(part.shape)[n] == 0 || !may_be_laid(asks, node)) continue;
      std::int64_t before = 0;
      for (const TimePoint time : times_of_change(node, asks.stay)) {
        const std::int64_t now = slots(asks, part.shape, node, time);
        if (now != before) changes.push_back({time, now - before});
        before = now;
      }
    }
    std::sort(changes.begin(), changes.end(),
              [](const Change& left, const Change& right) { return left.at < right.at; });
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      sum += changes[i].by;
      const bool is_last = i + 1 == changes.size() || changes[i + 1].at != changes[i].at;
      if (is_last && sum >= part.count) return changes[i].at;
    }
    return TimePoint::max();
  }

  // The times from now on at which the node may take more or fewer pods that stay so long: more
  // when something ends, fewer when they would meet what is kept.
  std::vector<TimePoint> times_of_change(NodeId node, Duration stay) {
    const NodeAhead& ahead = at(node);
    std::vector<TimePoint> times{session_.now()};
    const auto add = [&](TimePoint time) {
      if (time > session_.now() && time != TimePoint::max()) times.push_back(time);
    };
    const auto add_meeting = [&](TimePoint with) {
      if (with != TimePoint::max() && stay != Duration::max()) add(with - stay + Duration(1));
    };
    for (const End& end : ahead.ends) add(end.at);
    for (const Kept& kept : ahead.kept) {
      add(kept.until);
      add_meeting(kept.from);
    }
    add_meeting(ahead.closed_from);
    add_meeting(ahead.claimed_from);
    sort_once(times);
    return times;
  }

  // How many pods of the shape the node takes from then on.
  std::int64_t slots(const Asks& asks, ShapeId id, NodeId node, TimePoint from) {
    const TimePoint until = later(from, asks.stay);
    if (passing(id)[node.index()] == 0 || at(node).closed_from < until) return 0;
    const Cluster& cluster = session_.cluster();
    if (cluster.queue_in_the_way(node, cluster.queue_of(asks.job)).is_valid()) return 0;
    return times_covered(cluster.shape(id).requested,
                         [&](Dimension d) { return least(node, d, from, until); });
  }

  std::int64_t slots_now(const Asks& asks, ShapeId shape, NodeId node) {
    return slots(asks, shape, node, session_.now());
  }

  // Many jobs that wait are alike, and room only becomes less while they have their turns.
  bool has_slots_now(const Asks& asks, const Need::Part& part) {
    const std::tuple key(part.shape, asks.stay, session_.cluster().queue_of(asks.job));
    const auto known = slots_most_.find(key);
    if (known != slots_most_.end() && known->second < part.count) return false;
    std::int64_t slots = 0;
    for (std::size_t n = 0; n < nodes_.size() && slots < part.count; ++n) {
      slots += slots_now(asks, part.shape, NodeId(n));
    }
    if (slots >= part.count) return true;
    slots_most_[key] = slots;
    return false;
  }

  const std::vector<std::uint8_t>& passing(ShapeId shape) {
    const auto [entry, is_new] = passing_.try_emplace(shape);
    if (is_new) entry->second = session_.passing(shape);
    return entry->second;
  }

  // The times at which it may have more room or less.
  std::vector<TimePoint> times_of_change(const Asks& asks) {
    std::vector<TimePoint> times{session_.now()};
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      const auto passes = [&](const Need::Part& part) { return passing(part.shape)[n] != 0; };
      if (std::none_of(asks.need->parts.begin(), asks.need->parts.end(), passes)) continue;
      const std::vector<TimePoint> of_node = times_of_change(NodeId(n), asks.stay);
      times.insert(times.end(), of_node.begin(), of_node.end());
    }
    sort_once(times);
    return times;
  }

  // Keeps nodes from then on: those that are busy now come first, so that idle ones stay open.
  bool lay_out(const Asks& asks, TimePoint from) {
    for (const Need::Part& part : asks.need->parts) {
      std::int64_t left = part.count;
      for (const bool takes_idle : {false, true}) {
        for (std::size_t n = 0; n < nodes_.size() && left > 0; ++n) {
          const NodeId node(n);
          if (!may_be_laid(asks, node) || (slots_now(asks, part.shape, node) > 0) != takes_idle) {
            continue;
          }
          const std::int64_t count = std::min(left, slots(asks, part.shape, node, from));
          if (count <= 0) continue;
          at(node).kept.push_back({part.shape, count, from, later(from, asks.stay)});
          laid_.push_back(node);
          left -= count;
        }
      }
      if (left > 0) return take_back(), false;
    }
    return true;
  }

  void take_back() {
    for (; !laid_.empty(); laid_.pop_back()) nodes_[laid_.back().index()].kept.pop_back();
  }

  // Do any of its pods fit beside each other wherever there is room for so many? Only then some
  // nodes will do, and others may have what is left over.
  bool has_choice(const Asks& asks) const {
    const Shape& shape = session_.cluster().shape(asks.need->parts.front().shape);
    return asks.need->parts.size() == 1 && !shape.terms.decide() && !shape.has_host_ports &&
           !shape.has_volumes && asks.need->rest.is_zero() &&
           session_.cluster().job(asks.job).topology.rules.empty();
  }

  // Until then, all is as if nobody had come. Its start is known to be no earlier.
  void close_from(const Asks& asks, TimePoint from) {
    is_anything_kept_ = true;
    for (std::size_t n = 0; n < nodes_.size(); ++n) {
      if (!may_be_laid(asks, NodeId(n))) continue;
      NodeAhead& ahead = at(NodeId(n));
      ahead.closed_from = std::min(ahead.closed_from, from);
    }
  }

  // Only on the nodes that are locked for it, of a target.
  bool may_be_laid(const Asks& asks, NodeId node) const {
    const JobId target = session_.cluster().locks().target(node);
    return lays_target_ ? target == asks.job : !target.is_valid() || target == asks.job;
  }

  // BEHIND-9. Of those that started on nodes while these were kept.
  bool is_anybody_late(JobId target) const {
    const Cluster& cluster = session_.cluster();
    const auto is_late = [&](TimePoint kept_since, const Task& task) {
      const TimePoint started = std::max(task.started, task.scheduled_at);
      return occupies_node(task.status) && task.job != target && started >= kept_since &&
             later(started, longest_stay(cluster, task, started, trust_)) <= session_.now();
    };
    const std::vector<NodeId> nodes = cluster.locks().nodes_of(target);
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
      const Node& node = cluster.node(id);
      return std::any_of(node.tasks.begin(), node.tasks.end(),
                         [&](TaskId task) { return is_late(node.lock.since, cluster.task(task)); });
    });
  }

  // BEHIND-3. From the time at which its locked nodes hold it; without one, they are closed.
  void keep_for_target(JobId id) {
    const Cluster& cluster = session_.cluster();
    const Job& job = cluster.job(id);
    if (!is_waiting_target(session_, job)) return;
    const Need need = need_of(session_, job);
    const Asks asks{id, &need, Duration::max()};
    lays_target_ = true;
    const bool is_known = !asks.need->parts.empty() && !is_anybody_late(id);
    const TimePoint start = is_known ? earliest(asks) : TimePoint::max();
    if (start == TimePoint::max() || !keep(asks, start)) close_from(asks, TimePoint::min());
    lays_target_ = false;
  }

  Session& session_;
  const LimitTrust trust_;
  std::vector<NodeAhead> nodes_;
  Within within_;
  std::map<ShapeId, std::vector<std::uint8_t>> passing_;
  std::map<std::tuple<ShapeId, Duration, QueueId>, std::int64_t> slots_most_;
  std::vector<NodeId> laid_;
  bool is_anything_kept_ = false;
  bool lays_target_ = false;
};

}  // namespace

std::unique_ptr<RoomAhead> room_ahead_of(Session& session, std::span<const Asks> jobs,
                                         LimitTrust trust) {
  if (auto whole = whole_nodes_ahead(session, jobs, trust)) return whole;
  return std::make_unique<NodesAhead>(session, trust);
}

}  // namespace berth::actions
