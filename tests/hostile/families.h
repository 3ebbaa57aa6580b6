#pragma once

#include <ostream>
#include <string>
#include <vector>

namespace berth::hostile {

// Objects that a user with the role `edit` in the namespace "evil" can have there, or a part of
// them that costs most. Each has about `bytes` of text. Another `generation`, other texts.
struct Family {
  const char* name;
  std::vector<std::string> (*objects)(std::size_t bytes, int generation);
};

inline void PrintTo(const Family& family, std::ostream* to) { *to << family.name; }

std::vector<Family> families();

}  // namespace berth::hostile
