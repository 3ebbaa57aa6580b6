#pragma once

#include "tidy/tree.h"

namespace berth::tidy {

// What is to be done has an issue: "TODO(#12)".
Complaints todos_without_issue(const Tree& tree);
// Tests wait for something that happens, with a deadline; never for time to pass.
Complaints sleeps_in_tests(const Tree& tree);
// A type named Manager or Helper says nothing; nor does a file.
Complaints names_that_say_nothing(const Tree& tree);
// Iteration over a hash map has no order, so in the core each says that it is only looked up.
Complaints hash_maps_without_promise(const Tree& tree);

}  // namespace berth::tidy
