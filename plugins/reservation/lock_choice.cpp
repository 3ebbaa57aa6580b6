#include "plugins/reservation/lock_choice.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>

#include "berth/base/look_up.h"
#include "plugins/reservation/node_cover.h"
#include "plugins/reservation/soonest_room.h"

namespace berth::plugins {

using namespace engine;

namespace {

using RoomShare = __int128;  // in 2^-32

// Dimensions in which nodes are compared: all but places for pods, which are plenty.
std::vector<Dimension> compared_dimensions(const Cluster& cluster, const Resources& request) {
  std::vector<Dimension> compared;
  for (std::size_t d = 0; d < request.extent(); ++d) {
    const bool is_pods = cluster.dimensions().name(Dimension(d)) == "pods";
    if (request[Dimension(d)] > 0 && !is_pods) compared.emplace_back(d);
  }
  return compared;
}

class LockChooser {
 public:
  LockChooser(Session& session, const LockWish& wish, const Job& job, const Need& need,
              const ReachableCapacity& reachable)
      : session_(session),
        cluster_(session.cluster()),
        wish_(wish),
        need_(need),
        reachable_(reachable),
        compared_(compared_dimensions(cluster_, need.request)) {
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
      const NodeId node(n);
      if (!session_.may_choose(node)) continue;  // TOPO-22
      const Lock& lock = cluster_.node(node).lock;
      const bool is_ours = lock.job == job.id;
      const bool is_others = lock.job.is_valid() && !is_ours;
      if (lock.is_foreign || (is_others && !wish.counts_others)) continue;  // LOCK-1
      if (cluster_.queue_in_the_way(node, job.queue).is_valid()) continue;  // LOCK-1
      if (!could_take_any(session_, need_, node, reachable_)) continue;     // LOCK-2
      (is_ours ? held_ : free_).push_back({node, idle_share(node), could_share(node)});
    }
    std::sort(held_.begin(), held_.end(), is_more_idle);
    std::sort(free_.begin(), free_.end(), is_more_idle);
  }

  LockChoice choose() {
    LockChoice choice;
    choice.nodes = wanted();
    const bool is_cut_off = choice.nodes.size() > wish_.most;
    if (is_cut_off) choice.nodes.resize(wish_.most);
    choice.is_covered = covers(choice.nodes);
    if (is_cut_off && !choice.is_covered) {  // LOCK-5
      for (const auto& nodes : {held_and(in_order_of_roles()), by_what_they_could_give()}) {
        auto few = cover_with({}, nodes);
        if (!few || few->size() > wish_.most) continue;
        choice.nodes = std::move(*few);
        choice.is_covered = true;
        break;
      }
      if (!choice.is_covered && first_cover(wish_.most)) {
        choice.nodes = first_that_could_give_most(wish_.most);
        choice.is_covered = true;
      }
    }
    std::sort(choice.nodes.begin(), choice.nodes.end());
    return choice;
  }

  bool holds_enough() { return covers(held_and({})); }
  std::vector<NodeId> usable() const { return held_and(names_of(free_)); }

  // The number of nodes that is enough, or 0 if even all are not. Ignores pods that run there.
  std::size_t fewest() {
    const auto few = cover_with({}, by_what_they_could_give());
    return few ? few->size() : 0;
  }

  // Do this many of the nodes that could give most cover the need?
  bool first_cover(std::size_t count) { return covers(first_that_could_give_most(count)); }

 private:
  struct Candidate {
    NodeId node;
    RoomShare idle = 0;   // the part of the need that its idle room could take
    RoomShare could = 0;  // the part that its reachable capacity could take
  };

  // LOCK-4. First the nodes that are held, then more.
  std::vector<NodeId> wanted() {
    switch (wish_.scheme) {
      case LockScheme::cluster:
        break;
      case LockScheme::multi_node:
        return held_.empty() ? so_many(std::min(wish_.nodes, free_.size())) : until_covered({});
      case LockScheme::single_node:
        return wish_.may_grow && !covers(held_and({})) ? held_and(one_more()) : held_and({});
      case LockScheme::closest_fit:
        return until_covered(closest_first());
    }
    return held_and(names_of(free_));
  }

