#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace berth {

// The text of others as part of ours: control characters, line ends, characters that change the
// direction of text and broken UTF-8 are U+FFFD, so that no object can control a terminal, end a
// line or make it read differently. Once is enough: twice changes nothing.
std::string printable(std::string_view text);

// The first bytes of a text, `most` of them at most. No character of UTF-8 is torn.
std::string_view first_bytes(std::string_view text, std::size_t most);
// The same, then "..." if there is more.
std::string shortened(std::string_view text, std::size_t most);

// The character of UTF-8 at `at`, which moves past it; U+FFFD for an invalid byte. `at` is below
// the size.
char32_t next_character(std::string_view text, std::size_t& at);

}  // namespace berth
