#include <map>
#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "berth/model/quantity.h"
#include "tools/report_text.h"
#include "views/document_head.h"

namespace berth::tools {

namespace {

using views::json_of;
using views::ReservationTable;
using Json = nlohmann::ordered_json;

Json json_of(const simulation::PlacementRow& row) {
  return {{"pod", row.pod}, {"job", row.job}, {"node", row.node}, {"order", row.order}};
}

Json json_of(const simulation::EvictionRow& row) {
  Json json{{"pod", row.pod}, {"job", row.job}, {"node", row.node}, {"action", row.action}};
  if (row.for_queue.empty()) {
    json["for"] = row.beneficiary;
  } else {
    json["forQueue"] = row.for_queue;
  }
  json["as"] = row.as;
  json["why"] = row.why;
  return json;
}

Json json_of(const simulation::PastEviction& past) {
  Json json{{"cycle", past.cycle}};
  json.update(json_of(past.eviction));
  return json;
}

Json json_of(const simulation::ConsideredRow& row) {
  return {
      {"job", row.job}, {"action", row.action}, {"reason", row.reason}, {"message", row.message}};
}

Json json_of(const simulation::JobRow& row) {
  return {{"job", row.job},
          {"queue", row.queue},
          {"phase", to_string(row.phase)},
          {"minAvailable", row.min_available},
          {"placed", row.placed},
          {"reason", row.reason},
          {"message", row.message}};
}

// By name, like all lists of this document.
Json json_of(const views::QueueTable& table) {
  std::map<std::string, std::size_t> row_of;
  for (std::size_t row = 0; row < table.rows.size(); ++row) row_of[table.rows[row].name] = row;
  Json list = Json::array();
  for (const auto& [name, row] : row_of) {
    list.push_back({{"queue", name},
                    {"deserved", json_of(table.named(table.deserved, row))},
                    {"allocated", json_of(table.named(table.allocated, row))},
                    {"guarantee", json_of(table.named(table.guarantee, row))},
                    {"realCapability", json_of(table.named(table.real_capability, row))},
                    {"lent", json_of(table.lent(row))},
                    {"overused", table.is_overused(row)}});
  }
  return list;
}

Json json_of(const simulation::TaskRow& row) {
  return {{"pod", row.pod}, {"status", row.status}, {"node", row.node}, {"why", row.why}};
}

Json json_of(const simulation::RoleRow& row) {
  return {{"role", row.role}, {"minimum", row.minimum}, {"placed", row.placed}};
}

Json json_of(const simulation::AheadRow& row) {
  return {{"job", row.job}, {"priority", row.priority}, {"placed", row.placed}};
}

// Of a lock for a target, or for a queue.
template <class Row>
std::pair<const char*, std::string> owner_of(const Row& row) {
  return row.queue.empty() ? std::pair("job", row.job) : std::pair("queue", row.queue);
}

Json json_of(const simulation::LockRow& row) {
  const auto [kind, owner] = owner_of(row);
  return {{"node", row.node}, {kind, owner}, {"since", format_time(row.since)}};
}

Json json_of(const simulation::EndedRow& row) {
  return {{"job", row.job}, {"how", row.how}, {"why", row.why}};
}

Json json_of(const ReservationTable::Missing& row) {
  return {{"resource", row.resource},
          {"idle", format_quantity(row.resource, row.idle)},
          {"need", format_quantity(row.resource, row.need)}};
}

Json json_of(const simulation::WaitRow& row);
Json json_of(const simulation::KeptRow& row);
Json json_of(const simulation::CycleReport& cycle);

template <class Row>
Json list_of(const std::vector<Row>& rows) {
  Json list = Json::array();
  for (const Row& row : rows) list.push_back(json_of(row));
  return list;
}

Json json_of(const ReservationTable::Row& row) {
  return {{"job", row.job},
          {"electedSince", format_time(row.elected_since)},
          {"why", row.why},
          {"lock", to_string(row.scheme)},
          {"nodes", row.nodes},
          {"covered", row.is_covered},
          {"missing", list_of(row.missing)},
          {"timesOutAt", json_of(row.times_out_at)},
          {"givesUpAt", json_of(row.gives_up_at)},
          {"idle", json_of(row.idle)},
          {"idleRoomSeconds", json_of(row.held)}};
}

// By job, like all lists of this document.
Json json_of(const ReservationTable& table) {
  std::map<std::string, const ReservationTable::Row*> rows;
  for (const ReservationTable::Row& row : table.rows) rows[row.job] = &row;
  Json list = Json::array();
  for (const auto& [job, row] : rows) list.push_back(json_of(*row));
  return list;
}

Json json_of(const simulation::CycleReport& cycle) {
  return {{"cycle", cycle.cycle},
          {"binds", list_of(cycle.binds)},
          {"pipelined", list_of(cycle.pipelined)},
          {"evictions", list_of(cycle.evictions)},
          {"considered", list_of(cycle.considered)},
          {"jobs", list_of(cycle.jobs)},
          {"queues", json_of(cycle.queues)},
          {"targets", json_of(cycle.reservations)},
          {"locks", list_of(cycle.locks)},
          {"ended", list_of(cycle.ended)}};
}

Json json_of(const simulation::KeptRow& row) {
  const auto [kind, owner] = owner_of(row);
  return {{kind, owner}, {"nodes", row.nodes}};
}

Json json_of(const simulation::Explanation& explanation) {
  Json json = json_of(explanation.job);
  json["cycle"] = explanation.cycle;
  json["priority"] = explanation.job.priority;
  json["timeLimit"] = json_of(explanation.time_limit);
  json["roles"] = list_of(explanation.roles);
  json["tasks"] = list_of(explanation.tasks);
  json["ahead"] = list_of(explanation.ahead);
  json["inLine"] = explanation.in_line;
  json["target"] = explanation.target ? json_of(*explanation.target) : Json(nullptr);
  json["inItsWay"] = list_of(explanation.blocked_by);
  json["evicted"] = list_of(explanation.evicted);
  json["makesRoom"] = list_of(explanation.makes_room);
  json["considered"] = list_of(explanation.considered);
  json["missing"] = explanation.missing;
  json["wouldStart"] = explanation.remedies;
  return json;
}

Json json_of(const std::optional<std::size_t>& cycle) {
  return cycle ? Json(*cycle) : Json(nullptr);
}

Json json_of(const simulation::WaitRow& row) {
  const std::chrono::duration<double> waited = row.time;
  return {{"job", row.job},
          {"startedInCycle", json_of(row.started)},
          {"waitCycles", row.cycles},
          {"waitSeconds", waited.count()},
          {"electedInCycle", json_of(row.elected)},
          {"ended", row.ended}};
}

Json json_of(const std::map<std::string, std::int32_t>& parts) {
  Json object = Json::object();
  for (const auto& [resource, part] : parts) {
    object[resource] = static_cast<double>(part) / simulation::Summary::kWhole;
  }
  return object;
}

Json json_of(const views::EvictedByAge& counts) {
  Json list = Json::array();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool is_last = i == views::kEvictedAges.size();
    list.push_back(
        {{"youngerThanSeconds", is_last ? Json(nullptr) : Json(views::kEvictedAges[i].count())},
         {"pods", counts[i]}});
  }
  return list;
}

Json json_of(const simulation::Summary& summary) {
  return {{"cycles", summary.cycles},
          {"jobs", list_of(summary.waits)},
          {"utilisation", json_of(summary.utilisation)},
          {"lostWork", json_of(summary.lost_work)},
          {"uselessRoom", json_of(summary.useless)},
          {"evictedByAge", json_of(summary.evicted)},
          {"idleRoomSeconds", json_of(summary.held)}};
}

Json json_of(const PlanDifference::Job& job) {
  return {{"job", job.job},
          {"queue", job.queue},
          {"placed", job.placed},
          {"placedBefore", job.placed_before},
          {"startedInCycle", json_of(job.starts)},
          {"startedInCycleBefore", json_of(job.started_before)}};
}

Json json_of(const PlanDifference& difference) {
  Json jobs = Json::array();
  for (const PlanDifference::Job& job : difference.jobs) jobs.push_back(json_of(job));
  return {{"changes", difference.changes},
          {"jobs", std::move(jobs)},
          {"evictions", list_of(difference.more)},
          {"noEvictions", list_of(difference.fewer)}};
}

}  // namespace

std::string report_json(const simulation::Report& report, const PlanDifference* difference) {
  Json json = views::document_of_kind("Plan");
  json["cycles"] = list_of(report.cycles);
  json["summary"] = json_of(report.summary);
  if (difference != nullptr) json["difference"] = json_of(*difference);
  if (report.explanation) json["explain"] = json_of(*report.explanation);
  return views::document_text(json);
}

}  // namespace berth::tools
