#include "views/queues_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <vector>

#include "berth/base/printable.h"
#include "berth/model/amount_text.h"
#include "views/reserved_nodes_text.h"
#include "views/text_table.h"

namespace berth::views {

namespace {

constexpr std::int64_t kBarCells = 20;
constexpr std::size_t kNotesMax = 20;

// The characters of a bar. The whole bar is the most that the queue could have.
struct Cells {
  std::string_view used;    // use within its share
  std::string_view beyond;  // use beyond its share
  std::string_view due;     // the unused part of its share
  std::string_view rest;
};
constexpr Cells kAscii{"#", "+", "-", "."};
constexpr Cells kBlocks{"█", "▓", "░", "·"};

// Compares parts of all: left / its total > right / its total.
bool is_more(std::int64_t left, std::int64_t left_total, std::int64_t right,
             std::int64_t right_total) {
  return static_cast<__int128>(left) * right_total > static_cast<__int128>(right) * left_total;
}

// The resource with the largest part of the cluster, used or deserved. "pods" counts only without
// others, since any queue with small pods would show it.
std::optional<std::size_t> dominant_of(const QueueTable& table, std::size_t row) {
  const auto amount_of = [&](std::size_t r) {
    return std::max({table.at(table.allocated, row, r), table.at(table.deserved, row, r),
                     table.at(table.guarantee, row, r)});
  };
  std::map<std::string_view, std::size_t> by_name;
  for (std::size_t r = 0; r < table.resources.size(); ++r) by_name[table.resources[r]] = r;
  std::optional<std::size_t> best;
  std::optional<std::size_t> pods;
  for (const auto& [name, r] : by_name) {
    if (table.total[r] <= 0) continue;
    if (name == "pods") {
      pods = r;
    } else if (!best ||
               is_more(amount_of(r), table.total[r], amount_of(*best), table.total[*best])) {
      best = r;
    }
  }
  const bool has_nothing_else = !best || amount_of(*best) == 0;
  return has_nothing_else && pods && amount_of(*pods) > 0 ? pods : best;
}

std::string bar_of(const QueueTable& table, std::size_t row, std::size_t r, const Cells& cells) {
  const std::int64_t has = table.at(table.allocated, row, r);
  const std::int64_t share = table.is_divided ? table.at(table.deserved, row, r) : table.total[r];
  const std::int64_t most =
      table.is_divided ? table.at(table.real_capability, row, r) : table.total[r];
  if (table.is_partial && !table.is_divided) return "";  // the whole is not known
  const std::int64_t full = std::max({has, share, most});
  if (full <= 0) return "";
  const auto cells_of = [&](std::int64_t amount) {
    const auto count = static_cast<std::int64_t>(static_cast<__int128>(amount) * kBarCells / full);
    return amount > 0 ? std::max<std::int64_t>(1, count) : 0;
  };
  const std::int64_t has_cells = cells_of(has);
  const std::int64_t share_cells = table.is_divided ? cells_of(share) : has_cells;
  std::string bar;
  for (std::int64_t cell = 0; cell < kBarCells; ++cell) {
    const bool is_share = cell < share_cells;
    bar += cell < has_cells ? (is_share ? cells.used : cells.beyond)
                            : (is_share ? cells.due : cells.rest);
  }
  return bar;
}

std::string state_of(const QueueTable::Row& row) {
  if (!row.fault.empty()) return "Faulty";
  if (row.state != QueueState::open) return to_string(row.state);
  return row.closed_above.empty() ? "Open" : "ParentNotOpen";
}

std::vector<std::string> cells_of(const QueueTable& table, std::size_t at,
                                  const std::optional<std::size_t>& r, const Cells& style) {
  const QueueTable::Row& row = table.rows[at];
  const auto amount = [&](const QueueTable::Amounts& amounts, bool is_known) -> std::string {
    return r && is_known ? brief_amount(table.resources[*r], table.at(amounts, at, *r)) : "-";
  };
  const auto count = [&](GroupPhase phase) {
    return std::to_string(row.jobs[static_cast<std::size_t>(phase)]);
  };
  return {std::string(2 * std::size_t{row.depth}, ' ') + row.name,
          state_of(row),
          std::to_string(row.weight),
          std::to_string(row.priority),
          count(GroupPhase::pending),
          count(GroupPhase::inqueue),
          count(GroupPhase::running),
          r ? table.resources[*r] : "-",
          amount(table.guarantee, true) + (row.is_scaled ? "*" : ""),
          amount(table.deserved, table.is_divided),
          amount(table.allocated, true),
          amount(table.real_capability, table.is_divided),
          r ? bar_of(table, at, *r, style) : ""};
}

// The first notes, each on a line.
std::string few_lines(const std::vector<std::string>& notes) {
  std::string text;
  for (std::size_t i = 0; i < std::min(notes.size(), kNotesMax); ++i) {
    text += printable(notes[i]) + "\n";
  }
  if (notes.size() > kNotesMax) {
    text += fmt::format("... and {} more (-o json has all)\n", notes.size() - kNotesMax);
  }
  return text;
}

// Nodes of queues have their own lines, so that other notes do not displace them.
std::string nodes_of(const QueueTable& table) {
  std::vector<std::string> lines;
  for (const QueueTable::Row& row : table.rows) {
    if (!row.reservation) continue;
    lines.push_back(row.name + ": " + reserved_nodes_text(*row.reservation));
  }
  return few_lines(lines);
}

std::string notes_of(const QueueTable& table) {
  std::vector<std::string> notes;
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    const QueueTable::Row& row = table.rows[at];
    if (!row.fault.empty()) {
      notes.push_back(row.name + " is at fault, its jobs wait: " + row.fault);
    }
    if (!row.namespaces.empty()) {
      notes.push_back(row.name + " serves only namespaces with " + row.namespaces);
    }
    if (row.is_scaled) {
      const std::string in_force = table.scaled_text(at);
      notes.push_back(
          "* " + row.name + ": in force is " +
          (in_force.empty() ? "less than what the queues below it guarantee" : in_force));
    }
    // For a parent queue, its children show the pieces. Of nodes of its own, nodes_of() says more.
    const bool has_nodes = row.reservation && !row.reservation->nodes.empty();
    const std::string piece = row.has_children || has_nodes ? "" : table.piece_text(at);
    if (!piece.empty()) {
      notes.push_back(row.name + ": the largest unused piece of its guarantee on " +
                      "one node is " + piece);
    }
    if (row.reservation && !row.reservation->clipped.empty()) {
      notes.push_back(row.name + ": " + row.reservation->clipped);
    }
    for (const std::string& note : row.notes) notes.push_back(row.name + ": " + note);
  }
  return few_lines(notes);
}

// Of queues without a parent, the one that has used most first.
std::string used_lately(const QueueTable& table) {
  constexpr std::size_t kNamesMost = 8;
  std::vector<const QueueTable::Row*> rows;
  std::int64_t all = 0;
  for (const QueueTable::Row& row : table.rows) {
    if (row.parent != QueueTable::kNoParent || row.used <= 0) continue;
    rows.push_back(&row);
    all += row.used;
  }
  if (rows.size() < 2) return {};
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto* left, const auto* right) { return left->used > right->used; });
  std::string text = "used lately, of all that queues have used:";
  for (std::size_t i = 0; i < std::min(rows.size(), kNamesMost); ++i) {
    const auto percent =
        static_cast<std::int64_t>(static_cast<__int128>(rows[i]->used) * 100 / all);
    text += fmt::format("{} {} {} %", i == 0 ? "" : ",", printable(rows[i]->name), percent);
  }
  return text + (rows.size() > kNamesMost ? ", ...\n" : "\n");
}

