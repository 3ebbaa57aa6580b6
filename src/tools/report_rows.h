#pragma once

#include "simulation/report.h"
#include "tools/flags.h"

namespace berth::tools {

// Keeps the rows of a namespace, and of a queue with all queues below and above it. The summary of
// waits is kept likewise; its utilisation and lost work are those of the whole cluster. An Error
// for an unknown queue; no such namespace gives no rows.
Status keep_rows(simulation::Report& report, const RowFlags& flags);

// The rows of that queue, of those below it and of those above it, in the same order. An Error
// names the nearest queue.
Status keep_queue(views::QueueTable& table, const std::string& queue);

// Puts the children of each queue in order: by name (also if empty), or by "priority" or "weight",
// the largest first.
void sort_queues(views::QueueTable& table, const std::string& key);

}  // namespace berth::tools
