#include "views/reservation_document.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "document/readers.h"
#include "kube/fields.h"
#include "views/document_head.h"

namespace berth::views {

namespace {

using kube::kLimitMax;
using kube::read_amounts;
using kube::read_texts;
using views::json_of;
using Json = nlohmann::ordered_json;

constexpr LockScheme kSchemes[] = {LockScheme::cluster, LockScheme::multi_node,
                                   LockScheme::single_node, LockScheme::closest_fit};

Json json_of(const EndCounts& counts) {
  Json json;
  for (std::size_t how = 0; how < counts.size(); ++how) {
    json[to_string(static_cast<EndedReservation::How>(how))] = counts[how];
  }
  return json;
}

Json json_of(const ReservationTable::Row& row) {
  Json missing = Json::array();
  for (const ReservationTable::Missing& each : row.missing) {
    missing.push_back({{"resource", each.resource},
                       {"idle", format_quantity(each.resource, each.idle)},
                       {"need", format_quantity(each.resource, each.need)}});
  }
  return {{"job", row.job},
          {"uid", row.uid},
          {"queue", row.queue},
          {"priority", row.priority},
          {"waitsSince", format_time(row.waits_since)},
          {"electedSince", format_time(row.elected_since)},
          {"why", row.why},
          {"lock", to_string(row.scheme)},
          {"nodes", row.nodes},
          {"lockedSince", json_of(row.locked_since)},
          {"covered", row.is_covered},
          {"timesOutAt", json_of(row.times_out_at)},
          {"givesUpAt", json_of(row.gives_up_at)},
          {"missing", std::move(missing)},
          {"locked", json_of(row.locked)},
          {"idle", json_of(row.idle)},
          {"idleRoomSeconds", json_of(row.held)}};
}

// --- reading --------------------------------------------------------------------------------

constexpr std::int64_t kTotalMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kPriorityMax = std::numeric_limits<std::int32_t>::max();

std::optional<TimePoint> time_of(const document::Cursor& from) {
  return from.is_present() ? std::optional(from.time()) : std::nullopt;
}

LockScheme scheme_of(const document::Cursor& from) {
  const std::string text = from.text();
  for (const LockScheme scheme : kSchemes) {
    if (text == to_string(scheme)) return scheme;
  }
  from.complain("\"" + text + "\" is no lock");
  return LockScheme::multi_node;
}

RoomTimes room_times_of(const document::Cursor& from) {
  RoomTimes times;
  for (const auto& [resource, value] : from.entries()) {
    const std::string text = value.text();
    const auto time = parse_room_time(resource, text);
    if (!time) value.complain("\"" + text + "\" is no decimal");
    times[std::string(resource)] = time.value_or(0);
  }
  return times;
}

std::vector<ReservationTable::Missing> missing_of(const document::Cursor& from) {
  std::vector<ReservationTable::Missing> missing;
  for (const document::Cursor& each : from.items()) {
    const std::string resource = each.required_text("resource");
    const auto amount = [&](const char* name) {
      const std::string text = each[name].text("0");
      const auto read = parse_quantity(text, scale_of(resource), kLimitMax);
      if (!read) each[name].complain(read.error().message);
      return read ? *read : 0;
    };
    missing.push_back({resource, amount("idle"), amount("need")});
  }
  return missing;
}

ReservationTable::Row row_of(const document::Cursor& from) {
  ReservationTable::Row row;
  row.job = from.required_text("job");
  row.uid = from["uid"].text();
  row.queue = from["queue"].text();
  row.priority =
      static_cast<std::int32_t>(from["priority"].integer(0, -kPriorityMax - 1, kPriorityMax));
  row.waits_since = from["waitsSince"].time();
  row.elected_since = from["electedSince"].time();
  row.why = from["why"].text();
  row.scheme = scheme_of(from["lock"]);
  row.nodes = read_texts(from["nodes"]);
  row.locked_since = time_of(from["lockedSince"]);
  row.is_covered = from["covered"].boolean(false);
  row.times_out_at = time_of(from["timesOutAt"]);
  row.gives_up_at = time_of(from["givesUpAt"]);
  row.missing = missing_of(from["missing"]);
  row.locked = read_amounts(from["locked"], kLimitMax);
  row.idle = read_amounts(from["idle"], kLimitMax);
  row.held = room_times_of(from["idleRoomSeconds"]);
  return row;
}

}  // namespace

std::string write_reservation_table(const ReservationTable& table) {
  Json json = document_of_kind("Reservations");
  json["at"] = format_time(table.at);
  json["nodes"] = table.node_count;
  json["lockedNodes"] = table.locked_node_count();
  json["total"] = json_of(table.total);
  json["locked"] = json_of(table.locked());
  json["idle"] = json_of(table.idle());
  json["idleRoomSeconds"] = json_of(table.held);
  json["ended"] = json_of(table.ended);
  json["targets"] = Json::array();
  for (const ReservationTable::Row& row : table.rows) json["targets"].push_back(json_of(row));
  return document_text(json);
}

std::string reservation_text(const ReservationTable::Row& row) {
  return json_of(row).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<ReservationTable> read_reservation_table(std::string text, std::string_view file) {
  const Result<document::Value> value = document::parse_json(std::move(text), file);
  if (!value) return value.error();
  document::Reading reading(*value, file);
  const document::Cursor root = reading.root();
  check_head(root, "Reservations");
  if (!root["targets"].is_present()) {
    root.complain("no targets, expected the document of /reservations");
  }
  ReservationTable table;
  table.at = root["at"].time();
  table.node_count = static_cast<std::size_t>(root["nodes"].integer(0, 0, kTotalMax));
  table.total = read_amounts(root["total"], kLimitMax);
  table.held = room_times_of(root["idleRoomSeconds"]);
  for (std::size_t how = 0; how < table.ended.size(); ++how) {
    const char* const name = to_string(static_cast<EndedReservation::How>(how));
    table.ended[how] = static_cast<std::uint64_t>(root["ended"][name].integer(0, 0, kTotalMax));
  }
  for (const document::Cursor& from : root["targets"].items()) table.rows.push_back(row_of(from));
  if (reading.failed()) return reading.error();
  return table;
}

}  // namespace berth::views
