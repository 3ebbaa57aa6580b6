#include "engine/bins.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>

#include "berth/engine/session.h"
#include "engine/fit/relation_bound.h"
#include "engine/shortage.h"

namespace berth::engine {

template <class View>
Bins::Bins(Session& session, std::vector<NodeId> nodes, Occupants occupants, const View& view)
    : session_(session),
      cluster_(session.cluster()),
      nodes_(std::move(nodes)),
      dimensions_(cluster_.dimensions().size()),
      occupants_(occupants),
      has_ports_(nodes_.size(), 0),
      trial_(cluster_, occupants) {
  rooms_.reserve(nodes_.size() * dimensions_);
  for (const NodeId node : nodes_) {
    for (std::size_t d = 0; d < dimensions_; ++d) rooms_.push_back(view.at(node, Dimension(d)));
  }
}

Bins::Bins(Session& session, std::vector<NodeId> nodes)
    : Bins(session, std::move(nodes), Occupants::all, IdleNow{session.cluster()}) {}

Bins::Bins(Session& session, std::vector<NodeId> nodes, const ReachableCapacity& reachable)
    : Bins(session, std::move(nodes), Occupants::staying, reachable) {}

const std::vector<std::uint8_t>& Bins::passing_for(ShapeId shape) const {
  const bool is_now = occupants_ == Occupants::all;
  return is_now ? session_.passing(shape) : session_.passing_but_for_vetoes(shape);
}

namespace {

// The trial answers for the spread and for affinity, because members that are tried raise the
// lowest count, and may be those that others want near them.
bool passes_but_for_tried(const Place& place) {
  const auto all = constraints_on_tasks();
  return std::all_of(all.begin(), all.end(), [&place](const Constraint* each) {
    return each == &constraints::topology_spread || each == &constraints::pod_affinity ||
           !each->concerns(place.shape) || each->check(place);
  });
}

}  // namespace

// Of `count` at most.
std::int32_t Bins::capacity(std::size_t bin, const Shape& shape, std::int32_t count) const {
  std::int32_t most = std::min(count, times_covered(shape.requested, [&](Dimension dimension) {
                                 return room(bin, dimension);
                               }));
  const bool is_alone = !shape.has_host_ports && !trial_.concerns(shape) && !shape.has_volumes;
  if (most == 0 || is_alone) return most;
  // The ports are not compared: one member with host ports on each node is safe.
  if (shape.has_host_ports) most = has_ports_[bin] != 0 ? 0 : 1;
  most = trial_.most(shape, nodes_[bin], most);
  if (most == 0) return 0;
  const Place place{cluster_, shape, cluster_.node(nodes_[bin]), occupants_};
  const Verdict is_free = occupants_ == Occupants::all ? fits_beside(session_, shape, nodes_[bin])
                                                       : check_occupants(place);
  const bool may_be_tried =
      is_free.reason == Reason::topology_spread || is_free.reason == Reason::pod_affinity_mismatch;
  return is_free || (may_be_tried && passes_but_for_tried(place)) ? most : 0;
}

std::int32_t Bins::put(std::size_t bin, const Shape& shape, std::int32_t count) {
  const std::int32_t taken = capacity(bin, shape, count);
  if (taken == 0) return 0;
  for (const auto& [dimension, amount] : shape.requested) {
    rooms_[bin * dimensions_ + dimension.index()] -= taken * amount;
  }
  if (shape.has_host_ports) has_ports_[bin] = 1;
  trial_.put(shape, nodes_[bin], taken);
  return taken;
}

const std::vector<std::size_t>& Bins::largest_first(const Need& need) {
  if (order_.size() != need.parts.size()) order_ = parts_largest_first(cluster_, need);
  return order_;
}

std::vector<std::size_t> parts_largest_first(const Cluster& cluster, const Need& need) {
  const auto share = [&](std::size_t part) {
    __int128 largest = 0;
    for (const auto& [dimension, amount] : cluster.shape(need.parts[part].shape).requested) {
      const std::int64_t total = cluster.total_allocatable()[dimension];
      if (total > 0) largest = std::max(largest, (static_cast<__int128>(amount) << 32) / total);
    }
    return largest;
  };
  std::vector<std::size_t> order(need.parts.size());
  for (std::size_t p = 0; p < order.size(); ++p) order[p] = p;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t left, std::size_t right) { return share(left) > share(right); });
  return order;
}

