#pragma once

#include <string>
#include <vector>

#include "embedded/link.h"
#include "world/agenda.h"

namespace berth::world {

// How often what goes wrong, of a thousand requests, events or seconds. Each seed turns some off,
// since a frequent fault hides another.
struct Faults {
  std::uint64_t lost_request = 0;   // it never comes, and its sender waits in vain
  std::uint64_t lost_answer = 0;    // done, and its sender does not know
  std::uint64_t conflict = 0;       // 409
  std::uint64_t throttled = 0;      // 429
  std::uint64_t failure = 0;        // 500
  std::uint64_t slow = 0;           // a hop takes up to two seconds
  std::uint64_t cut = 0;            // of deliveries of a watch
  std::uint64_t piecemeal = 0;      // of deliveries: a session sees half of a change
  std::uint64_t compaction = 0;     // a second: watches behind get 410
  std::uint64_t berthd_kill = 0;    // a second
  std::uint64_t berthd_stop = 0;    // a second: a rollout; it gives its lease back
  std::uint64_t berthd_freeze = 0;  // a second; of its container, kube-scheduler's, or both
  std::uint64_t scheduler_kill = 0;
  std::uint64_t node_change = 0;   // a second: cordoned, deleted, back
  std::uint64_t autoscaler = 0;    // above 0: there is one, which adds and removes nodes
  std::uint64_t queue_change = 0;  // a second: weight, capability, closed
  std::uint64_t job_change = 0;    // a second: deleted, scaled, its group edited
  std::uint64_t pod_failure = 0;   // of pods
  std::uint64_t refused_pod = 0;   // of creations, by an admission
  std::uint64_t refused_eviction = 0;
  std::uint64_t budget = 0;      // of jobs: a disruption budget refuses evictions
  std::uint64_t hung_pod = 0;    // of pods that are to leave: they take minutes
  std::uint64_t clock_step = 0;  // a second: a berthd's wall clock is set

  static Faults swarm(Agenda& dice);
  // "cut=12 slow=3": all that are on. of() reads it, and leaves out what it does not know.
  std::string names() const;
  static Faults of(const std::string& names);
  std::vector<std::string> on() const;
  void turn_off(const std::string& name);
};

// The way between two processes.
class Network final : public embedded::Link {
 public:
  enum class WriteFate { done, lost_request, lost_answer, conflict, throttled, failure };

  explicit Network(Agenda& agenda) : agenda_(agenda) {}

  Faults faults;  // all 0: a network without faults

  Duration hop() override;
  WriteFate fate_of_write();
  // Of calls between kube-scheduler and berthd, which are neighbours: done or lost.
  Fate fate_of_call() override;

 private:
  Agenda& agenda_;
};

}  // namespace berth::world
