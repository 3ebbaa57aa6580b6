// Shuffle: evict the pods that must leave, independently of what follows them.
//
// Other actions evict for a job that takes the place. Some rules want room to be free as such: the
// hard form of a queue's guarantee. Plugins name the victims; protections hold.
//
// Steps SHUFFLE-1 to SHUFFLE-4 are those of docs/design/shuffle.md; SHUFFLE-2 to SHUFFLE-4 are in
// plugins/proportion/guarantee_victims.cpp.

#include <algorithm>
#include <string>

#include "berth/engine/action.h"
#include "berth/engine/statement.h"

namespace berth::actions {
namespace {

using namespace engine;

void evict(Session& session, const Leaving& leaving) {
  const Job& job = session.cluster().job(leaving.job);
  const bool is_whole = static_cast<std::size_t>(job.placed_count()) == leaving.tasks.size();
  Statement statement(session);
  const EvictedAs as = is_whole ? EvictedAs::whole_job : EvictedAs::surplus;
  const std::string why =
      is_whole ? job.name + " leaves whole for a guarantee that is not met"
               : "it is surplus of " + job.name + ", and leaves for a guarantee that is not met";
  if (!statement.evict(leaving, {JobId(), "shuffle", as, why})) return;
  if (session.allowance().take(leaving.tasks)) std::move(statement).commit();  // LIMIT-6
}

class Shuffle final : public Action {
 public:
  explicit Shuffle(Arguments&) {}

  void execute(Session& session) const override {
    std::vector<TaskId> victims;
    session.ask(points::victims, &victims);
    // SHUFFLE-1. Each job by itself: a protected one does not protect the others.
    const auto job_of = [&](TaskId task) { return session.cluster().task(task).job; };
    std::stable_sort(victims.begin(), victims.end(), [&](TaskId left, TaskId right) {
      return session.cluster().job(job_of(left)).name < session.cluster().job(job_of(right)).name;
    });
    for (auto first = victims.begin(); first != victims.end();) {
      const auto last = std::find_if(first, victims.end(),
                                     [&](TaskId task) { return job_of(task) != job_of(*first); });
      evict(session, {job_of(*first), {first, last}});
      first = last;
    }
  }
};

}  // namespace

BERTH_ACTION(Shuffle, "shuffle");

}  // namespace berth::actions
