#include "tools/report_rows.h"

#include <algorithm>
#include <map>
#include <set>

#include "berth/base/text.h"

namespace berth::tools {

namespace {

using views::QueueTable;

constexpr QueueTable::Amounts QueueTable::*kAmounts[] = {
    &QueueTable::written,   &QueueTable::guarantee, &QueueTable::deserved,
    &QueueTable::allocated, &QueueTable::demand,    &QueueTable::real_capability,
    &QueueTable::due,       &QueueTable::piece};

// Which rows are kept: the queue, those below it, and its line to the root.
std::vector<bool> chosen(const QueueTable& table, std::size_t at) {
  std::vector<bool> keeps(table.rows.size());
  keeps[at] = true;
  for (std::size_t row = at + 1; row < table.rows.size(); ++row) {
    const std::uint32_t parent = table.rows[row].parent;
    keeps[row] = parent != QueueTable::kNoParent && parent >= at && keeps[parent];
  }
  for (std::uint32_t up = table.rows[at].parent; up != QueueTable::kNoParent;) {
    keeps[up] = true;
    up = table.rows[up].parent;
  }
  return keeps;
}

// These rows in this order, parents first.
QueueTable with_rows(const QueueTable& table, const std::vector<std::size_t>& rows) {
  QueueTable kept = table;
  kept.rows.clear();
  std::vector<std::uint32_t> new_row(table.rows.size());
  for (const std::size_t row : rows) {
    new_row[row] = static_cast<std::uint32_t>(kept.rows.size());
    kept.rows.push_back(table.rows[row]);
    std::uint32_t& parent = kept.rows.back().parent;
    if (parent != QueueTable::kNoParent) parent = new_row[parent];
  }
  const auto width = static_cast<std::ptrdiff_t>(table.resources.size());
  for (const auto amounts : kAmounts) {
    const QueueTable::Amounts& from = table.*amounts;
    QueueTable::Amounts& to = kept.*amounts;
    to.clear();
    for (const std::size_t row : rows) {
      const auto first = from.begin() + static_cast<std::ptrdiff_t>(row) * width;
      to.insert(to.end(), first, first + width);
    }
  }
  return kept;
}

// Whether a row about a job is kept.
class Choice {
 public:
  Choice(const simulation::CycleReport& cycle, const RowFlags& flags,
         const std::set<std::string>& queues)
      : name_space_(flags.name_space), has_queue_(!flags.queue.empty()) {
    for (const simulation::JobRow& row : cycle.jobs) {
      if (queues.contains(row.queue)) jobs_.insert(row.job);
    }
  }

  bool keeps(const std::string& job) const {
    const bool is_there = name_space_.empty() || split_name(job).first == name_space_;
    return is_there && (!has_queue_ || jobs_.contains(job));
  }
  // Locks of a queue have no job.
  bool keeps_lock(const simulation::LockRow& row) const {
    return row.job.empty() ? name_space_.empty() && !has_queue_ : keeps(row.job);
  }

 private:
  std::string name_space_;
  bool has_queue_;
  std::set<std::string> jobs_;
};

template <class Row>
void keep(std::vector<Row>& rows, const Choice& choice) {
  std::erase_if(rows, [&](const Row& row) { return !choice.keeps(row.job); });
}

}  // namespace

Status keep_queue(QueueTable& table, const std::string& queue) {
  const auto found = std::find_if(table.rows.begin(), table.rows.end(),
                                  [&](const auto& row) { return row.name == queue; });
  if (found == table.rows.end()) {
    std::vector<std::string> names;
    for (const auto& row : table.rows) names.push_back(row.name);
    return Error{"no queue \"" + queue + "\"" + suggestion(queue, names), "--queue"};
  }
  const auto keeps = chosen(table, static_cast<std::size_t>(found - table.rows.begin()));
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    if (keeps[row]) rows.push_back(row);
  }
  table = with_rows(table, rows);
  return Done{};
}

void sort_queues(QueueTable& table, const std::string& key) {
  if (key.empty() || key == "name") return;
  const auto rank = [&](std::size_t row) {
    return key == "priority" ? table.rows[row].priority : table.rows[row].weight;
  };
  std::map<std::uint32_t, std::vector<std::size_t>> children;
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    children[table.rows[row].parent].push_back(row);
  }
  for (auto& [parent, rows] : children) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t left, std::size_t right) { return rank(left) > rank(right); });
  }
  std::vector<std::size_t> order;
  std::vector<std::size_t> open(children[QueueTable::kNoParent]);
  std::reverse(open.begin(), open.end());
  while (!open.empty()) {
    const std::size_t row = open.back();
    open.pop_back();
    order.push_back(row);
    const auto& below = children[static_cast<std::uint32_t>(row)];
    open.insert(open.end(), below.rbegin(), below.rend());
  }
  table = with_rows(table, order);
}

Status keep_rows(simulation::Report& report, const RowFlags& flags) {
  if (flags.name_space.empty() && flags.queue.empty()) return Done{};
  std::set<std::string> waits;
  for (simulation::CycleReport& cycle : report.cycles) {
    std::set<std::string> queues;
    if (!flags.queue.empty()) {
      // The line above it has jobs of others.
      if (const Status kept = keep_queue(cycle.queues, flags.queue); !kept) return kept;
      bool is_below = false;
      for (const QueueTable::Row& row : cycle.queues.rows) {
        is_below = is_below || row.name == flags.queue;
        if (is_below) queues.insert(row.name);
      }
    }
    const Choice choice(cycle, flags, queues);
    keep(cycle.binds, choice);
    keep(cycle.pipelined, choice);
    keep(cycle.evictions, choice);
    keep(cycle.considered, choice);
    keep(cycle.jobs, choice);
    keep(cycle.reservations.rows, choice);
    keep(cycle.ended, choice);
    std::erase_if(cycle.locks, [&](const auto& row) { return !choice.keeps_lock(row); });
    for (const simulation::JobRow& row : cycle.jobs) waits.insert(row.job);
  }
  std::erase_if(report.summary.waits, [&](const auto& row) { return !waits.contains(row.job); });
  return Done{};
}

}  // namespace berth::tools