std::string legend(const QueueTable& table, const Cells& cells) {
  if (table.is_partial && !table.is_divided) {
    return "of the Queue objects, which have no shares yet; jobs in no PodGroup are not counted\n";
  }
  if (!table.is_divided) {
    return "no plugin divides the cluster (proportion does): guarantees are as written, and a bar "
           "is the whole cluster\n";
  }
  return fmt::format(
      "a bar is the most that the queue could have: {} used, {} used beyond its share, {} unused "
      "share\n",
      cells.used, cells.beyond, cells.due);
}

}  // namespace

std::string brief_amount(std::string_view resource, std::int64_t amount) {
  const auto decimal = [](std::int64_t whole, std::int64_t unit, std::string_view suffix) {
    const auto hundredths =
        static_cast<std::int64_t>(static_cast<__int128>(whole % unit) * 100 / unit);
    std::string text = std::to_string(whole / unit);
    if (hundredths != 0) text += fmt::format(".{:02}", hundredths);
    if (hundredths != 0 && text.back() == '0') text.pop_back();
    return text + std::string(suffix);
  };
  constexpr std::int64_t kMilli = 1000;
  constexpr int kBitsPerPrefix = 10;
  if (resource == "cpu") {
    return amount < kMilli ? format_amount(resource, amount) : decimal(amount, kMilli, "");
  }
  const bool is_bytes = counts_bytes(resource);
  int shift = 0;
  constexpr std::array<std::string_view, 7> kPrefixes{"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
  std::size_t prefix = 0;
  while (is_bytes && prefix + 1 < kPrefixes.size() && (amount >> shift) >= 1024) {
    shift += kBitsPerPrefix;
    ++prefix;
  }
  return decimal(amount, std::int64_t{1} << shift, kPrefixes[prefix]);
}

std::string queues_text(const QueueTable& table, const QueuesStyle& style) {
  if (table.rows.empty()) return "no queues\n";
  const Cells& cells = style.is_ascii ? kAscii : kBlocks;
  TextTable text({"QUEUE", "STATE", "WEIGHT", "PRIORITY", "PENDING", "INQUEUE", "RUNNING",
                  "RESOURCE", "GUARANTEE", "DESERVED", "ALLOCATED", "CAPABILITY", "USE"});
  const auto chosen = std::find(table.resources.begin(), table.resources.end(), style.resource);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    const std::optional<std::size_t> resource =
        chosen == table.resources.end()
            ? dominant_of(table, row)
            : std::optional<std::size_t>(chosen - table.resources.begin());
    text.add(cells_of(table, row, resource, cells));
  }
  return text.render(style.text) + "\n" + legend(table, cells) + used_lately(table) +
         nodes_of(table) + notes_of(table);
}

}  // namespace berth::views
