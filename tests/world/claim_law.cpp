#include "world/claim_law.h"

#include <utility>

namespace berth::world {
namespace {

// A status whose write was lost says so by then.
constexpr Duration kSettles = 20s;
// Older claims end by themselves (EVICT-4, CLAIM-6).
constexpr Duration kClaimMost = 4min;

bool stays(const PodObject& pod) {
  return (pod.phase == PodPhase::pending || pod.phase == PodPhase::running) && !pod.terminating;
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
    if (change.kind == Kind::node) node_touched_[change.key] = agenda_.now();
    if (change.kind == Kind::pod) pod_changed(change);
  });
}

void ClaimLaw::binding_failed(const std::string& pod_uid) {
  const Job* const owner = inhabitants_.job_of(pod_uid);
  if (owner != nullptr) group_touched_[owner->full_name()] = agenda_.now();
}

void ClaimLaw::pod_changed(const ApiServer::Change& change) {
  const Job* const owner = inhabitants_.job_of(change.key);
  const auto* const pod = std::get_if<PodObject>(&change.event);
  const bool touches = pod == nullptr || pod->terminating || change.type == "ADDED";
  if (owner != nullptr && touches) group_touched_[owner->full_name()] = agenda_.now();
}

// A group without a reason has a plan. A job whose plan was refused gives all back (HINT-3).
void ClaimLaw::group_changed(const ApiServer::Change& change) {
  const auto* const group = std::get_if<PodGroupObject>(&change.event);
  const bool waits = group != nullptr && !group->written.reason.empty();
  if (!waits) std::erase_if(lost_, [&](const Lost& each) { return each.group == change.key; });
  if (group == nullptr) {
    claims_.erase(change.key);
    return;
  }
  if (group->written.message.starts_with("kube-scheduler refused")) {
    group_touched_[change.key] = agenda_.now();
  }
  const auto [minimum, is_new] = minimums_.try_emplace(change.key, group->min_member);
  if (!is_new && std::exchange(minimum->second, group->min_member) != group->min_member) {
    group_touched_[change.key] = agenda_.now();
  }
  const WrittenClaims now = parse_claims(group->marks.claims);
  const WrittenClaims before = std::exchange(claims_[change.key], now);
  const bool was_recorded = before.others_left && !before.nodes.empty();
  const bool is_lost = now.nodes.empty() || now.since > before.since;
  if (was_recorded && is_lost && waits && agenda_.now() - before.since < kClaimMost) {
    lost_.push_back({change.key, before, agenda_.now()});
  }
}

// Nothing that could end the claim has happened, and its room is there.
bool ClaimLaw::stands(const Lost& lost) const {
  const auto job = inhabitants_.jobs().find(lost.group.substr(lost.group.find('/') + 1));
  if (job == inhabitants_.jobs().end() || job->second.is_over) return false;
  for (const std::string& uid : job->second.pods) {
    const PodObject* const pod = server_.find<PodObject>(uid);
    if (pod == nullptr || !pod->node_name.empty()) return false;
  }
  const TimePoint since = lost.claims.since - 1s;  // the text has seconds
  const auto is_touched = [&](const auto& at, const std::string& key) {
    const auto found = at.find(key);
    return found != at.end() && found->second >= since;
  };
  if (is_touched(group_touched_, lost.group)) return false;
  std::map<std::string, std::int64_t> claimed;
  for (const auto& [node, count] : lost.claims.nodes) {
    claimed[node] += static_cast<std::int64_t>(count) * job->second.cpu;
  }
  for (const auto& [name, cpu] : claimed) {
    const NodeObject* const node = server_.find<NodeObject>(name);
    if (node == nullptr || node->unschedulable || is_touched(node_touched_, name)) return false;
    std::int64_t room = node->allocatable.at("cpu");
    for (const auto& [uid, pod] : server_.all<PodObject>()) {
      if (pod.object.node_name == name && stays(pod.object)) room -= pod.object.request.at("cpu");
    }
    if (room < cpu) return false;
  }
  return true;
}

void ClaimLaw::second() {
  std::erase_if(lost_, [this](const Lost& each) {
    if (!stands(each)) return true;
    if (agenda_.now() - each.at < kSettles) return false;
    break_law_("others left for " + each.group + ", which waits and has lost its claim of " +
               to_text(each.claims));
    return true;
  });
}

}  // namespace berth::world
