#pragma once

#include <functional>
#include <string>
#include <vector>

#include "document/value.h"
#include "tools/live/api_reader.h"
#include "tools/output.h"
#include "views/queue_table.h"

namespace berth::tools {

// The Queue objects as a table: their specs, and the statuses that berthd has written. Not in it:
// the amounts to divide, demand, what is due, and the largest piece; jobs are counted by their
// PodGroups. Queues that cannot be read are left out.
views::QueueTable table_of_queues(const std::vector<document::Value>& queues);

// Lists the queues and shows them by `show`. Without the right, prints the jobs of the namespace by
// queue, with the right that is missing. Returns the exit code.
Result<int> show_live_queues(const KubeFlags& flags, const std::string& queue, Form form,
                             Console& console,
                             const std::function<Result<int>(views::QueueTable)>& show);

}  // namespace berth::tools
