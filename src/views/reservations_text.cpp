#include "views/reservations_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "berth/base/printable.h"
#include "berth/base/text.h"
#include "berth/model/amount_text.h"
#include "berth/model/quantity.h"
#include "views/queues_text.h"
#include "views/text_table.h"

namespace berth::views {

namespace {

constexpr std::size_t kTargetsDescribed = 10;
constexpr RoomTime kGibi = RoomTime{1} << 30;
constexpr RoomTime kMostRoomTime = std::numeric_limits<std::int64_t>::max();

// "12 of 16 cpu, 1Gi of 4Gi memory". Pods are left out, since they matter little here.
std::string part_text(const NamedAmounts& part, const NamedAmounts& whole) {
  std::string text;
  for (const auto& [resource, amount] : whole) {
    if (resource == "pods") continue;
    const auto found = part.find(resource);
    const std::int64_t has = found == part.end() ? 0 : found->second;
    text += fmt::format("{}{} of {} {}", text.empty() ? "" : ", ", brief_amount(resource, has),
                        brief_amount(resource, amount), resource);
  }
  return text;
}

std::string in_seconds(TimePoint time) {
  return format_time(std::chrono::floor<std::chrono::seconds>(time));
}

std::string waited_text(Duration waited) {
  return format_duration(std::chrono::floor<std::chrono::seconds>(waited));
}

std::vector<std::string> cells_of(const ReservationTable& table, const ReservationTable::Row& row) {
  const std::string missing = missing_text(row);
  return {row.job,
          row.queue,
          std::to_string(row.priority),
          waited_text(table.at - row.waits_since),
          to_string(row.scheme),
          fmt::format("{} of {}", row.nodes.size(), table.node_count),
          missing.empty() ? "-" : missing};
}

std::string ends_text(const EndCounts& ended) {
  std::string text;
  for (std::size_t how = 0; how < ended.size(); ++how) {
    if (ended[how] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", ended[how],
                        to_string(static_cast<EndedReservation::How>(how)));
  }
  return text.empty() ? "none" : text;
}

std::string costs_text(const ReservationTable& table) {
  std::string text;
  if (!table.rows.empty()) {
    text += fmt::format("{} of {} nodes are locked", table.locked_node_count(), table.node_count);
    const std::string idle = part_text(table.idle(), table.locked());
    text += idle.empty() ? "\n" : "; idle on them: " + printable(idle) + "\n";
  }
  return text + fmt::format("idle on locked nodes so far: {}; ended reservations: {}\n",
                            printable(held_text(table.held)), ends_text(table.ended));
}

}  // namespace

std::string missing_text(const ReservationTable::Row& row) {
  std::string text;
  for (const ReservationTable::Missing& each : row.missing) {
    text += fmt::format("{}{} of {} {}", text.empty() ? "" : ", ",
                        format_quantity(each.resource, each.idle),
                        format_quantity(each.resource, each.need), each.resource);
  }
  return text;
}

std::string held_text(const RoomTimes& held) {
  std::string text;
  for (const auto& [resource, time] : held) {
    if (resource == "pods") continue;
    // In Gi, because byte-seconds soon exceed all prefixes.
    const bool is_bytes = counts_bytes(resource);
    const RoomTime seconds = time / kNanoseconds / (is_bytes ? kGibi : 1);
    if (seconds == 0) continue;
    const auto amount = static_cast<std::int64_t>(std::min(seconds, kMostRoomTime));
    text += fmt::format("{}{} {}-seconds", text.empty() ? "" : ", ",
                        is_bytes ? std::to_string(amount) + "Gi" : brief_amount(resource, amount),
                        resource);
  }
  return text.empty() ? "nothing" : text;
}

std::vector<TargetLine> target_lines(const ReservationTable::Row& row) {
  std::vector<TargetLine> lines{
      {"target", "since " + in_seconds(row.elected_since) + ": " + row.why}};
  const auto say = [&](const char* what, std::string text) {
    lines.push_back({what, std::move(text)});
  };
  if (row.nodes.empty()) {
    say("kept for it", "no node yet");
  } else {
    say("kept for it", fmt::format("{} (lock {})", first_names(row.nodes), to_string(row.scheme)));
  }
  const std::string missing = missing_text(row);
  if (!missing.empty()) say("idle there", missing);
  if (!row.nodes.empty() && !row.is_covered) {
    say("waits for", "more nodes: it would not fit on these even after other pods end");
  } else if (!row.nodes.empty()) {
    say("waits for", missing.empty()
                         ? "pods there to finish, so that each of its pods fits on one node"
                         : "pods there to finish");
  }
  if (row.times_out_at) {
    say("if not", "every usable node is kept for it from " + in_seconds(*row.times_out_at));
  }
  if (row.gives_up_at) say("if not", "it is given up at " + in_seconds(*row.gives_up_at));
  if (!row.held.empty()) say("idle so far", held_text(row.held));
  return lines;
}

std::string reservations_text(const ReservationTable& table, const TextStyle& style) {
  if (table.rows.empty()) return "no node is kept for a job\n" + costs_text(table);
  TextTable text({"TARGET", "QUEUE", "PRIORITY", "WAITS", "LOCK", "NODES", "IDLE OF ITS NEED"});
  for (const ReservationTable::Row& row : table.rows) text.add(cells_of(table, row));
  std::string described;
  for (std::size_t i = 0; i < std::min(table.rows.size(), kTargetsDescribed); ++i) {
    described += printable(table.rows[i].job) + "\n";
    for (const TargetLine& line : target_lines(table.rows[i])) {
      described += fmt::format("  {:<13}{}\n", line.what, printable(line.text));
    }
    described += "\n";
  }
  if (table.rows.size() > kTargetsDescribed) {
    described +=
        fmt::format("... and {} more (-o json has all)\n\n", table.rows.size() - kTargetsDescribed);
  }
  return text.render(style) + "\n" + described + costs_text(table);
}

}  // namespace berth::views
