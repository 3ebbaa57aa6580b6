#pragma once

namespace berth::results {

// The style sheet of the page, for light and dark.
extern const char* const kStyle;

}  // namespace berth::results
