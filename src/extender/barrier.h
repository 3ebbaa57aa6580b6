#pragma once

#include <cstddef>
#include <memory>

#include "berth/base/clock.h"
#include "extender/roster.h"
#include "ports/binder.h"
#include "ports/event_sink.h"
#include "ports/plan_table.h"
#include "ports/published.h"

namespace berth::extender {

// Holds bind calls until a gang's minimum is there, then binds them all; the rules are in
// roster.cpp. Any thread. Calls out (binds, answers, events) are made without a lock held, by the
// thread that caused them; a waiting call costs no thread.
class GangBarrier {
 public:
  // All must outlive the barrier and every bind it has asked for.
  GangBarrier(BarrierLimits limits, const ports::Published<ports::PlanTable>& plan,
              const Moves& moves, ports::Binder& binder, ports::EventSink& events);
  ~GangBarrier();  // shutdown()
  GangBarrier(const GangBarrier&) = delete;
  GangBarrier& operator=(const GangBarrier&) = delete;

  // A bind call. Returns at once; `answer` may be called before this returns.
  CallId arrive(ports::Binding binding, TimePoint now, BindAnswer answer);
  // The caller of a held call is gone; it gets no answer. Nothing happens if the call is answered
  // already or its bind is under way.
  void leave(CallId call);
  // Aborts the gangs whose time is over. To be called every 100 ms or so.
  void expire(TimePoint now);
  // To be called after each change of the published plan: answers held calls that it no longer
  // backs, and releases gangs whose minimum it lowered or whose other members it saw bound.
  void plan_changed();
  // Answers every call that waits with an error, and all that come; Bindings under way go on.
  void close();
  // Answers every call with an error, at once and for good.
  void shutdown();

  std::size_t held() const;     // calls that wait for their gang
  std::size_t binding() const;  // calls whose bind is under way

 private:
  class State;
  std::shared_ptr<State> state_;  // shared with outcomes that are still to come
};

}  // namespace berth::extender
