#include "reconcile/queue_lines.h"

#include <algorithm>
#include <vector>

#include "berth/base/text.h"
#include "reconcile/queue_status.h"
#include "views/reserved_nodes_text.h"

namespace berth::reconcile {

namespace {

std::string before_text(const std::vector<std::string>& nodes) {
  return nodes.empty() ? "" : "; before " + first_names(nodes);
}

// "has nodes n2, n3 (score 0.510); before n2"
std::string nodes_text(const views::QueueTable::Row& row, const std::vector<std::string>& before) {
  if (!row.reservation || row.reservation->nodes.empty()) {
    return "has no nodes any more" + before_text(before);
  }
  const std::string score = score_text(*row.reservation);
  return "has nodes " + first_names(row.reservation->nodes) +
         (score.empty() ? "" : " (score " + score + ")") + before_text(before);
}

}  // namespace

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
    const Nodes& nodes = row.reservation ? row.reservation->nodes : Nodes();
    if (nodes != logged.nodes) {
      lines.push_back(queue + " " + nodes_text(row, logged.nodes));
      logged.nodes = nodes;
    }
  }
  forget_the_gone(lines);
  // When nodes are lost, hundreds of queues may change at once.
  constexpr std::size_t kMost = 20;
  for (std::size_t i = 0; i < std::min(lines.size(), kMost); ++i) events_.log(lines[i]);
  if (lines.size() > kMost) {
    events_.log("... and " + std::to_string(lines.size() - kMost) + " more such lines on queues");
  }
}

void QueueLines::forget_the_gone(std::vector<std::string>& lines) {
  std::erase_if(logged_, [&](const auto& entry) {
    const auto& [name, logged] = entry;
    const bool is_gone = logged.round != round_;
    if (is_gone && !logged.nodes.empty()) {
      lines.push_back("queue " + name + " is gone" + before_text(logged.nodes));
    }
    return is_gone;
  });
}

}  // namespace berth::reconcile
