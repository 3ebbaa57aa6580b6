// Conformance: protect the cluster's own pods from eviction.
// Rules: docs/design/conformance.md.
//
//   CONFORM-1  pods of system-critical priority classes and of kube-system are never evicted

#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Conformance final : public Plugin {
 public:
  explicit Conformance(Arguments&) {}

  void on_session_open(Session& session) override {
    session.attach<&Conformance::is_not_critical>(points::evictable, *this);  // CONFORM-1
  }

 private:
  Verdict is_not_critical(const Task& task) const {
    return task.is_critical ? reject(Reason::system_critical) : pass();
  }
};

}  // namespace

BERTH_PLUGIN(Conformance, "conformance");

}  // namespace berth::plugins
