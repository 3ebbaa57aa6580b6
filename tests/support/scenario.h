#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "support/cluster_text.h"

// Scenarios: text with objects, events and expectations. The format is in
// tests/scenarios/README.md.

namespace berth::support {

class Scenario {
 public:
  static Result<Scenario> read(const std::string& file);
  static Result<Scenario> parse(std::string_view text, const std::string& name);

  // The first failure, with plan and explanations; empty if there was none. A seed changes the
  // order of independent events. `plans` gets every plan.
  std::string play(std::uint64_t seed, std::vector<NamedPlan>& plans) const;

 private:
  std::vector<SceneLine> lines_;
};

// Plays it in the written order and in some others, which must give the same plans.
std::string play_in_many_orders(const Scenario& scenario);

}  // namespace berth::support
