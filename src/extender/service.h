#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>

#include "berth/base/clock.h"
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

// Told of each call when its answer is made, by the thread that made it; must not block. A bind's
// duration includes its wait for the gang.
class CallObserver {
 public:
  virtual ~CallObserver() = default;
  virtual void on_call(Verb verb, Outcome outcome, Duration duration) = 0;
  // A filter call brought whole Node objects (nodeCacheCapable: false): it works, and is slow.
  virtual void on_full_nodes() {}
};

// The four verbs of the extender protocol over the published plan:
//   POST /plan/filter  /plan/prioritize  /commit/bind  /guard/preempt
// 503 at once while the plan is not ready; 400 with "byte N: what, what was expected" for a request
// that cannot be read; 200 for whatever was decided, an error in a bind's `Error` included.
class Service {
 public:
  // Everything must outlive the service, and the service every request that it was given.
  Service(const ports::Published<ports::PlanTable>& plan, GangBarrier& barrier,
          ports::EventSink& events, const Clock& clock, Moves& moves,
          CallObserver* observer = nullptr);

  void add_routes(http::Router& router);

  // Calls so far that ended so. Any thread.
  std::uint64_t count(Verb verb, Outcome outcome) const;

 private:
  using Steady = std::chrono::steady_clock;
  // How one call ends: what is answered, and what is counted.
  struct Ending {
    http::Response response;
    Outcome outcome;
  };
  using Handle = Ending (Service::*)(const ports::PlanTable& plan, const std::string& body);

  Ending on_filter(const ports::PlanTable& plan, const std::string& body);
  Ending on_prioritize(const ports::PlanTable& plan, const std::string& body);
  Ending on_preempt(const ports::PlanTable& plan, const std::string& body);
  void on_bind(const http::Request& request, http::Responder responder);

  void add_route(http::Router& router, Verb verb, const char* path, Handle handle);
  void note(Verb verb, Outcome outcome, Steady::time_point start);

  const ports::Published<ports::PlanTable>& plan_;
  GangBarrier& barrier_;
  ports::EventSink& events_;
  const Clock& clock_;
  Moves& moves_;
  CallObserver* observer_;
  std::array<std::array<std::atomic<std::uint64_t>, kOutcomes>, kVerbs> counts_{};
};

}  // namespace berth::extender
