#pragma once

#include <string>

#include "podview/samples.h"

namespace berth::podview::testing {

// An event or item as a client decodes it.
struct Found {
  std::string type;
  Sample pod;
  bool has_managed_fields = false;
  bool is_damaged = false;
};

std::string line_of(const Found& found);

}  // namespace berth::podview::testing
