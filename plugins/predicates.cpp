// Predicates: where a pod may run, by kube-scheduler's own rules, so that kube-scheduler does not
// veto what is planned.
// Rules: docs/design/predicates.md. Each is a file of src/engine/fit.
//
//   PREDICATE-1  cordoned nodes
//   PREDICATE-2  node selector
//   PREDICATE-3  required node affinity
//   PREDICATE-4  taints with effect NoSchedule or NoExecute
//   PREDICATE-5  host ports
//   PREDICATE-6  idle room, a place for the pod included; the ledger enforces it
//   PREDICATE-7  nodes that kube-scheduler ruled out a moment ago
//   PREDICATE-8  pods that could not be read
//   PREDICATE-9  pods near it, and none near it
//   PREDICATE-10  claims, volumes and disks

#include "berth/engine/fit.h"
#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Predicates final : public Plugin {
 public:
  explicit Predicates(Arguments&) {}

  void on_session_open(Session& session) override {
    cluster_ = &session.cluster();
    // PREDICATE-1 to PREDICATE-4, PREDICATE-7, PREDICATE-8, PREDICATE-10.
    session.attach<&Predicates::by_specification>(points::predicate, *this);
    session.attach<&Predicates::by_occupants>(points::occupancy,
                                              *this);  // PREDICATE-5, PREDICATE-9
  }

 private:
  Verdict by_specification(const Shape& shape, const Node& node) const {
    return check_specification({*cluster_, shape, node});
  }
  Verdict by_occupants(const Shape& shape, const Node& node, Occupants occupants) const {
    return check_occupants({*cluster_, shape, node, occupants});
  }

  const Cluster* cluster_ = nullptr;
};

}  // namespace

BERTH_PLUGIN(Predicates, "predicates");

}  // namespace berth::plugins
