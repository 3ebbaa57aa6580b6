#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "berth/model/objects.h"
#include "ports/plan_table.h"

namespace berth::extender {

// Pods that a filter call sent to another node than planned, because kube-scheduler had ruled the
// planned one out (docs/design/steering.md, STEER-12). A move is kept until the session thread
// publishes a plan with it. Any thread.
class Moves {
 public:
  // The node of the pod: `planned`, or the node that it was moved to.
  std::string node_of(std::string_view uid, const std::string& planned) const;
  // The requests of pods moved to `node` that the published plan does not have yet.
  NamedAmounts taken_on(std::string_view node) const;
  void add(const std::string& uid, const std::string& from, const std::string& to,
           const NamedAmounts& request);
  // Forgets moves that the new plan has taken in or replaced.
  void follow(const ports::PlanTable& plan);

 private:
  struct Move {
    std::string from;
    std::string to;
    NamedAmounts request;
  };

  std::atomic<std::size_t> count_ = 0;  // nearly always 0; then no lock is taken
  mutable std::mutex mutex_;
  std::map<std::string, Move, std::less<>> moves_;  // by pod uid
};

}  // namespace berth::extender
