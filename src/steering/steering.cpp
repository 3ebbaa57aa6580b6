#include "steering/steering.h"

#include <algorithm>
#include <utility>

namespace berth::steering {

namespace {

using Kind = ports::PodWrite::Kind;

constexpr std::size_t kCandidatesMost = 64;
constexpr std::size_t kManyNodes = 500;

// STEER-4. Whether the task's node still takes it: everybody who is or will be there has room,
// nobody has cordoned it, and kube-scheduler has not ruled it out in the meantime.
bool may_go(const Cluster& cluster, const Task& task) {
  const Shape& shape = cluster.shape(task.shape);
  const Node& node = cluster.node(task.node);
  if (node.is_unschedulable && shape.constraints.tolerations.empty()) return false;
  if (std::binary_search(node.vetoed.begin(), node.vetoed.end(), shape.id)) return false;
  return std::all_of(shape.requested.begin(), shape.requested.end(), [&](const auto& asked) {
    return cluster.idle().at(task.node, asked.first) >= 0;
  });
}

bool is_complaint(const std::string& unschedulable) {
  return !unschedulable.empty() && unschedulable.find("berth has") == std::string::npos;
}

}  // namespace

const char* to_string(Mode mode) {
  switch (mode) {
    case Mode::nominate:
      return "nominate";
    case Mode::candidates:
      return "candidates";
    case Mode::pin:
      return "pin";
    case Mode::filter_only:
      return "filter-only";
  }
  return "unknown";
}

std::int32_t needed_together(const Job& job, bool gangs_are_whole) {
  if (!gangs_are_whole) return 1;
  // Where roles have minimums of their own, any `min_available` members will not do: all that are
  // planned must come, and never fewer than the minimum: one may have been dropped since.
  const bool roles_bind = job.role_minimum_total > 0 &&
                          job.role_minimum_total <= job.min_available &&
                          job.bound_count() < job.min_available;
  return roles_bind ? std::max(job.min_available, job.placed_count()) : job.min_available;
}

// A pod that nobody waits for is planned anew when it loses its room; a nomination would only save
// kube-scheduler the look at every node, which is worth the write where nodes are many.
bool is_worth_nominating(std::int32_t needed, std::size_t nodes) {
  return needed > 1 || nodes > kManyNodes;
}

Steering::Steering(Parts parts, Options options)
    : parts_(std::move(parts)),
      options_(std::move(options)),
      outcomes_(std::make_shared<Outcomes>()) {
  outcomes_->wake = parts_.wake;
}

void Steering::stop_leading() {
  epoch_ = 0;
  gangs_are_gathered_ = false;
  newly_nominated_.clear();
  progressed_.clear();
  courses_.clear();
  clears_.clear();
  records_.clear();
}

std::vector<PlacementDropped> Steering::round(const Cluster& cluster, const FindTask& find_task,
                                              TimePoint now) {
  std::vector<PlacementDropped> drops;
  if (epoch_ == 0) return drops;
  take_outcomes(now);
  follow_plan(cluster, find_task);
  clear_nominations(now);
  if (std::exchange(touches_due_, false)) {
    for (auto& [uid, course] : courses_) course.is_touch_due = true;
  }
  gather_gangs(cluster);
  for (const auto& [id, gang] : gangs_) carry_out(cluster, id, gang, now, drops);
  touch(now);
  return drops;
}

std::vector<PlacementDropped> Steering::follow_up(const Cluster& cluster, const FindTask& find_task,
                                                  TimePoint now) {
  if (!gangs_are_gathered_ || touches_due_) return round(cluster, find_task, now);
  std::vector<PlacementDropped> drops;
  std::set<JobId> jobs;
  for (const Outcome& outcome : take_outcomes(now)) {
    const auto course = courses_.find(outcome.of);
    jobs.insert(course == courses_.end() ? outcome.job : cluster.task(course->second.task).job);
  }
  clear_nominations(now);
  for (const JobId id : jobs) {
    if (const auto gang = gangs_.find(id); gang != gangs_.end()) {
      carry_out(cluster, id, gang->second, now, drops);
    }
  }
  return drops;
}

void Steering::carry_out(const Cluster& cluster, JobId id, const Gang& gang, TimePoint now,
                         std::vector<PlacementDropped>& drops) {
  const std::size_t dropped_before = drops.size();
  std::int32_t ready = 0;  // nominated or committed
  for (const auto member : gang) {
    auto& [uid, course] = *member;
    if (course.stage == Stage::planned) reserve(cluster, member, now);
    if (course.stage != Stage::planned) ++ready;
    if (course.stage == Stage::nominated && !may_go(cluster, cluster.task(course.task))) {
      drops.push_back({uid, course.node, "its node was taken before it was committed"});
    } else if (is_vetoed(uid, course)) {
      drops.push_back({uid, course.node, "kube-scheduler: " + wires_.at(uid).unschedulable, true});
    }
  }
  const Job& job = cluster.job(id);
  const bool is_complete =  // STEER-3
      ready + job.bound_count() >= needed_together(job, options_.gangs_are_whole);
  // A gate cannot be put back: while one of them has lost its place, nobody goes.
  if (!is_complete || drops.size() > dropped_before) return;
  const std::vector<std::string> candidates = candidates_of(gang);
  for (const auto member : gang) {
    const Course& course = member->second;
    const bool is_ready = course.stage == Stage::nominated && course.attempt.may_begin(now);
    if (is_ready && is_recorded(job, id, now) && is_let_in(cluster, member)) {
      commit(cluster, candidates, member);
    }
  }
}

TimePoint Steering::progressed_at(const Job& job) const {
  TimePoint last;
  for (const TaskId id : job.tasks) {
    const auto course = progressed_.find(id);
    if (course != progressed_.end()) last = std::max(last, course->second);
  }
  return last;
}

bool Steering::is_unschedulable(const std::string& pod_uid) const {
  const auto wire = wires_.find(pod_uid);
  return wire != wires_.end() && is_complaint(wire->second.unschedulable);
}

// STEER-1, STEER-7.
void Steering::follow_plan(const Cluster& cluster, const FindTask& find_task) {
  for (auto next = courses_.begin(); next != courses_.end();) {
    const auto entry = next++;
    auto& [uid, course] = *entry;
    const TaskId task = find_task(uid);
    const bool is_planned = task.is_valid() && cluster.task(task).status == TaskStatus::binding;
    if (is_planned && cluster.node(cluster.task(task).node).name == course.node) {
      course.task = task;
      continue;
    }
    end(entry);
  }
  if (courses_.size() == static_cast<std::size_t>(cluster.binding_task_count())) return;
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.status == TaskStatus::binding) begin_course(cluster, TaskId(t));
  }
}

