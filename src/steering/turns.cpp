#include "steering/turns.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "berth/base/look_up.h"

namespace berth::steering {

namespace {

bool is_spread(const Cluster& cluster, TermId term) {
  return cluster.relations().term(term).spec.role == TermRole::spread;
}

// Claims that other pods mount, too, and that are bound when the first of them is.
std::vector<std::string> late_claims(const Shape& shape) {
  std::vector<std::string> claims;
  for (const VolumeNeed& need : shape.constraints.volumes.claims) {
    if (!need.is_bound && !need.claim.empty()) claims.push_back(need.claim);
  }
  return claims;
}

// The pods of a job that have their turn and have not come, and those that are still to come.
class Underway {
 public:
  Underway(const Cluster& cluster, bool is_order_kept)
      : cluster_(cluster), relations_(cluster.relations()), is_order_kept_(is_order_kept) {}

  // Its place is planned, and kube-scheduler does not know it yet.
  void leave_out(TaskId id) {
    const Task& task = cluster_.task(id);
    for (const TermId term : cluster_.shape(task.shape).terms.counted) {
      const NodeSetId among = relations_.term(term).spec.nodes;
      const bool counts = !among.is_valid() || relations_.node_sets().has(among, task.node);
      const DomainId domain = relations_.domain(term, task.node);
      if (counts && domain.is_valid()) ++left_out_[{term, domain}];
    }
  }

  void add(const Turn& pod) {
    const Task& task = cluster_.task(pod.task);
    if (is_counted_by_spread(cluster_, cluster_.shape(task.shape))) {
      const bool is_alike = !are_any_counted_ || is_in_line(pod);
      alike_ = is_alike && pod.may_exchange ? task.shape : ShapeId();
      are_any_counted_ = true;
    }
    each_domain(task, [&](const Domain& domain) { domains_.insert(domain); });
    for (std::string& claim : late_claims(cluster_.shape(task.shape))) {
      nodes_of_claims_[std::move(claim)].insert(task.node);
    }
    is_any_ = true;
  }
  bool is_any() const { return is_any_; }

  // STEER-16. All on the way that a spread counts get their places in the order of the plan, and it
  // gets the next one.
  bool is_in_line(const Turn& pod) const {
    return pod.may_exchange && cluster_.task(pod.task).shape == alike_;
  }

  // Whichever comes first, it or those on the way.
  bool may_join(const Turn& pod) const {
    if (is_in_line(pod)) return true;
    const Task& task = cluster_.task(pod.task);
    bool is_free = true;
    each_domain(task,
                [&](const Domain& domain) { is_free = is_free && !domains_.contains(domain); });
    for (const std::string& claim : late_claims(cluster_.shape(task.shape))) {
      const auto there = nodes_of_claims_.find(claim);
      if (there == nodes_of_claims_.end()) continue;
      is_free = is_free && there->second.size() == 1 && there->second.contains(task.node);
    }
    return is_free;
  }

  // Do those that have come suffice for it?
  bool fits(const Turn& pod) {
    if (is_order_kept_) return true;
    const Task& task = cluster_.task(pod.task);
    const Shape& shape = cluster_.shape(task.shape);
    const auto is_near = [&](TermId term) {
      const DomainId domain = relations_.domain(term, task.node);
      return domain.is_valid() && known(term, domain) > 0;
    };
    const auto& affinity = shape.terms.affinity;
    if (!std::all_of(affinity.begin(), affinity.end(), is_near)) return false;
    if (is_in_line(pod)) return true;
    for (std::size_t i = 0; i < shape.terms.spread.size(); ++i) {
      if (!keeps_skew(task, shape, i)) return false;
    }
    return true;
  }

 private:
  // Of a term; or a node, if the order is kept: then only nominations are in the way (SPREAD-11).
  using Domain = std::pair<TermId, std::size_t>;

  template <class Each>
  void each_domain(const Task& task, Each&& each) const {
    const Shape& shape = cluster_.shape(task.shape);
    const auto add = [&](TermId term) {
      const DomainId domain = relations_.domain(term, task.node);
      if (is_order_kept_) {
        each(Domain(term, task.node.index()));
      } else if (domain.is_valid()) {
        each(Domain(term, domain.index()));
      }
    };
    if (is_order_kept_ && !is_shown_by_nomination(shape)) return;
    for (const TermId term : shape.terms.spread) add(term);
    for (const TermId term : shape.terms.counted) {
      if (is_spread(cluster_, term)) add(term);
    }
  }

