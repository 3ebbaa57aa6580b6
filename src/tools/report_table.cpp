#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "tools/explanation_table.h"
#include "tools/report_text.h"
#include "views/reservations_text.h"
#include "views/reserved_nodes_text.h"
#include "views/text_table.h"

namespace berth::tools {

namespace {

// The rows for one screen, with room for the other sections.
constexpr std::size_t kPlacedRowsMax = 10;  // over all cycles, but at least one for each
constexpr std::size_t kWaitingRowsMax = 12;
constexpr std::size_t kNotesMax = 4;
constexpr std::size_t kQueueRowsMax = 8;

struct Natural {
  bool operator()(const std::string& left, const std::string& right) const {
    return natural_compare(left, right) < 0;
  }
};

using CountByNode = std::map<std::string, std::size_t, Natural>;

// "n1 (2), n2, n3 (2)"
std::string where_text(const CountByNode& nodes) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [node, count] : nodes) {
    if (shown == kNodesShown) break;
    text += (shown++ == 0 ? "" : ", ") + node;
    if (count > 1) text += fmt::format(" ({})", count);
  }
  if (nodes.size() > shown) text += fmt::format(" and {} more", nodes.size() - shown);
  return text;
}

// The rows that a cycle may use.
struct RowBudget {
  std::size_t rows_max = kPlacedRowsMax;
  TableStyle style;
};

std::string placed_table(const std::vector<simulation::PlacementRow>& placements,
                         const char* heading, const RowBudget& budget) {
  std::map<std::string, CountByNode, Natural> by_job;
  for (const simulation::PlacementRow& row : placements) ++by_job[row.job][row.node];
  views::TextTable table({heading, "PODS", "WHERE"});
  std::size_t shown = 0;
  for (const auto& [job, nodes] : by_job) {
    if (shown++ == budget.rows_max) break;
    std::size_t pods = 0;
    for (const auto& [node, count] : nodes) pods += count;
    table.add({job, std::to_string(pods), where_text(nodes)});
  }
  return table.render(budget.style) + more_line(by_job.size(), budget.rows_max);
}

std::string evicted_table(const std::vector<simulation::EvictionRow>& evictions,
                          const RowBudget& budget) {
  views::TextTable table({"EVICTED", "FROM", "BY", "FOR", "AS"});
  for (std::size_t i = 0; i < std::min(evictions.size(), budget.rows_max); ++i) {
    const simulation::EvictionRow& row = evictions[i];
    const std::string what_for = row.for_text();
    table.add({row.pod, row.node, row.action, what_for.empty() ? "-" : what_for, words_of(row.as)});
  }
  return table.render(budget.style) + more_line(evictions.size(), budget.rows_max);
}

std::string targets_table(const simulation::CycleReport& cycle, const RowBudget& budget) {
  views::TextTable table({"TARGET", "LOCK", "NODES", "KEPT FOR IT", "IDLE OF ITS NEED"});
  const auto& rows = cycle.reservations.rows;
  for (std::size_t i = 0; i < std::min(rows.size(), budget.rows_max); ++i) {
    const std::string missing = views::missing_text(rows[i]);
    table.add({rows[i].job, to_string(rows[i].scheme), std::to_string(rows[i].nodes.size()),
               first_names(rows[i].nodes), missing.empty() ? "-" : missing});
  }
  return table.render(budget.style) + more_line(rows.size(), budget.rows_max);
}

// Of the queues with nodes of their own, by name. -o json has the other queues, too.
std::map<std::string, const views::ReservedNodes*, Natural> queues_with_nodes(
    const simulation::CycleReport& cycle) {
  std::map<std::string, const views::ReservedNodes*, Natural> queues;
  for (const views::QueueTable::Row& row : cycle.queues.rows) {
    if (row.reservation) queues.emplace(row.name, &*row.reservation);
  }
  return queues;
}

std::string nodes_table(const simulation::CycleReport& cycle, const RowBudget& budget) {
  const auto queues = queues_with_nodes(cycle);
  views::TextTable table({"QUEUE", "NODES", "ITS OWN NODES", "MISSING"});
  std::size_t shown = 0;
  for (const auto& [name, has] : queues) {
    if (shown++ == budget.rows_max) break;
    const std::string missing = views::missing_text(*has);
    table.add({name, std::to_string(has->nodes.size()), first_names(has->nodes),
               missing.empty() ? "-" : missing});
  }
  return table.render(budget.style) + more_line(queues.size(), budget.rows_max);
}

