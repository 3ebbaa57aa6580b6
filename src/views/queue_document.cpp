#include "views/queue_document.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "document/readers.h"
#include "kube/fields.h"
#include "views/document_head.h"

namespace berth::views {

namespace {

using kube::kCountMax;
using kube::kLimitMax;
using kube::read_amounts;
using kube::read_texts;
using views::json_of;
using Json = nlohmann::ordered_json;

constexpr const char* kCountNames[kGroupPhaseCount] = {"pending", "inqueue", "running", "unknown",
                                                       "completed"};

// The amounts by their names in documents.
struct AmountField {
  const char* name;
  QueueTable::Amounts QueueTable::*member;
};
constexpr AmountField kAmountFields[] = {{"guaranteeInSpec", &QueueTable::written},
                                         {"guarantee", &QueueTable::guarantee},
                                         {"deserved", &QueueTable::deserved},
                                         {"allocated", &QueueTable::allocated},
                                         {"demand", &QueueTable::demand},
                                         {"realCapability", &QueueTable::real_capability},
                                         {"due", &QueueTable::due},
                                         {"largestPiece", &QueueTable::piece}};

Json json_of(const PhaseCounts& counts) {
  Json json;
  for (std::size_t phase = 0; phase < counts.size(); ++phase) {
    json[kCountNames[phase]] = counts[phase];
  }
  return json;
}

constexpr double kMillion = 1e6;

// An amount by its name in the document.
struct NodeAmountField {
  const char* name;
  std::int64_t ReservedNodes::Amount::*member;
};
constexpr NodeAmountField kNodeAmountFields[] = {{"asked", &ReservedNodes::Amount::asked},
                                                 {"idle", &ReservedNodes::Amount::idle},
                                                 {"own", &ReservedNodes::Amount::own},
                                                 {"leaving", &ReservedNodes::Amount::leaving},
                                                 {"missing", &ReservedNodes::Amount::missing}};

Json json_of(const ReservedNodes& reservation) {
  Json asked = Json::object();
  if (reservation.asked_nodes > 0) asked["nodes"] = reservation.asked_nodes;
  Json amounts = Json::array();
  Json missing = Json::object();
  for (const ReservedNodes::Amount& each : reservation.amounts) {
    Json amount{{"resource", each.resource}};
    for (const auto& [name, member] : kNodeAmountFields) {
      amount[name] = format_quantity(each.resource, each.*member);
    }
    amounts.push_back(std::move(amount));
    if (each.missing > 0) missing[each.resource] = format_quantity(each.resource, each.missing);
    if (reservation.asked_nodes > 0 || each.asked == 0) continue;
    asked["resource"][each.resource] = format_quantity(each.resource, each.asked);
  }
  return {{"policy", reservation.is_guaranteed ? "Guaranteed" : "Best-Effort"},
          {"evicts", reservation.evicts},
          {"asked", std::move(asked)},
          {"nodes", reservation.nodes},
          {"amounts", std::move(amounts)},
          {"met", reservation.is_met},
          {"missing", std::move(missing)},
          {"score", reservation.score_millionths / kMillion},
          {"lacks", reservation.lacks},
          {"clipped", reservation.clipped}};
}

Json row_json(const QueueTable& table, std::size_t at) {
  const QueueTable::Row& row = table.rows[at];
  const bool has_parent = row.parent != QueueTable::kNoParent;
  Json json{{"queue", row.name},
            {"parent", has_parent ? table.rows[row.parent].name : ""},
            {"state", to_string(row.state)},
            {"closedAbove", row.closed_above},
            {"fault", row.fault},
            {"namespaces", row.namespaces},
            {"weight", row.weight},
            {"priority", row.priority},
            {"used", row.used},
            {"reclaimable", row.is_reclaimable},
            {"dequeueStrategy", row.is_fifo ? "fifo" : "traverse"},
            {"guaranteeScaled", row.is_scaled}};
  for (const auto& [name, member] : kAmountFields) {
    json[name] = json_of(table.named(table.*member, at));
  }
  json["lent"] = json_of(table.lent(at));
  json["overused"] = table.is_overused(at);
  json["reservation"] = row.reservation ? json_of(*row.reservation) : Json(nullptr);
  json["notes"] = row.notes;
  json["jobs"] = json_of(row.jobs);
  json["podGroups"] = json_of(row.groups);
  return json;
}

// --- reading --------------------------------------------------------------------------------

QueueState state_of(const std::string& text) {
  for (const QueueState state : {QueueState::closed, QueueState::closing}) {
    if (text == to_string(state)) return state;
  }
  return QueueState::open;
}

void read_counts(const document::Cursor& from, PhaseCounts& counts) {
  for (std::size_t phase = 0; phase < counts.size(); ++phase) {
    counts[phase] = static_cast<std::int32_t>(from[kCountNames[phase]].integer(0, 0, kCountMax));
  }
}

std::int64_t read_amount(const std::string& resource, const document::Cursor& from) {
  const Result<std::int64_t> amount =
      parse_quantity(from.scalar("0"), scale_of(resource), kLimitMax);
  if (!amount) from.complain(amount.error().message);
  return amount ? *amount : 0;
}

// A number of at most six decimals, as it is written.
std::int32_t read_millionths(const document::Cursor& from) {
  const std::string text = from.scalar("0");
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const bool is_score = !text.empty() && *end == '\0' && number >= 0 && number <= 1;
  if (!is_score) from.complain("expected a number from 0 to 1");
  return is_score ? static_cast<std::int32_t>(std::lround(number * kMillion)) : 0;
}

ReservedNodes read_reservation(const document::Cursor& from) {
  ReservedNodes reservation;
  reservation.is_guaranteed = from["policy"].text() == "Guaranteed";
  reservation.evicts = from["evicts"].boolean(false);
  reservation.asked_nodes =
      static_cast<std::int32_t>(from["asked"]["nodes"].integer(0, 0, kCountMax));
  reservation.nodes = read_texts(from["nodes"]);
  for (const document::Cursor& each : from["amounts"].items()) {
    ReservedNodes::Amount& amount = reservation.amounts.emplace_back();
    amount.resource = each.required_text("resource");
    for (const auto& [name, member] : kNodeAmountFields) {
      amount.*member = read_amount(amount.resource, each[name]);
    }
  }
  reservation.is_met = from["met"].boolean(false);
  reservation.score_millionths = read_millionths(from["score"]);
  reservation.lacks = from["lacks"].text();
  reservation.clipped = from["clipped"].text();
  return reservation;
}

QueueTable::Row read_row(const document::Cursor& from) {
  QueueTable::Row row;
  row.name = from.required_text("queue");
  row.state = state_of(from["state"].text());
  row.closed_above = from["closedAbove"].text();
  row.fault = from["fault"].text();
  row.namespaces = from["namespaces"].text();
  row.weight = static_cast<std::int32_t>(from["weight"].integer(1, 0, kCountMax));
  row.priority = static_cast<std::int32_t>(from["priority"].integer(0, -kCountMax - 1, kCountMax));
  row.used = from["used"].integer(0, 0, kLimitMax);
  row.is_reclaimable = from["reclaimable"].boolean(true);
  row.is_fifo = from["dequeueStrategy"].text() == "fifo";
  row.is_scaled = from["guaranteeScaled"].boolean(false);
  if (from["reservation"].is_present()) row.reservation = read_reservation(from["reservation"]);
  row.notes = read_texts(from["notes"]);
  read_counts(from["jobs"], row.jobs);
  read_counts(from["podGroups"], row.groups);
  return row;
}

// A parent comes before its children.
void place(const document::Cursor& from, const std::map<std::string, std::uint32_t>& row_of,
           QueueTable& table) {
  QueueTable::Row& row = table.rows.back();
  const std::string parent = from["parent"].text();
  if (parent.empty()) return;
  const auto found = row_of.find(parent);
  if (found == row_of.end()) {
    return from["parent"].complain("\"" + parent + "\" is no queue listed before this one");
  }
  row.parent = found->second;
  row.depth = table.rows[row.parent].depth + 1;
  table.rows[row.parent].has_children = true;
}

}  // namespace

void fill_amounts(const NamedAmounts& total, const std::vector<RowAmounts>& rows,
                  QueueTable& table) {
  std::map<std::string, std::size_t> columns;
  for (const auto& [resource, amount] : total) columns.emplace(resource, 0);
  for (const RowAmounts& row : rows) {
    for (const auto& [member, amounts] : row) {
      for (const auto& [resource, amount] : amounts) columns.emplace(resource, 0);
    }
  }
  for (auto& [resource, column] : columns) {
    column = table.resources.size();
    table.resources.push_back(resource);
  }
  table.clear_amounts();
  for (const auto& [resource, amount] : total) table.total[columns[resource]] = amount;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    for (const auto& [member, amounts] : rows[at]) {
      for (const auto& [resource, amount] : amounts) {
        (table.*member)[at * columns.size() + columns[resource]] = amount;
      }
    }
  }
}

