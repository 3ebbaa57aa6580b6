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
    cluster_ = &session.cluster();
    session.attach<&Conformance::is_not_critical>(points::evictable, *this);  // CONFORM-1
  }

 private:
  Verdict is_not_critical(const Leaving& leaving) const {
    for (const TaskId id : leaving.tasks) {
      if (cluster_->task(id).is_critical) return reject(Reason::system_critical);
    }
    return pass();
  }

  const Cluster* cluster_ = nullptr;
};

}  // namespace

BERTH_PLUGIN(Conformance, "conformance");

}  // namespace berth::plugins
