#include "steering/steering.h"

#include <algorithm>
#include <utility>

#include "berth/engine/fit.h"
#include "steering/turns.h"

namespace berth::steering {

namespace {

using Kind = ports::PodWrite::Kind;
using WriteResult = ports::WriteOutcome::Result;

constexpr std::size_t kManyNodes = 500;
constexpr std::size_t kWritesAtOnce = 256;  // several times what the API client has in flight

// STEER-4, FIT-5. Whether the task's node still takes it: everybody who is or will be there has
// room, nobody has cordoned it, and kube-scheduler has not ruled it out in the meantime.
bool may_go(const Cluster& cluster, const Task& task) {
  const Shape& shape = cluster.shape(task.shape);
  const engine::Place place{cluster, shape, cluster.node(task.node)};
  return engine::constraints::cordon.check(place) && engine::constraints::veto.check(place) &&
         engine::has_room(engine::WithOwnPlace{cluster, shape}, shape, task.node);
}

}  // namespace

std::int32_t needed_together(const Job& job, bool gangs_are_whole) {
  if (!gangs_are_whole) return 1;
  // Where roles have minimums of their own, any `min_available` members will not do: all that are
  // planned must come, and never fewer than the minimum: one may have been dropped since.
  const bool all_must_come = job.roles_bind() && job.bound_count() < job.min_available;
  return all_must_come ? std::max(job.min_available, job.placed_count()) : job.min_available;
}

// A pod that nobody waits for is planned anew when it loses its room; a nomination would only save
// kube-scheduler the look at every node, which is worth the write where nodes are many.
bool is_worth_nominating(std::int32_t needed, std::size_t nodes) {
  return needed > 1 || nodes > kManyNodes;
}

// --- what is under way ------------------------------------------------------------------------

void Steering::start_leading() {
  stop_leading();
  leads_ = true;
}

void Steering::stop_leading() {
  leads_ = false;
  shown_changed_ = true;
  gangs_are_gathered_ = false;
  changed_at_.clear();
  progress_.clear();
  to_clear_.clear();
  cleared_.clear();
  answered_.clear();
  order_.clear();
  lines_.clear();
}

void Steering::keep_order(const Plan& plan, const Cluster& cluster) {
  for (const auto& [task, node] : plan.binds) {
    if (cluster.shape_of(task).has_relations()) order_[task] = ++last_order_;
  }
}

std::uint64_t Steering::order_of(TaskId task, const std::string& pod_uid) const {
  if (const auto planned = order_.find(task); planned != order_.end()) return planned->second;
  const auto found = progress_.find(pod_uid);
  return found == progress_.end() ? 0 : found->second.order;
}

// STEER-16. The annotations stay: they say where the pods were planned first.
void Steering::exchange(const std::string& pod_uid, const std::string& other_uid) {
  const auto one = progress_.find(pod_uid);
  const auto other = progress_.find(other_uid);
  if (one == progress_.end() || other == progress_.end()) return;
  std::swap(one->second.node, other->second.node);
  std::swap(one->second.order, other->second.order);
}

void Steering::observe(const ClusterEvent& event) {
  if (const auto* dropped = std::get_if<PlacementDropped>(&event)) {
    // Even if it is planned on the same node again at once: kube-scheduler has given up on it.
    const auto found = progress_.find(dropped->pod_uid);
    if (found != progress_.end() && found->second.node == dropped->node) end(found);
  } else if (const auto* moved = std::get_if<PlacementMoved>(&event)) {
    const auto found = progress_.find(moved->pod_uid);
    if (found == progress_.end() || found->second.node != moved->from) return;
    // Nominated and committed anew: a restart, or a second veto, must find the new node. An answer
    // to a write for the old node means nothing.
    found->second.node = moved->to;
    found->second.stage = Stage::planned;
    found->second.number = found->second.attempt = 0;
  }
}

std::vector<PlacementDropped> Steering::steer(const Cluster& cluster, const FindTask& find_task,
                                              TimePoint now) {
  std::vector<PlacementDropped> drops;
  if (!leads_) return drops;
  answered_.clear();
  follow_plan(cluster, find_task);
  order_.clear();
  find_nominations_to_clear();
  clear_nominations(now);
  if (std::exchange(touches_due_, false)) {
    for (auto& [uid, progress] : progress_) progress.is_touch_due = true;
  }
  gather_gangs(cluster);
  for (Line& line : lines_) give_turns(cluster, line);
  for (const JobId id : sequence_) {
    const Gang& gang = gangs_.at(id);
    if (is_begun(gang)) carry_out(cluster, id, gang, now, drops);
  }
  begin_gangs(cluster, now, drops);
  touch(now);
  return drops;
}

bool Steering::is_begun(const Gang& gang) const {
  return std::any_of(gang.begin(), gang.end(), [](const ByUid::iterator member) {
    return member->second.number != 0 || member->second.stage != Stage::planned;
  });
}

// STEER-14. With all nominations before the first commit, the first gang would start with the last.
void Steering::begin_gangs(const Cluster& cluster, TimePoint now,
                           std::vector<PlacementDropped>& drops) {
  has_gangs_to_begin_ = false;
  for (const JobId id : sequence_) {
    const Gang& gang = gangs_.at(id);
    if (is_begun(gang)) continue;
    has_gangs_to_begin_ =
        writes_.counters(reconcile::Writes::Kind::steering).pending >= kWritesAtOnce;
    if (has_gangs_to_begin_) return;
    carry_out(cluster, id, gang, now, drops);
  }
}

std::vector<PlacementDropped> Steering::follow_up(const Cluster& cluster, const FindTask& find_task,
                                                  TimePoint now) {
  if (!gangs_are_gathered_ || touches_due_) return steer(cluster, find_task, now);
  std::vector<PlacementDropped> drops;
  clear_nominations(now);
  std::vector<JobId> due;  // those in lines in their order
  for (Line& line : lines_) {
    if (!line.is_waiting) continue;
    give_turns(cluster, line);
    for (const auto pod : line.pods) due.push_back(pod->second.job);
  }
  due.insert(due.end(), answered_.begin(), answered_.end());
  answered_.clear();
  std::set<JobId> done;
  for (const JobId id : due) {
    const auto gang = gangs_.find(id);
    if (gang != gangs_.end() && done.insert(id).second) {
      carry_out(cluster, id, gang->second, now, drops);
    }
  }
  if (has_gangs_to_begin_) begin_gangs(cluster, now, drops);
  return drops;
}

// STEER-9
void Steering::take(const reconcile::Ended& ended, TimePoint now) {
  const std::string& uid = ended.write.object.uid;
  const bool is_over = ended.is(WriteResult::done) || ended.is(WriteResult::gone);
  if (const auto clear = to_clear_.find(uid); clear != to_clear_.end()) {
    if (clear->second != ended.write.number || !is_over) return;
    const reconcile::ObservedPod* pod = observed_.pod(uid);
    if (pod != nullptr) cleared_[uid] = {pod->nominations_lost, pod->nominated};
    to_clear_.erase(clear);
    return;
  }
  const auto found = progress_.find(uid);
  if (found == progress_.end()) return;
  Progress& progress = found->second;
  answered_.insert(progress.job);
  if (progress.number != ended.write.number || !ended.is(WriteResult::done)) return;
  progress.changed_at = changed_at_[progress.task] = now;
  const auto& content = std::get<ports::PodWrite>(ended.write.content);
  const Kind kind = content.kind;
  if (kind == Kind::nominate) {
    progress.stage = std::max(progress.stage, Stage::nominated);
    progress.is_nominated_anew = false;
  }
  if (kind == Kind::commit) {
    progress.stage = Stage::committed;
    shown_changed_ = true;
  }
  if (kind == Kind::tolerate) progress.tolerated.push_back(content.locked_for);
}

void Steering::carry_out(const Cluster& cluster, JobId id, const Gang& gang, TimePoint now,
                         std::vector<PlacementDropped>& drops) {
  const std::size_t dropped_before = drops.size();
  std::int32_t ready = 0;  // nominated or committed, or its turn is later
  for (const auto member : gang) {
    auto& [uid, progress] = *member;
    const bool is_vetoed = this->is_vetoed(uid, progress);
    lose_nomination(uid, progress);
    const bool is_later = this->is_later(cluster, progress);
    if (progress.stage == Stage::planned && !is_later && !is_vetoed) {
      nominate(cluster, member, now);
    }
    if (progress.stage != Stage::planned || is_later) ++ready;
    if (is_vetoed) {
      drops.push_back(
          {uid, progress.node, "kube-scheduler: " + observed_.pod(uid)->unschedulable, true});
    } else if (progress.stage == Stage::nominated &&
               !may_go(cluster, cluster.task(progress.task))) {
      drops.push_back({uid, progress.node, "its node was taken before it was committed"});
    }
  }
  const Job& job = cluster.job(id);
  const bool is_complete =  // STEER-3
      ready + job.bound_count() >= needed_together(job, options_.gangs_are_whole);
  // A gate cannot be put back: no member is committed while one of them has lost its place.
  if (!is_complete || drops.size() > dropped_before) return;
  for (const auto member : gang) {
    if (member->second.stage != Stage::nominated || !may_write(member->first, now)) continue;
    if (member->second.is_in_line && !member->second.has_turn) continue;
    if (tolerates_its_locks(cluster, member, now)) commit(cluster, member, now);
  }
}

TimePoint Steering::progressed_at(const Job& job) const {
  TimePoint last;
  for (const TaskId id : job.tasks) {
    const auto found = changed_at_.find(id);
    if (found != changed_at_.end()) last = std::max(last, found->second);
  }
  return last;
}

const std::string* Steering::complaint_of(const std::string& pod_uid) const {
  const reconcile::ObservedPod* pod = observed_.pod(pod_uid);
  return pod != nullptr && pod->is_refused_by_others() ? &pod->unschedulable : nullptr;
}

// STEER-1, STEER-7.
void Steering::follow_plan(const Cluster& cluster, const FindTask& find_task) {
  for (auto next = progress_.begin(); next != progress_.end();) {
    const auto entry = next++;
    auto& [uid, progress] = *entry;
    const TaskId task = find_task(uid);
    const bool is_planned = task.is_valid() && cluster.task(task).status == TaskStatus::binding;
    if (is_planned && cluster.node(cluster.task(task).node).name == progress.node) {
      progress.task = task;
      progress.job = cluster.task(task).job;
      continue;
    }
    end(entry);
  }
  if (progress_.size() == static_cast<std::size_t>(cluster.binding_task_count())) return;
  for (std::size_t t = 0; t < cluster.task_slots(); ++t) {
    const Task& task = cluster.task(TaskId(t));
    if (task.status == TaskStatus::binding) begin_progress(cluster, TaskId(t));
  }
}

// STEER-7
void Steering::end(ByUid::iterator entry) {
  const auto& [uid, progress] = *entry;
  shown_changed_ = shown_changed_ || progress.stage == Stage::committed;
  if (progress.may_be_nominated || observed_.nominated().contains(uid)) to_clear_.try_emplace(uid);
  progress_.erase(entry);
  gangs_are_gathered_ = false;
}

void Steering::begin_progress(const Cluster& cluster, TaskId id) {
  const Task& task = cluster.task(id);
  const auto [entry, is_new] = progress_.try_emplace(task.uid);
  if (!is_new) return;
  Progress& progress = entry->second;
  progress.task = id;
  progress.job = task.job;
  progress.node = cluster.node(task.node).name;
  if (const auto place = order_.find(id); place != order_.end()) progress.order = place->second;
  // The nomination that it may still have is overwritten. kube-scheduler may be about to clear it
  // itself, so what is observed of it is not believed.
  const bool is_being_cleared = to_clear_.erase(task.uid) > 0 || cleared_.contains(task.uid);
  progress.may_be_nominated = progress.is_nominated_anew = is_being_cleared;
  if (const reconcile::ObservedPod* pod = observed_.pod(task.uid)) {
    progress.nominations_lost = pod->nominations_lost;
  }
}

// STEER-7, STEER-10. Nominations without a plan, also those that an earlier leader wrote.
void Steering::find_nominations_to_clear() {
  for (const std::string& uid : observed_.nominated()) {
    if (progress_.contains(uid)) continue;
    const auto cleared = cleared_.find(uid);
    const bool is_seen_cleared = cleared == cleared_.end() ||
                                 cleared->second != Cleared{observed_.pod(uid)->nominations_lost,
                                                            observed_.pod(uid)->nominated};
    if (is_seen_cleared) to_clear_.try_emplace(uid);
  }
  std::erase_if(cleared_,
                [this](const auto& entry) { return !observed_.nominated().contains(entry.first); });
}

void Steering::clear_nominations(TimePoint now) {
  std::erase_if(to_clear_,
                [this](const auto& clear) { return observed_.pod(clear.first) == nullptr; });
  for (auto& [uid, number] : to_clear_) {
    if (may_write(uid, now)) number = write(uid, {}, now);
  }
}

void Steering::gather_gangs(const Cluster& cluster) {
  gangs_.clear();
  changed_at_.clear();
  for (auto entry = progress_.begin(); entry != progress_.end(); ++entry) {
    changed_at_[entry->second.task] = entry->second.changed_at;
    const Task& task = cluster.task(entry->second.task);
    gangs_[task.job].push_back(entry);
    entry->second.may_exchange =
        options_.mode != Mode::view && is_exchangeable(cluster, task, options_.locks_are_taints);
  }
  gather_lines(cluster);
  gangs_are_gathered_ = true;
}

}  // namespace berth::steering
