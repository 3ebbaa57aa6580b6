#include "actions/eviction/offer.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "berth/engine/fit.h"
#include "berth/engine/need.h"
#include "berth/engine/surplus.h"
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
  if (left.grade != right.grade) return left.grade < right.grade;
  const __int128 lost = static_cast<__int128>(left.work) * (right.members + right.elsewhere);
  const __int128 other = static_cast<__int128>(right.work) * (left.members + left.elsewhere);
  if (lost != other) return lost < other;
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
    most = std::max(most, part_of_cluster(cluster, dimension, sum[dimension]));
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
    if (!session_.may_choose(node)) continue;
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

// The room that one lot frees there. None: nothing of what one member lacks.
std::optional<OfferSearch::Gain> OfferSearch::gain_of(const Candidates::Share& share, NodeId node,
                                                      const Terms& terms, bool for_bound) {
  const Cluster& cluster = session_.cluster();
  const Shape& shape = cluster.shape(terms.shape);
  const Candidates::Lot& lot = candidates_.lots()[share.lot];
  if (is_banned_[share.lot] != 0 || (lot.is_whole && !terms.takes_whole_jobs)) return std::nullopt;
  const Job& job = cluster.job(lot.job);
  if (!lot.is_whole && !may_be_surplus(job, cluster.task(share.tasks.front()))) return std::nullopt;
  Gain gain;
  gain.lot = share.lot;
  gain.is_whole = lot.is_whole;
  gain.freed.resize(shape.requested.size(), 0);
  for (const TaskId id : share.tasks) {
    const Task& task = cluster.task(id);
    if (!runs(task)) continue;
    const Resources& request = cluster.shape(task.shape).request;
    for (std::size_t i = 0; i < gain.freed.size(); ++i) {
      gain.freed[i] = saturated_sum(gain.freed[i], request[shape.requested[i].first]);
    }
  }
  gain.keeps_away =
      !for_bound && !admits_ && std::any_of(share.tasks.begin(), share.tasks.end(), [&](TaskId id) {
        return runs(cluster.task(id)) && engine::keeps_away(cluster, id, shape, node);
      });
  bool helps = for_bound || gain.keeps_away;
  for (std::size_t i = 0; i < gain.freed.size(); ++i) {
    helps = helps || (gain.freed[i] > 0 && room_[i] < shape.requested[i].second);
  }
  if (!helps) return std::nullopt;
  if (!lot.is_whole && job.roles_bind()) gain.role = cluster.task(share.tasks.front()).role;
  return gain;
}

// Its cost, and whether the policy allows it.
bool OfferSearch::judge(Gain& gain, const Terms& terms, const Claimant& claimant) {
  const Candidates::Lot& lot = candidates_.lots()[gain.lot];
  const std::vector<TaskId> leaving = still_running(session_.cluster(), lot.tasks);
  gain.victims = static_cast<std::int32_t>(leaving.size());
  for (const TaskId id : leaving) gain.work = saturated_sum(gain.work, candidates_.work_of(id));
  if (lot.is_whole && leaving.size() > 1) {
    std::vector<std::int64_t> room = room_;
    for (std::size_t i = 0; i < room.size(); ++i) room[i] += gain.freed[i];
    const std::int32_t here = members_in(room, terms) - members_in(room_, terms);
    gain.elsewhere = std::max(0, gained_by(gain.lot, terms) - here);
  }
  if (!policy_.may_take) return true;
  const Verdict verdict = policy_.may_take(claimant, {lot.job, leaving});
  if (verdict.reason == Reason::queue_guarantee) kept_.insert(gain.lot);
  return static_cast<bool>(verdict);
}

// The lots that would free some of what one member lacks there.
std::vector<OfferSearch::Gain> OfferSearch::gains_on(NodeId node, const Terms& terms,
                                                     bool for_bound) {
  const Cluster& cluster = session_.cluster();
  room_.clear();
  for (const auto& [dimension, amount] : cluster.shape(terms.shape).requested) {
    room_.push_back(room_on(cluster, node, dimension, terms.is_paid));
  }
  std::vector<Gain> gains;
  if (policy_.may_vacate && !policy_.may_vacate(node)) return gains;
  const auto lacks = shortage_on(cluster, node, terms, 1);
  const Claimant claimant{terms.claimant, lacks, terms.is_strict};
  for (const Candidates::Share& share : candidates_.on(node)) {
    std::optional<Gain> gain = gain_of(share, node, terms, for_bound);
    if (gain && (for_bound || judge(*gain, terms, claimant))) gains.push_back(*std::move(gain));
  }
  group(gains);
  return gains;
}

void OfferSearch::group(std::vector<Gain>& gains) {
  const Cluster& cluster = session_.cluster();
  groups_.clear();
  std::map<JobId, std::size_t> number_of;
  for (Gain& gain : gains) {
    const Job& job = cluster.job(candidates_.lots()[gain.lot].job);
    if (job.task_count() < 2) continue;
    const auto [found, is_new] = number_of.try_emplace(job.id, groups_.size());
    gain.group = found->second;
    if (!is_new) continue;
    groups_.push_back({job.id, surplus_count(job)});
    if (!job.roles_bind()) continue;
    for (const Role& role : job.roles) groups_.back().of_role.push_back(spare_of(role));
  }
}

void OfferSearch::move(Taken& taken, const Gain& gain, std::size_t number, int sign) const {
  taken.is_in[number] = sign > 0 ? 1 : 0;
  for (std::size_t i = 0; i < taken.room.size(); ++i) taken.room[i] += sign * gain.freed[i];
  taken.victims += sign * gain.victims;
  taken.elsewhere += sign * gain.elsewhere;
  taken.work += sign * gain.work;
  taken.whole_jobs += gain.is_whole ? sign : 0;
  if (gain.group == kUngrouped || gain.is_whole) return;
  Group& left = taken.left[gain.group];
  left.surplus -= sign;
  if (gain.role < left.of_role.size()) left.of_role[gain.role] -= sign;
}

