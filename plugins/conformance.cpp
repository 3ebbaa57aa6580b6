// plugins/conformance.cpp
//
// Conformance: the cluster's own pods stay.
//
//   C1  Pods of priority class system-cluster-critical or system-node-critical and pods in
//       kube-system are evicted for nobody. A protection: no other plugin outvotes it (D3; Volcano
//       asks it in a tier, where a later tier can).
//
// Worked example: docs/design/conformance.md.

#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Conformance final : public Plugin {
 public:
  explicit Conformance(Arguments&) {}

  void on_session_open(Session& session) override {
    session.attach<&Conformance::is_not_critical>(points::evictable, *this);  // C1
  }

 private:
  Verdict is_not_critical(const Task& task) const {
    return task.is_critical ? reject_for_good(Reason::system_critical) : pass();
  }
};

}  // namespace

BERTH_PLUGIN(Conformance, "conformance");

}  // namespace berth::plugins
