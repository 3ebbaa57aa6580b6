#include "simulation/report.h"

#include <algorithm>
#include <map>
#include <set>

#include "berth/model/amount_text.h"

namespace berth::simulation {

namespace {

std::vector<PlacementRow> rows_of(const std::vector<Placement>& placements,
                                  const Cluster& cluster) {
  std::vector<PlacementRow> rows;
  rows.reserve(placements.size());
  for (const auto& [task, node] : placements) {
    const Task& placed = cluster.task(task);
    rows.push_back(
        {placed.name, cluster.job(placed.job).name, cluster.node(node).name, rows.size() + 1});
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& left, const auto& right) { return left.pod < right.pod; });
  return rows;
}

std::vector<EvictionRow> rows_of(const std::vector<PlannedEviction>& evictions,
                                 const Cluster& cluster) {
  std::vector<EvictionRow> rows;
  for (const PlannedEviction& each : evictions) {
    const Task& victim = cluster.task(each.task);
    rows.push_back({victim.name, victim.job.is_valid() ? cluster.job(victim.job).name : "",
                    cluster.node(each.node).name, std::string(each.action),
                    each.beneficiary.is_valid() ? cluster.job(each.beneficiary).name : "",
                    to_string(each.as), each.why,
                    each.queue.is_valid() ? cluster.queue(each.queue).name : ""});
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& left, const auto& right) { return left.pod < right.pod; });
  return rows;
}

std::vector<ConsideredRow> rows_of(const std::vector<ConsideredEvictions>& considered,
                                   const Cluster& cluster) {
  std::vector<ConsideredRow> rows;
  for (const ConsideredEvictions& each : considered) {
    rows.push_back({cluster.job(each.job).name, std::string(each.action),
                    std::string(code(each.why.reason)), each.text()});
  }
  // Actions of one job stay in their order.
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& left, const auto& right) { return left.job < right.job; });
  return rows;
}

std::vector<LockRow> locks_of(const Cluster& cluster) {
  std::vector<LockRow> rows;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const Node& node = cluster.node(NodeId(n));
    if (node.lock.job.is_valid()) {
      rows.push_back({node.name, cluster.job(node.lock.job).name, "", node.lock.since});
    }
    if (const auto& [queue, since] = node.queue_lock; queue.is_valid()) {
      rows.push_back({node.name, "", cluster.queue(queue).name, since});
    }
  }
  return rows;  // nodes are in the order of their names
}

std::vector<EndedRow> rows_of(const std::vector<EndedReservation>& ended, const Cluster& cluster) {
  std::vector<EndedRow> rows;
  for (const EndedReservation& each : ended) {
    const bool has_reason = each.reason != Reason::none;
    rows.push_back(
        {cluster.job(each.job).name, to_string(each.how), has_reason ? sentence(each) : ""});
  }
  std::sort(rows.begin(), rows.end(),
            [](const auto& left, const auto& right) { return left.job < right.job; });
  return rows;
}

// The reason of a job that lacks something although no action refused it.
Refusal default_refusal(JobId id, const Plan& plan, const Cluster& cluster) {
  const Job& job = cluster.job(id);
  Refusal refusal;
  refusal.job = id;
  refusal.have = job.placed_count();
  const auto claims =
      std::count_if(plan.pipelined.begin(), plan.pipelined.end(),
                    [&](const Placement& each) { return cluster.task(each.task).job == id; });
  if (job.phase == GroupPhase::completed) return refusal;
  if (claims > 0) {
    refusal.reason = Reason::holds_releasing_room;
    refusal.need = job.placed_count() + claims;
  } else if (job.task_count() < job.min_available) {
    refusal.reason = Reason::too_few_tasks;
    refusal.have = job.task_count();
    refusal.need = job.min_available;
  } else if (job.unplaced_count() > 0) {
    refusal.reason = Reason::not_reached;
    refusal.detail = why_not_reached(id, plan, cluster);
  } else if (job.gated > 0) {
    refusal.reason = Reason::gated;
    refusal.have = job.gated;
  }
  return refusal;
}

// Unmodelled constraints of its waiting or newly placed pods.
std::set<std::string> unmodelled(const Job& job, const std::set<TaskId>& hints,
                                 const Cluster& cluster) {
  std::set<std::string> names;
  for (const TaskId id : job.tasks) {
    const Shape& shape = cluster.shape_of(id);
    if (!shape.is_hint) continue;
    if (cluster.task(id).status != TaskStatus::pending && !hints.contains(id)) continue;
    for (std::string& name : shape.unmodelled()) names.insert(std::move(name));
  }
  return names;
}