// The domains of these nodes, by value. If there are many, those that take most of them.
std::vector<Start> Bins::starts(const Seeker& seeker, const Need& need, std::size_t most) const {
  const PodRelations& relations = cluster_.relations();
  const Shape& shape = cluster_.shape(seeker.shape);
  const auto part = std::find_if(need.parts.begin(), need.parts.end(), [&](const Need::Part& each) {
    return each.shape == seeker.shape;
  });
  const std::vector<std::uint8_t>& passing = passing_for(seeker.shape);
  std::map<DomainId, ApartBound> bounds;
  for (std::size_t bin = 0; bin < nodes_.size(); ++bin) {
    const DomainId domain = relations.domain(seeker.term, nodes_[bin]);
    if (!domain.is_valid()) continue;
    ApartBound& bound = bounds.try_emplace(domain, cluster_, shape).first->second;
    if (passing[nodes_[bin].index()] == 0) continue;
    const auto room_of = [&](Dimension d) { return room(bin, d); };
    if (const auto pods = times_covered(shape.requested, room_of); pods > 0) {
      bound.add(nodes_[bin], pods);
    }
  }
  struct Domain {
    std::int64_t lacking = 0;
    std::string_view value;
    Start start;
  };
  std::vector<Domain> found;
  for (const auto& [domain, bound] : bounds) {
    found.push_back({std::max<std::int64_t>(0, part->count - bound.pods()),
                     relations.domains().value(relations.term(seeker.term).key, domain),
                     Start{seeker.term, domain}});
  }
  const auto by_value = [](const Domain& l, const Domain& r) { return l.value < r.value; };
  if (found.size() > most) {
    std::sort(found.begin(), found.end(), [](const Domain& l, const Domain& r) {
      return std::tie(l.lacking, l.value) < std::tie(r.lacking, r.value);
    });
    found.resize(most);
  }
  std::sort(found.begin(), found.end(), by_value);
  std::vector<Start> starts;
  for (const Domain& each : found) starts.push_back(each.start);
  return starts;
}

std::int32_t Bins::fill_part(std::size_t p, Need& need, Filling& filling) {
  Need::Part& part = need.parts[p];
  const Shape& shape = cluster_.shape(part.shape);
  const std::vector<std::uint8_t>& passing = passing_for(part.shape);
  const std::int32_t before = part.count;
  for (std::size_t bin = 0; bin < nodes_.size() && part.count > 0; ++bin) {
    if (passing[nodes_[bin].index()] == 0) continue;
    const std::int32_t taken = put(bin, shape, part.count);
    if (taken == 0) continue;
    filling.places.push_back({p, nodes_[bin], taken});
    filling.members += taken;
    part.count -= taken;
    need.members -= taken;
  }
  return before - part.count;
}

// Looks for domains to start in, one seeker after the other.
class Bins::Search {
 public:
  Search(Bins& bins, Need& need)
      : bins_(bins),
        need_(need),
        whole_(need),
        rooms_(bins.rooms_),
        had_ports_(bins.has_ports_),
        mark_(bins.trial_.mark()) {
    for (const Need::Part& part : need.parts) shapes_.push_back(part.shape);
  }

  Filling run() { return find_whole(kDomainsTried) ? std::move(filling_) : fill_in(best_); }

 private:
  Filling fill_in(const std::vector<Start>& starts) {
    need_ = whole_;
    bins_.rooms_ = rooms_;
    bins_.has_ports_ = had_ports_;
    bins_.trial_.take_back_to(mark_);
    bins_.trial_.start_in(starts);
    return bins_.fill_once(need_);
  }

  // Beside those that are decided already.
  bool find_whole(std::size_t starts_most) {
    const std::optional<Seeker> seeker = next_seeker(bins_.cluster_, shapes_, decided_);
    if (!seeker) return false;
    bins_.rooms_ = rooms_;
    for (const Start& start : bins_.starts(*seeker, whole_, starts_most)) {
      if (attempts_++ == kAttemptsMost) return false;
      decided_.push_back(start);
      filling_ = fill_in(decided_);
      if (filling_.is_whole) return true;
      if (filling_.members > most_) best_ = decided_;
      most_ = std::max(most_, filling_.members);
      if (find_whole(kDomainsTriedWithin)) return true;
      decided_.pop_back();
    }
    return false;
  }

  Bins& bins_;
  Need& need_;
  const Need whole_;
  const std::vector<std::int64_t> rooms_;
  const std::vector<std::uint8_t> had_ports_;
  const std::size_t mark_;
  std::vector<ShapeId> shapes_;
  std::vector<Start> decided_;
  Filling filling_;
  std::vector<Start> best_;  // of those that were not enough; none: there is no domain
  std::int32_t most_ = -1;
  int attempts_ = 0;
};

Bins::Filling Bins::fill(Need& need) {
  const bool has_seekers = std::any_of(
      need.parts.begin(), need.parts.end(),
      [&](const Need::Part& part) { return !cluster_.shape(part.shape).terms.affinity.empty(); });
  return has_seekers ? Search(*this, need).run() : fill_once(need);
}

