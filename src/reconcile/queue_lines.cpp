#include "reconcile/queue_lines.h"

#include <algorithm>
#include <vector>

#include "reconcile/queue_status.h"

namespace berth::reconcile {

void QueueLines::log_changes(const views::QueueTable& table) {
  ++round_;
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    const views::QueueTable::Row& row = table.rows[at];
    Logged& logged = logged_[row.name];
    logged.round = round_;
    const std::string queue = "queue " + row.name;
    if (row.fault != logged.fault) {
      lines.push_back(queue + (row.fault.empty() ? " is set up correctly again"
                                                 : " is at fault, its jobs wait: " + row.fault));
      logged.fault = row.fault;
    }
    if (row.is_scaled != logged.is_scaled) {
      lines.push_back(queue + ": " +
                      (row.is_scaled ? scaling_of(table, at).message
                                     : "its guarantee is in force in full again"));
      logged.is_scaled = row.is_scaled;
    }
    if (row.notes.size() != logged.notes) {
      lines.push_back(queue + ": " +
                      (row.notes.empty() ? "all that is set up for it has its effect again"
                                         : honouring_of(row).message));
      logged.notes = row.notes.size();
    }
  }
  std::erase_if(logged_, [this](const auto& entry) { return entry.second.round != round_; });
  // When nodes are lost, hundreds of queues may change at once.
  constexpr std::size_t kMost = 20;
  for (std::size_t i = 0; i < std::min(lines.size(), kMost); ++i) events_.log(lines[i]);
  if (lines.size() > kMost) {
    events_.log("... and " + std::to_string(lines.size() - kMost) + " more such lines on queues");
  }
}

}  // namespace berth::reconcile
