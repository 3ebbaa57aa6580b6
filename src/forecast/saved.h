#pragma once

#include <cstdint>

#include "document/cursor.h"

namespace berth::forecast {

// Of the texts that are kept over restarts.
inline constexpr std::int64_t kSavedVersion = 1;

inline void require_version(const document::Cursor& root) {
  const document::Cursor version = root["version"];
  if (version.integer(0, 0, 1'000) != kSavedVersion) root.complain("`version` is not 1");
}

}  // namespace berth::forecast
