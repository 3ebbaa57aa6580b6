#include "world/claim_law.h"

#include <algorithm>
#include <utility>

namespace berth::world {
namespace {

// A status whose write was lost says so by then.
constexpr Duration kSettles = 20s;
// A write without an answer is repeated after 30 s.
constexpr Duration kIsWritten = 45s;
// The writes of a plan are done by then.
constexpr Duration kWritten = 1s;
// A new leader reads what the group says before it claims anything.
constexpr Duration kReads = 5s;
// Older claims end by themselves (EVICT-4, CLAIM-6).
constexpr Duration kClaimMost = 4min;
// A berthd whose watch was cut sees by then that a group was made anew, which ends its claims.
constexpr Duration kSeesGroups = 1min;

bool stays(const PodObject& pod) { return takes_room(pod) && !pod.terminating; }

std::int64_t count_on(const WrittenClaims& claims, const std::string& node) {
  std::int64_t count = 0;
  for (const WrittenClaims::OnNode& each : claims.nodes) {
    if (each.node == node) count += static_cast<std::int64_t>(each.count);
  }
  return count;
}

}  // namespace

ClaimLaw::ClaimLaw(Agenda& agenda, ApiServer& server, const Inhabitants& inhabitants,
                   std::function<void(const std::string&)> break_law)
    : agenda_(agenda),
      server_(server),
      inhabitants_(inhabitants),
      break_law_(std::move(break_law)) {
  server_.follow([this](const ApiServer::Change& change) {
    if (change.kind == Kind::group) group_changed(change);
    if (change.kind == Kind::node) {
      some_node_touched_ = node_touched_[change.key] = agenda_.now();
      if (change.type == "DELETED") node_gone_ = agenda_.now();
    }
    if (change.kind == Kind::pod) pod_changed(change);
    if (change.kind == Kind::queue) queue_changed(change);
  });
}

// The guarantee of one, and its place, concern all others.
void ClaimLaw::queue_changed(const ApiServer::Change& change) {
  QueueObject object;
  const auto* const queue = std::get_if<QueueObject>(&change.event);
  if (queue != nullptr) object = *queue;
  object.written = {};
  const QueueObject before = std::exchange(queues_[change.key], object);
  if (before == object) return;
  const bool concerns_all = before.parent != object.parent || before.uid != object.uid ||
                            before.guarantee != object.guarantee;
  for (const auto& [name, each] : queues_) {
    if (concerns_all || name == change.key) queue_touched_[name] = agenda_.now();
  }
}

void ClaimLaw::touch(const std::string& pod_uid) {
  const Job* const owner = inhabitants_.job_of(pod_uid);
  const PodGroupObject* const group = owner == nullptr ? nullptr : inhabitants_.group_of(*owner);
  if (group != nullptr) group_touched_[group->full_name()] = agenda_.now();
}

void ClaimLaw::eviction_failed(const std::string& pod_uid, const std::string& claimant) {
  group_touched_[claimant] = agenda_.now();
  const PodObject* const pod = server_.find<PodObject>(pod_uid);
  if (pod != nullptr) node_touched_[pod->node_name] = agenda_.now();
}

void ClaimLaw::binding_failed(const std::string& pod_uid) { touch(pod_uid); }

void ClaimLaw::pod_changed(const ApiServer::Change& change) {
  const auto* const pod = std::get_if<PodObject>(&change.event);
  if (pod == nullptr || pod->terminating || change.type == "ADDED") touch(change.key);
  const bool is_foreign = pod != nullptr && pod->scheduler_name != "berth";
  if (is_foreign && !pod->nominated_node.empty()) foreign_at_[pod->nominated_node] = agenda_.now();
}

// Its surplus may wait while its minimum has a plan.
bool ClaimLaw::waits(const PodGroupObject& group) const {
  const WrittenStatus& status = group.written;
  return !status.reason.empty() && !status.message.starts_with("its minimum is placed");
}

// A group without a reason has a plan.
void ClaimLaw::group_changed(const ApiServer::Change& change) {
  const auto* const group = std::get_if<PodGroupObject>(&change.event);
  if (group == nullptr) {
    claims_.erase(change.key);
    short_since_.erase(change.key);
    minimums_.erase(change.key);
    return;
  }
  if (change.type == "ADDED") made_[change.key] = agenda_.now();
  if (!waits(*group)) planned_[change.key] = agenda_.now();
  const auto [minimum, is_new] = minimums_.try_emplace(change.key, group->min_member);
  if (std::exchange(minimum->second, group->min_member) != group->min_member || is_new) {
    group_touched_[change.key] = agenda_.now();
  }
  const WrittenClaims now = parse_claims(group->marks.claims);
  const WrittenClaims before = std::exchange(claims_[change.key], now);
  if (now.others_left) promised_.erase(change.key);
  const bool was_recorded = before.others_left && !before.nodes.empty();
  const bool is_younger = !now.nodes.empty() && now.since > before.since;
  if (!was_recorded || !(is_younger || now.nodes.empty())) return;
  if (agenda_.now() - before.since >= kClaimMost) return;
  if (agenda_.now() - planned_[change.key] < kWritten) return;
  const bool is_of_new_leader = is_younger && agenda_.now() - leads_since_ < kReads;
  lost_.push_back({change.key, before, agenda_.now() + (is_of_new_leader ? 0s : kSettles)});
}

void ClaimLaw::leader_changed() {
  leader_ended();
  leads_since_ = agenda_.now();
}

// The same request may come again when its claimant has given up.
void ClaimLaw::evicted(const std::string& pod, const std::string& claimant) {
  const PodGroupObject* const group = server_.find<PodGroupObject>(claimant);
  const bool is_first = evicted_.insert(claimant + " " + pod).second;
  if (!is_first || group == nullptr || claims_[claimant].others_left) return;
  if (agenda_.now() - made_[claimant] < kSeesGroups) return;
  promised_.try_emplace(claimant, agenda_.now());
}

void ClaimLaw::bound(const PodObject& pod) {
  const NodeObject* const node = server_.find<NodeObject>(pod.node_name);
  if (node == nullptr) return;
  if (pod.scheduler_name != "berth") foreign_at_[node->name] = agenda_.now();
  const auto foreign = foreign_at_.find(node->name);
  if (foreign != foreign_at_.end() && agenda_.now() - foreign->second < kClaimMost) return;
  const std::int64_t room = room_on(*node);
  for (const auto& [name, claims] : claims_) {
    const std::int64_t count = count_on(claims, node->name);
    if (count == 0 || !claims.others_left) continue;
    if (agenda_.now() - claims.since >= kClaimMost) continue;
    const Job* const job = inhabitants_.job_of_group(*server_.find<PodGroupObject>(name));
    if (job == nullptr || job == inhabitants_.job_of(pod.uid) || room >= count * job->cpu) continue;
    lost_.push_back({name, claims, agenda_.now() + kSettles, node->name});
  }
}

std::int64_t ClaimLaw::room_on(const NodeObject& node) const {
  std::int64_t room = node.allocatable.at("cpu");
  for (const auto& [uid, pod] : server_.all<PodObject>()) {
    if (pod.object.node_name == node.name && stays(pod.object))
      room -= pod.object.request.at("cpu");
  }
  return room;
}

// Nothing that could end a claim of that time has happened to the job, and all its pods wait.
bool ClaimLaw::is_untouched(const std::string& name, TimePoint since) const {
  const PodGroupObject* const group = server_.find<PodGroupObject>(name);
  const Job* const job = group == nullptr ? nullptr : inhabitants_.job_of_group(*group);
  if (job == nullptr || job->is_over || !waits(*group)) return false;
  for (const std::string& uid : job->pods) {
    const PodObject* const pod = server_.find<PodObject>(uid);
    if (pod == nullptr || !pod->node_name.empty()) return false;
  }
  const auto queue = queue_touched_.find(job->queue);
  const QueueObject& own = queues_.at(job->queue);
  const bool is_bounded = !own.capability.empty() || !own.parent.empty();
  if (is_bounded || (queue != queue_touched_.end() && queue->second >= since)) return false;
  const auto touched = group_touched_.find(name);
  return touched == group_touched_.end() || touched->second < since;
}

// A plan ends its claims, and may end with any node.
bool ClaimLaw::may_have_lost_a_plan(const std::string& group, TimePoint since) const {
  const auto planned = planned_.find(group);
  const bool had_plan = planned != planned_.end() && planned->second >= since;
  return had_plan && some_node_touched_ >= since;
}

bool ClaimLaw::stands(const Lost& lost) const {
  const TimePoint since = lost.claims.since - skew_ - 1s;  // the text has seconds
  if (!is_untouched(lost.group, since) || may_have_lost_a_plan(lost.group, since)) return false;
  const Job& job = *inhabitants_.job_of_group(*server_.find<PodGroupObject>(lost.group));
  for (const WrittenClaims::OnNode& each : lost.claims.nodes) {
    const NodeObject* const node = server_.find<NodeObject>(each.node);
    const auto touched = node_touched_.find(each.node);
    if (node == nullptr || node->unschedulable) return false;
    if (touched != node_touched_.end() && touched->second >= since) return false;
    const auto foreign = foreign_at_.find(each.node);  // CLAIM-5
    if (foreign != foreign_at_.end() && foreign->second >= since) return false;
    const bool has_room = room_on(*node) >= count_on(lost.claims, each.node) * job.cpu;
    if (lost.taken_on == each.node ? has_room : lost.taken_on.empty() && !has_room) return false;
  }
  return true;
}

// Others do not leave for a part of a gang.
void ClaimLaw::check_that_minimums_are_claimed() {
  for (const auto& [name, claims] : claims_) {
    std::int64_t claimed = 0;
    for (const WrittenClaims::OnNode& each : claims.nodes) {
      claimed += static_cast<std::int64_t>(each.count);
    }
    const TimePoint since = claims.since - skew_ - 1s;
    if (!claims.others_left || claims.nodes.empty() || claimed >= minimums_[name] ||
        some_node_touched_ >= since || !is_untouched(name, since)) {
      short_since_.erase(name);
      continue;
    }
    const TimePoint begun = short_since_.try_emplace(name, agenda_.now()).first->second;
    if (agenda_.now() - begun < kSettles) continue;
    break_law_("others left for " + name + ", which claims room for " + std::to_string(claimed) +
               " of " + std::to_string(minimums_[name]) + " pods");
    short_since_[name] = agenda_.now() + 24h;
  }
}

std::int64_t ClaimLaw::claimed_on(const std::string& node) const {
  std::int64_t cpu = 0;
  for (const auto& [name, claims] : claims_) {
    const std::int64_t count = count_on(claims, node);
    if (count == 0) continue;
    const Job* const job = inhabitants_.job_of_group(*server_.find<PodGroupObject>(name));
    if (job != nullptr) cpu += count * job->cpu;
  }
  return cpu;
}

void ClaimLaw::second(bool is_led) {
  if (!is_led) {
    leader_ended();
    short_since_.clear();
  }
  check_that_minimums_are_claimed();
  std::erase_if(lost_, [this](const Lost& each) {
    if (!stands(each)) return true;
    if (agenda_.now() < each.until) return false;
    break_law_("others left for " + each.group + ", which waits and has lost " +
               (each.taken_on.empty() ? "" : "room on " + each.taken_on + " of ") +
               "its claim of " + to_text(each.claims));
    return true;
  });
  std::erase_if(promised_, [this](const auto& each) {
    const auto& [group, since] = each;
    if (agenda_.now() - since < kIsWritten) return false;
    if (claims_[group].nodes.empty() && is_untouched(group, since - 1s) && node_gone_ < since &&
        !may_have_lost_a_plan(group, since - 1s)) {
      break_law_("others leave for " + group + ", which has no claim");
    }
    return true;
  });
}

}  // namespace berth::world
