#include "berth/engine/lock_choice.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace berth::engine {

namespace {

using Share = __int128;  // in 2^-32

// Dimensions that tell nodes apart: all that are asked for, but for places of pods, of which every
// node has plenty.
std::vector<Dimension> telling_dimensions(const Cluster& cluster, const Resources& request) {
  std::vector<Dimension> telling;
  for (std::size_t d = 0; d < request.extent(); ++d) {
    const bool is_pods = cluster.dimensions().name(Dimension(d)) == "pods";
    if (request[Dimension(d)] > 0 && !is_pods) telling.emplace_back(d);
  }
  return telling;
}

class Choice {
 public:
  Choice(Session& session, const LockWish& wish, JobId target, const Need& need)
      : session_(session),
        cluster_(session.cluster()),
        wish_(wish),
        need_(need),
        potential_(session.cluster()),
        telling_(telling_dimensions(cluster_, need.request)) {
    potential_.take_in(cluster_.job(target));
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
      const Lock& lock = cluster_.node(NodeId(n)).lock;
      const bool is_ours = lock.job == target;
      const bool is_taken = lock.is_foreign || (lock.job.is_valid() && !is_ours);  // N1
      if (is_taken || !is_usable(NodeId(n))) continue;                             // N2
      (is_ours ? held_ : free_).push_back({NodeId(n), idle_share(NodeId(n)), 0});
    }
    most_idle_first(held_);
    most_idle_first(free_);
  }

  LockChoice choose() {
    const std::size_t wanted = wanted_nodes();
    LockChoice choice;
    const auto take = [&](const std::vector<Candidate>& from, std::size_t count) {
      for (std::size_t i = 0; i < count && choice.nodes.size() < wish_.most; ++i) {
        choice.nodes.push_back(from[i].node);
      }
    };
    take(held_, held_.size());
    take(free_, wanted);
    std::sort(choice.nodes.begin(), choice.nodes.end());
    Need left = need_;
    choice.is_covered = Bins(session_, choice.nodes, potential_).fill(left).is_whole;
    return choice;
  }

 private:
  // Of the free ones, in their order.
  std::size_t wanted_nodes() {
    std::size_t wanted = 0;
    switch (wish_.scheme) {
      case LockScheme::cluster:
        wanted = free_.size();
        break;
      case LockScheme::multi_node:
        if (held_.empty()) wanted = std::min(wish_.nodes, free_.size());
        wanted = until_covered(wanted);
        break;
      case LockScheme::single_node:
        wanted = covers(0) ? 0 : std::min<std::size_t>(1, free_.size());
        break;
      case LockScheme::closest_fit:
        wanted = closest_first();
        break;
    }
    return wanted;
  }

  struct Candidate {
    NodeId node;
    Share idle = 0;   // what part of what is needed its idle room could take
    Share could = 0;  // the same of what it could give; only to end ties
  };

  bool is_usable(NodeId node) { return could_take_any(session_, need_, node, potential_); }

  // The scarcest resource tells: the smaller the dominant share of the request in the node's idle
  // room, the larger this.
  template <class RoomOf>
  Share smallest_share(const RoomOf& room_of) const {
    Share smallest = std::numeric_limits<std::int64_t>::max();
    for (const Dimension d : telling_) {
      const Share room = std::max<std::int64_t>(0, room_of(d));
      smallest = std::min(smallest, (room << 32) / need_.request[d]);
    }
    return smallest;
  }
  Share idle_share(NodeId node) const {
    return smallest_share([&](Dimension d) { return cluster_.available().at(node, d); });
  }

  // N3. Ties: who could give most, then the name.
  void most_idle_first(std::vector<Candidate>& candidates) const {
    for (Candidate& each : candidates) {
      each.could = smallest_share([&](Dimension d) { return potential_.at(each.node, d); });
    }
    std::sort(candidates.begin(), candidates.end(), is_more_idle);
  }

  static bool is_more_idle(const Candidate& left, const Candidate& right) {
    return std::tie(right.idle, right.could, left.node) <
           std::tie(left.idle, left.could, right.node);
  }

  // With so many of the free ones.
  bool covers(std::size_t count) {
    std::vector<NodeId> nodes;
    for (const Candidate& each : held_) nodes.push_back(each.node);
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(free_[i].node);
    Need left = need_;
    return Bins(session_, std::move(nodes), potential_).fill(left).is_whole;
  }

