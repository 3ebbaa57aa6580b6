#pragma once

#include <string>
#include <vector>

#include "tidy/tree.h"

namespace berth::tidy {

// A private dialect: words with the field's word to use instead, in comments, names, messages and
// documents; and sentences that begin with a pronoun such as "what" and are no questions.
// `exceptions` are files and folders that still need mending; an entry that excuses nothing is
// itself a complaint.
Complaints dialect(const Tree& tree, const std::vector<std::string>& exceptions);

}  // namespace berth::tidy
