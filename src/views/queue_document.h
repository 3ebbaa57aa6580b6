#pragma once

#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "views/queue_table.h"

// The document that berthd answers /queues with and `berth queues -o json` writes; docs/queues.md
// describes it. Amounts are Kubernetes quantities; those that are 0 are left out.

namespace berth::views {

// One JSON object, ending in a line feed.
std::string write_queue_table(const QueueTable& table);
// What was written, but for ids. Fails on what is no such document, with file:line:column.
Result<QueueTable> read_queue_table(std::string text, std::string_view file);

}  // namespace berth::views
