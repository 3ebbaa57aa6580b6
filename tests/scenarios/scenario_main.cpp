#include <cstdio>

#include "support/scenario.h"

// scenario_test FILE: plays one scenario; the reason of a failure goes to standard error.
int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: scenario_test FILE\n");
    return 2;
  }
  const auto scenario = berth::support::Scenario::read(argv[1]);
  if (!scenario) {
    std::fprintf(stderr, "%s\n", scenario.error().to_string().c_str());
    return 2;
  }
  const std::string fault = berth::support::play_in_many_orders(*scenario);
  if (fault.empty()) return 0;
  std::fprintf(stderr, "%s\n", fault.c_str());
  return 1;
}
