// Shuffle: evict the pods that must leave, independently of what follows them.
//
// Other actions evict for a job that takes the place. Some rules want room to be free as such: the
// hard form of a queue's guarantee. Plugins name the victims; protections hold.
//
// Steps SHUFFLE-1 to SHUFFLE-4 are those of docs/design/shuffle.md; SHUFFLE-2 to SHUFFLE-4 are in
// plugins/proportion/guarantee_victims.cpp.

#include "berth/engine/action.h"
#include "berth/engine/statement.h"

namespace berth::actions {
namespace {

using namespace engine;

class Shuffle final : public Action {
 public:
  explicit Shuffle(Arguments&) {}

  void execute(Session& session) const override {
    std::vector<TaskId> victims;
    session.ask(points::victims, &victims);
    // SHUFFLE-1. Each victim by itself: a protected one does not protect the others.
    for (const TaskId victim : victims) {
      Statement statement(session);
      if (statement.evict(victim, JobId(), "shuffle")) std::move(statement).commit();
    }
  }
};

}  // namespace

BERTH_ACTION(Shuffle, "shuffle");

}  // namespace berth::actions
