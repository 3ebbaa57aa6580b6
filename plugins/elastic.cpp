// Elastic: surplus, the tasks of a job beyond its minimum, starts last and goes first. It is lent:
// a job that lacks its minimum takes it back.
// Rules: docs/design/elastic.md; source: S4.
//
//   ELASTIC-1  surplus leaves for a job of the same queue and priority that lacks its minimum
//   ELASTIC-2  surplus of a queue beyond its share leaves even if the queue is not reclaimable
//   ELASTIC-3  surplus counts as free when jobs are admitted
//
// Each of the three asks the point surplusIsLent: plugins priority, proportion and overcommit.

#include "berth/engine/plugin.h"

namespace berth::plugins {
namespace {

using namespace engine;

class Elastic final : public Plugin {
 public:
  explicit Elastic(Arguments&) {}

  void on_session_open(Session& session) override {
    // ELASTIC-1, ELASTIC-2, ELASTIC-3
    session.attach<&Elastic::is_lent>(points::surplus_is_lent, *this);
  }

 private:
  bool is_lent() const { return true; }
};

}  // namespace

BERTH_PLUGIN(Elastic, "elastic");

}  // namespace berth::plugins
