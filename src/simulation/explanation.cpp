#include "simulation/explanation.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "berth/engine/job_line.h"
#include "engine/fit/fits_on.h"
#include "engine/fit/in_the_way.h"
#include "simulation/remedy.h"
#include "simulation/room_near.h"
#include "views/reservation_table.h"

namespace berth::simulation {

namespace {

const Refusal* refusal_of(JobId id, const Plan& plan) {
  const auto found = std::find_if(plan.refusals.begin(), plan.refusals.end(),
                                  [&](const Refusal& refusal) { return refusal.job == id; });
  return found == plan.refusals.end() ? nullptr : &*found;
}

std::string nodes_text(const std::vector<NodeRefusals>& nodes, std::int32_t node_count) {
  std::int32_t refusing = 0;
  std::string reasons;
  for (const NodeRefusals& each : nodes) {
    refusing += each.nodes;
    reasons += (reasons.empty() ? ": " : ", ") + each.text();
  }
  return std::to_string(node_count - refusing) + "/" + std::to_string(node_count) + " nodes fit" +
         reasons;
}

// The reasons why pods of a job have no place. Pods of one shape share a reason.
class TaskReasons {
 public:
  TaskReasons(JobId job, const CycleRecord& record)
      : record_(record),
        refusal_(refusal_of(job, record.plan)),
        name_space_(split_name(record.after.cluster().job(job).name).first) {
    for (const Placement& each : record.plan.pipelined) claims_[each.task] = each.node;
    for (const PlannedEviction& each : record.plan.evictions) evictions_[each.task] = &each;
    if (refusal_ == nullptr) {
      not_reached_ = why_not_reached(job, record.plan, cluster());
      return;
    }
    if (refusal_->task.is_valid()) {
      by_shape_[cluster().task(refusal_->task).shape] =
          nodes_text(refusal_->nodes, refusal_->node_count);
    }
    if (is_about_room(*refusal_)) {
      record.scheduler.inspect(record.after.cluster_for_session(), record.now,
                               [&](engine::Session& session) { ask(session, job); });
    }
    name_those_in_the_way();
  }

  TaskRow row_of(TaskId id) const {
    const Task& task = cluster().task(id);
    TaskRow row{task.name, to_string(task.status), "", ""};
    if (task.node.is_valid()) row.node = cluster().node(task.node).name;
    if (task.status == TaskStatus::pending) row.why = why_pending(id);
    if (const auto eviction = evictions_.find(id); eviction != evictions_.end()) {
      const std::string beneficiary = eviction->second->beneficiary_name(cluster());
      row.why = "evicted by " + std::string(eviction->second->action);
      if (!beneficiary.empty()) row.why += " for " + beneficiary;
    }
    return row;
  }

 private:
  // Otherwise the job waits for another cause than room.
  static bool is_about_room(const Refusal& refusal) {
    return refusal.task.is_valid() || refusal.reason == Reason::pod_too_large ||
           refusal.reason == Reason::unknown_resource || refusal.reason == Reason::not_packable ||
           refusal.reason == Reason::fits_no_node;
  }

  // Called after this cycle, with its plan carried out.
  void ask(engine::Session& session, JobId job) {
    for (const TaskId id : cluster().job(job).tasks) {
      const Task& task = cluster().task(id);
      const bool is_asked_about = task.status == TaskStatus::pending && !task.is_gated;
      if (!is_asked_about || by_shape_.contains(task.shape)) continue;
      const bool has_place = session.best_idle_node(task.shape, job).is_valid();
      by_shape_[task.shape] = has_place
                                  ? "one such pod would find a place; it waits for its gang"
                                  : nodes_text(session.why_nowhere(task.shape, job),
                                               static_cast<std::int32_t>(cluster().node_count()));
    }
  }

