#pragma once

#include <cstddef>
#include <string_view>

namespace berth::http {

// The shortest end of a chunked body is so long: never less is still to come. Beast asserts that it
// is given no less of a last chunk.
inline constexpr std::size_t kLastChunkBytes = std::string_view("0\r\n\r\n").size();

}  // namespace berth::http
