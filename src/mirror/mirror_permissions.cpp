#include <algorithm>
#include <set>
#include <utility>

#include "berth/base/look_up.h"
#include "mirror/mirror.h"

// Rights that the API server is asked about: rules MAY-4 to MAY-15 of docs/design/permissions.md.

namespace berth::mirror {

using Right = NamingRights::Right;

namespace {

constexpr const char* kNotChecked =
    ", because policy reserve.berth.dev may be younger than what names it, or checked another "
    "queue";
// scheduling.HighestUserDefinablePriority of Kubernetes.
constexpr std::int32_t kHighestOfUsers = 1'000'000'000;

bool is_of_system(const PriorityClassObject& named) {
  return named.value > kHighestOfUsers || named.name.starts_with("system-");
}

}  // namespace

void Mirror::on(const RightAnswer& answer) {
  for (const JobId id : rights_.note(answer)) mark_dirty(id);
}

void Mirror::on(const NamingPolicy& policy) {
  if (rights_.note(policy)) mark_all_dirty();
}

void Mirror::note_account(TaskId id, const PodObject& object) {
  const std::string& account = object.service_account;
  put_or_erase(account_of_task_, id, account, account != "default");
}

// A job that is asked about again is looked at again; then it asks.
void Mirror::settle_rights(TimePoint now) {
  for (const JobId id : rights_.take_due(now)) {
    if (cluster_.job(id).exists) mark_dirty(id);
  }
}

void Mirror::settle_naming(JobId id, TimePoint now) {
  const Job& job = cluster_.job(id);
  const bool is_declined = target_names_.is_declined(id);
  const bool has_name = !is_declined && target_names_.is_named(id);
  Naming naming;
  if (has_name && rights_.are_checked()) naming = naming_of(job, now);
  // MAY-7. After a restart a target stays one until it is known whether it may be one.
  const bool stays = naming.right == Right::unknown && job.election && job.election->is_named;
  const bool is_named = has_name && (naming.right == Right::allowed || stays);
  if (is_named == job.is_named_target && is_declined == job.declines_target &&
      naming.why == job.target_refused) {
    return;
  }
  Job& changed = cluster_.mutable_job(id);
  changed.is_named_target = is_named;
  changed.declines_target = is_declined;
  changed.target_refused = std::move(naming.why);
}

Mirror::Naming Mirror::naming_of(const Job& job, TimePoint now) {
  const std::string name_space = job.name.substr(0, job.name.find('/'));
  // MAY-5. The policy has checked a word for the queues that its object names. A group's queue is
  // the job's.
  const bool was_checked = target_names_.is_named_by(job.id, [&](const TargetWord& word) {
    return has_checked(word, name_space, job.id) &&
           std::any_of(word.queues.begin(), word.queues.end(), [&](const std::string& queue) {
             return queue_name_for(name_space, queue) == job.queue_name;
           });
  });
  if (was_checked) return {};
  if (!rights_.is_policy_known()) return {Right::unknown};
  if (rights_.are_reviewed()) {
    if (job.tasks.empty()) {
      return {Right::refused, "it has no pods yet, whose service account would need the right"};
    }
    return reviewed(job, Verb::reserve, job.queue_name, now);
  }
  return {Right::refused, "the object that names it is in another queue, expected \"" +
                              job.queue_name + "\", which is the job's"};
}

// MAY-9. Has the policy checked it, on the object itself and in the templates that it was made of?
bool Mirror::has_checked(const TargetWord& word, const std::string& name_space, JobId job) {
  if (!word.is_of_known_kind || !rights_.was_checked(word.created)) return false;
  if (!rights_.are_reviewed()) return true;
  const auto oldest = controller_ages_.oldest(name_space, word.controller, job);
  return oldest && rights_.was_checked(*oldest);
}

// MAY-6. The API server does not keep who wrote an annotation, so the accounts of the pods count.
// Before there are pods, their namespace's default account does.
Mirror::Naming Mirror::reviewed(const Job& job, Verb verb, const std::string& object,
                                TimePoint now) {
  std::set<std::string> accounts;
  for (const TaskId id : job.tasks) {
    accounts.insert(value_or(account_of_task_, id, "default"));
  }
  if (accounts.empty()) accounts.insert("default");
  const std::string name_space = job.name.substr(0, job.name.find('/'));
  Naming naming;
  for (const std::string& account : accounts) {
    const RightQuestion question{name_space, account, object, verb};
    const Right right = rights_.right_of(question, job.id, now);
    if (right == Right::allowed || naming.right == Right::refused) continue;
    naming.right = right;
    if (right != Right::refused) continue;
    const bool may_be_too_young = verb == Verb::reserve && rights_.has_policy();
    const std::string error = rights_.error_of(question);
    naming.why = "service account " + name_space + "/" + account +
                 (job.tasks.empty() ? "" : " of its pods") + " needs the verb \"" +
                 to_string(verb) + "\" on " + resource_of(verb) + "." + api_group_of(verb) + " \"" +
                 object + "\"" + (may_be_too_young ? kNotChecked : "") +
                 (error.empty() ? "" : ", and the API server was not asked: " + error);
  }
  return naming;
}

// MAY-12, MAY-13. The class that the group names, as far as it counts, and why not further.
std::int32_t Mirror::bounded_priority(JobId id, TimePoint now, std::string& refused) {
  const Job& job = cluster_.job(id);
  const PriorityClassObject* const named = class_of_group(job);
  const std::int32_t of_pods = highest_priority_of_pods(job);
  if (named == nullptr) return of_pods;
  if (!options_.checks_classes || named->value <= of_pods) return named->value;
  Naming naming{Right::refused, "a class of the system counts on pods only"};
  if (!is_of_system(*named)) {
    naming = reviewed(job, Verb::name, named->name, now);
  }
  if (naming.right == Right::allowed) return named->value;
  if (naming.right == Right::refused) {
    refused = "spec.priorityClassName " + named->name + " (the job counts with " +
              std::to_string(of_pods) + ", the highest priority of its pods: " + naming.why + ")";
  }
  return of_pods;
}

// MAY-12. Controllers make the pods of a group once it is admitted, and until then nobody leaves
// for it.
std::int32_t Mirror::admission_priority(const Job& job, std::int32_t priority) const {
  const PriorityClassObject* const named = class_of_group(job);
  if (named == nullptr || !job.tasks.empty() || is_of_system(*named)) return priority;
  return std::max(named->value, priority);
}

// MAY-14, MAY-15. May its user keep its pods from being evicted? Until this is known, he may.
bool Mirror::may_protect(JobId id, TimePoint now, std::string& refused) {
  if (!options_.checks_protection) return true;
  const Job& job = cluster_.job(id);
  const Naming naming = reviewed(job, Verb::protect, job.queue_name, now);
  if (naming.right != Right::refused) return true;
  refused = "its protection from evictions (volcano.sh/preemptable, volcano.sh/cooldown-time: " +
            naming.why + ")";
  return false;
}

}  // namespace berth::mirror
