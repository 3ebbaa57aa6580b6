#include "extender/roster.h"

#include <algorithm>

#include "berth/base/text.h"

// The gang barrier: a gang is bound whole or not at all (DESIGN D6).
//
// kube-scheduler binds each pod from a goroutine of its own, and that goroutine may wait. The
// barrier holds a member's bind call until `min_member` distinct members of its gang are *present*.
// Then it posts the binds of all of them together.
//
//   BARRIER-1  A held call, a bind under way, a pod that we bound, and a pod that the mirror sees
//              bound are present. Each pod counts once: when the plan no longer lists a pod that
//              we bound, the mirror counts it and the roster does not.
//   BARRIER-2  A member that arrives after the minimum is present is bound at once.
//   BARRIER-3  The wait ends `stall_timeout` after the last new member, or `hold_limit` after the
//              oldest call. Then all held members get an error at once, so that kube-scheduler
//              retries them together. Their placements are dropped.
//   BARRIER-4  The same pod and node again is a retry. It replaces the waiting call, which gets an
//              error, and counts once. A pod that is already bound there is a success.
//   BARRIER-5  A caller that leaves takes its member away. The placement stays for a retry.
//   BARRIER-6  A held member that a new plan places elsewhere, or not at all, gets an error.
//   BARRIER-7  A failed bind is answered with its error and its placement dropped. Other members
//              stay bound.
//   BARRIER-8  A hint goes to its planned node, or to another one if a filter call has left
//              kube-scheduler the choice while it was planned there.

