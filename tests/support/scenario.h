#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "berth/base/result.h"
#include "support/cluster_text.h"

// Scenarios: text that says what there is, what happens and what is expected. The format is in
// tests/scenarios/README.md.

namespace berth::support {

class Scenario {
 public:
  static Result<Scenario> read(const std::string& file);
  static Result<Scenario> parse(std::string_view text, const std::string& name);

  // What went wrong first, with plan and explanations; empty when all went as expected. With a
  // seed, what may come in any order comes in another one. `plans` gets every plan made.
  std::string play(std::uint64_t seed, std::vector<NamedPlan>& plans) const;

 private:
  std::vector<SceneLine> lines_;
};

// Plays it in the order written and in a few others, which must give the same plans.
std::string play_in_many_orders(const Scenario& scenario);

}  // namespace berth::support
