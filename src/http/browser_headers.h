#pragma once

#include <string>
#include <utility>
#include <vector>

namespace berth::http {

// For ServerOptions::headers. A browser runs nothing of such an answer but files of the same
// server, shows it in no frame, hands it to no other site, and guesses no type (PAGE-10).
const std::vector<std::pair<std::string, std::string>>& browser_headers();

}  // namespace berth::http