  // N4. The fewest from `count` on that cover; all, if not even those do.
  std::size_t until_covered(std::size_t count) {
    if (covers(count)) return count;
    std::size_t short_of = count;
    std::size_t enough = free_.size();
    if (!covers(enough)) return enough;
    while (enough - short_of > 1) {
      const std::size_t middle = short_of + (enough - short_of) / 2;
      (covers(middle) ? enough : short_of) = middle;
    }
    return enough;
  }

  struct Fit {
    bool takes_all = false;
    std::int32_t members = 0;
    Share surplus = 0;
    bool operator==(const Fit&) const = default;
    bool is_closer_than(const Fit& other) const {
      if (takes_all != other.takes_all) return takes_all;
      if (!takes_all && members != other.members) return members > other.members;
      return surplus < other.surplus;
    }
  };

  // N6. Brings the chosen ones to the front and counts them.
  std::size_t closest_first() {
    Need left = need_;
    std::vector<NodeId> held;
    for (const Candidate& each : held_) held.push_back(each.node);
    if (Bins(session_, std::move(held), potential_).fill(left).is_whole) return 0;

    std::size_t chosen = 0;
    std::vector<Fit> fits = fits_of(left);
    while (chosen < free_.size() && (left.members > 0 || !left.rest.is_zero())) {
      const std::size_t best = closest(fits, chosen, left);
      if (best == free_.size()) break;
      // What is left has shrunk since it was looked at: is it still so good?
      if (const Fit fit = fit_of(left, free_[best].node); fit != fits[best]) {
        fits[best] = fit;
        continue;
      }
      Bins bin(session_, {free_[best].node}, potential_);
      const std::int32_t taken = bin.fill_one(0, left);
      take_rest(bin, left);
      std::swap(free_[chosen], free_[best]);
      std::swap(fits[chosen], fits[best]);
      ++chosen;
      // From here on, one node may take all that is left.
      if (left.members <= taken) fits = fits_of(left);
    }
    return chosen;
  }

  std::vector<Fit> fits_of(const Need& left) {
    std::vector<Fit> fits;
    fits.reserve(free_.size());
    for (const Candidate& each : free_) fits.push_back(fit_of(left, each.node));
    return fits;
  }

  // Ties by N3: the most idle is the closest.
  std::size_t closest(const std::vector<Fit>& fits, std::size_t from, const Need& left) const {
    std::size_t best = free_.size();
    for (std::size_t i = from; i < free_.size(); ++i) {
      const bool takes_some = fits[i].takes_all || fits[i].members > 0 || left.members == 0;
      if (!takes_some) continue;
      if (best == free_.size() || fits[i].is_closer_than(fits[best])) {
        best = i;
      } else if (!fits[best].is_closer_than(fits[i]) && is_more_idle(free_[i], free_[best])) {
        best = i;
      }
    }
    return best;
  }

  Fit fit_of(const Need& left, NodeId node) {
    Need remaining = left;
    Bins bin(session_, {node}, potential_);
    Fit fit;
    fit.members = bin.fill_one(0, remaining);
    take_rest(bin, remaining);
    fit.takes_all = remaining.members == 0 && remaining.rest.is_zero();
    for (const Dimension d : telling_) {
      const Share over = std::max<std::int64_t>(0, bin.room(0, d) - left.rest[d]);
      fit.surplus = std::max(fit.surplus, (over << 32) / need_.request[d]);
    }
    return fit;
  }

  static void take_rest(const Bins& bin, Need& left) {
    for (std::size_t d = 0; d < left.rest.extent(); ++d) {
      const Dimension dimension(d);
      const std::int64_t room = std::max<std::int64_t>(0, bin.room(0, dimension));
      left.rest.set(dimension, std::max<std::int64_t>(0, left.rest[dimension] - room));
    }
  }

  Session& session_;
  const Cluster& cluster_;
  const LockWish& wish_;
  const Need& need_;
  Potential potential_;
  std::vector<Dimension> telling_;
  std::vector<Candidate> held_;
  std::vector<Candidate> free_;
};

}  // namespace

LockChoice choose_nodes(Session& session, const LockWish& wish, const Job& job, const Need& need) {
  return Choice(session, wish, job.id, need).choose();
}

}  // namespace berth::engine
