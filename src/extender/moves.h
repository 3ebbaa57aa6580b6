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

// Pods that a filter call sent elsewhere than planned, because kube-scheduler had ruled the planned
// node out (docs/design/steering.md, STEER-12), until the session thread publishes a plan that says
// the same. Any thread.
class Moves {
 public:
  // Where the pod goes: `planned`, unless it was moved from there.
  std::string node_of(std::string_view uid, const std::string& planned) const;
  // What pods moved to `node` will take there; not in the published plan yet.
  NamedAmounts taken_on(std::string_view node) const;
  void add(const std::string& uid, const std::string& from, const std::string& to,
           const NamedAmounts& request);
  // Forgets moves that the plan has taken in, or overtaken.
  void follow(const ports::PlanTable& plan);

 private:
  struct Move {
    std::string from;
    std::string to;
    NamedAmounts request;
  };

  std::atomic<std::size_t> count_ = 0;  // nearly always 0: then nothing is locked
  mutable std::mutex mutex_;
  std::map<std::string, Move, std::less<>> moves_;  // by pod uid
};

}  // namespace berth::extender
