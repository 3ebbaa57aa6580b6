#include "world/shrink.h"

#include <algorithm>

namespace berth::world {
std::string options_of(const Setup& setup) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(setup.faulty).count();
  std::string text = "--nodes " + std::to_string(setup.nodes) + " --jobs " +
                     std::to_string(setup.jobs) + " --seconds " + std::to_string(seconds);
  if (setup.faults) text += " --faults '" + setup.faults->names() + "'";
  return text + " " + std::to_string(setup.seed);
}

Setup shrink(const Setup& failing, const std::function<bool(const Setup&)>& breaks,
             const std::function<void(const std::string&)>& seen) {
  Setup best = failing;
  if (!best.faults) {
    best.faults = faults_of(failing);
    if (!breaks(best)) return failing;
  }
  const auto attempt = [&](const Setup& smaller) {
    if (!breaks(smaller)) return false;
    best = smaller;
    seen(options_of(best));
    return true;
  };
  for (const std::string& name : best.faults->on()) {
    Setup smaller = best;
    smaller.faults->turn_off(name);
    attempt(smaller);
  }
  for (bool goes_on = true; goes_on;) {
    goes_on = false;
    for (const auto size : {&Setup::jobs, &Setup::nodes}) {
      for (const std::size_t divisor : {2U, 4U, 8U}) {
        Setup smaller = best;
        smaller.*size -= std::max<std::size_t>(1, smaller.*size / divisor);
        if (smaller.*size == 0) continue;
        if ((goes_on = attempt(smaller))) break;
      }
    }
    Setup shorter = best;
    shorter.faulty -= shorter.faulty / 4;
    if (shorter.faulty > 10s && attempt(shorter)) goes_on = true;
  }
  return best;
}

}  // namespace berth::world