bool has_same_nodes(const simulation::CycleReport* before, const simulation::CycleReport& cycle) {
  const auto now = queues_with_nodes(cycle);
  if (before == nullptr) return now.empty();
  const auto old = queues_with_nodes(*before);
  const auto is_same = [](const auto& left, const auto& right) {
    return left.first == right.first && left.second->nodes == right.second->nodes;
  };
  return std::equal(old.begin(), old.end(), now.begin(), now.end(), is_same);
}

// True if targets and locks are the same as in the cycle before; they are then not repeated.
bool has_same_targets(const simulation::CycleReport* before, const simulation::CycleReport& cycle) {
  if (!cycle.ended.empty()) return false;
  const auto is_same = [](const auto& left, const auto& right) {
    return left.job == right.job && left.scheme == right.scheme && left.nodes == right.nodes;
  };
  const auto& rows = cycle.reservations.rows;
  if (before == nullptr) return rows.empty();
  const auto& old = before->reservations.rows;
  return std::equal(old.begin(), old.end(), rows.begin(), rows.end(), is_same);
}

std::string ended_text(const simulation::CycleReport& cycle) {
  std::string text;
  for (const simulation::EndedRow& row : cycle.ended) {
    text += fmt::format("{} is no longer a target: {}{}\n", printable(row.job), row.how,
                        row.why.empty() ? "" : ", " + printable(row.why));
  }
  return text;
}

std::string reservations_of(const simulation::CycleReport& cycle, const RowBudget& budget) {
  std::string text;
  if (!cycle.ended.empty()) text += "\n" + ended_text(cycle);
  if (!cycle.reservations.rows.empty()) text += "\n" + targets_table(cycle, budget);
  return text;
}

bool is_idle(const simulation::CycleReport& cycle, const simulation::CycleReport* before) {
  return cycle.binds.empty() && cycle.pipelined.empty() && cycle.evictions.empty() &&
         has_same_targets(before, cycle) && has_same_nodes(before, cycle);
}

std::string cycle_text(const simulation::CycleReport& cycle, const simulation::CycleReport* before,
                       const RowBudget& budget) {
  std::string text = fmt::format("cycle {}, {}: {} placed", cycle.cycle, format_time(cycle.now),
                                 count_text(cycle.binds.size(), "pod"));
  if (!cycle.pipelined.empty()) text += fmt::format(", {} claimed", cycle.pipelined.size());
  if (!cycle.evictions.empty()) text += fmt::format(", {} evicted", cycle.evictions.size());
  text += "\n";
  if (!cycle.binds.empty()) text += "\n" + placed_table(cycle.binds, "PLACED", budget);
  if (!cycle.pipelined.empty()) text += "\n" + placed_table(cycle.pipelined, "CLAIMED", budget);
  if (!cycle.evictions.empty()) text += "\n" + evicted_table(cycle.evictions, budget);
  if (!has_same_targets(before, cycle)) text += reservations_of(cycle, budget);
  if (!has_same_nodes(before, cycle)) text += "\n" + nodes_table(cycle, budget);
  return text + "\n";
}

// Consecutive cycles without a decision share a line.
std::string cycles_text(const simulation::Report& report, TableStyle style) {
  const auto before = [&](std::size_t i) { return i == 0 ? nullptr : &report.cycles[i - 1]; };
  std::size_t busy = 0;
  for (std::size_t i = 0; i < report.cycles.size(); ++i) {
    if (!is_idle(report.cycles[i], before(i))) ++busy;
  }
  const RowBudget budget{std::max<std::size_t>(1, kPlacedRowsMax / std::max<std::size_t>(1, busy)),
                         style};
  std::string text;
  for (std::size_t i = 0; i < report.cycles.size();) {
    std::size_t end = i;
    while (end < report.cycles.size() && is_idle(report.cycles[end], before(end))) ++end;
    if (end - i > 1) {
      text += fmt::format("cycles {} to {}: nothing placed\n\n", report.cycles[i].cycle,
                          report.cycles[end - 1].cycle);
      i = end;
    } else {
      text += cycle_text(report.cycles[i], before(i), budget);
      ++i;
    }
  }
  return text;
}

