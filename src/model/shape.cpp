#include "berth/model/shape.h"

#include <string_view>
#include <type_traits>

namespace berth {

namespace {

// Writes lengths and texts, so that different sequences of values give different keys.
class KeyWriter {
 public:
  void write(std::string_view text) {
    key_ += std::to_string(text.size());
    key_ += ':';
    key_ += text;
  }
  template <class T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void write(T number) {
    write(std::to_string(static_cast<std::int64_t>(number)));
  }
  void open(char section, std::size_t count) {
    key_ += section;
    write(count);
  }
  template <class T>
  void write(char section, const std::vector<T>& values) {
    open(section, values.size());
    for (const T& value : values) write(value);
  }
  void write(const Expression& expression) {
    write(expression.key);
    write(expression.op);
    write('v', expression.values);
  }
  void write(const std::vector<Expression>& expressions) { write('e', expressions); }
  void write(const SelectorTerm& term) {
    write(term.labels);
    write(term.fields);
  }
  void write(const PodSelector& selector) {
    write(selector.all);
    write(selector.matches_nothing);
  }
  void write(const PodTerm& term) {
    write(term.pods);
    write('n', term.namespaces);
    write(term.selects_namespaces);
    write(term.of_namespaces);
    write(term.topology_key);
  }
  void write(const SpreadConstraint& spread) {
    write(spread.pods);
    write(spread.is_empty);
    write(spread.topology_key);
    write(spread.max_skew);
    write(spread.min_domains);
    write(spread.affinity);
    write(spread.taints);
  }
  void write(const PreferredPodTerm& preferred) {
    write(preferred.weight);
    write(preferred.term);
  }
  void write(const PreferredTerm& preferred) {
    write(preferred.weight);
    write(preferred.term);
  }
  void write(const Toleration& toleration) {
    write(toleration.key);
    write(toleration.exists);
    write(toleration.value);
    write(toleration.effect);
  }
  void write(const HostPort& port) {
    write(port.ip);
    write(port.protocol);
    write(port.port);
  }
  void write(const Relations& relations) {
    write(relations.name_space);
    write('a', relations.affinity);
    write('n', relations.anti_affinity);
    write('s', relations.spread);
    write('p', relations.preferred);
    write('w', relations.preferred_spread);
  }
  void write(const VolumeNeeds& volumes) {
    open('d', volumes.claims.size());
    append_key(key_, volumes);
  }
  template <class Value>
  void write(char section, const std::map<std::string, Value>& values) {
    open(section, values.size());
    for (const auto& [name, value] : values) {
      write(name);
      write(value);
    }
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
  key.write('r', request);
  key.write('s', constraints.node_selector);
  key.write(constraints.has_required_terms ? 'a' : 'n', constraints.required_terms);
  key.write('p', constraints.preferred_terms);
  key.write('t', constraints.tolerations);
  key.write('h', constraints.host_ports);
  if (!constraints.relations.are_empty()) key.write(constraints.relations);
  if (!constraints.volumes.are_empty()) key.write(constraints.volumes);
  if (!constraints.images.empty()) key.write('i', constraints.images);
  key.write('u', constraints.unmodelled);
  key.write(constraints.fault);
  if (constraints.excess.reason != Reason::none) {
    key.open('x', static_cast<std::size_t>(constraints.excess.reason));
    key.write(constraints.excess.what);
  }
  return std::move(key).take();
}

}  // namespace berth
