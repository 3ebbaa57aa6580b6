#include "berth/model/pod_relations.h"

#include "berth/base/look_up.h"

namespace berth {

bool PodRelations::set_namespace(const std::string& name, const NamespaceLabelsOf& labels) {
  const auto known = namespaces_.find(name);
  const bool is_listed = known != namespaces_.end();
  if (is_listed ? labels == known->second : !labels) return false;
  if (labels) {
    namespaces_[name] = *labels;
  } else {
    namespaces_.erase(known);
  }
  return true;
}

TermTable::Taken PodRelations::take(const TermSpec& spec, const std::vector<Node>& nodes) {
  const TopologyKeyId key = domains_.take(spec.topology_key, nodes);
  const TermTable::Taken taken = terms_.take(spec, key);
  if (taken.is_new) {
    find_domains(taken.id);
  } else {
    domains_.give_back(key);
    if (spec.nodes.is_valid()) node_sets_.give_back(spec.nodes);
  }
  return taken;
}

// SPREAD-2, SPREAD-3: those of the nodes that are left.
void PodRelations::find_domains(TermId id) {
  if (spreads_.size() <= id.index()) spreads_.resize(id.index() + 1);
  SpreadDomains& found = spreads_[id.index()];
  found.clear();
  if (term(id).spec.role != TermRole::spread) return;
  const NodeSetId set = term(id).spec.nodes;
  for (std::size_t n = 0; n < node_sets_.node_count(set); ++n) {
    if (node_sets_.has(set, NodeId(n))) found.add(domain(id, NodeId(n)));
  }
}

void PodRelations::remove(TermId id) {
  domains_.give_back(term(id).key);
  if (const NodeSetId set = term(id).spec.nodes; set.is_valid()) node_sets_.give_back(set);
  spreads_[id.index()].clear();
  terms_.remove(id);
  ++opened_;
}

void PodRelations::link(TaskId id, LabelSetId set) {
  if (!set.is_valid()) return;
  if (links_.size() <= id.index()) links_.resize(id.index() + 1);
  if (first_of_set_.size() <= set.index()) first_of_set_.resize(set.index() + 1);
  TaskId& first = first_of_set_[set.index()];
  links_[id.index()] = {first, TaskId()};
  if (first.is_valid()) links_[first.index()].previous = id;
  first = id;
}

void PodRelations::unlink(TaskId id, LabelSetId set) {
  if (!set.is_valid()) return;
  const auto [next, previous] = links_[id.index()];
  if (next.is_valid()) links_[next.index()].previous = previous;
  (previous.is_valid() ? links_[previous.index()].next : first_of_set_[set.index()]) = next;
  links_[id.index()] = Link();
}

// RELATION-5
std::vector<LabelSetId> PodRelations::candidates(const std::vector<TermId>& ids) const {
  std::vector<LabelSetId> found;
  for (const TermId id : ids) {
    const NarrowLabel label = narrowest(term(id).spec);
    if (label.values == nullptr) {
      found.clear();
      for (std::size_t s = 0; s < first_of_set_.size(); ++s) {
        if (first_of_set_[s].is_valid()) found.emplace_back(s);
      }
      return found;
    }
    for (const std::string& value : *label.values) {
      const auto sets = labels_.sets_with(std::string(label.key), value);
      found.insert(found.end(), sets.begin(), sets.end());
    }
  }
  sort_once(found);
  return found;
}

void PodRelations::count(TermId id, NodeId node, const Counted& change) {
  const DomainId in = domain(id, node);
  if (!in.is_valid()) return;
  const TermSpec& spec = term(id).spec;
  if (spec.nodes.is_valid() && !node_sets_.has(spec.nodes, node)) return;
  if (spec.role == TermRole::spread) return count_spread(id, in, change);
  if (is_preference(spec.role)) return terms_.counts(id).add(in, change);
  const bool is_affinity = spec.role == TermRole::affinity;
  // Affinity is opened by pods that come, and by the last that goes; the others by pods that go.
  const std::int32_t more = change.there + change.promised - change.leaving;
  terms_.counts(id).add(in, change);
  const Counted& total = term(id).counts.total();
  const bool is_empty = total.there + total.promised <= total.leaving;
  if (is_affinity ? is_empty || change.there + change.promised > 0 : more < 0) ++opened_;
}

namespace {

// SPREAD-4
SpreadDomains::Pods pods_of(const Counted& counted) {
  const std::int32_t stay = counted.there - counted.leaving;
  return {stay, stay + counted.promised};
}

}  // namespace

// It is opened where pods go, and everywhere if the lowest count rises.
void PodRelations::count_spread(TermId id, DomainId domain, const Counted& change) {
  TermCounts& counts = terms_.counts(id);
  SpreadDomains& spread = spreads_[id.index()];
  const std::int32_t stayed = spread.lowest_that_stay();
  const std::int32_t come = spread.lowest_that_stay_or_come();
  const SpreadDomains::Pods before = pods_of(counts.at(domain));
  counts.add(domain, change);
  const SpreadDomains::Pods after = pods_of(counts.at(domain));
  spread.move(before, after);
  if (after.stay_or_come < before.stay_or_come || spread.lowest_that_stay() > stayed ||
      spread.lowest_that_stay_or_come() > come) {
    ++opened_;
  }
}

void PodRelations::reset_domains(const std::vector<Node>& nodes) {
  domains_.reset(nodes);
  node_sets_.reset(nodes);
  ++opened_;
}

bool PodRelations::update_domains(NodeId id, const Node& node, std::size_t nodes) {
  const bool is_elsewhere = domains_.update(id, node, nodes);
  return node_sets_.update(id, node) || is_elsewhere;
}

void PodRelations::clear_counts() {
  for (std::size_t t = 0; t < terms_.slots(); ++t) {
    terms_.counts(TermId(t)).clear();
    if (terms_.at(TermId(t)).uses > 0) find_domains(TermId(t));
  }
  ++opened_;
}

void PodRelations::trim(std::size_t task_slots) {
  terms_.trim();
  domains_.trim();
  labels_.trim();
  shorten(spreads_, terms_.slots());
  shorten(first_of_set_, labels_.set_slots());
  shorten(links_, task_slots);
}

}  // namespace berth
