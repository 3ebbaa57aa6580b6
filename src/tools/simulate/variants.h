#pragma once

#include <string>
#include <vector>

#include "berth/base/result.h"
#include "conf/config.h"

// The configurations that a simulation compares.

namespace berth::tools {

struct Variant {
  std::string name;  // "easy.yaml, reservation.lock=cluster"
  conf::Config config;
};

struct VariantFlags {
  std::vector<std::string> configs;  // files; none: the built-in default
  std::vector<std::string> set;      // "plugins.NAME.ARGUMENT=VALUE", "actions.NAME.ARGUMENT=VALUE"
  std::vector<std::string> sweep;    // the same with values: "plugins.NAME.ARGUMENT=A,B,C"
};

// Each file with each combination of the values to sweep.
Result<std::vector<Variant>> variants_of(const VariantFlags& flags);
// The same of configurations that are there; the flags' files do not count.
Result<std::vector<Variant>> varied(std::vector<Variant> variants, const VariantFlags& flags);

}  // namespace berth::tools