  // MAY-11: as users of the job's namespace may read it.
  void name_those_in_the_way() {
    for (auto& [shape, text] : by_shape_) {
      std::set<TaskId> pods;
      for (std::size_t n = 0; n < cluster().node_count(); ++n) {
        const engine::Verdict verdict =
            engine::fits_on(cluster(), cluster().shape(shape), NodeId(n));
        for (const TaskId each :
             engine::pods_in_the_way(cluster(), cluster().shape(shape), NodeId(n), verdict)) {
          pods.insert(each);
        }
      }
      std::vector<TaskId> sorted(pods.begin(), pods.end());
      std::sort(sorted.begin(), sorted.end(), [&](TaskId left, TaskId right) {
        return cluster().task(left).name < cluster().task(right).name;
      });
      const std::string names = engine::named_in_the_way(cluster(), sorted, name_space_).text();
      if (!names.empty()) text += "; in the way: " + names;
    }
  }

  std::string why_pending(TaskId id) const {
    const Task& task = cluster().task(id);
    if (const auto claim = claims_.find(id); claim != claims_.end()) {
      return "waits for room that is being vacated on " + cluster().node(claim->second).name;
    }
    if (task.is_gated) return gates_text(record_.after.pod(id));
    const auto known = by_shape_.find(task.shape);
    if (known != by_shape_.end()) return known->second;
    return not_reached_.empty() ? "waits with its job" : not_reached_;
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
  const Refusal* refusal_;
  std::string name_space_;
  std::map<ShapeId, std::string> by_shape_;
  std::map<TaskId, NodeId> claims_;
  std::map<TaskId, const PlannedEviction*> evictions_;
  std::string not_reached_;
};

// Of its pod that may run longest. None: one of them may run for ever.
std::optional<TimeLimit> limit_of(const Job& job, const Cluster& cluster, TimePoint now) {
  std::optional<TaskId> last;
  const auto stay = [&](TaskId id) { return longest_stay(cluster, cluster.task(id), now); };
  for (const TaskId id : job.tasks) {
    if (!last || stay(*last) < stay(id)) last = id;
  }
  return last ? first_limit_of(cluster, cluster.task(*last), now) : std::nullopt;
}

void add_line(JobId id, const CycleRecord& record, Explanation& explanation) {
  const Cluster& cluster = record.after.cluster();
  const std::vector<JobId>& jobs = record.line.jobs;
  const auto own = std::find(jobs.begin(), jobs.end(), id);
  if (own == jobs.end()) return;
  std::map<JobId, std::int32_t> placed;
  for (const Placement& each : record.plan.binds) ++placed[cluster.task(each.task).job];
  for (auto each = jobs.begin(); each != own; ++each) {
    explanation.ahead.push_back(
        {cluster.job(*each).name, cluster.job(*each).priority, placed[*each]});
  }
  explanation.in_line = jobs.size();
  explanation.is_for_admission = record.line.is_for_admission;
}

// Targets by election, then queues by name.
std::vector<KeptRow> locks_in_the_way(JobId id, const Cluster& cluster) {
  std::map<JobId, KeptRow> targets;
  std::map<std::string, KeptRow> queues;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    if (!cluster.is_locked_out(NodeId(n), id)) continue;
    const JobId target = cluster.locks().target_in_the_way(NodeId(n), id);
    const std::string queue =
        target.is_valid() ? "" : cluster.queue(cluster.locks().queue(NodeId(n))).name;
    KeptRow& row = target.is_valid() ? targets[target] : queues[queue];
    row.job = target.is_valid() ? cluster.job(target).name : "";
    row.queue = queue;
    row.nodes.push_back(cluster.node(NodeId(n)).name);
  }
  std::vector<KeptRow> rows;
  for (const JobId target : cluster.targets()) {
    if (targets.contains(target)) rows.push_back(std::move(targets[target]));
  }
  for (auto& [name, row] : queues) rows.push_back(std::move(row));
  return rows;
}

std::optional<views::ReservationTable::Row> reservation_of(JobId id, const CycleRecord& record) {
  Plan of_job;
  for (const Reservation& each : record.plan.reservations) {
    if (each.job == id) of_job.reservations.push_back(each);
  }
  if (of_job.reservations.empty()) return std::nullopt;
  return views::make_reservation_table(of_job, record.after.cluster(), {}).rows.front();
}

void add_evictions(const std::vector<CycleReport>& cycles, Explanation& explanation) {
  const std::string& job = explanation.job.job;
  for (const CycleReport& cycle : cycles) {
    for (const EvictionRow& each : cycle.evictions) {
      const bool is_meant = explanation.pod.empty() || explanation.pod == each.pod;
      if (each.job == job && is_meant) explanation.evicted.push_back({cycle.cycle, each});
      if (each.beneficiary == job) explanation.makes_room.push_back({cycle.cycle, each});
    }
  }
  for (const ConsideredRow& each : cycles.back().considered) {
    if (each.job == job) explanation.considered.push_back(each);
  }
}

}  // namespace

Explained find_explained(const std::string& name, const ClusterCopy& copy) {
  if (name.empty()) return {};
  if (const JobId job = copy.find_job(name); job.is_valid()) return {job, {}};
  const Cluster& cluster = copy.cluster();
  for (std::size_t j = 0; j < cluster.job_slots(); ++j) {
    const Job& job = cluster.job(JobId(j));
    if (!job.exists) continue;
    for (const TaskId task : job.tasks) {
      if (cluster.task(task).name == name) return {JobId(j), task};
    }
  }
  return {};
}

Line line_of(JobId id, engine::Scheduler& scheduler, ClusterCopy& copy, TimePoint now) {
  Line line;
  scheduler.inspect(copy.cluster_for_session(), now, [&](engine::Session& session) {
    const Cluster& cluster = session.cluster();
    const auto waits_for_admission = [&](const Job& job) {
      // ENQUEUE-8
      return session.has_enqueue() && job.phase == GroupPhase::pending && !job.is_whole;
    };
    line.is_for_admission = waits_for_admission(cluster.job(id));
    std::vector<JobId> jobs;
    for (const JobId each : cluster.open_jobs()) {
      const Job& job = cluster.job(each);
      const bool waits = line.is_for_admission || job.unplaced_count() > 0;
      const bool is_alike = waits_for_admission(job) == line.is_for_admission;
      const bool is_served = job.has_group && job.queue.is_valid() &&
                             session.queues().standing(cluster, job.queue) &&
                             session.feasibility().is_possible(each);
      if (waits && is_alike && is_served) {
        jobs.push_back(each);
      }
    }
    using For = engine::JobLine::For;
    engine::JobLine order(session, std::move(jobs),
                          line.is_for_admission ? For::admission : For::service);
    for (JobId next = order.next(); next.is_valid(); next = order.next()) {
      line.jobs.push_back(next);
    }
  });
  return line;
}

Explanation explain(const Explained& what, const CycleRecord& record,
                    const std::vector<CycleReport>& cycles, const TrialSetting& setting) {
  const JobId id = what.job;
  const Cluster& cluster = record.after.cluster();
  const Job& job = cluster.job(id);
  const Refusal* const refusal = refusal_of(id, record.plan);
  Explanation explanation;
  explanation.cycle = record.cycle;
  explanation.job = record_job(id, record.plan, refusal, cluster);
  explanation.time_limit = limit_of(job, cluster, record.now);
  for (const Role& role : job.roles) {
    if (role.name.empty()) continue;
    explanation.roles.push_back({role.name, role.minimum, ready_count(role.counts)});
  }
  std::sort(explanation.roles.begin(), explanation.roles.end(),
            [](const RoleRow& left, const RoleRow& right) { return left.role < right.role; });
  const TaskReasons reasons(id, record);
  if (what.pod.is_valid()) {
    explanation.pod = cluster.task(what.pod).name;
    explanation.tasks.push_back(reasons.row_of(what.pod));
  } else {
    for (const TaskId task : job.tasks) explanation.tasks.push_back(reasons.row_of(task));
  }
  add_evictions(cycles, explanation);
  add_line(id, record, explanation);
  explanation.target = reservation_of(id, record);
  if (job.unplaced_count() > 0) explanation.blocked_by = locks_in_the_way(id, cluster);
  if (refusal != nullptr) {
    explanation.missing = missing_amounts(id, *refusal, record);
    if (refusal->reason == Reason::no_domain_has_room) explanation.missing = room_near(id, record);
    explanation.remedies = remedies_for(id, *refusal, record, setting);
  } else if (explanation.job.reason == code(Reason::too_few_tasks)) {
    const std::int32_t lacking = job.min_available - job.task_count();
    explanation.remedies = {std::to_string(lacking) + " more pods in the group"};
  }
  return explanation;
}

}  // namespace berth::simulation
