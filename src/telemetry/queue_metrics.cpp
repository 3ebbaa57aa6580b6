#include "telemetry/queue_metrics.h"

#include <algorithm>
#include <map>
#include <optional>
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

// `amount` of a row and a resource.
template <class Amount>
MetricFamily amounts(const QueueTable& table, const Series& series, MetricFamily family,
                     const Amount& amount) {
  const auto add_rows = [&](const std::string& label, const std::vector<std::size_t>& rows) {
    for (std::size_t r = 0; r < table.resources.size(); ++r) {
      if (table.total[r] == 0) continue;
      double sum = 0;
      for (const std::size_t row : rows) {
        sum += static_cast<double>(amount(row, r));
      }
      const std::string& resource = table.resources[r];
      add_series(family, {{"queue", label}, {"resource", resource}}, in_base_unit(resource, sum));
    }
  };
  for (const std::size_t row : series.queues) add_rows(table.rows[row].name, {row});
  if (!series.others.empty()) add_rows(kOther, series.other_topmost);
  return family;
}

MetricFamily all_allocated(const QueueTable& table) {
  MetricFamily family = gauge_family("berth_allocated", "Allocated to pods of all queues");
  for (std::size_t r = 0; r < table.resources.size(); ++r) {
    if (table.total[r] == 0) continue;
    double sum = 0;
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      if (table.rows[row].parent != QueueTable::kNoParent) continue;
      sum += static_cast<double>(table.at(table.allocated, row, r));
    }
    add_series(family, {{"resource", table.resources[r]}}, in_base_unit(table.resources[r], sum));
  }
  return family;
}

// `value` of a row, or the sum over several rows.
template <class Value>
void counts(const QueueTable& table, const Series& series, MetricFamily& family, Labels labels,
            const std::vector<std::size_t>& others, const Value& value) {
  labels.insert(labels.begin(), {"queue", ""});
  const auto add_rows = [&](const std::string& label, const std::vector<std::size_t>& rows) {
    double sum = 0;
    for (const std::size_t row : rows) sum += static_cast<double>(value(row));
    labels.front().second = label;
    add_series(family, labels, sum);
  };
  for (const std::size_t row : series.queues) add_rows(table.rows[row].name, {row});
  if (!series.others.empty()) add_rows(kOther, others);
}

// Of queues that ask for nodes, or have some. For several queues: the sum, or the least.
enum class Over : std::uint8_t { sum, least };

template <class Value>
MetricFamily of_nodes(const QueueTable& table, const Series& series, MetricFamily family, Over over,
                      const Value& value) {
  const auto add_rows = [&](const std::string& label, const std::vector<std::size_t>& rows) {
    std::optional<double> all;
    for (const std::size_t row : rows) {
      if (!table.rows[row].reservation) continue;
      const auto one = static_cast<double>(value(*table.rows[row].reservation));
      all = !all ? one : over == Over::sum ? *all + one : std::min(*all, one);
    }
    if (all) add_series(family, {{"queue", label}}, *all);
  };
  for (const std::size_t row : series.queues) add_rows(table.rows[row].name, {row});
  add_rows(kOther, series.others);
  return family;
}

MetricFamily missing_on_nodes(const QueueTable& table, const Series& series) {
  MetricFamily family = gauge_family(
      "berth_queue_nodes_missing", "Asked for, and neither idle nor the queue's own on its nodes");
  const auto add_rows = [&](const std::string& label, const std::vector<std::size_t>& rows) {
    std::map<std::string, double> sums;
    for (const std::size_t row : rows) {
      if (!table.rows[row].reservation) continue;
      for (const auto& each : table.rows[row].reservation->amounts) {
        sums[each.resource] += static_cast<double>(each.missing);
      }
    }
    for (const auto& [resource, sum] : sums) {
      add_series(family, {{"queue", label}, {"resource", resource}}, in_base_unit(resource, sum));
    }
  };
  for (const std::size_t row : series.queues) add_rows(table.rows[row].name, {row});
  add_rows(kOther, series.others);
  return family;
}