std::set<TaskId> placed_as_hint(const Plan& plan, const Cluster& cluster) {
  std::set<TaskId> hints;
  for (const Placement& each : plan.binds) {
    if (cluster.shape_of(each.task).is_hint) hints.insert(each.task);
  }
  return hints;
}

std::string hint_text(const std::set<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return "planned as a hint: " + list + (names.size() == 1 ? " is" : " are") + " not modelled";
}

JobRow row_of(JobId id, const Plan& plan, const Refusal* refusal, const std::set<TaskId>& hints,
              const Cluster& cluster) {
  const Job& job = cluster.job(id);
  JobRow row;
  row.job = job.name;
  row.queue = job.queue_name;
  row.phase = job.phase;
  row.priority = job.priority;
  row.first_seen = job.first_seen;
  row.min_available = job.min_available;
  row.placed = job.placed_count();
  row.waiting = job.count(TaskStatus::pending);
  const Refusal word = refusal != nullptr ? *refusal : default_refusal(id, plan, cluster);
  if (word.reason != Reason::none) {
    row.reason = code(word.reason);
    row.message = word.message(word.task.is_valid() ? cluster.task(word.task).name : "");
  }
  if (const auto names = unmodelled(job, hints, cluster); !names.empty()) {
    row.message += (row.message.empty() ? "" : "; ") + hint_text(names);
  }
  if (const std::string without = not_honoured_text(job); !without.empty()) {
    row.message += (row.message.empty() ? "" : "; ") + without;
  }
  if (!row.message.empty() && !job.gang_advice.empty()) row.message += "; " + job.gang_advice;
  return row;
}

}  // namespace

std::string why_not_reached(JobId id, const Plan& plan, const Cluster& cluster) {
  const auto admitted = std::find(plan.admitted.begin(), plan.admitted.end(), id);
  if (admitted != plan.admitted.end()) {
    return "it was admitted in this cycle, as " +
           std::to_string(admitted - plan.admitted.begin() + 1) + " of " +
           std::to_string(plan.admitted.size()) + ", and has its turn in the next";
  }
  const Job& job = cluster.job(id);
  if (job.best_effort > 0 && job.best_effort == job.count(TaskStatus::pending)) {
    return "its pods request nothing, and only backfill places such pods";
  }
  return {};
}

std::string to_text(const NamedAmounts& amounts) {
  std::string text;
  for (const auto& [name, amount] : amounts) {
    text += (text.empty() ? "" : ", ") + amount_of(name, amount, Rounding::down);
  }
  return text.empty() ? "nothing" : text;
}

JobRow record_job(JobId id, const Plan& plan, const Refusal* refusal, const Cluster& after) {
  return row_of(id, plan, refusal, placed_as_hint(plan, after), after);
}

CycleReport record_cycle(std::size_t number, TimePoint now, const Plan& plan,
                         const Cluster& after) {
  CycleReport report;
  report.cycle = number;
  report.now = now;
  report.binds = rows_of(plan.binds, after);
  report.pipelined = rows_of(plan.pipelined, after);
  report.evictions = rows_of(plan.evictions, after);
  report.considered = rows_of(plan.considered, after);

  std::map<JobId, const Refusal*> words;
  for (const Refusal& refusal : plan.refusals) words[refusal.job] = &refusal;
  const std::set<TaskId> hints = placed_as_hint(plan, after);
  for (std::size_t j = 0; j < after.job_slots(); ++j) {
    const JobId id(j);
    if (!after.job(id).exists || !after.job(id).is_ours()) continue;
    const auto word = words.find(id);
    report.jobs.push_back(
        row_of(id, plan, word == words.end() ? nullptr : word->second, hints, after));
  }
  std::sort(report.jobs.begin(), report.jobs.end(),
            [](const JobRow& left, const JobRow& right) { return left.job < right.job; });

  engine::QueueTree tree;
  report.queues = views::make_queue_table(after, plan, tree);
  report.reservations = views::make_reservation_table(plan, after, now);
  report.locks = locks_of(after);
  report.ended = rows_of(plan.ended, after);
  report.notes = plan.notes;
  return report;
}

}  // namespace berth::simulation