// STEER-7. kube-scheduler may be about to clear the nomination itself: what the watch showed of it
// is no longer believed.
void Steering::end(Courses::iterator entry) {
  const auto& [uid, course] = *entry;
  if (course.may_be_nominated || nominated_.contains(uid)) {
    clears_.try_emplace(uid, course.attempt.inherited());
  }
  if (const auto wire = wires_.find(uid); wire != wires_.end()) wire->second.nominated.clear();
  courses_.erase(entry);
  gangs_are_gathered_ = false;
}

void Steering::begin_course(const Cluster& cluster, TaskId id) {
  const Task& task = cluster.task(id);
  const auto [entry, is_new] = courses_.try_emplace(task.uid);
  if (!is_new) return;
  Course& course = entry->second;
  course.task = id;
  course.node = cluster.node(task.node).name;
  // The nomination it may still have is overwritten, once a write that is under way has ended.
  const auto clear = clears_.find(task.uid);
  if (clear == clears_.end()) return;
  course.may_be_nominated = true;
  if (clear->second.in_flight) course.attempt = clear->second.inherited();
  clears_.erase(clear);
}

// STEER-7, STEER-10. Also a nomination that nobody here wrote: an earlier leader's.
void Steering::clear_nominations(TimePoint now) {
  for (const std::string& uid : std::exchange(newly_nominated_, {})) {
    if (nominated_.contains(uid) && !courses_.contains(uid)) clears_.try_emplace(uid);
  }
  std::erase_if(clears_, [&](const auto& clear) { return !wires_.contains(clear.first); });
  for (auto& [uid, attempt] : clears_) {
    if (attempt.may_begin(now)) write(Kind::nominate, uid, attempt, {});
  }
}

void Steering::gather_gangs(const Cluster& cluster) {
  gangs_.clear();
  progressed_.clear();
  for (auto course = courses_.begin(); course != courses_.end(); ++course) {
    progressed_[course->second.task] = course->second.progressed;
    gangs_[cluster.task(course->second.task).job].push_back(course);
  }
  gangs_are_gathered_ = true;
}

// STEER-11. The gang's nodes, without doubles, sorted; none in other modes, or if they are too
// many.
std::vector<std::string> Steering::candidates_of(const Gang& gang) const {
  if (options_.mode != Mode::candidates) return {};
  std::set<std::string> nodes;
  for (const auto member : gang) nodes.insert(member->second.node);
  if (nodes.size() > kCandidatesMost) return {};
  return {nodes.begin(), nodes.end()};
}

// STEER-2.
bool Steering::is_to_be_nominated(const Cluster& cluster, const Course& course,
                                  const Wire& wire) const {
  if (mode_for(wire) != Mode::nominate) return false;
  // A nomination that was written must not stay on another node.
  if (course.may_be_nominated || !wire.nominated.empty()) return true;
  const Job& job = cluster.job(cluster.task(course.task).job);
  return is_worth_nominating(needed_together(job, options_.gangs_are_whole), cluster.node_count());
}