namespace berth::extender {
namespace {

// A bound pod is remembered for retries this long after the plan drops it (BARRIER-4).
constexpr Duration kRemembered = std::chrono::minutes(5);

constexpr const char* kShuttingDown = "berthd is shutting down";

std::string pod(const ports::Binding& binding) {
  return "pod \"" + binding.name_space + "/" + binding.name + "\"";
}

std::string node(const std::string& name) { return "node \"" + name + "\""; }

std::size_t at_least_zero(std::int32_t count) {
  return count > 0 ? static_cast<std::size_t>(count) : 0;
}

const std::string& job_of(const ports::PlannedPod& planned) {
  return planned.gang ? planned.gang->job : planned.full_name;
}

}  // namespace

void Roster::Effects::reply(BindAnswer answer, std::string error) {
  if (answer) answers.emplace_back(std::move(answer), std::move(error));
}

void Roster::Gang::take(const ports::PlannedGang& planned) {
  min_member = at_least_zero(planned.min_member);
  seen_bound = at_least_zero(planned.bound);
}

CallId Roster::arrive(ports::Binding binding, TimePoint now, BindAnswer answer, Effects& effects) {
  const CallId call = ++last_call_;
  now_ = std::max(now_, now);
  if (is_closed_) {
    effects.reply(std::move(answer), kShuttingDown);
  } else if (!answer_known(binding, call, answer, effects)) {
    admit(std::move(binding), call, std::move(answer), effects);
  }
  return call;
}

// BARRIER-4. True if the pod is known and the call is dealt with.
bool Roster::answer_known(const ports::Binding& binding, CallId call, BindAnswer& answer,
                          Effects& effects) {
  if (const auto settled = settled_.find(binding.uid); settled != settled_.end()) {
    const std::string& there = settled->second.node;
    effects.reply(std::move(answer),
                  there == binding.node ? "" : pod(binding) + " is bound to " + node(there));
    return true;
  }
  const auto found = members_.find(binding.uid);
  if (found == members_.end()) return false;
  Member& member = found->second;
  const bool is_same = member.binding.node == binding.node;
  if (member.stage == Stage::held) {
    const ports::PlannedPod* planned = plan_->find(binding.uid);
    const bool may_replace =
        is_same || (planned != nullptr && planned->is_hint && may_go_to(*planned, binding));
    if (!may_replace) return false;
    held_calls_.erase(member.call);
    held_calls_.emplace(call, binding.uid);
    member.call = call;
    member.arrived = now_;
    member.binding = binding;
  } else if (!is_same) {
    effects.reply(std::move(answer), pod(binding) + " goes to " + node(member.binding.node));
    return true;
  } else if (member.stage == Stage::bound) {
    effects.reply(std::move(answer));
    return true;
  }
  effects.reply(std::exchange(member.answer, std::move(answer)),
                "a later call for the same pod replaced this one");
  return true;
}

void Roster::admit(ports::Binding binding, CallId call, BindAnswer answer, Effects& effects) {
  const ports::PlannedPod* planned = plan_->is_in_force() ? plan_->find(binding.uid) : nullptr;
  if (planned == nullptr) {
    return effects.reply(std::move(answer), pod(binding) + " is not planned");
  }
  if (!may_go_to(*planned, binding)) {
    return effects.reply(std::move(answer), pod(binding) + " is planned on " + node(planned->node) +
                                                ", not on " + node(binding.node));
  }
  const std::string& job = job_of(*planned);
  Gang& gang = gangs_[job];
  if (planned->gang) gang.take(*planned->gang);
  gang.members.insert(binding.uid);
  gang.progressed = now_;
  held_calls_.emplace(call, binding.uid);
  const std::string uid = binding.uid;
  const std::string& reserved = planned->is_hint ? planned->node : binding.node;
  members_.emplace(
      uid, Member{call, binding, job, reserved, now_, std::move(answer), planned->is_quiet});
  release_if_complete(gang, effects);
}

// BARRIER-1, BARRIER-2.
void Roster::release_if_complete(Gang& gang, Effects& effects) {
  if (gang.present() < gang.min_member) return;
  std::vector<Member*> released;
  for (const std::string& uid : gang.members) {
    Member& member = members_.at(uid);
    if (member.stage == Stage::held) released.push_back(&member);
  }
  std::sort(released.begin(), released.end(),
            [](const Member* left, const Member* right) { return left->call < right->call; });
  for (Member* member : released) {
    member->stage = Stage::binding;
    held_calls_.erase(member->call);
    member->binding.epoch = plan_->term.epoch();
    effects.binds.push_back(member->binding);
  }
}

// BARRIER-5.
void Roster::leave(CallId call, Effects& effects) {
  const auto found = held_calls_.find(call);
  if (found == held_calls_.end()) return;
  const auto member = members_.find(found->second);
  effects.discarded.push_back(std::move(member->second.answer));
  remove(member);
}

// BARRIER-3.
void Roster::expire(TimePoint now, Effects& effects) {
  now_ = std::max(now_, now);
  std::vector<std::pair<std::string, std::string>> over;  // job, why
  for (const auto& [job, gang] : gangs_) {
    std::string why = reason_to_abort(job, gang);
    if (!why.empty()) over.emplace_back(job, std::move(why));
  }
  for (const auto& [job, why] : over) abort(job, why, effects);
  answer_overdue(effects);
  forget_settled();
}

void Roster::forget_settled() {
  while (!settled_since_.empty() && now_ - settled_since_.front().first >= kRemembered) {
    settled_.erase(settled_since_.front().second);
    settled_since_.pop_front();
  }
}

std::string Roster::reason_to_abort(const std::string& job, const Gang& gang) const {
  const bool holds_some =
      std::any_of(gang.members.begin(), gang.members.end(),
                  [&](const std::string& uid) { return members_.at(uid).stage == Stage::held; });
  if (!holds_some || now_ - gang.progressed < limits_.stall_timeout) return {};
  return "gang \"" + job + "\": " + std::to_string(gang.present()) + " of " +
         std::to_string(gang.min_member) + " members arrived, and no further one within " +
         format_duration(limits_.stall_timeout);
}

// A call must be answered before its caller's timeout. The gang keeps gathering, and the pod keeps
// its place for the retry.
void Roster::answer_overdue(Effects& effects) {
  std::vector<Members::iterator> overdue;
  for (auto member = members_.begin(); member != members_.end(); ++member) {
    const bool is_held = member->second.stage == Stage::held;
    if (is_held && now_ - member->second.arrived >= limits_.hold_limit) overdue.push_back(member);
  }
  for (const auto member : overdue) {
    effects.reply(std::move(member->second.answer),
                  "its gang was not complete within " + format_duration(limits_.hold_limit));
    remove(member);
  }
}

void Roster::abort(const std::string& job, const std::string& why, Effects& effects) {
  const std::set<std::string> uids = gangs_.at(job).members;
  for (const std::string& uid : uids) {
    const auto member = members_.find(uid);
    if (member->second.stage != Stage::held) continue;
    effects.drops.push_back({uid, member->second.planned_node, why, false, true});
    effects.reply(std::move(member->second.answer), why);
    remove(member);
  }
}

void Roster::follow(Plan plan, Effects& effects) {
  if (is_closed_ || plan == plan_) return;
  plan_ = std::move(plan);
  for (auto next = gangs_.begin(); next != gangs_.end();) {
    Gang& gang = (next++)->second;  // may be erased
    follow_plan(gang, effects);
  }
}

void Roster::follow_plan(Gang& gang, Effects& effects) {
  const ports::PlannedGang* planned_gang = nullptr;
  std::vector<Members::iterator> gone;
  for (const std::string& uid : gang.members) {
    const auto member = members_.find(uid);
    const ports::PlannedPod* planned = plan_->find(uid);
    const bool stays =
        member->second.stage == Stage::held ? is_still_planned(member->second) : planned != nullptr;
    if (!stays) {
      gone.push_back(member);
    } else if (planned->gang) {
      planned_gang = planned->gang.get();
    }
  }
  if (planned_gang != nullptr) gang.take(*planned_gang);
  const bool is_empty = gone.size() == gang.members.size();
  for (const auto member : gone) {
    if (member->second.stage == Stage::held) {
      effects.reply(std::move(member->second.answer),
                    "the plan for " + pod(member->second.binding) + " has changed");
      remove(member);
    } else {
      settle(member);
    }
  }
  if (!is_empty) release_if_complete(gang, effects);
}

// BARRIER-6.
bool Roster::is_still_planned(const Member& member) const {
  const ports::PlannedPod* planned = plan_->find(member.binding.uid);
  return plan_->is_in_force() && planned != nullptr && job_of(*planned) == member.job &&
         may_go_to(*planned, member.binding);
}

// BARRIER-8
bool Roster::may_go_to(const ports::PlannedPod& planned, const ports::Binding& binding) const {
  return moves_.node_of(binding.uid, planned.node, plan_->exchanges) == binding.node ||
         (planned.is_hint && moves_.has_choice(binding.uid, planned.node));
}

// BARRIER-7.
void Roster::outcome(const std::string& uid, const ports::BindOutcome& outcome, Effects& effects) {
  const auto found = members_.find(uid);
  if (found == members_.end() || found->second.stage != Stage::binding) return;
  Member& member = found->second;
  if (outcome.bound) {
    effects.reply(std::exchange(member.answer, nullptr));
    member.stage = Stage::bound;
    const auto gang = gangs_.find(member.job);
    const bool is_counted = gang != gangs_.end() && gang->second.members.contains(uid);
    if (plan_->find(uid) == nullptr || !is_counted) settle(found);
    return;
  }
  const std::string error = outcome.error.empty() ? "the bind failed" : outcome.error;
  effects.reply(std::move(member.answer), error);
  effects.drops.push_back({uid, member.planned_node, error});
  remove(found);
}

void Roster::close(Closing which, Effects& effects) {
  is_closed_ = true;
  for (auto next = members_.begin(); next != members_.end();) {
    const auto member = next++;
    if (member->second.stage == Stage::binding && which == Closing::waiting) continue;
    effects.reply(std::move(member->second.answer), kShuttingDown);
    remove(member);
  }
}

ports::Attempts::Stage Roster::stage_of(const std::string& uid) const {
  using Stages = ports::Attempts::Stage;
  if (settled_.contains(uid)) return Stages::binding;
  const auto member = members_.find(uid);
  if (member == members_.end()) return Stages::none;
  return member->second.stage == Stage::held ? Stages::open : Stages::binding;
}

bool Roster::is_quiet(const std::string& uid) const {
  const auto member = members_.find(uid);
  if (member != members_.end()) return member->second.is_quiet;
  const auto settled = settled_.find(uid);
  return settled != settled_.end() && settled->second.is_quiet;
}

std::size_t Roster::binding() const {
  return static_cast<std::size_t>(
      std::count_if(members_.begin(), members_.end(),
                    [](const auto& entry) { return entry.second.stage == Stage::binding; }));
}

void Roster::uncount(Members::iterator member) {
  const auto gang = gangs_.find(member->second.job);
  if (gang == gangs_.end()) return;
  gang->second.members.erase(member->first);
  if (gang->second.members.empty()) gangs_.erase(gang);
}

// BARRIER-1. The mirror counts this pod from now on. A bind under way keeps it known.
void Roster::settle(Members::iterator member) {
  uncount(member);
  if (member->second.stage != Stage::bound) return;
  settled_.emplace(member->first, Settled{member->second.binding.node, member->second.is_quiet});
  settled_since_.emplace_back(now_, member->first);
  members_.erase(member);
}

void Roster::remove(Members::iterator member) {
  uncount(member);
  held_calls_.erase(member->second.call);
  members_.erase(member);
}

}  // namespace berth::extender