Bins::Filling Bins::fill_once(Need& need) {
  Filling filling;
  // A domain of a spread takes more once the others have more.
  for (bool may_take_more = true; may_take_more;) {
    std::int32_t taken = 0;
    bool has_spread = false;
    for (const std::size_t p : largest_first(need)) {
      taken += fill_part(p, need, filling);
      const Need::Part& part = need.parts[p];
      has_spread |= part.count > 0 && !cluster_.shape(part.shape).terms.spread.empty();
    }
    may_take_more = taken > 0 && has_spread;
  }
  filling.is_whole = need.members == 0 && take_rest(need.rest);
  return filling;
}

std::int32_t Bins::fill_one(std::size_t bin, Need& need) {
  std::int32_t members = 0;
  for (const std::size_t p : largest_first(need)) {
    Need::Part& part = need.parts[p];
    if (part.count == 0 || passing_for(part.shape)[nodes_[bin].index()] == 0) continue;
    const std::int32_t taken = put(bin, cluster_.shape(part.shape), part.count);
    part.count -= taken;
    need.members -= taken;
    members += taken;
  }
  return members;
}

// Room comes first, as in RELATION-10.
std::string Bins::why_not(std::size_t bin, const Shape& shape) const {
  const Verdict by_specification = may_run_on(session_, shape, nodes_[bin]);
  if (!passes_in_time(by_specification)) return sentence(cause_of(by_specification));
  Scarcest scarcest(cluster_);
  for (const auto& [dimension, amount] : shape.requested) {
    scarcest.consider(dimension, room(bin, dimension), amount);
  }
  if (!scarcest.is_none()) {
    return sentence(Reason::insufficient_resource, scarcest.have(), scarcest.need(),
                    scarcest.name());
  }
  if (shape.has_host_ports && has_ports_[bin] != 0) {
    return sentence(Reason::host_port_taken, 0, 0, {});
  }
  if (const Reason tried = trial_.refusal(shape, nodes_[bin]); tried != Reason::none) {
    return sentence(tried, 0, 0, {});
  }
  const Verdict beside = check_occupants({cluster_, shape, cluster_.node(nodes_[bin]), occupants_});
  return beside ? std::string() : sentence(cause_of(beside));
}

std::string Bins::why_left(const Need& left) const {
  const auto part = std::find_if(left.parts.begin(), left.parts.end(),
                                 [](const Need::Part& each) { return each.count > 0; });
  if (part == left.parts.end()) return {};
  std::map<std::string, std::int32_t> counts;
  for (std::size_t bin = 0; bin < nodes_.size(); ++bin) {
    if (std::string why = why_not(bin, cluster_.shape(part->shape)); !why.empty()) ++counts[why];
  }
  return cluster_.task(part->first).name + ": " + listed(counts);
}

void Bins::give_to_rest(std::size_t bin, Need& need) const {
  for (std::size_t d = 0; d < need.rest.extent(); ++d) {
    const Dimension dimension(d);
    const std::int64_t given = std::max<std::int64_t>(0, room(bin, dimension));
    need.rest.set(dimension, std::max<std::int64_t>(0, need.rest[dimension] - given));
  }
}

void Bins::look_up_passes(const Need& need) {
  passes_.resize(nodes_.size() * need.parts.size());
  for (std::size_t p = 0; p < need.parts.size(); ++p) {
    const std::vector<std::uint8_t>& passing = passing_for(need.parts[p].shape);
    for (std::size_t bin = 0; bin < nodes_.size(); ++bin) {
      passes_[bin * need.parts.size() + p] = passing[nodes_[bin].index()];
    }
  }
}

const std::vector<std::int32_t>& Bins::would_take(std::size_t bin, const Need& need) {
  if (passes_.empty()) look_up_passes(need);
  would_take_.assign(need.parts.size(), 0);
  const auto first = rooms_.begin() + static_cast<std::ptrdiff_t>(bin * dimensions_);
  room_before_.assign(first, first + static_cast<std::ptrdiff_t>(dimensions_));
  const std::uint8_t had_ports = has_ports_[bin];
  const std::size_t before = trial_.mark();
  for (const std::size_t p : largest_first(need)) {
    const Need::Part& part = need.parts[p];
    if (part.count == 0 || passes_[bin * need.parts.size() + p] == 0) continue;
    would_take_[p] = put(bin, cluster_.shape(part.shape), part.count);
  }
  std::copy(room_before_.begin(), room_before_.end(), first);
  has_ports_[bin] = had_ports;
  trial_.take_back_to(before);
  return would_take_;
}

// Nothing shows yet how pods that do not exist divide it, so all nodes together must have it.
bool Bins::take_rest(const Resources& rest) const {
  for (std::size_t d = 0; d < rest.extent(); ++d) {
    std::int64_t lacking = rest[Dimension(d)];
    for (std::size_t bin = 0; bin < nodes_.size() && lacking > 0; ++bin) {
      lacking -= std::max<std::int64_t>(0, room(bin, Dimension(d)));
    }
    if (lacking > 0) return false;
  }
  return true;
}

}  // namespace berth::engine