  // The first nodes, if they cover the need; else a few that do, and the first of the others.
  std::vector<NodeId> so_many(std::size_t count) {
    const std::vector<NodeId> all = names_of(free_);
    const std::vector<NodeId> first(all.begin(), all.begin() + std::ptrdiff_t(count));
    if (covers(first)) return first;
    auto few = cover_with({}, in_order_of_roles());
    if (!few) return all;
    if (few->size() == count) return std::move(*few);
    if (few->size() > count) {
      auto set = cover_with_so_many(session_, need_, reachable_, count, all);
      return std::move(set ? *set : *few);
    }
    std::vector<NodeId> others;
    for (const NodeId node : all) {
      if (!is_any_of(node, *few)) others.push_back(node);
    }
    std::vector<NodeId> nodes = *few;
    nodes.insert(nodes.end(), others.begin(), others.begin() + std::ptrdiff_t(count - few->size()));
    if (covers(nodes)) return nodes;
    // With unlike pods, one node more may be filled so that the last finds no place.
    if (auto set = cover_with_so_many(session_, need_, reachable_, count, all)) {
      return std::move(*set);
    }
    for (std::size_t i = 0; i < others.size() && few->size() < count; ++i) {
      few->push_back(others[i]);
      if (!covers(*few)) few->pop_back();
    }
    return std::move(*few);
  }

  // Adds as few nodes as are enough, or all nodes if even those are not.
  std::vector<NodeId> until_covered(std::vector<NodeId> chosen) {
    std::vector<NodeId> nodes = held_and(chosen);
    std::vector<NodeId> others = in_order_of_roles();
    std::erase_if(others, [&](NodeId node) { return is_any_of(node, chosen); });
    const auto few = cover_with(nodes, others);
    const std::vector<NodeId>& more = few ? *few : others;
    nodes.insert(nodes.end(), more.begin(), more.end());
    return nodes;
  }

  // The most idle node that takes some of what the held nodes could not.
  std::vector<NodeId> one_more() {
    if (free_.empty()) return {};
    const Need left = left_by_held();
    Bins bins(session_, names_of(free_), reachable_);
    for (std::size_t i = 0; i < free_.size(); ++i) {
      if (helps(bins, i, left)) return {free_[i].node};
    }
    return {free_.front().node};
  }

  static bool helps(Bins& bins, std::size_t bin, const Need& left) {
    const std::vector<std::int32_t>& taken = bins.would_take(bin, left);
    if (std::any_of(taken.begin(), taken.end(), [](std::int32_t count) { return count > 0; })) {
      return true;
    }
    for (std::size_t d = 0; d < left.rest.extent(); ++d) {
      if (left.rest[Dimension(d)] > 0 && bins.room(bin, Dimension(d)) > 0) return true;
    }
    return false;
  }

  Need left_by_held() { return left_by(session_, need_, reachable_, names_of(held_)); }

  static std::vector<NodeId> names_of(const std::vector<Candidate>& candidates) {
    std::vector<NodeId> nodes;
    for (const Candidate& each : candidates) nodes.push_back(each.node);
    return nodes;
  }

  std::vector<NodeId> held_and(const std::vector<NodeId>& more) const {
    std::vector<NodeId> nodes = names_of(held_);
    nodes.insert(nodes.end(), more.begin(), more.end());
    return nodes;
  }

  std::vector<NodeId> by_what_they_could_give() const {
    std::vector<Candidate> all = held_;
    all.insert(all.end(), free_.begin(), free_.end());
    std::sort(all.begin(), all.end(), [](const Candidate& left, const Candidate& right) {
      return std::tie(right.could, left.node) < std::tie(left.could, right.node);
    });
    return names_of(all);
  }

  std::vector<NodeId> first_that_could_give_most(std::size_t count) const {
    std::vector<NodeId> nodes = by_what_they_could_give();
    nodes.resize(std::min(count, nodes.size()));
    return nodes;
  }

