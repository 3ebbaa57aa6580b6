#include "berth/model/shape.h"

#include <string_view>

#include "berth/model/volume_table.h"

namespace berth {

namespace {

// Writes length and text, so that different sequences of values give different keys.
class KeyWriter {
 public:
  void write(std::string_view text) {
    key_ += std::to_string(text.size());
    key_ += ':';
    key_ += text;
  }
  void write(std::int64_t number) { write(std::to_string(number)); }
  void open(char section, std::size_t count) {
    key_ += section;
    write(static_cast<std::int64_t>(count));
  }
  void write(const std::vector<Expression>& expressions) {
    open('e', expressions.size());
    for (const Expression& e : expressions) {
      write(e.key);
      write(static_cast<std::int64_t>(e.op));
      open('v', e.values.size());
      for (const std::string& value : e.values) write(value);
    }
  }
  void write(const SelectorTerm& term) {
    write(term.labels);
    write(term.fields);
  }
  void write(const PodSelector& selector) {
    write(selector.all);
    write(selector.matches_nothing ? 1 : 0);
  }
  void write(const PodTerm& term) {
    write(term.pods);
    open('n', term.namespaces.size());
    for (const std::string& name : term.namespaces) write(name);
    write(term.selects_namespaces ? 1 : 0);
    write(term.of_namespaces);
    write(term.topology_key);
  }
  void write(const SpreadConstraint& spread) {
    write(spread.pods);
    write(spread.is_empty ? 1 : 0);
    write(spread.topology_key);
    write(spread.max_skew);
    write(spread.min_domains);
    write(static_cast<std::int64_t>(spread.affinity));
    write(static_cast<std::int64_t>(spread.taints));
  }
  template <class T>
  void write_all(char section, const std::vector<T>& values) {
    open(section, values.size());
    for (const T& value : values) write(value);
  }
  void write(const Relations& relations) {
    write(relations.name_space);
    write_all('a', relations.affinity);
    write_all('n', relations.anti_affinity);
    write_all('s', relations.spread);
    open('p', relations.preferred.size());
    for (const PreferredPodTerm& preferred : relations.preferred) {
      write(preferred.weight);
      write(preferred.term);
    }
    write_all('w', relations.preferred_spread);
  }
  void write(const VolumeNeeds& volumes) {
    open('d', volumes.claims.size());
    append_key(key_, volumes);
  }
  std::string take() && { return std::move(key_); }

 private:
  std::string key_;
};

}  // namespace

std::vector<std::string> Shape::unmodelled() const {
  std::vector<std::string> names = constraints.unmodelled;
  for (const auto& [name, amount] : of_classes) names.push_back(name + " of a DeviceClass");
  return names;
}

std::string shape_key(const NamedAmounts& request, const Constraints& constraints) {
  KeyWriter key;
  key.open('r', request.size());
  for (const auto& [name, amount] : request) {
    key.write(name);
    key.write(amount);
  }
  key.open('s', constraints.node_selector.size());
  for (const auto& [label, value] : constraints.node_selector) {
    key.write(label);
    key.write(value);
  }
  key.open(constraints.has_required_terms ? 'a' : 'n', constraints.required_terms.size());
  for (const SelectorTerm& term : constraints.required_terms) key.write(term);
  key.open('p', constraints.preferred_terms.size());
  for (const PreferredTerm& preferred : constraints.preferred_terms) {
    key.write(preferred.weight);
    key.write(preferred.term);
  }
  key.open('t', constraints.tolerations.size());
  for (const Toleration& toleration : constraints.tolerations) {
    key.write(toleration.key);
    key.write(toleration.exists ? 1 : 0);
    key.write(toleration.value);
    key.write(static_cast<std::int64_t>(toleration.effect));
  }
  key.open('h', constraints.host_ports.size());
  for (const HostPort& port : constraints.host_ports) {
    key.write(port.ip);
    key.write(port.protocol);
    key.write(port.port);
  }
  if (!constraints.relations.are_empty()) key.write(constraints.relations);
  if (!constraints.volumes.are_empty()) key.write(constraints.volumes);
  if (!constraints.images.empty()) {
    key.open('i', constraints.images.size());
    for (const std::string& image : constraints.images) key.write(image);
  }
  key.open('u', constraints.unmodelled.size());
  for (const std::string& name : constraints.unmodelled) key.write(name);
  key.write(constraints.fault);
  if (constraints.excess.reason != Reason::none) {
    key.open('x', static_cast<std::size_t>(constraints.excess.reason));
    key.write(constraints.excess.what);
  }
  return std::move(key).take();
}

}  // namespace berth
