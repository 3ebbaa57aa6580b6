#include "tools/explanation.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "reservations/reservation_table.h"
#include "tools/remedy.h"

namespace berth::tools {

namespace {

constexpr std::size_t kProbesMax = 8;

const Refusal* word_on(JobId id, const Plan& plan) {
  const auto found = std::find_if(plan.refusals.begin(), plan.refusals.end(),
                                  [&](const Refusal& refusal) { return refusal.job == id; });
  return found == plan.refusals.end() ? nullptr : &*found;
}

std::string nodes_text(const Refusal& refusal) {
  std::int32_t refusing = 0;
  std::string reasons;
  for (const NodeRefusals& each : refusal.nodes) {
    refusing += each.nodes;
    reasons += (reasons.empty() ? ": " : ", ") + each.text();
  }
  return std::to_string(refusal.node_count - refusing) + "/" + std::to_string(refusal.node_count) +
         " nodes fit" + reasons;
}

// What one more pod of this shape, first in line and in no gang, would be told after this cycle.
std::string probe(TaskId id, const CycleRecord& record, const TrialSetting& setting) {
  PodObject pod = record.after.pod(id);
  pod.name += "-probe";
  pod.uid = "probe:" + pod.uid;
  pod.group.clear();
  pod.role.clear();
  pod.gates.clear();
  pod.priority = std::numeric_limits<std::int32_t>::max();
  const std::string name = pod.full_name();
  std::vector<ClusterEvent> objects = record.after.objects();
  objects.emplace_back(std::move(pod));
  const Trial trial = try_out(setting, std::move(objects));
  const JobId job = trial.copy.find_job(name);
  for (const Placement& each : trial.plan.binds) {
    if (trial.copy.cluster().task(each.task).job == job) {
      return "one such pod would find a place; it waits for its gang";
    }
  }
  const Refusal* const word = word_on(job, trial.plan);
  return word != nullptr && word->task.is_valid() ? nodes_text(*word) : "it waits for its gang";
}

class TaskTeller {
 public:
  TaskTeller(JobId job, const CycleRecord& record, const TrialSetting& setting)
      : record_(record), setting_(setting), word_(word_on(job, record.plan)) {
    if (word_ != nullptr && word_->task.is_valid()) {
      by_shape_[cluster().task(word_->task).shape] = nodes_text(*word_);
    }
    for (const Placement& each : record.plan.pipelined) claims_[each.task] = each.node;
  }

  TaskRow row_of(TaskId id) {
    const Task& task = cluster().task(id);
    TaskRow row{task.name, to_string(task.status), "", ""};
    if (task.node.is_valid()) row.node = cluster().node(task.node).name;
    if (task.status == TaskStatus::pending) row.why = why_pending(id);
    return row;
  }

 private:
  std::string why_pending(TaskId id) {
    const Task& task = cluster().task(id);
    if (const auto claim = claims_.find(id); claim != claims_.end()) {
      return "has a claim on room being vacated on " + cluster().node(claim->second).name;
    }
    if (task.is_gated) return gates_text(record_.after.pod(id));
    if (const auto known = by_shape_.find(task.shape); known != by_shape_.end()) {
      return known->second;
    }
    // Without a word on nodes, it is not for want of room that the job waits.
    const bool was_tried = word_ != nullptr && word_->task.is_valid();
    if (!was_tried || by_shape_.size() >= kProbesMax) return "waits with its job";
    return by_shape_[task.shape] = probe(id, record_, setting_);
  }

  static std::string gates_text(const PodObject& pod) {
    std::string list;
    for (const std::string& gate : pod.gates) {
      if (gate != kPlanGate) list += (list.empty() ? "" : ", ") + gate;
    }
    return "has scheduling gates: " + list;
  }

  const Cluster& cluster() const { return record_.after.cluster(); }

  const CycleRecord& record_;
  const TrialSetting& setting_;
  const Refusal* word_;
  std::map<ShapeId, std::string> by_shape_;
  std::map<TaskId, NodeId> claims_;
};

std::vector<AheadRow> who_was_ahead(JobId id, const Plan& plan, const Cluster& cluster) {
  const auto owner = [&](const Placement& each) { return cluster.task(each.task).job; };
  const auto own = std::find_if(plan.binds.begin(), plan.binds.end(),
                                [&](const Placement& each) { return owner(each) == id; });
  auto turn = static_cast<std::size_t>(own - plan.binds.begin());
  if (const Refusal* const word = word_on(id, plan); own == plan.binds.end()) {
    turn = word == nullptr ? 0 : word->binds_before;
  }
  std::vector<AheadRow> rows;
  std::map<JobId, std::size_t> row_of;
  for (std::size_t i = 0; i < turn; ++i) {
    const JobId job = owner(plan.binds[i]);
    const auto [entry, is_new] = row_of.emplace(job, rows.size());
    if (is_new) rows.push_back({cluster.job(job).name, cluster.job(job).priority, 0});
    ++rows[entry->second].placed;
  }
  return rows;
}

std::vector<KeptRow> who_is_in_its_way(JobId id, const Cluster& cluster) {
  std::map<JobId, KeptRow> targets;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const JobId target = cluster.locked_out_by(NodeId(n), id);
    if (!target.is_valid()) continue;
    targets[target].job = cluster.job(target).name;
    targets[target].nodes.push_back(cluster.node(NodeId(n)).name);
  }
  std::vector<KeptRow> rows;
  for (const JobId target : cluster.targets()) {
    if (targets.contains(target)) rows.push_back(std::move(targets[target]));
  }
  return rows;
}

std::optional<reservations::ReservationTable::Row> what_is_kept_for(JobId id,
                                                                    const CycleRecord& record) {
  Plan of_job;
  for (const Reservation& each : record.plan.reservations) {
    if (each.job == id) of_job.reservations.push_back(each);
  }
  if (of_job.reservations.empty()) return std::nullopt;
  return reservations::make_reservation_table(of_job, record.after.cluster(), {}).rows.front();
}

}  // namespace

Explanation explain_job(JobId id, const CycleRecord& record, const TrialSetting& setting) {
  const Cluster& cluster = record.after.cluster();
  const Job& job = cluster.job(id);
  const Refusal* const word = word_on(id, record.plan);
  Explanation explanation;
  explanation.cycle = record.cycle;
  explanation.job = record_job(id, record.plan, word, cluster);
  for (const Role& role : job.roles) {
    explanation.roles.push_back({role.name, role.minimum, ready_count(role.counts)});
  }
  std::sort(explanation.roles.begin(), explanation.roles.end(),
            [](const RoleRow& left, const RoleRow& right) { return left.role < right.role; });
  TaskTeller teller(id, record, setting);
  for (const TaskId task : job.tasks) explanation.tasks.push_back(teller.row_of(task));
  explanation.ahead = who_was_ahead(id, record.plan, cluster);
  explanation.target = what_is_kept_for(id, record);
  if (job.unplaced_count() > 0) explanation.in_its_way = who_is_in_its_way(id, cluster);
  if (word != nullptr) {
    explanation.missing = what_is_missing(id, *word, record);
    explanation.remedies = remedies_for(id, *word, record, setting);
  } else if (explanation.job.reason == code(Reason::too_few_tasks)) {
    const std::int32_t lacking = job.min_available - job.task_count();
    explanation.remedies = {std::to_string(lacking) + " more pods in the group"};
  }
  return explanation;
}

}  // namespace berth::tools