void add_nodes(const QueueTable& table, const Series& series, Families& families) {
  const bool are_any = std::any_of(table.rows.begin(), table.rows.end(),
                                   [](const auto& row) { return row.reservation.has_value(); });
  if (!are_any) return;
  using views::ReservedNodes;
  const auto add = [&](const char* name, const char* help, Over over, const auto& value) {
    families.push_back(of_nodes(table, series, gauge_family(name, help), over, value));
  };
  add("berth_queue_nodes", "Nodes that the queue has of its own", Over::sum,
      [](const ReservedNodes& nodes) { return nodes.nodes.size(); });
  add("berth_queue_nodes_enough", "1 if the queue's own nodes could give all that it asks for",
      Over::least, [](const ReservedNodes& nodes) { return nodes.lacks.empty() ? 1 : 0; });
  add("berth_queue_nodes_met", "1 if they do: that much is idle there, or the queue's own",
      Over::least, [](const ReservedNodes& nodes) { return nodes.is_met ? 1 : 0; });
  families.push_back(missing_on_nodes(table, series));
}

void add_idle_room(const QueueTable& table, Families& families) {
  if (table.idle.empty()) return;
  MetricFamily idle = gauge_family("berth_idle", "Idle, of extended resources that pods ask for");
  MetricFamily useless = gauge_family(
      "berth_idle_useless", "Of that, on nodes where no pod that is there and asks for it fits");
  for (const auto& [resource, room] : table.idle) {
    add_series(idle, {{"resource", resource}},
               in_base_unit(resource, static_cast<double>(room.idle)));
    add_series(useless, {{"resource", resource}},
               in_base_unit(resource, static_cast<double>(room.useless)));
  }
  for (MetricFamily* family : {&idle, &useless}) families.push_back(std::move(*family));
}

}  // namespace

std::string queue_exposition(const QueueTable& table) {
  const Series series = series_of(table);
  Families families;
  families.push_back(all_allocated(table));
  const auto add_amounts = [&](const char* name, const char* help,
                               QueueTable::Amounts QueueTable::*member) {
    const auto amount = [&](std::size_t row, std::size_t r) {
      return table.at(table.*member, row, r);
    };
    families.push_back(amounts(table, series, gauge_family(name, help), amount));
  };
  add_amounts("berth_queue_allocated", "Allocated to pods of the queue and of queues below it",
              &QueueTable::allocated);
  if (table.is_divided) {
    add_amounts("berth_queue_deserved", "The queue's fair share", &QueueTable::deserved);
    add_amounts("berth_queue_guarantee", "The guarantee in force", &QueueTable::guarantee);
    add_amounts("berth_queue_real_capability", "The most that the queue may have now",
                &QueueTable::real_capability);
    families.push_back(amounts(table, series,
                               gauge_family("berth_queue_lent", "Beyond the queue's share"),
                               [&](std::size_t row, std::size_t r) { return table.lent(row, r); }));
  }
  families.push_back(gauge_family(
      "berth_queue_decayed_usage",
      "What the queue and those below have used, decayed: seconds of the whole cluster"));
  counts(table, series, families.back(), {}, series.other_topmost,
         [&](std::size_t row) { return table.rows[row].used; });
  add_idle_room(table, families);

  MetricFamily jobs = gauge_family("berth_queue_jobs", "Jobs of the queue itself, by phase");
  for (std::size_t phase = 0; phase < views::kGroupPhaseCount; ++phase) {
    counts(table, series, jobs, {{"phase", to_string(static_cast<GroupPhase>(phase))}},
           series.others, [&](std::size_t row) { return table.rows[row].jobs[phase]; });
  }
  MetricFamily scaled =
      gauge_family("berth_queue_guarantee_scaled", "1 if the guarantee is only partly in force");
  counts(table, series, scaled, {}, series.others,
         [&](std::size_t row) { return table.rows[row].is_scaled ? 1 : 0; });
  MetricFamily faulty =
      gauge_family("berth_queue_faulty", "1 if the queue has a fault and its jobs wait");
  counts(table, series, faulty, {}, series.others,
         [&](std::size_t row) { return table.rows[row].fault.empty() ? 0 : 1; });
  for (MetricFamily* family : {&jobs, &scaled, &faulty}) families.push_back(std::move(*family));
  add_nodes(table, series, families);
  return exposition_of(families);
}

}  // namespace berth::telemetry
