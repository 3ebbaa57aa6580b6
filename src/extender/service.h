#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

#include "berth/base/clock.h"
#include "extender/attempt_log.h"
#include "extender/barrier.h"
#include "extender/handlers.h"
#include "http/message.h"
#include "http/router.h"
#include "ports/event_sink.h"
#include "ports/plan_table.h"
#include "ports/published.h"

namespace berth::extender {

enum class Verb : std::uint8_t { filter, prioritize, preempt, bind };
inline constexpr std::size_t kVerbs = 4;
const char* to_string(Verb verb);

// Called once for each answered call, by the thread that made the answer; must not block. The
// duration of a bind includes its wait for the gang.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  virtual void on_call(Verb verb, Outcome outcome, Duration duration) = 0;
  // A filter call carried whole Node objects (nodeCacheCapable: false). This works, but is slow.
  virtual void on_full_nodes() {}
};

// The four verbs of the extender protocol over the published plan:
//
// POST /plan/filter, /plan/prioritize, /commit/bind, /guard/preempt
//
// The status is 503 while no plan is in force. It is 400 for a request that cannot be read, with
// "byte N: what, what was expected". Otherwise it is 200; a bind's error goes into `Error`.
class Service {
 public:
  // All arguments must outlive the service. The service must outlive each request that it is
  // handling.
  Service(const ports::Published<ports::PlanTable>& plan, GangBarrier& barrier,
          ports::EventSink& events, const Clock& clock, Moves& moves, AttemptLog& attempts,
          CallObserver* observer = nullptr);

  void add_routes(http::Router& router);

  // The number of calls so far with this outcome. Any thread.
  std::uint64_t count(Verb verb, Outcome outcome) const;

 private:
  using Steady = std::chrono::steady_clock;
  // The end of one call: its answer and its outcome.
  struct Ending {
    http::Response response;
    Outcome outcome;
  };
  using Handle = Ending (Service::*)(const ports::PlanTable& plan, const std::string& body);

  Ending on_filter(const ports::PlanTable& plan, const std::string& body);
  // `is_open`: the attempt goes on.
  Ending filter_by(const ports::PlanTable& plan, const FilterArgs& args, bool& is_open);
  Ending on_prioritize(const ports::PlanTable& plan, const std::string& body);
  Ending on_preempt(const ports::PlanTable& plan, const std::string& body);
  void on_bind(const http::Request& request, http::Responder responder);
  void leave(CallId call, const std::string& pod_uid);

  void add_route(http::Router& router, Verb verb, const char* path, Handle handle);
  void note(Verb verb, Outcome outcome, Steady::time_point start);

  const ports::Published<ports::PlanTable>& plan_;
  GangBarrier& barrier_;
  ports::EventSink& events_;
  const Clock& clock_;
  Moves& moves_;
  AttemptLog& attempts_;
  CallObserver* observer_;
  std::mutex handing_out_;  // STEER-16. One place to one pod
  std::array<std::array<std::atomic<std::uint64_t>, kOutcomes>, kVerbs> counts_{};
};

}  // namespace berth::extender
