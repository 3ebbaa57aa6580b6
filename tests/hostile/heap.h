#pragma once

#include <cstddef>

// The heap of this test, counted in operator new: exact, with any sanitizer.

namespace berth::hostile::heap {

std::size_t bytes();  // now, of all threads
std::size_t peak();   // the most since the last reset_peak()
void reset_peak();
// A test that takes more ends at once, for the machine's sake.
void set_limit(std::size_t bytes);

}  // namespace berth::hostile::heap
