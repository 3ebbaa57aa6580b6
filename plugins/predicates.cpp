// Predicates: where a pod may run, by kube-scheduler's own rules, so that kube-scheduler does not
// veto what is planned.
// Rules: docs/design/predicates.md.
//
//   PREDICATE-1  cordoned nodes
//   PREDICATE-2  node selector
//   PREDICATE-3  required node affinity
//   PREDICATE-4  taints with effect NoSchedule or NoExecute
//   PREDICATE-5  host ports
//   PREDICATE-6  idle room, a place for the pod included; the ledger enforces it
//   PREDICATE-7  nodes that kube-scheduler ruled out a moment ago

#include <algorithm>

#include "berth/engine/node_affinity.h"
#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Predicates final : public Plugin {
 public:
  explicit Predicates(Arguments&) {}

  void on_session_open(Session& session) override {
    cluster_ = &session.cluster();
    session.attach<&Predicates::is_schedulable>(points::predicate, *this);        // PREDICATE-1
    session.attach<&Predicates::selector_matches>(points::predicate, *this);      // PREDICATE-2
    session.attach<&Predicates::affinity_matches>(points::predicate, *this);      // PREDICATE-3
    session.attach<&Predicates::taints_are_tolerated>(points::predicate, *this);  // PREDICATE-4
    session.attach<&Predicates::is_not_vetoed>(points::predicate, *this);         // PREDICATE-7
    session.attach<&Predicates::ports_are_free>(points::occupancy, *this);        // PREDICATE-5
  }

 private:
  Verdict is_schedulable(const Shape& shape, const Node& node) const {
    if (!node.is_unschedulable) return pass();
    static const Taint kCordon{"node.kubernetes.io/unschedulable", "", TaintEffect::no_schedule};
    if (is_tolerated(kCordon, shape.constraints.tolerations)) return pass();
    return reject(Reason::node_unschedulable);
  }

  Verdict selector_matches(const Shape& shape, const Node& node) const {
    for (const auto& [label, value] : shape.constraints.node_selector) {
      const auto found = node.labels.find(label);
      if (found == node.labels.end() || found->second != value) {
        return reject(Reason::node_selector_mismatch);
      }
    }
    return pass();
  }

  Verdict affinity_matches(const Shape& shape, const Node& node) const {
    if (!shape.constraints.has_required_terms) return pass();
    const auto& terms = shape.constraints.required_terms;
    const bool one_holds = std::any_of(terms.begin(), terms.end(), [&](const SelectorTerm& term) {
      return term_holds(term, node);
    });
    return one_holds ? pass() : reject(Reason::node_affinity_mismatch);
  }

  Verdict taints_are_tolerated(const Shape& shape, const Node& node) const {
    for (const Taint& taint : node.taints) {
      if (taint.effect == TaintEffect::prefer_no_schedule) continue;
      if (!is_tolerated(taint, shape.constraints.tolerations)) {
        return reject(Reason::taint_not_tolerated, 0, 0, taint.key);
      }
    }
    return pass();
  }

  Verdict is_not_vetoed(const Shape& shape, const Node& node) const {
    const bool vetoed = std::binary_search(node.vetoed.begin(), node.vetoed.end(), shape.id);
    return vetoed ? reject(Reason::vetoed) : pass();
  }

  Verdict ports_are_free(const Shape& shape, const Node& node) const {
    for (const TaskId id : node.tasks) {
      for (const HostPort& taken : cluster_->shape_of(id).constraints.host_ports) {
        for (const HostPort& wanted : shape.constraints.host_ports) {
          if (collide(taken, wanted)) return reject(Reason::host_port_taken);
        }
      }
    }
    return pass();
  }

  static bool collide(const HostPort& left, const HostPort& right) {
    const auto is_any = [](const HostPort& port) {
      return port.ip == "0.0.0.0" || port.ip.empty();
    };
    return left.port == right.port && left.protocol == right.protocol &&
           (left.ip == right.ip || is_any(left) || is_any(right));
  }

  const Cluster* cluster_ = nullptr;
};

}  // namespace

BERTH_PLUGIN(Predicates, "predicates");

}  // namespace berth::plugins
