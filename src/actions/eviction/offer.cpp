#include "actions/eviction/offer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "berth/engine/fit.h"
#include "engine/fit/keeps_away.h"

namespace berth::actions {

using namespace engine;

bool is_better(const Offer& left, const Offer& right) {
  if (left.takes_whole_jobs != right.takes_whole_jobs) return right.takes_whole_jobs;
  const bool both_evict = left.victims > 0 && right.victims > 0;
  if (both_evict && left.is_own != right.is_own) return left.is_own;  // NODES-16
  if (left.size != right.size) return left.size < right.size;
  const std::int64_t l = std::int64_t{left.victims} * (right.members + right.elsewhere);
  const std::int64_t r = std::int64_t{right.victims} * (left.members + left.elsewhere);
  if (l != r) return l < r;
  if (left.lots.empty() != right.lots.empty()) return left.lots.empty();
  if (!left.lots.empty() && left.lots.back() != right.lots.back()) {
    return left.lots.back() < right.lots.back();
  }
  return left.node < right.node;
}

std::int64_t room_on(const Cluster& cluster, NodeId node, Dimension d, bool is_paid) {
  return is_paid && d != kPods ? 0 : cluster.future_idle(node, d);
}

std::vector<std::pair<Dimension, std::int64_t>> shortage_on(const Cluster& cluster, NodeId node,
                                                            const OfferSearch::Terms& terms,
                                                            std::int32_t members) {
  std::vector<std::pair<Dimension, std::int64_t>> lacks, all;
  for (const auto& [dimension, amount] : cluster.shape(terms.shape).requested) {
    all.emplace_back(dimension, saturated_product(amount, members));
    if (room_on(cluster, node, dimension, terms.is_paid) < all.back().second) {
      lacks.push_back(all.back());
    }
  }
  return lacks.empty() ? all : lacks;
}

std::int32_t OfferSearch::members_in(const std::vector<std::int64_t>& room,
                                     const Terms& terms) const {
  const Shape& shape = session_.cluster().shape(terms.shape);
  const auto& requested = shape.requested;
  // Two of them would ask for the same port, or refuse each other.
  const bool is_alone = shape.has_host_ports || shape.terms.refuses_itself;
  std::int64_t members = std::min(terms.members, is_alone ? 1 : terms.at_once);
  for (std::size_t i = 0; i < requested.size(); ++i) {
    members = std::min(members, std::max<std::int64_t>(0, room[i]) / requested[i].second);
  }
  return static_cast<std::int32_t>(members);
}

std::int64_t OfferSearch::size_of(std::uint32_t lot, const Terms& terms) const {
  const Cluster& cluster = session_.cluster();
  Resources sum;
  for (const TaskId id : still_running(cluster, candidates_.lots()[lot].tasks)) {
    sum += cluster.shape_of(id).request;
  }
  std::int64_t most = 0;
  for (const auto& [dimension, amount] : cluster.shape(terms.shape).requested) {
    if (dimension == kPods) continue;
    const std::int64_t total = std::max<std::int64_t>(1, cluster.total_allocatable()[dimension]);
    const __int128 part = static_cast<__int128>(sum[dimension]) * 1'000'000'000 / total;
    most = std::max(most, static_cast<std::int64_t>(std::min<__int128>(part, 1'000'000'000)));
  }
  return most;
}

// Members that fit where a whole job has been, and did not before.
std::int32_t OfferSearch::gained_by(std::uint32_t lot, const Terms& terms) {
  const auto [known, is_new] = gained_.try_emplace(lot, 0);
  if (!is_new) return known->second;
  const Cluster& cluster = session_.cluster();
  const auto& requested = cluster.shape(terms.shape).requested;
  std::map<NodeId, Resources> freed;
  for (const TaskId id : still_running(cluster, candidates_.lots()[lot].tasks)) {
    freed[cluster.task(id).node] += cluster.shape_of(id).request;
  }
  const std::vector<std::uint8_t>& passing = session_.passing(terms.shape);
  for (const auto& [node, amounts] : freed) {
    if (passing[node.index()] == 0 || !session_.is_open_to(node, terms.claimant)) continue;
    if (is_outside(session_.start(), cluster, cluster.shape(terms.shape), node)) continue;
    std::vector<std::int64_t> room;
    for (const auto& [dimension, amount] : requested) {
      room.push_back(cluster.future_idle(node, dimension));
    }
    known->second -= members_in(room, terms);
    for (std::size_t i = 0; i < room.size(); ++i) room[i] += amounts[requested[i].first];
    known->second += members_in(room, terms);
  }
  return known->second;
}

// The lots that would free some of what one member lacks there.
std::vector<OfferSearch::Gain> OfferSearch::gains_on(NodeId node, const Terms& terms,
                                                     bool for_bound) {
  const Cluster& cluster = session_.cluster();
  const Shape& shape = cluster.shape(terms.shape);
  room_.clear();
  for (const auto& [dimension, amount] : shape.requested) {
    room_.push_back(room_on(cluster, node, dimension, terms.is_paid));
  }
  std::vector<Gain> gains;
  if (policy_.may_vacate && !policy_.may_vacate(node)) return gains;
  const auto lacks = shortage_on(cluster, node, terms, 1);
  const Claimant claimant{terms.claimant, lacks, terms.is_strict};
  for (const Candidates::Share& share : candidates_.on(node)) {
    const Candidates::Lot& lot = candidates_.lots()[share.lot];
    if (is_banned_[share.lot] != 0 || (lot.is_whole && !terms.takes_whole_jobs)) continue;
    Gain gain{share.lot, 0, 0, std::vector<std::int64_t>(shape.requested.size(), 0)};
    for (const TaskId id : share.tasks) {
      const Task& task = cluster.task(id);
      if (!runs(task)) continue;
      const Resources& request = cluster.shape(task.shape).request;
      for (std::size_t i = 0; i < gain.freed.size(); ++i) {
        gain.freed[i] = saturated_sum(gain.freed[i], request[shape.requested[i].first]);
      }
    }
    gain.keeps_away =
        !for_bound && !admits_ &&
        std::any_of(share.tasks.begin(), share.tasks.end(), [&](TaskId id) {
          return runs(cluster.task(id)) && engine::keeps_away(cluster, id, shape, node);
        });
    bool helps = for_bound || gain.keeps_away;
    for (std::size_t i = 0; i < gain.freed.size(); ++i) {
      helps = helps || (gain.freed[i] > 0 && room_[i] < shape.requested[i].second);
    }
    if (!helps) continue;
    if (!for_bound) {
      const std::vector<TaskId> leaving = still_running(cluster, lot.tasks);
      gain.victims = static_cast<std::int32_t>(leaving.size());
      if (lot.is_whole) {
        std::vector<std::int64_t> room = room_;
        for (std::size_t i = 0; i < room.size(); ++i) room[i] += gain.freed[i];
        const std::int32_t here = members_in(room, terms) - members_in(room_, terms);
        gain.elsewhere = std::max(0, gained_by(share.lot, terms) - here);
      }
      const Verdict verdict =
          policy_.may_take ? policy_.may_take(claimant, {lot.job, leaving}) : pass();
      if (verdict.reason == Reason::queue_guarantee) kept_.insert(share.lot);
      if (!verdict) continue;
    }
    gains.push_back(std::move(gain));
  }
  return gains;
}

// VICTIM-5. As many in turn as make room, and of those the number with the fewest victims a member;
// then those that turn out not to be needed stay.
Offer OfferSearch::fewest(NodeId node, const Terms& terms, const std::vector<Gain>& gains) const {
  std::vector<std::int64_t> room = room_;
  const auto move = [&](const Gain& gain, int sign) {
    for (std::size_t i = 0; i < room.size(); ++i) room[i] += sign * gain.freed[i];
  };
  const auto is_whole = [&](const Gain& gain) { return candidates_.lots()[gain.lot].is_whole; };
  Offer best{node, 0, 0, 0, 0, false, {}};
  std::size_t best_count = 0;
  std::int32_t victims = 0;
  std::int32_t elsewhere = 0;
  bool takes_whole_jobs = false;
  for (std::size_t count = 1; count <= gains.size(); ++count) {
    const Gain& gain = gains[count - 1];
    move(gain, +1);
    victims += gain.victims;
    takes_whole_jobs = takes_whole_jobs || is_whole(gain);
    elsewhere += gain.elsewhere;
    Offer offer{node, members_in(room, terms), 0, victims, 0, takes_whole_jobs, {gain.lot}};
    offer.elsewhere = std::min(elsewhere, terms.members - offer.members);
    const bool are_some_left = count < gains.size() && gains[count].keeps_away;
    if (offer.members == 0 || are_some_left) continue;
    if (best.members > 0 && !is_better(offer, best)) continue;
    best = offer;
    best_count = count;
  }
  best.lots.clear();
  if (best_count == 0) return best;
  for (std::size_t i = gains.size(); i-- > best_count;) move(gains[i], -1);
  best.takes_whole_jobs = false;
  for (std::size_t i = best_count; i-- > 0;) {
    move(gains[i], -1);
    if (!gains[i].keeps_away && members_in(room, terms) >= best.members) {
      best.victims -= gains[i].victims;
      best.elsewhere = std::max(0, best.elsewhere - gains[i].elsewhere);
      continue;
    }
    move(gains[i], +1);
    best.lots.push_back(gains[i].lot);
    best.takes_whole_jobs = best.takes_whole_jobs || is_whole(gains[i]);
  }
  std::sort(best.lots.begin(), best.lots.end());
  if (terms.is_smallest_first) {
    for (const std::uint32_t lot : best.lots) best.size += size_of(lot, terms);
  }
  return best;
}

namespace {

// VICTIM-9. May the node admit the member once others have left?
bool may_be_mended(const Verdict& verdict) {
  return verdict || verdict.reason == Reason::pod_anti_affinity_mismatch ||
         verdict.reason == Reason::existing_pod_anti_affinity;
}

}  // namespace

// VICTIM-9
bool OfferSearch::would_admit(NodeId node, const Terms& terms,
                              const std::vector<Gain>& gains) const {
  if (admits_) return true;
  const Cluster& cluster = session_.cluster();
  std::set<TaskId> leaving;
  for (const Gain& gain : gains) {
    if (!gain.keeps_away) continue;
    const std::vector<TaskId> tasks = still_running(cluster, candidates_.lots()[gain.lot].tasks);
    leaving.insert(tasks.begin(), tasks.end());
  }
  const std::vector<TaskId> all(leaving.begin(), leaving.end());
  return engine::are_all_that_keep_away(cluster, all, cluster.shape(terms.shape), node);
}

std::optional<Offer> OfferSearch::on(NodeId node, const Terms& terms) {
  admits_ =
      fits_beside(session_, session_.cluster().shape(terms.shape), node, Occupants::once_vacated);
  if (!may_be_mended(admits_)) return std::nullopt;
  std::vector<Gain> gains = gains_on(node, terms, false);
  if (!would_admit(node, terms, gains)) return std::nullopt;
  if (const std::int32_t members = members_in(room_, terms); admits_ && members > 0) {
    return Offer{node, members, 0, 0, 0, false};
  }
  const auto keeps_away = [](const Gain& gain) { return gain.keeps_away; };
  std::stable_partition(gains.begin(), gains.end(), keeps_away);
  const Offer in_order = fewest(node, terms, gains);
  if (in_order.members == 0) return std::nullopt;
  // One large victim may do for several small ones that come before it, or for several members.
  const auto size_of = [&](const Gain& gain) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    const auto& requested = session_.cluster().shape(terms.shape).requested;
    for (std::size_t i = 0; i < requested.size(); ++i) {
      const std::int64_t lacks = saturated_product(requested[i].second, terms.members) - room_[i];
      if (lacks <= 0) continue;
      const __int128 part = static_cast<__int128>(std::min(gain.freed[i], lacks)) * 1'000'000;
      least = std::min(least, static_cast<std::int64_t>(part / lacks));
    }
    return least / std::max(1, gain.victims);
  };
  const auto is_whole = [&](const Gain& gain) { return candidates_.lots()[gain.lot].is_whole; };
  std::stable_sort(gains.begin(), gains.end(), [&](const Gain& left, const Gain& right) {
    if (is_whole(left) != is_whole(right)) return is_whole(right);
    return size_of(left) > size_of(right);
  });
  std::stable_partition(gains.begin(), gains.end(), keeps_away);
  Offer best = fewest(node, terms, gains);
  if (!is_better(best, in_order)) best = in_order;
  best.is_own = session_.cluster().locks().queue(node).is_valid();
  return best;
}

std::int32_t OfferSearch::most_on(NodeId node, const Terms& terms, bool is_any_banned) {
  if (is_any_banned) {
    for (const Gain& gain : gains_on(node, terms, true)) {
      for (std::size_t i = 0; i < room_.size(); ++i) {
        room_[i] = saturated_sum(room_[i], gain.freed[i]);
      }
    }
    return members_in(room_, terms);
  }
  const bool may_vacate = !policy_.may_vacate || policy_.may_vacate(node);
  room_.clear();
  for (const auto& [dimension, amount] : session_.cluster().shape(terms.shape).requested) {
    const std::int64_t freed =
        may_vacate ? candidates_.freed_on(node, dimension, terms.takes_whole_jobs) : 0;
    room_.push_back(
        saturated_sum(room_on(session_.cluster(), node, dimension, terms.is_paid), freed));
  }
  return members_in(room_, terms);
}

}  // namespace berth::actions
