#include "world/laws.h"

#include <algorithm>
#include <utility>

namespace berth::world {
namespace {

// A gang that cannot be whole is given up after a minute, and the API server may refuse to evict
// it.
constexpr Duration kInPartMost = 6min;
// Bindings of a gang are sent together.
constexpr Duration kInPartInCalm = 10s;
constexpr Duration kUntilCalm = 3min;
// A stall is found when it happens.
constexpr Duration kIdleMost = 5min;
// Watches and Bindings are late by less: a request whose answer was lost is given up after 30 s.
constexpr Duration kLateMost = 40s;
// A write whose answer was lost is repeated.
constexpr std::uint64_t kIdleWritesMost = 8;
// Lost answers are rare, so many for one object are not chance.
constexpr int kIdleInARowMost = 6;
// For one job of sixteen pods at most.
constexpr int kEvictionsMost = 60;

// Of "by preempt for default/j7: ..."; empty: there is none.
std::string claimant_in(const std::string& reason) {
  const std::size_t begin = reason.find(" for ");
  if (begin == std::string::npos) return {};
  return reason.substr(begin + 5, reason.find(':', begin) - begin - 5);
}

// Of "job default/j7 planned: ..." by " planned: "; empty: it is another line.
std::string job_in(const std::string& line, const std::string& words) {
  const std::size_t end = line.find(words);
  const bool is_it = line.starts_with("job ") && end != std::string::npos;
  return is_it ? line.substr(4, end - 4) : std::string();
}

}  // namespace

Laws::Laws(Agenda& agenda, ApiServer& server, const Inhabitants& inhabitants)
    : agenda_(agenda),
      server_(server),
      inhabitants_(inhabitants),
      claims_(agenda, server, inhabitants, [this](const std::string& what) { break_law(what); }),
      queues_(agenda, server, inhabitants, [this](const std::string& what) { break_law(what); }) {
  server_.follow([this](const ApiServer::Change& change) {
    if (change.kind == Kind::pod) pod_changed(change);
    if (change.kind == Kind::node) node_changed(change);
    if (change.kind == Kind::budget) budget_since_[change.key] = agenda_.now();
  });
}

void Laws::break_law(const std::string& what) {
  agenda_.note("BROKEN: " + what);
  broken_.push_back(what);
}

// As its PodGroup says, which a user may have edited until its controller takes it back.
std::int32_t Laws::minimum_of(const Job& job) const {
  const PodGroupObject* const group = inhabitants_.group_of(job);
  return group == nullptr ? job.minimum : std::min(job.minimum, group->min_member);
}

void Laws::pod_changed(const ApiServer::Change& change) {
  if (change.is_deletion()) {
    nodes_.erase(change.key);
    return;
  }
  const PodObject& pod = std::get<PodObject>(change.event);
  if (pod.node_name.empty()) return;
  const Job* const job = inhabitants_.job_of(change.key);
  if (job != nullptr && count_bound(*job) >= minimum_of(*job)) has_started_.insert(job->name);
  const auto [known, is_new] = nodes_.emplace(change.key, pod.node_name);
  if (!is_new && known->second != pod.node_name) {
    break_law("pod " + pod.name + " has moved from " + known->second + " to " + pod.node_name);
  }
  if (!is_new) return;
  check_room(pod.node_name, pod);
  claims_.bound(pod);
  queues_.bound(pod);
}

// Two kube-schedulers, of which one is late, may give room twice to pods of other profiles: berthd
// guards its own only (LEASE-9).
void Laws::check_room(const std::string& name, const PodObject& came) {
  const NodeObject* const node = server_.find<NodeObject>(name);
  if (node == nullptr) return;
  check_lock(*node, came);
  if (came.scheduler_name != "berth") foreign_at_[name] = agenda_.now();
  const auto foreign = foreign_at_.find(name);
  if (foreign != foreign_at_.end() && agenda_.now() - foreign->second < kLateMost) return;
  std::map<std::string, std::int64_t> used;
  for (const auto& [uid, pod] : server_.all<PodObject>()) {
    if (pod.object.node_name != name || !takes_room(pod.object)) continue;
    for (const auto& [resource, amount] : pod.object.request) used[resource] += amount;
  }
  for (const auto& [resource, amount] : used) {
    if (amount <= node->allocatable.at(resource)) continue;
    break_law("node " + name + " has no room for pod " + came.name + ": " + resource + " " +
              std::to_string(amount));
  }
}

void Laws::logged(const std::string& line) {
  const std::string given_up = job_in(line, ": a target no longer");
  if (!given_up.empty()) given_up_[given_up] = agenda_.now();
  const std::string gives_back = job_in(line, " gives back ");
  if (!gives_back.empty()) claims_.attempt_failed(gives_back);
  for (const char* evicts : {": reclaim evicts ", ": preempt evicts "}) {
    const std::string claims = job_in(line, evicts);
    if (!claims.empty() && line.find("evicts nobody") == std::string::npos) {
      planned_[claims] = agenda_.now();
    }
  }
  const std::string planned = job_in(line, " planned: ");
  if (planned.empty()) return;
  planned_[planned] = agenda_.now();
  claims_.planned(planned);
}

void Laws::calm() {
  is_calm_ = true;
  calm_since_ = agenda_.now();
  evictions_.clear();
  idle_writes_ = 0;
}

ports::WriteOutcome Laws::carry_out(const ports::Write& write) {
  const std::uint64_t before = server_.version();
  const PodObject* const pod = server_.find<PodObject>(write.object.uid);
  const auto* const pod_write = std::get_if<ports::PodWrite>(&write.content);
  const bool ends_nomination = pod_write != nullptr && pod_write->node.empty();
  // With a Binding, or as kube-scheduler ends a nomination, too.
  const bool has_crossed = ends_nomination || (pod != nullptr && !pod->node_name.empty());
  ports::WriteOutcome outcome = server_.write(write);
  if (outcome.result == ports::WriteOutcome::Result::refused) check_budget(*pod);
  const bool is_event = std::holds_alternative<ports::Event>(write.content);
  const bool is_done = outcome.result == ports::WriteOutcome::Result::done;
  const bool is_idle = is_done && server_.version() == before && !is_event && !has_crossed;
  if (is_done && !is_event) {
    int& in_a_row = idle_in_a_row_[{write.object.uid, write.content.index()}];
    in_a_row = is_idle ? in_a_row + 1 : 0;
    if (in_a_row == kIdleInARowMost) {
      break_law("a write of kind " + std::to_string(write.content.index()) + " on " +
                write.object.full_name() + " is repeated, and changes nothing");
    }
  }
  if (is_idle) {
    ++idle_writes_;
    agenda_.note("a write of kind " + std::to_string(write.content.index()) + " on " +
                 write.object.full_name() + " changes nothing");
  }
  return outcome;
}

void Laws::check_budget(const PodObject& victim) {
  const Job* const job = inhabitants_.job_of(victim.uid);
  const TimePoint since = budget_since_[job->budget()];
  if (agenda_.now() - since < kUnderWay) return;
  break_law("pod " + victim.name + " is to leave, and its budget has allowed nobody to for " +
            std::to_string((agenda_.now() - since) / 1s) + " s");
}

// LEASE-2 to LEASE-4
void Laws::sent(std::uint64_t epoch, std::uint64_t lease_epoch, bool leads) {
  if (epoch == 0) return break_law("a write has no epoch, and would never be sent");
  if (epoch < lease_epoch) break_law("a berthd writes in a term that another has ended");
  if (!leads) break_law("a berthd writes after the end of its term");
  if (std::exchange(epoch_, epoch) != epoch) claims_.leader_changed();
}

void Laws::eviction_failed(const std::string& pod_uid, const std::string& reason) {
  claims_.eviction_failed(pod_uid, claimant_in(reason));
  queues_.eviction_failed();
}

void Laws::evicted(const ports::ObjectRef& pod, const std::string& reason) {
  agenda_.note("evicted: " + pod.name + " " + reason);
  const std::string job = claimant_in(reason);
  queues_.evicted(pod.uid, job);
  if (job.empty()) return;
  claims_.evicted(pod.name, job);
  if (++evictions_[job] == kEvictionsMost && is_calm_) {
    break_law("pods are evicted again and again for " + job + ", " + reason);
  }
}

std::int32_t Laws::count_bound(const Job& job, bool counts_leaving) const {
  std::int32_t bound = 0;
  for (std::size_t i = 0; i < job.pods.size(); ++i) {
    const PodObject* const pod = server_.find<PodObject>(job.pods[i]);
    const bool has_place =
        pod != nullptr && !pod->node_name.empty() && (counts_leaving || !pod->terminating);
    if (job.has_succeeded[i] || has_place) ++bound;
  }
  return bound;
}

void Laws::second(bool is_led) {
  look_at_trespasses();
  claims_.second(is_led);
  for (const auto& [name, job] : inhabitants_.jobs()) look_at_gang(job);
  if (is_calm_) look_at_idle_room();
}

// Its budget, if it has one, has let pods go for a while.
bool Laws::may_leave(const Job& job) {
  const BudgetObject* const budget = server_.find<BudgetObject>(job.budget());
  if (budget == nullptr) return true;
  return budget->allowed > 0 && agenda_.now() - budget_since_[job.budget()] > kUnderWay;
}

void Laws::look_at_gang(const Job& job) {
  if (job.minimum <= 1 || job.is_over) {
    in_part_since_.erase(job.name);
    return;
  }
  const std::int32_t bound = count_bound(job);
  // Members that end without the others have done their work.
  const bool has_ended = std::find(job.has_succeeded.begin(), job.has_succeeded.end(), true) !=
                         job.has_succeeded.end();
  if (bound == 0 && !has_ended) has_started_.erase(job.name);  // its next start counts, too
  if (bound >= minimum_of(job) || has_ended) has_started_.insert(job.name);
  if (bound == 0 || bound >= job.minimum || has_started_.contains(job.name)) {
    in_part_since_.erase(job.name);
    return;
  }
  const TimePoint since = in_part_since_.emplace(job.name, agenda_.now()).first->second;
  const bool is_strict = is_calm_ && since > calm_since_ + kUntilCalm;
  if (agenda_.now() - since <= (is_strict ? kInPartInCalm : kInPartMost)) return;
  if (!is_strict && !may_leave(job)) return;
  break_law("gang " + job.name + " is bound in part: " + std::to_string(bound) + " of " +
            std::to_string(job.minimum));
  has_started_.insert(job.name);
}

void Laws::look_at_idle_room() {
  for (const auto& [name, job] : inhabitants_.jobs()) {
    if (!has_idle_room(job)) {
      idle_since_.erase(name);
      continue;
    }
    const TimePoint since = idle_since_.try_emplace(name, agenda_.now()).first->second;
    if (agenda_.now() - since <= kIdleMost) continue;
    break_law("job " + name + " waits beside idle room");
    idle_since_.erase(name);
  }
}

// The job waits with all its pods, and nodes that nobody has would hold it.
bool Laws::has_idle_room(const Job& job) const {
  if (job.is_over || count_bound(job, true) > 0) return false;
  for (std::size_t i = 0; i < job.pods.size(); ++i) {
    if (job.pods[i].empty()) return false;
  }
  std::map<std::string, std::int64_t> used;
  for (const auto& [uid, pod] : server_.all<PodObject>()) {
    if (takes_room(pod.object)) used[pod.object.node_name] += pod.object.request.at("cpu");
  }
  std::int64_t slots = 0;
  for (const auto& [name, node] : server_.all<NodeObject>()) {
    const NodeObject& object = node.object;
    if (object.unschedulable || !object.taints.empty() || !object.locked_for.empty()) continue;
    const std::int64_t taken = used[name] + claims_.claimed_on(name);
    slots += std::max<std::int64_t>(0, object.allocatable.at("cpu") - taken) / job.cpu;
  }
  return slots >= std::max(1, job.minimum);
}

// A pod that has succeeded and went with its node counts for its controller, and for no gang.
bool Laws::is_feasible(const Job& job) const {
  std::int32_t members = 0;
  for (std::size_t i = 0; i < job.pods.size(); ++i) {
    if (!job.has_succeeded[i] || server_.find<PodObject>(job.pods[i]) != nullptr) ++members;
  }
  if (members < job.minimum) return false;
  std::int64_t slots = 0;
  for (const auto& [name, node] : server_.all<NodeObject>()) {
    slots += node.object.allocatable.at("cpu") / job.cpu;
  }
  return slots >= job.minimum;
}

bool Laws::is_all_over() const {
  for (const auto& [name, job] : inhabitants_.jobs()) {
    if (!job.is_over && is_feasible(job)) return false;
  }
  return true;
}

void Laws::end() {
  // One for each node that is locked.
  const std::uint64_t most = std::max(kIdleWritesMost, locks_.size());
  if (idle_writes_ > most) {
    break_law(std::to_string(idle_writes_) + " writes have changed nothing, without any fault");
  }
  for (const auto& [name, job] : inhabitants_.jobs()) {
    if (job.is_over || !is_feasible(job)) continue;
    std::string pods;
    for (const std::string& uid : job.pods) {
      const PodObject* const pod = server_.find<PodObject>(uid);
      if (pod == nullptr) continue;
      pods += " " + pod->name + ":" + to_string(pod->phase) +
              (pod->node_name.empty() ? "" : "@" + pod->node_name) +
              (pod->terminating ? "(leaves)" : "");
    }
    const PodGroupObject* const group = inhabitants_.group_of(job);
    const std::string why = group == nullptr ? "" : "; status: " + group->written.message;
    break_law("job " + name + " has not run, though nothing has been in its way for long:" + pods +
              why);
  }
}

}  // namespace berth::world
