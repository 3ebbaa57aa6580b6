#pragma once

#include <cstdint>

namespace berth::engine {

// Which tasks count.
enum class Occupants : std::uint8_t {
  all,
  once_vacated,  // those that do not leave, and those that were promised room
  staying,       // those that never leave by themselves
};

}  // namespace berth::engine
