#include "telemetry/queue_metrics.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "telemetry/families.h"

namespace berth::telemetry {

namespace {

using views::QueueTable;

constexpr const char* kOther = "_other";

// A queue's amounts include those of all queues below it.
bool is_below_one_of(const QueueTable& table, std::size_t row, const std::vector<bool>& those) {
  for (std::uint32_t at = table.rows[row].parent; at != QueueTable::kNoParent;
       at = table.rows[at].parent) {
    if (those[at]) return true;
  }
  return false;
}

struct Series {
  std::vector<std::size_t> queues;         // each with its own label
  std::vector<std::size_t> others;         // all with the label "_other"
  std::vector<std::size_t> other_topmost;  // those of `others` that are below none of them
};

Series series_of(const QueueTable& table) {
  std::vector<std::size_t> by_name(table.rows.size());
  for (std::size_t row = 0; row < by_name.size(); ++row) by_name[row] = row;
  std::sort(by_name.begin(), by_name.end(), [&](std::size_t left, std::size_t right) {
    return table.rows[left].name < table.rows[right].name;
  });
  const std::size_t labelled = std::min(by_name.size(), kLabelledQueuesMax);
  Series series;
  series.queues.assign(by_name.begin(), by_name.begin() + static_cast<std::ptrdiff_t>(labelled));
  std::vector<bool> is_other(table.rows.size(), false);
  for (std::size_t i = labelled; i < by_name.size(); ++i) {
    series.others.push_back(by_name[i]);
    is_other[by_name[i]] = true;
  }
  for (const std::size_t row : series.others) {
    if (!is_below_one_of(table, row, is_other)) series.other_topmost.push_back(row);
  }
  return series;
}

MetricFamily amounts(const QueueTable& table, const Series& series, MetricFamily family,
                     QueueTable::Amounts QueueTable::*member) {
  const auto add_rows = [&](const std::string& label, const std::vector<std::size_t>& rows) {
    for (std::size_t r = 0; r < table.resources.size(); ++r) {
      if (table.total[r] == 0) continue;
      double sum = 0;
      for (const std::size_t row : rows) {
        sum += static_cast<double>(table.at(table.*member, row, r));
      }
      const std::string& resource = table.resources[r];
      add_series(family, {{"queue", label}, {"resource", resource}}, in_base_unit(resource, sum));
    }
  };
  for (const std::size_t row : series.queues) add_rows(table.rows[row].name, {row});
  if (!series.others.empty()) add_rows(kOther, series.other_topmost);
  return family;
}

// `value` of a row, or the sum over several rows.
template <class Value>
void counts(const QueueTable& table, const Series& series, MetricFamily& family, Labels labels,
            const Value& value) {
  labels.insert(labels.begin(), {"queue", ""});
  const auto add_rows = [&](const std::string& label, const std::vector<std::size_t>& rows) {
    double sum = 0;
    for (const std::size_t row : rows) sum += static_cast<double>(value(row));
    labels.front().second = label;
    add_series(family, labels, sum);
  };
  for (const std::size_t row : series.queues) add_rows(table.rows[row].name, {row});
  if (!series.others.empty()) add_rows(kOther, series.others);
}

}  // namespace

std::string queue_exposition(const QueueTable& table) {
  const Series series = series_of(table);
  Families families;
  const auto add_amounts = [&](const char* name, const char* help, auto member) {
    families.push_back(amounts(table, series, gauge_family(name, help), member));
  };
  add_amounts("berth_queue_allocated", "Allocated to pods of the queue and of queues below it",
              &QueueTable::allocated);
  if (table.is_divided) {
    add_amounts("berth_queue_deserved", "The queue's fair share", &QueueTable::deserved);
    add_amounts("berth_queue_guarantee", "The guarantee in force", &QueueTable::guarantee);
    add_amounts("berth_queue_real_capability", "The most that the queue may have now",
                &QueueTable::real_capability);
  }

  MetricFamily jobs = gauge_family("berth_queue_jobs", "Jobs of the queue itself, by phase");
  for (std::size_t phase = 0; phase < views::kGroupPhaseCount; ++phase) {
    counts(table, series, jobs, {{"phase", to_string(static_cast<GroupPhase>(phase))}},
           [&](std::size_t row) { return table.rows[row].jobs[phase]; });
  }
  MetricFamily scaled =
      gauge_family("berth_queue_guarantee_scaled", "1 if the guarantee is only partly in force");
  counts(table, series, scaled, {},
         [&](std::size_t row) { return table.rows[row].is_scaled ? 1 : 0; });
  MetricFamily faulty =
      gauge_family("berth_queue_faulty", "1 if the queue has a fault and its jobs wait");
  counts(table, series, faulty, {},
         [&](std::size_t row) { return table.rows[row].fault.empty() ? 0 : 1; });
  for (MetricFamily* family : {&jobs, &scaled, &faulty}) families.push_back(std::move(*family));
  return exposition_of(families);
}

}  // namespace berth::telemetry
