#include "berth/model/bounds.h"

#include <utility>

namespace berth::bounds {

namespace {

std::size_t size_of(const std::vector<Expression>& all) {
  std::size_t size = all.size();
  for (const Expression& each : all) size += each.values.size();
  return size;
}

std::size_t values_in(const std::vector<Expression>& all) { return size_of(all) - all.size(); }

void add(const PodTerm& term, const std::string& own, RelationSize& size) {
  ++size.terms;
  size.items += size_of(term.pods.all) + term.namespaces.size() + size_of(term.of_namespaces);
  const bool is_own =
      !term.selects_namespaces && term.namespaces.size() == 1 && term.namespaces.front() == own;
  if (!is_own) ++size.wide;
}

struct NodeSize {
  std::size_t terms = 0;
  std::size_t values = 0;
  void add(const SelectorTerm& term) {
    terms += 1 + term.labels.size() + term.fields.size();
    values += values_in(term.labels) + values_in(term.fields);
  }
};

NodeSize node_size_of(const Constraints& constraints) {
  NodeSize size;
  size.terms = constraints.node_selector.size();
  for (const SelectorTerm& term : constraints.required_terms) size.add(term);
  for (const PreferredTerm& each : constraints.preferred_terms) size.add(each.term);
  return size;
}

// With its room.
template <class T>
void forget(std::vector<T>& values) {
  values = std::vector<T>();
}

// "65 tolerations, at most 64"
std::string beyond(std::size_t count, std::size_t most, const char* what) {
  if (count <= most) return {};
  return std::to_string(count) + " " + what + ", at most " + std::to_string(most);
}

}  // namespace

RelationSize& RelationSize::operator+=(const RelationSize& other) {
  terms += other.terms;
  items += other.items;
  wide += other.wide;
  return *this;
}

RelationSize& RelationSize::operator-=(const RelationSize& other) {
  terms -= other.terms;
  items -= other.items;
  wide -= other.wide;
  return *this;
}

RelationSize size_of(const Relations& relations) {
  RelationSize size;
  for (const PodTerm& each : relations.affinity) add(each, relations.name_space, size);
  for (const PodTerm& each : relations.anti_affinity) add(each, relations.name_space, size);
  for (const auto& each : relations.preferred) add(each.term, relations.name_space, size);
  for (const auto* spreads : {&relations.spread, &relations.preferred_spread}) {
    size.terms += spreads->size();
    for (const SpreadConstraint& each : *spreads) size.items += size_of(each.pods.all);
  }
  return size;
}

std::string excess_of(const Relations& relations) {
  const RelationSize size = size_of(relations);
  std::string found = beyond(size.terms, kTermsOfPod, "terms of pod affinity and topology spreads");
  if (!found.empty()) return found;
  return beyond(size.items, kTermItemsOfPod,
                "labels, values and namespaces in pod affinity and topology spreads");
}

// A value costs far less than a term.
std::size_t checks_of(const Constraints& constraints) {
  constexpr std::size_t kValuesOfACheck = 16;
  const NodeSize size = node_size_of(constraints);
  return size.terms + size.values / kValuesOfACheck + constraints.tolerations.size() +
         constraints.host_ports.size() + constraints.volumes.claims.size() +
         constraints.volumes.disks.size();
}

void keep_within(PodObject& pod) {
  Constraints& constraints = pod.constraints;
  // The first that is found is named, and all are left out.
  const auto is_beyond = [&](std::string what) {
    if (what.empty()) return false;
    if (constraints.excess.what.empty()) {
      constraints.excess = {Reason::object_too_large, std::move(what)};
    }
    return true;
  };
  if (is_beyond(excess_of(constraints.relations))) constraints.relations = Relations();
  const NodeSize nodes = node_size_of(constraints);
  if (is_beyond(beyond(nodes.terms, kNodeTermsOfPod,
                       "terms and expressions of node affinity and nodeSelector")) ||
      is_beyond(beyond(nodes.values, kNodeValuesOfPod, "values in node affinity"))) {
    constraints.node_selector.clear();
    constraints.has_required_terms = false;
    forget(constraints.required_terms);
    forget(constraints.preferred_terms);
  }
  if (is_beyond(beyond(constraints.tolerations.size(), kTolerationsOfPod, "tolerations"))) {
    forget(constraints.tolerations);
  }
  if (is_beyond(beyond(constraints.host_ports.size(), kHostPortsOfPod, "host ports"))) {
    forget(constraints.host_ports);
  }
  std::size_t volumes = pod.volumes.claims.size();
  for (const Disk& disk : pod.volumes.disks) volumes += 1 + disk.monitors.size();
  if (is_beyond(beyond(volumes, kVolumesOfPod, "volumes"))) pod.volumes = VolumeWishes();
  if (constraints.images.size() > kImagesOfPod) forget(constraints.images);  // only a preference
}

}  // namespace berth::bounds
