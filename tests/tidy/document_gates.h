#pragma once

#include "tidy/tree.h"

namespace berth::tidy {

// One title, and it comes first.
Complaints documents_without_one_title(const Tree& tree);
// Relative links lead to a file or folder of the repository, and to a heading that it has.
Complaints links_that_lead_nowhere(const Tree& tree);

}  // namespace berth::tidy
