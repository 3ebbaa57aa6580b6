#include "reconcile/eviction_events.h"

#include <algorithm>

#include "berth/base/text.h"
#include "berth/model/reader.h"
#include "reconcile/reservation_marks.h"

namespace berth::reconcile {

namespace {

constexpr Duration kRepeatedAfter = std::chrono::minutes(10);
constexpr Duration kForgottenAfter = std::chrono::seconds(30);

}  // namespace

void EvictionEvents::begun(const Task& victim, const std::string& text) {
  events_.log("pod " + victim.name + " is evicted " + text);
}

void EvictionEvents::begun(const PlannedEviction& eviction, const Cluster& cluster) {
  const Task& victim = cluster.task(eviction.task);
  begun(victim, eviction.text(cluster));
  if (!eviction.beneficiary.is_valid()) return;
  const Job& job = cluster.job(eviction.beneficiary);
  const Claimant claimant{ref_of(job), job.name};
  claimants_[victim.uid] = claimant;
  Begun& begun = begun_.try_emplace(job.uid, Begun{claimant, {}}).first->second;
  begun.victims[std::string(eviction.action)].push_back(victim.name);
}

void EvictionEvents::take(const Ended& ended) {
  const auto* const eviction = std::get_if<ports::Eviction>(&ended.write.content);
  if (eviction == nullptr) return;
  Answer answer{ended.write.object, false, eviction->reason, std::nullopt};
  if (const auto found = claimants_.find(answer.victim.uid); found != claimants_.end()) {
    answer.claimant = std::move(found->second);
    claimants_.erase(found);
  }
  if (ended.is(ports::WriteOutcome::Result::gone)) return;  // it left before
  if (const auto refused = refused_eviction(ended)) {
    answer.is_refused = true;
    answer.text = refused->reason;
  }
  answers_.push_back(std::move(answer));
}

// EVENT-5. A job that is not considered for a moment is the same case.
void EvictionEvents::log_considered(const Plan& plan, const Cluster& cluster, TimePoint now) {
  for (const ConsideredEvictions& each : plan.considered) {
    const Job& job = cluster.job(each.job);
    const std::string action(each.action);
    const auto [entry, is_new] = considered_.try_emplace({job.uid, action});
    const bool is_same = !is_new && entry->second.reason == each.why.reason;
    entry->second = {each.why.reason, now};
    if (is_same) continue;
    events_.log("job " + job.name + ": " + action + " evicts nobody for it: " + sentence(each.why));
  }
  std::erase_if(considered_,
                [now](const auto& entry) { return now - entry.second.at >= kForgottenAfter; });
}

void EvictionEvents::publish(TimePoint now) {
  std::erase_if(published_,
                [now](const auto& entry) { return now - entry.second.at >= kRepeatedAfter; });
  publish_begun(now);
  publish_answers(now);
}

// EVENT-2
void EvictionEvents::publish_begun(TimePoint now) {
  for (const auto& [uid, begun] : begun_) {
    const std::string& job = begun.claimant.name;
    std::string for_users;
    std::string all;
    for (const auto& [action, victims] : begun.victims) {
      const std::string text = (all.empty() ? "" : "; ") + action + " evicts " +
                               count_text(victims.size(), "pod") + " for it: ";
      for_users += text + names_for(job, victims);
      all += text + all_names(victims);
    }
    if (publish_once(begun.claimant.object, {false, "Evicting", for_users}, now)) {
      events_.log("job " + job + ": " + all);
    }
  }
  begun_.clear();
}

void EvictionEvents::publish_answers(TimePoint now) {
  std::map<std::string, std::vector<const Answer*>> refusals;  // by uid of the claimant
  for (const Answer& each : answers_) {
    if (each.is_refused) {  // EVENT-3
      const std::string for_job =
          each.claimant ? " for " + name_for(each.victim.name_space, "job", each.claimant->name)
                        : "";
      publish_once(each.victim,
                   {true, "EvictionRefused", "eviction" + for_job + " was refused: " + each.text},
                   now);
      if (each.claimant) refusals[each.claimant->object.uid].push_back(&each);
    } else {  // EVENT-1
      events_.publish(each.victim, {false, "Evicted", "Evicted " + each.text}, now);
    }
  }
  for (const auto& [uid, all] : refusals) publish_refusals(all, now);
  answers_.clear();
}

// The API server's words have names of the pod's namespace, such as that of a budget.
void EvictionEvents::publish_refusals(const std::vector<const Answer*>& refusals, TimePoint now) {
  const Claimant& claimant = *refusals.front()->claimant;
  std::vector<std::string> names;
  const Answer* first = nullptr;  // of those whose names the claimant's users may read
  for (const Answer* each : refusals) {
    names.push_back(each->victim.full_name());
    if (first == nullptr && may_read(claimant.name, names.back())) first = each;
  }
  const std::string count = count_text(names.size(), "pod");
  const bool is_one = names.size() == 1;
  const std::string which = is_one ? name_for(claimant.name, "pod", names.front())
                                   : count + " (" + names_for(claimant.name, names) + ")";
  const std::string words = first == nullptr ? "" : ": " + first->text;
  const std::string message = "eviction of " + which + " was refused" + words;
  if (!publish_once(claimant.object, {true, "EvictionRefused", message}, now)) return;
  const std::string all = is_one ? names.front() : count + " (" + all_names(names) + ")";
  events_.log("job " + claimant.name + ": eviction of " + all +
              " was refused: " + refusals.front()->text);
}

// EVENT-4
bool EvictionEvents::publish_once(const ports::ObjectRef& about, ports::Event event,
                                  TimePoint now) {
  Published& last = published_[{about.uid, event.reason}];
  if (last.message == event.message) return false;
  last = {event.message, now};
  events_.publish(about, std::move(event), now);
  return true;
}

void EvictionEvents::stop_leading() {
  claimants_.clear();
  begun_.clear();
  answers_.clear();
  published_.clear();
  considered_.clear();
}

}  // namespace berth::reconcile
