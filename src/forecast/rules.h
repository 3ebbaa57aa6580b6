#pragma once

#include <cstdint>

#include "berth/base/clock.h"
#include "berth/model/time_limit.h"
#include "conf/config.h"

namespace berth::forecast {

// Those rules of a configuration by which starts are planned.
struct Rules {
  enum class Behind : std::uint8_t { off, easy, conservative };
  Behind behind = Behind::off;
  LimitTrust trust = LimitTrust::stated;
  Duration target_after = Duration::max();  // a job waits so long, and becomes a target; max: none
  Duration give_up = Duration::max();       // then it is none any more; max: never
  std::size_t targets = 1;                  // at a time
  bool locks_all = false;                   // all nodes that it may use, and not only enough
  double most_nodes = 1;                    // of all, for a target
  Duration unbounded_after{};               // then a target may have all; 0: never
};

Rules rules_of(const conf::Config& config);

}  // namespace berth::forecast
