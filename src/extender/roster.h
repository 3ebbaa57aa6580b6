#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/model/event.h"
#include "extender/moves.h"
#include "ports/attempts.h"
#include "ports/binder.h"
#include "ports/plan_table.h"

namespace berth::extender {

// The ends of a wait (DESIGN D6). `stall_timeout` never cuts a gang short whose members keep
// arriving.
struct BarrierLimits {
  Duration stall_timeout = std::chrono::seconds(10);  // since the last new member of the gang
  // Of one call; less than the caller's httpTimeout.
  Duration hold_limit = std::chrono::seconds(25);
};

using CallId = std::uint64_t;

// Called exactly once per call; an empty text: the pod is bound.
using BindAnswer = std::function<void(const std::string& error)>;

// The present members of each gang: the rules of the gang barrier (roster.cpp) as a state machine.
// It performs no side effects; each step returns the effects to carry out. Not thread-safe.
class Roster {
 public:
  struct Effects {
    std::vector<std::pair<BindAnswer, std::string>> answers;
    std::vector<ports::Binding> binds;  // in the order of the calls
    std::vector<PlacementDropped> drops;
    std::vector<BindAnswer> discarded;  // answers that nobody waits for; to be destroyed

    void reply(BindAnswer answer, std::string error = {});
  };
  using Plan = std::shared_ptr<const ports::PlanTable>;

  // `moves` must outlive the roster.
  Roster(BarrierLimits limits, Plan plan, const Moves& moves)
      : limits_(limits), moves_(moves), plan_(std::move(plan)) {}

  CallId arrive(ports::Binding binding, TimePoint now, BindAnswer answer, Effects& effects);
  void leave(CallId call, Effects& effects);
  void expire(TimePoint now, Effects& effects);
  void follow(Plan plan, Effects& effects);  // does nothing for the plan it already follows
  void outcome(const std::string& uid, const ports::BindOutcome& outcome, Effects& effects);
  // Refuses all later calls. `waiting`: answers the calls that wait; a call whose Binding is under
  // way gets the outcome. `all`: answers those at once, too.
  enum class Closing : std::uint8_t { waiting, all };
  void close(Closing which, Effects& effects);

  // Held calls are `open`; a Binding that was posted is `binding`, also when it has succeeded.
  ports::Attempts::Stage stage_of(const std::string& uid) const;
  bool is_quiet(const std::string& uid) const;  // as ports::Attempts

  std::size_t held() const { return held_calls_.size(); }
  std::size_t binding() const;

 private:
  enum class Stage : std::uint8_t { held, binding, bound };
  struct Member {
    CallId call = 0;
    ports::Binding binding;
    std::string job;
    std::string planned_node;  // differs from the binding's for a hint
    TimePoint arrived;
    BindAnswer answer;
    bool is_quiet = false;
    Stage stage = Stage::held;
  };
  struct Settled {
    std::string node;
    bool is_quiet = false;
  };
  struct Gang {
    std::size_t min_member = 1;
    std::size_t seen_bound = 0;     // bound members that the mirror sees
    std::set<std::string> members;  // uids of the members that count, in any stage
    TimePoint progressed;

    std::size_t present() const { return members.size() + seen_bound; }
    void take(const ports::PlannedGang& planned);
  };
  using Members = std::map<std::string, Member>;

  void admit(ports::Binding binding, CallId call, BindAnswer answer, Effects& effects);
  bool answer_known(const ports::Binding& binding, CallId call, BindAnswer& answer,
                    Effects& effects);
  void release_if_complete(Gang& gang, Effects& effects);
  std::string reason_to_abort(const std::string& job, const Gang& gang) const;
  void answer_overdue(Effects& effects);
  void abort(const std::string& job, const std::string& why, Effects& effects);
  void follow_plan(Gang& gang, Effects& effects);
  bool may_go_to(const ports::PlannedPod& planned, const ports::Binding& binding) const;
  bool is_still_planned(const Member& member) const;
  void uncount(Members::iterator member);
  void settle(Members::iterator member);
  void remove(Members::iterator member);
  void forget_settled();

  const BarrierLimits limits_;
  const Moves& moves_;
  Plan plan_;
  Members members_;                           // by pod uid
  std::map<std::string, Gang> gangs_;         // by job; none without members
  std::map<CallId, std::string> held_calls_;  // to pod uid
  std::map<std::string, Settled> settled_;    // by pod uid: bound, no longer in the plan
  std::deque<std::pair<TimePoint, std::string>> settled_since_;  // their uids, by time
  CallId last_call_ = 0;
  TimePoint now_;  // the latest seen
  bool is_closed_ = false;
};

}  // namespace berth::extender