  // The free nodes by LOCK-3, each rated only for the pods that it could take.
  std::vector<NodeId> in_order_of_roles() {
    if (need_.parts.size() < 2) return names_of(free_);
    std::vector<Candidate> all = free_;
    for (Candidate& each : all) {
      const Resources request = request_that_could_go_to(each.node);
      each.idle = smallest_share(
          request, [&](Dimension d) { return cluster_.available().at(each.node, d); });
      each.could =
          smallest_share(request, [&](Dimension d) { return reachable_.at(each.node, d); });
    }
    std::sort(all.begin(), all.end(), is_more_idle);
    return names_of(all);
  }

  Resources request_that_could_go_to(NodeId node) {
    Resources request = need_.rest;
    for (const Need::Part& part : need_.parts) {
      const Need one{{part}, part.count, {}, {}};
      if (!could_take_any(session_, one, node, reachable_)) continue;
      for (const auto& [dimension, amount] : cluster_.shape(part.shape).requested) {
        request.add(dimension, amount * part.count);
      }
    }
    return request;
  }

  bool covers(const std::vector<NodeId>& nodes) {
    return plugins::covers(session_, need_, reachable_, nodes);
  }
  std::optional<std::vector<NodeId>> cover_with(const std::vector<NodeId>& held,
                                                const std::vector<NodeId>& nodes) {
    return cover_with_few(session_, need_, reachable_, held, nodes, wish_.most);
  }

  // The scarcest resource decides: the smaller a part of the room is asked, the better.
  template <class RoomOf>
  RoomShare smallest_share(const Resources& request, const RoomOf& room_of) const {
    RoomShare smallest = std::numeric_limits<std::int64_t>::max();
    for (const Dimension d : compared_) {
      if (request[d] <= 0) continue;
      const RoomShare room = std::max<std::int64_t>(0, room_of(d));
      smallest = std::min(smallest, (room << 32) / request[d]);
    }
    return smallest;
  }
  RoomShare idle_share(NodeId node) const {
    return smallest_share(need_.request,
                          [&](Dimension d) { return cluster_.available().at(node, d); });
  }
  RoomShare could_share(NodeId node) const {
    return smallest_share(need_.request, [&](Dimension d) { return reachable_.at(node, d); });
  }

  // LOCK-3
  static bool is_more_idle(const Candidate& left, const Candidate& right) {
    return std::tie(right.idle, right.could, left.node) <
           std::tie(left.idle, left.could, right.node);
  }

  struct Fit {
    bool takes_all = false;
    std::int32_t members = 0;
    RoomShare distance = 0;  // of what is idle to what is asked; of one that takes all
    bool operator==(const Fit&) const = default;
    bool is_closer_than(const Fit& other) const {
      if (takes_all != other.takes_all) return takes_all;
      return takes_all ? distance < other.distance : members > other.members;
    }
  };

  // LOCK-6
  std::vector<NodeId> closest_first() {
    if (covers(held_and({}))) return {};
    Need left = left_by_held();
    Bins bins(session_, names_of(free_), reachable_);
    std::vector<NodeId> chosen;
    std::vector<std::uint8_t> is_chosen(free_.size(), 0);
    std::vector<Fit> fits = fits_of(bins, left);
    while (chosen.size() < free_.size() && !left.is_nothing()) {
      const std::size_t best = closest(fits, is_chosen, left);
      if (best == free_.size()) break;
      // The need has shrunk since this node was rated: is its rating still as good?
      if (const Fit fit = fit_of(bins, best, left); fit != fits[best]) {
        fits[best] = fit;
        continue;
      }
      const std::int32_t taken = bins.fill_one(best, left);
      bins.give_to_rest(best, left);
      is_chosen[best] = 1;
      chosen.push_back(free_[best].node);
      // From here on, one node may take all that is left.
      if (left.members <= taken) fits = fits_of(bins, left);
    }
    return chosen;
  }

