#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "views/queue_table.h"

namespace berth::views {

struct QueuesStyle {
  bool bold_headings = false;  // with terminal control sequences
  bool is_ascii = true;        // bars, too
  std::string resource{};      // that is shown; empty: of each queue the dominant one
};

// The queues as a tree for people, each with one resource and a bar, and below them what is wrong.
std::string queues_text(const QueueTable& table, const QueuesStyle& style);

// At most two decimals, cut off: "6.66", "1.5Gi". Not exact; format_amount() is.
std::string brief_amount(std::string_view resource, std::int64_t amount);

}  // namespace berth::views