  // The pods that kube-scheduler counts in a domain.
  std::int32_t known(TermId term, DomainId domain) const {
    const Counted counted = relations_.term(term).counts.at(domain);
    const bool is_spread_term = is_spread(cluster_, term);
    return counted.there - (is_spread_term ? counted.leaving : 0) -
           value_or(left_out_, std::pair(term, domain));
  }

  std::int32_t lowest(TermId term) {
    const auto [entry, is_new] = lowest_.try_emplace(term, std::numeric_limits<int>::max());
    if (!is_new) return entry->second;
    const SpreadDomains& domains = relations_.spread(term);
    for (std::size_t d = 0; d < domains.by_domain().size(); ++d) {
      if (domains.has(DomainId(d)))
        entry->second = std::min(entry->second, known(term, DomainId(d)));
    }
    if (domains.size() == 0) entry->second = 0;
    return entry->second;
  }

  // SPREAD-6
  bool keeps_skew(const Task& task, const Shape& shape, std::size_t i) {
    const TermId term = shape.terms.spread[i];
    const SpreadConstraint& spread = shape.constraints.relations.spread[i];
    const DomainId domain = relations_.domain(term, task.node);
    if (!domain.is_valid()) return false;
    const auto& matched = shape.terms.matched;
    const bool matches = std::binary_search(matched.begin(), matched.end(), term);
    const bool has_domains =
        relations_.spread(term).size() >= static_cast<std::size_t>(spread.min_domains);
    const std::int32_t own = spread.is_empty || matches ? 1 : 0;
    return known(term, domain) + own - (has_domains ? lowest(term) : 0) <= spread.max_skew;
  }

  const Cluster& cluster_;
  const PodRelations& relations_;
  const bool is_order_kept_;
  bool is_any_ = false;
  bool are_any_counted_ = false;
  ShapeId alike_;  // of all on the way that a spread counts, if they may exchange their places
  std::map<std::pair<TermId, DomainId>, std::int32_t> left_out_;
  std::map<TermId, std::int32_t> lowest_;
  std::set<Domain> domains_;
  std::map<std::string, std::set<NodeId>> nodes_of_claims_;
};

}  // namespace

bool is_shown_by_nomination(const Shape& shape) {
  const auto& spreads = shape.constraints.relations.spread;
  return std::any_of(spreads.begin(), spreads.end(), [](const SpreadConstraint& each) {
    return each.affinity == NodePolicy::honor;
  });
}

bool is_counted_by_spread(const Cluster& cluster, const Shape& shape) {
  const auto& counted = shape.terms.counted;
  return !shape.terms.spread.empty() ||
         std::any_of(counted.begin(), counted.end(),
                     [&](TermId term) { return is_spread(cluster, term); });
}

bool is_exchangeable(const Cluster& cluster, const Task& task, bool locks_are_taints) {
  const Shape& shape = cluster.shape(task.shape);
  const Node& node = cluster.node(task.node);
  const bool is_locked = node.lock.job.is_valid() || node.queue_lock.queue.is_valid();
  if (is_locked && locks_are_taints) return false;
  const auto& claims = shape.constraints.volumes.claims;
  return !shape.terms.spread.empty() && !shape.is_hint &&
         std::all_of(claims.begin(), claims.end(),
                     [](const VolumeNeed& need) { return need.is_bound; });
}

bool depends_on_order(const Cluster& cluster, const Shape& shape) {
  return !shape.terms.affinity.empty() || is_counted_by_spread(cluster, shape) ||
         !late_claims(shape).empty();
}

void give_turns(const Cluster& cluster, bool is_order_kept, std::vector<Turn>& pods) {
  Underway underway(cluster, is_order_kept);
  for (Turn& pod : pods) {
    pod.is_its = pod.is_its || pod.has_come;
    if (!pod.has_come && !is_order_kept) underway.leave_out(pod.task);
  }
  for (const Turn& pod : pods) {
    if (pod.has_come || !pod.is_its) continue;
    if (!underway.fits(pod)) return;  // it fits as the first of its kind: alone
    underway.add(pod);
  }
  for (Turn& pod : pods) {
    if (pod.is_its) continue;
    const bool fits = underway.fits(pod);
    if (underway.is_any() && (!fits || !underway.may_join(pod))) return;
    pod.is_its = true;
    if (!fits) return;
    underway.add(pod);
  }
}

}  // namespace berth::steering