// STEER-2, STEER-11.
void Steering::reserve(const Cluster& cluster, Courses::iterator entry, TimePoint now) {
  auto& [uid, course] = *entry;
  const auto wire = wires_.find(uid);
  if (wire == wires_.end()) return;  // just bound or deleted: the mirror will say so
  if (!is_to_be_nominated(cluster, course, wire->second)) {
    course.stage = Stage::nominated;
  } else if (wire->second.nominated == course.node) {
    course.may_be_nominated = true;
    course.stage = Stage::nominated;
    course.progressed = now;
  } else if (course.attempt.may_begin(now)) {
    course.may_be_nominated = true;
    write(Kind::nominate, uid, course.attempt, {.node = course.node});
  }
}

// STEER-5. Single pods need none: what is to be known of them is on them.
bool Steering::is_recorded(const Job& job, JobId id, TimePoint now) {
  if (job.is_single || !job.has_group || recorded_.contains(job.name)) return true;
  Attempt& attempt = records_[job.name];
  if (!attempt.may_begin(now)) return false;
  attempt.begin(++sequence_);
  const auto [name_space, name] = split_name(job.name);
  parts_.status.record({name_space, name, job.uid, epoch_, job.is_volcano},
                       [outcomes = outcomes_, of = job.name, id,
                        number = attempt.number](ports::WriteOutcome outcome) {
                         outcomes->add({of, id, number, Kind::commit, std::move(outcome)});
                       });
  return false;
}

// STEER-13. Where locks are taints, a pod must tolerate its job's before kube-scheduler may try it.
bool Steering::is_let_in(const Cluster& cluster, Courses::iterator entry) {
  auto& [uid, course] = *entry;
  const Task& task = cluster.task(course.task);
  if (!options_.locks_are_taints || cluster.node(task.node).lock.job != task.job) return true;
  const auto wire = wires_.find(uid);
  if (wire == wires_.end()) return false;
  const std::string locked_for = lock_text(cluster.job(task.job).uid);
  if (wire->second.tolerated.cover(locked_for) || course.tolerates_lock) return true;
  write(Kind::tolerate, uid, course.attempt,
        {.locked_for = locked_for, .is_first_toleration = !wire->second.has_tolerations});
  return false;
}

// STEER-6, STEER-11.
void Steering::commit(const Cluster& cluster, const std::vector<std::string>& candidates,
                      Courses::iterator entry) {
  auto& [uid, course] = *entry;
  const auto found = wires_.find(uid);
  if (found == wires_.end()) return;
  const Wire& wire = found->second;
  ports::PodWrite write_of{.node = course.node};
  const Mode mode = mode_for(wire);
  if (mode == Mode::pin && wire.is_free_to_require) {
    write_of.only_nodes = {course.node};
  } else if (mode == Mode::pin) {
    const auto& labels = cluster.node(cluster.task(course.task).node).labels;
    const auto label = labels.find("kubernetes.io/hostname");
    write_of.only_hostname = label == labels.end() ? course.node : label->second;
  } else if (mode == Mode::candidates && wire.is_free_to_require) {
    write_of.only_nodes = candidates;
  }
  course.complaint = wire.unschedulable;
  write(Kind::commit, uid, course.attempt, std::move(write_of));
}

// STEER-12. Its own filter call would have been answered by us, and says so in the condition.
bool Steering::is_vetoed(const std::string& uid, const Course& course) const {
  if (course.stage != Stage::committed) return false;
  const auto wire = wires_.find(uid);
  if (wire == wires_.end()) return false;
  const std::string& text = wire->second.unschedulable;
  return text != course.complaint && is_complaint(text);
}

// STEER-8.
void Steering::touch(TimePoint now) {
  for (auto& [uid, course] : courses_) {
    if (!course.is_touch_due || !course.attempt.may_begin(now)) continue;
    course.is_touch_due = false;
    const auto wire = wires_.find(uid);
    if (wire == wires_.end() || !wire->second.gated) continue;
    write(Kind::touch, uid, course.attempt, {});
  }
}

void Steering::write(Kind kind, const std::string& uid, Attempt& attempt, ports::PodWrite write) {
  const Wire& wire = wires_.at(uid);
  attempt.begin(++sequence_);
  write.kind = kind;
  write.name_space = wire.name_space;
  write.name = wire.name;
  write.uid = uid;
  write.epoch = epoch_;
  write.sequence = attempt.number;
  parts_.pods.write(write, [outcomes = outcomes_, uid, number = attempt.number,
                            kind](ports::WriteOutcome outcome) {
    outcomes->add({uid, JobId(), number, kind, std::move(outcome)});
  });
}

// STEER-11. A pod without a gate can no longer be told where it may go.
Mode Steering::mode_for(const Wire& wire) const {
  const bool requires_gate = options_.mode == Mode::pin || options_.mode == Mode::candidates;
  return requires_gate && !wire.gated ? Mode::nominate : options_.mode;
}

}  // namespace berth::steering
