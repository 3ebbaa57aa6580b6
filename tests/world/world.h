#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "world/berthd.h"
#include "world/inhabitants.h"
#include "world/kube_scheduler.h"
#include "world/laws.h"

namespace berth::world {

struct Setup {
  std::uint64_t seed = 1;
  std::size_t nodes = 8;
  std::size_t jobs = 30;
  std::size_t replicas = 0;           // of berthd; 0: one or two, by the seed
  Duration faulty = 8min;             // then nothing goes wrong any more
  Duration quiet = 90min;             // at most; everything that can run has run long before
  std::optional<Faults> faults = {};  // none: by the seed
  std::string story = {};             // file for its lines; empty: none
  bool weighs = false;                // at last, what a berthd keeps of what is gone
};

struct Outcome {
  std::vector<std::string> broken;  // laws
  std::string faults;
  std::uint64_t digest = 0;
  std::uint64_t steps = 0;
  std::size_t jobs = 0;  // that have run or were deleted
  std::size_t kept = 0;  // bytes, beyond those of a berthd that begins
};

// A berthd and a kube-scheduler in a cluster where things go wrong, from beginning to end.
Outcome run(const Setup& setup);

// Those that the seed turns on.
Faults faults_of(const Setup& setup);

}  // namespace berth::world