  std::vector<Fit> fits_of(Bins& bins, const Need& left) const {
    std::vector<Fit> fits;
    fits.reserve(free_.size());
    for (std::size_t i = 0; i < free_.size(); ++i) fits.push_back(fit_of(bins, i, left));
    return fits;
  }

  // Ties go by LOCK-3, which is their order.
  std::size_t closest(const std::vector<Fit>& fits, const std::vector<std::uint8_t>& is_chosen,
                      const Need& left) const {
    std::size_t best = free_.size();
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const bool takes_some = fits[i].takes_all || fits[i].members > 0 || left.members == 0;
      if (is_chosen[i] != 0 || !takes_some) continue;
      if (best == free_.size() || fits[i].is_closer_than(fits[best])) best = i;
    }
    return best;
  }

  Fit fit_of(Bins& bins, std::size_t bin, const Need& left) const {
    const std::vector<std::int32_t>& taken = bins.would_take(bin, left);
    Fit fit;
    for (const std::int32_t count : taken) fit.members += count;
    if (fit.members < left.members) return fit;
    Need remaining = left;
    Bins alone(session_, {free_[bin].node}, reachable_);
    alone.fill_one(0, remaining);
    alone.give_to_rest(0, remaining);
    fit.takes_all = remaining.is_nothing();
    if (fit.takes_all) fit.distance = distance(left, free_[bin].node);
    return fit;
  }

  RoomShare distance(const Need& left, NodeId node) const {
    Resources asked = left.rest;
    for (const Need::Part& part : left.parts) {
      for (const auto& [dimension, amount] : cluster_.shape(part.shape).requested) {
        asked.add(dimension, amount * part.count);
      }
    }
    RoomShare most = 0;
    for (const Dimension d : compared_) {
      if (asked[d] <= 0) continue;
      const RoomShare idle = std::max<std::int64_t>(0, cluster_.available().at(node, d));
      const RoomShare apart = idle > asked[d] ? idle - asked[d] : asked[d] - idle;
      most = std::max(most, (apart << 32) / asked[d]);
    }
    return most;
  }

  Session& session_;
  const Cluster& cluster_;
  const LockWish& wish_;
  const Need& need_;
  const ReachableCapacity& reachable_;
  std::vector<Dimension> compared_;
  std::vector<Candidate> held_;  // by LOCK-3
  std::vector<Candidate> free_;
};

ReachableCapacity reachable_for(const Session& session, const Job& job) {
  ReachableCapacity reachable(session.cluster());
  reachable.take_in(job);
  return reachable;
}

}  // namespace

LockChoice choose_nodes(Session& session, const LockWish& wish, const Job& job, const Need& need) {
  const ReachableCapacity reachable = reachable_for(session, job);
  LockChooser chooser(session, wish, job, need, reachable);
  if (wish.by_ends && !chooser.holds_enough()) {  // LOCK-9
    if (const auto soonest = soonest_room(session, job.id, need, reachable, chooser.usable())) {
      LockChoice choice = LockChooser(session, wish, job, need, *soonest).choose();
      if (choice.is_covered) return choice;
    }
  }
  return chooser.choose();
}

std::size_t fewest(Session& session, const Job& job, const Need& need) {
  const LockWish wish{.most = session.cluster().node_count(), .counts_others = true};
  return LockChooser(session, wish, job, need, reachable_for(session, job)).fewest();
}

Verdict could_be_covered(Session& session, std::size_t most, const Job& job, const Need& need) {
  const LockWish wish{.most = most, .counts_others = true};
  const ReachableCapacity reachable = reachable_for(session, job);
  LockChooser choice(session, wish, job, need, reachable);
  if (choice.first_cover(most)) return pass();
  const std::size_t count = choice.fewest();
  if (count > 0 && count <= most) return pass();
  const std::size_t needed = count > 0 ? count : session.cluster().node_count();
  return reject(Reason::needs_too_many_nodes, static_cast<std::int64_t>(most),
                static_cast<std::int64_t>(needed));
}

}  // namespace berth::plugins
