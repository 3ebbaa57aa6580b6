#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "views/queue_table.h"
#include "views/text_table.h"

namespace berth::views {

struct QueuesStyle {
  TextStyle text{};
  bool is_ascii = true;    // applies to bars, too
  std::string resource{};  // the resource to show; empty: the dominant one of each queue
};

// The queues as a tree for people, each with one resource and a bar. Warnings follow below.
std::string queues_text(const QueueTable& table, const QueuesStyle& style);

// At most two decimals, rounded down: "6.66", "1.5Gi". format_amount() is exact.
std::string brief_amount(std::string_view resource, std::int64_t amount);

}  // namespace berth::views