std::string waiting_text(const simulation::CycleReport& cycle, TableStyle style,
                         const std::string& sort) {
  std::vector<const simulation::JobRow*> waiting;
  for (const simulation::JobRow& row : cycle.jobs) {
    if (!row.reason.empty()) waiting.push_back(&row);
  }
  if (waiting.empty()) return "";
  std::stable_sort(waiting.begin(), waiting.end(),
                   [&](const simulation::JobRow* left, const simulation::JobRow* right) {
                     if (sort == "queue" && left->queue != right->queue) {
                       return natural_compare(left->queue, right->queue) < 0;
                     }
                     if (sort != "name" && left->priority != right->priority)
                       return left->priority > right->priority;
                     return natural_compare(left->job, right->job) < 0;
                   });
  views::TextTable table({"WAITING", "QUEUE", "PHASE", "PRIORITY", "PLACED", "WHY"});
  for (std::size_t i = 0; i < std::min(waiting.size(), kWaitingRowsMax); ++i) {
    const simulation::JobRow& row = *waiting[i];
    table.add({row.job, row.queue, to_string(row.phase), std::to_string(row.priority),
               fmt::format("{} of {}", row.placed, std::max(row.min_available, row.placed)),
               reason_text(row)});
  }
  return table.render(style) + more_line(waiting.size(), kWaitingRowsMax) + "\n";
}

// Notes on placed jobs that lack nothing.
std::string notes_text(const simulation::Report& report) {
  std::map<std::string, const simulation::JobRow*, Natural> notes;
  for (const simulation::CycleReport& cycle : report.cycles) {
    for (const simulation::JobRow& row : cycle.jobs) {
      if (row.reason.empty() && !row.message.empty()) notes.emplace(row.job, &row);
    }
  }
  std::string text;
  std::size_t shown = 0;
  for (const auto& [job, row] : notes) {
    if (shown++ == kNotesMax) break;
    text += printable("note: " + job + ": " + row->message) + "\n";
  }
  text += more_line(notes.size(), kNotesMax);
  return text + (notes.empty() ? "" : "\n");
}

std::string queues_text(const simulation::CycleReport& cycle, TableStyle style) {
  struct OfQueue {
    std::size_t running = 0;
    std::size_t waiting = 0;
  };
  std::map<std::string, OfQueue> tallies;
  for (const simulation::JobRow& row : cycle.jobs) {
    OfQueue& tally = tallies[row.queue];
    if (!row.reason.empty()) ++tally.waiting;
    if (row.phase == GroupPhase::running || row.phase == GroupPhase::unknown) ++tally.running;
  }
  views::TextTable table({"QUEUE", "RUNNING", "WAITING", "ALLOCATED"});
  const views::QueueTable& queues = cycle.queues;
  for (std::size_t i = 0; i < std::min(queues.rows.size(), kQueueRowsMax); ++i) {
    const views::QueueTable::Row& row = queues.rows[i];
    const OfQueue& tally = tallies[row.name];
    NamedAmounts allocated = queues.named(queues.allocated, i);
    allocated.erase("pods");
    table.add({std::string(2 * std::size_t{row.depth}, ' ') + row.name,
               std::to_string(tally.running), std::to_string(tally.waiting),
               simulation::to_text(allocated)});
  }
  return table.render(style) + more_line(queues.rows.size(), kQueueRowsMax);
}

}  // namespace

std::string report_table(const simulation::Report& report, TableStyle style,
                         const std::string& sort) {
  if (report.explanation) return explanation_table(*report.explanation, style);
  if (report.cycles.empty()) return "";
  const simulation::CycleReport& last = report.cycles.back();
  const auto waiting = static_cast<std::size_t>(
      std::count_if(last.jobs.begin(), last.jobs.end(),
                    [](const simulation::JobRow& row) { return !row.reason.empty(); }));
  return fmt::format("{}, {}, {} waiting\n\n", count_text(report.node_count, "node"),
                     count_text(last.jobs.size(), "job"), waiting) +
         cycles_text(report, style) + waiting_text(last, style, sort) + notes_text(report) +
         queues_text(last, style) + summary_table(report.summary, style);
}

}  // namespace berth::tools