// False: no more of its job may leave, or all of it do.
bool OfferSearch::take(Taken& taken, const std::vector<Gain>& gains, std::size_t number) const {
  const Gain& gain = gains[number];
  if (gain.group != kUngrouped && gain.is_whole) {
    const bool has_some = taken.left[gain.group].surplus < groups_[gain.group].surplus;
    for (std::size_t i = 0; has_some && i < gains.size(); ++i) {
      if (taken.is_in[i] != 0 && gains[i].group == gain.group) move(taken, gains[i], i, -1);
    }
    taken.left[gain.group].surplus = 0;
  } else if (gain.group != kUngrouped) {
    const Group& left = taken.left[gain.group];
    if (left.surplus <= 0) return false;
    if (gain.role < left.of_role.size() && left.of_role[gain.role] <= 0) return false;
  }
  move(taken, gain, number, +1);
  return true;
}

// VICTIM-9. Of those that keep members away.
bool OfferSearch::have_all_left(const Taken& taken, const std::vector<Gain>& gains) const {
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (!gains[i].keeps_away || taken.is_in[i] != 0) continue;
    const bool leaves_with_job = gains[i].group != kUngrouped && [&] {
      for (std::size_t j = 0; j < gains.size(); ++j) {
        if (taken.is_in[j] != 0 && gains[j].is_whole && gains[j].group == gains[i].group) {
          return true;
        }
      }
      return false;
    }();
    if (!leaves_with_job) return false;
  }
  return true;
}

Offer OfferSearch::offer_of(NodeId node, const Terms& terms, const Taken& taken,
                            const std::vector<Gain>& gains) const {
  Offer offer;
  offer.node = node;
  offer.members = members_in(taken.room, terms);
  offer.elsewhere = std::max(0, std::min(taken.elsewhere, terms.members - offer.members));
  offer.victims = taken.victims;
  offer.work = taken.work;
  offer.takes_whole_jobs = taken.whole_jobs > 0;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (taken.is_in[i] != 0) offer.lots.push_back(gains[i].lot);
  }
  std::sort(offer.lots.begin(), offer.lots.end());
  if (!offer.lots.empty()) offer.grade = candidates_.lots()[offer.lots.back()].grade;
  return offer;
}

// VICTIM-5. As many in turn as make room, and of those the number with the fewest victims a member;
// then those that turn out not to be needed stay.
Offer OfferSearch::fewest(NodeId node, const Terms& terms, const std::vector<Gain>& gains) const {
  Taken taken{std::vector<std::uint8_t>(gains.size(), 0), groups_, room_};
  Taken best_taken;
  Offer best;
  best.node = node;
  const bool must_some_leave =
      std::any_of(gains.begin(), gains.end(), [](const Gain& gain) { return gain.keeps_away; });
  std::int32_t before = 0;
  for (std::size_t i = 0; i < gains.size(); ++i) {
    if (!take(taken, gains, i)) continue;
    const std::int32_t members = members_in(taken.room, terms);
    // With the same members as before, more victims are no better.
    if (members == 0 || (members == before && taken.elsewhere == 0)) continue;
    if (must_some_leave && !have_all_left(taken, gains)) continue;
    before = members;
    Offer offer = offer_of(node, terms, taken, gains);
    if (best.members > 0 && !is_better(offer, best)) continue;
    best = std::move(offer);
    best_taken = taken;
  }
  if (best.members == 0) return best;
  const std::int32_t members = best.members;
  for (std::size_t i = gains.size(); i-- > 0;) {
    if (best_taken.is_in[i] == 0 || gains[i].keeps_away) continue;
    move(best_taken, gains[i], i, -1);
    if (members_in(best_taken.room, terms) < members) move(best_taken, gains[i], i, +1);
  }
  best = offer_of(node, terms, best_taken, gains);
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
    Offer idle;
    idle.node = node;
    idle.members = members;
    return idle;
  }
  const auto keeps_away = [](const Gain& gain) { return gain.keeps_away; };
  std::stable_partition(gains.begin(), gains.end(), keeps_away);
  const Offer in_order = fewest(node, terms, gains);
  if (in_order.members == 0) return std::nullopt;
  sort_by_size(gains, terms);
  std::stable_partition(gains.begin(), gains.end(), keeps_away);
  Offer best = fewest(node, terms, gains);
  if (!is_better(best, in_order)) best = in_order;
  best.is_own = session_.cluster().locks().queue(node).is_valid();
  return best;
}

// One large victim may do for several small ones that come before it, or for several members.
void OfferSearch::sort_by_size(std::vector<Gain>& gains, const Terms& terms) const {
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
  std::stable_sort(gains.begin(), gains.end(), [&](const Gain& left, const Gain& right) {
    if (left.is_whole != right.is_whole) return right.is_whole;
    return size_of(left) > size_of(right);
  });
}

std::int32_t OfferSearch::most_on(NodeId node, const Terms& terms, bool is_any_banned) {
  if (is_any_banned) {
    const std::vector<Gain> gains = gains_on(node, terms, true);
    std::vector<std::uint8_t> leaves_whole(groups_.size(), 0);
    for (const Gain& gain : gains) {
      if (gain.is_whole && gain.group != kUngrouped) leaves_whole[gain.group] = 1;
    }
    for (const Gain& gain : gains) {
      const bool is_grouped = gain.group != kUngrouped;
      if (!gain.is_whole && is_grouped && leaves_whole[gain.group] != 0) continue;
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
