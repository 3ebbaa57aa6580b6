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
  Choice(Session& session, const LockWish& wish, const Job& job, const Need& need)
      : session_(session),
        cluster_(session.cluster()),
        wish_(wish),
        need_(need),
        potential_(session.cluster()),
        telling_(telling_dimensions(cluster_, need.request)) {
    potential_.take_in(job);
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
      const NodeId node(n);
      const Lock& lock = cluster_.node(node).lock;
      const bool is_ours = lock.job == job.id;
      const bool is_others = lock.job.is_valid() && !is_ours;
      if (lock.is_foreign || (is_others && !wish.counts_others)) continue;  // N1
      if (!could_take_any(session_, need_, node, potential_)) continue;     // N2
      (is_ours ? held_ : free_).push_back({node, idle_share(node), could_share(node)});
    }
    std::sort(held_.begin(), held_.end(), is_more_idle);
    std::sort(free_.begin(), free_.end(), is_more_idle);
  }

  LockChoice choose() {
    LockChoice choice;
    choice.nodes = with_free(wanted_nodes());
    const bool is_cut_off = choice.nodes.size() > wish_.most;
    if (is_cut_off) choice.nodes.resize(wish_.most);
    choice.is_covered = covers(choice.nodes);
    if (is_cut_off && !choice.is_covered) {  // N5
      if (const std::size_t count = fewest(); count > 0 && count <= wish_.most) {
        choice.nodes = first_of(by_what_they_could_give(), count);
        choice.is_covered = true;
      }
    }
    std::sort(choice.nodes.begin(), choice.nodes.end());
    return choice;
  }

  // How many cover, those first that could give most; 0: not even all.
  std::size_t fewest() {
    const std::vector<Candidate> all = by_what_they_could_give();
    return fewest_from(0, all.size(),
                       [&](std::size_t count) { return covers(first_of(all, count)); });
  }

 private:
  struct Candidate {
    NodeId node;
    Share idle = 0;   // what part of what is needed its idle room could take
    Share could = 0;  // the same of what it could give
  };

  // N4. Of the free ones, in their order.
  std::size_t wanted_nodes() {
    switch (wish_.scheme) {
      case LockScheme::cluster:
        break;
      case LockScheme::multi_node:
        return until_covered(held_.empty() ? std::min(wish_.nodes, free_.size()) : 0);
      case LockScheme::single_node:
        return wish_.may_grow && !covers(with_free(0)) ? std::min<std::size_t>(1, free_.size()) : 0;
      case LockScheme::closest_fit:
        return until_covered(closest_first());
    }
    return free_.size();
  }

  std::vector<NodeId> with_free(std::size_t count) const {
    std::vector<NodeId> nodes = first_of(held_, held_.size());
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(free_[i].node);
    return nodes;
  }

  static std::vector<NodeId> first_of(const std::vector<Candidate>& candidates, std::size_t count) {
    std::vector<NodeId> nodes;
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(candidates[i].node);
    return nodes;
  }

  std::vector<Candidate> by_what_they_could_give() const {
    std::vector<Candidate> all = held_;
    all.insert(all.end(), free_.begin(), free_.end());
    std::sort(all.begin(), all.end(), [](const Candidate& left, const Candidate& right) {
      return std::tie(right.could, left.node) < std::tie(left.could, right.node);
    });
    return all;
  }

  // Whoever fills these nodes later, fills them in the same order: by id.
  bool covers(std::vector<NodeId> nodes) {
    std::sort(nodes.begin(), nodes.end());
    Need left = need_;
    return Bins(session_, std::move(nodes), potential_).fill(left).is_whole;
  }

  // As few of the free ones as will do, at least `count`; all, if not even those do.
  std::size_t until_covered(std::size_t count) {
    if (covers(with_free(count))) return count;
    const std::size_t enough =
        fewest_from(count, free_.size(), [&](std::size_t more) { return covers(with_free(more)); });
    return enough > 0 ? enough : free_.size();
  }

  // By halving: what is found covers, though with unlike pods fewer might, too. 0: not even `most`.
  template <class Covers>
  static std::size_t fewest_from(std::size_t short_of, std::size_t most, const Covers& covers) {
    if (!covers(most)) return 0;
    std::size_t enough = most;
    while (enough - short_of > 1) {
      const std::size_t middle = short_of + (enough - short_of) / 2;
      (covers(middle) ? enough : short_of) = middle;
    }
    return enough;
  }

  // The scarcest resource tells: the smaller the dominant share of the request in the node's room,
  // the larger this.
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
  Share could_share(NodeId node) const {
    return smallest_share([&](Dimension d) { return potential_.at(node, d); });
  }

  // N3
  static bool is_more_idle(const Candidate& left, const Candidate& right) {
    return std::tie(right.idle, right.could, left.node) <
           std::tie(left.idle, left.could, right.node);
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
    if (covers(with_free(0))) return 0;
    Need left = need_;
    Bins(session_, with_free(0), potential_).fill(left);
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
  return Choice(session, wish, job, need).choose();
}

Verdict could_be_covered(Session& session, std::size_t most, const Job& job, const Need& need) {
  LockWish wish;
  wish.most = most;
  wish.counts_others = true;
  Choice choice(session, wish, job, need);
  const std::size_t count = choice.fewest();
  if (count > 0 && count <= most) return pass();
  const std::size_t needed = count > 0 ? count : session.cluster().node_count();
  return reject(Reason::needs_too_many_nodes, static_cast<std::int64_t>(most),
                static_cast<std::int64_t>(needed));
}

}  // namespace berth::engine
