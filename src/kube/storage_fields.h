#pragma once

#include <cstdint>
#include <optional>

#include "document/cursor.h"

namespace berth::kube {

// A size in bytes, rounded up. None if there is none.
std::optional<std::int64_t> read_bytes(const document::Cursor& at);

// Does a volume name an in-tree disk that a CSI driver attaches?
bool has_migrated_disk(const document::Cursor& volume);

}  // namespace berth::kube