std::string write_queue_table(const QueueTable& table) {
  Json json = document_of_kind("Queues");
  json["divided"] = table.is_divided;
  json["partial"] = table.is_partial;
  NamedAmounts total;
  for (std::size_t r = 0; r < table.resources.size(); ++r) {
    if (table.total[r] != 0 && !table.is_partial) total[table.resources[r]] = table.total[r];
  }
  json["total"] = json_of(total);
  json["queues"] = Json::array();
  for (std::size_t at = 0; at < table.rows.size(); ++at) {
    json["queues"].push_back(row_json(table, at));
  }
  return document_text(json);
}

std::string queue_text(const QueueTable& table, std::size_t row) {
  return row_json(table, row).dump(-1, ' ', false, Json::error_handler_t::replace);
}

Result<QueueTable> read_queue_table(std::string text, std::string_view file) {
  const Result<document::Value> value = document::parse_json(std::move(text), file);
  if (!value) return value.error();
  document::Reading reading(*value, file);
  const document::Cursor root = reading.root();
  check_head(root, "Queues");
  if (!root["queues"].is_present()) root.complain("no queues, expected the document of /queues");
  QueueTable table;
  table.is_divided = root["divided"].boolean(false);
  table.is_partial = root["partial"].boolean(false);
  std::map<std::string, std::uint32_t> row_of;
  std::vector<RowAmounts> amounts;
  for (const document::Cursor& from : root["queues"].items()) {
    table.rows.push_back(read_row(from));
    place(from, row_of, table);
    row_of.emplace(table.rows.back().name, static_cast<std::uint32_t>(table.rows.size() - 1));
    RowAmounts& row = amounts.emplace_back();
    for (const auto& [name, member] : kAmountFields) {
      row.emplace_back(member, read_amounts(from[name], kLimitMax));
    }
  }
  const NamedAmounts total = read_amounts(root["total"], kLimitMax);
  if (reading.failed()) return reading.error();
  fill_amounts(total, amounts, table);
  return table;
}

}  // namespace berth::views
