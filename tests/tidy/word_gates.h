#pragma once

#include "tidy/tree.h"

namespace berth::tidy {

// Open work names its issue: "TODO(#12)".
Complaints todos_without_issue(const Tree& tree);
// Tests wait for an event with a deadline, and never for time to pass.
Complaints sleeps_in_tests(const Tree& tree);
// A type named Manager or Helper says nothing; nor does a file.
Complaints names_that_say_nothing(const Tree& tree);
// Iteration over a hash map has no order, so each map in the core declares that it is only looked
// up.
Complaints hash_maps_without_promise(const Tree& tree);
// Calls of libraries that throw for bytes from outside, where others return errors.
Complaints calls_that_throw(const Tree& tree);

}  // namespace berth::tidy
