#pragma once

#include <cstddef>
#include <functional>
#include <memory>

#include "berth/base/clock.h"
#include "extender/roster.h"
#include "ports/binder.h"
#include "ports/event_sink.h"
#include "ports/plan_table.h"
#include "ports/published.h"

namespace berth::extender {

// Holds bind calls until a gang has its minimum, then binds all of them. roster.cpp has the rules.
// Any thread. Binds, answers and events are called without a lock, by the thread that caused them.
// A waiting call costs no thread.
class GangBarrier {
 public:
  // All arguments must outlive the barrier and every bind that it has started. `on_related`: a bind
  // call has come of a pod with relations; must not wait.
  GangBarrier(BarrierLimits limits, const ports::Published<ports::PlanTable>& plan, Moves& moves,
              ports::Binder& binder, ports::EventSink& events,
              std::function<void()> on_related = {});
  ~GangBarrier();  // shutdown()
  GangBarrier(const GangBarrier&) = delete;
  GangBarrier& operator=(const GangBarrier&) = delete;

  // A bind call. Returns at once; `answer` may be called before this returns.
  CallId arrive(ports::Binding binding, TimePoint now, BindAnswer answer);
  // The caller of a held call is gone, and gets no answer. Does nothing once the call is answered
  // or its bind is under way.
  void leave(CallId call);
  // Aborts gangs whose time is over. Call it about every 100 ms.
  void expire(TimePoint now);
  // Call it after each change of the published plan, by the thread that publishes. It answers held
  // calls that the plan no longer supports. It releases gangs whose minimum went down or whose
  // other members are now bound. Moves and choices of earlier plans end (BARRIER-8).
  void plan_changed();
  // Answers every waiting and every later call with an error. Bindings under way go on.
  void close();
  // Answers every call with an error, now and later.
  void shutdown();

  ports::Attempts::Stage stage_of(const std::string& pod_uid) const;
  bool is_quiet(const std::string& pod_uid) const;  // as ports::Attempts
  std::size_t held() const;                         // calls that wait for their gang
  std::size_t binding() const;                      // calls whose bind is under way

 private:
  class State;
  const ports::Published<ports::PlanTable>& plan_;
  Moves& moves_;
  const std::function<void()> on_related_;
  std::shared_ptr<State> state_;  // shared with bind outcomes that have not come yet
};

}  // namespace berth::extender
