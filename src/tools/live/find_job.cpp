#include "tools/live/find_job.h"

#include <algorithm>
#include <map>
#include <set>

#include "berth/base/text.h"

namespace berth::tools {

namespace {

constexpr std::size_t kOwnersMax = 40;
constexpr int kLevelsMax = 3;

// kubectl's short names.
std::string long_kind(const std::string& kind) {
  static const std::map<std::string, std::string> kLong{
      {"po", "pod"},        {"pg", "podgroup"},       {"sts", "statefulset"},
      {"rs", "replicaset"}, {"deploy", "deployment"}, {"lws", "leaderworkerset"},
      {"ds", "daemonset"}};
  const auto found = kLong.find(kind);
  return found == kLong.end() ? kind : found->second;
}

bool is_kind(const JobName& wanted, const std::string& kind) {
  return wanted.kind.empty() || wanted.kind == lowered(kind);
}

bool is_owner(const JobName& wanted, const OwnerReference& owner) {
  return owner.name == wanted.name && !owner.kind.empty() && is_kind(wanted, owner.kind);
}

template <class Chooser>
std::vector<LiveJob> choose(const LiveJobs& all, const Chooser& is_chosen) {
  std::vector<LiveJob> chosen;
  for (const auto* const from : {&all.jobs, &all.foreign}) {
    std::copy_if(from->begin(), from->end(), std::back_inserter(chosen), is_chosen);
  }
  return chosen;
}

}  // namespace

Resource resource_of(const OwnerReference& owner) {
  const std::string version = owner.api_version.substr(owner.api_version.find('/') + 1);
  return {std::string(owner.group()), version, lowered(owner.kind) + "s"};
}

JobName read_job_name(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {"", text};
  std::string kind = lowered(text.substr(0, slash));
  kind = kind.substr(0, kind.find('.'));
  const bool is_plural = kind.size() > 3 && kind.ends_with('s') && long_kind(kind) == kind;
  if (is_plural) kind.pop_back();
  return {long_kind(kind), text.substr(slash + 1)};
}

FoundJobs find_jobs(const LiveJobs& all, const JobName& wanted) {
  FoundJobs found;
  found.jobs = choose(all, [&](const LiveJob& job) {
    return job.is_group && job.name == wanted.name && is_kind(wanted, "PodGroup");
  });
  found.through = "PodGroup " + wanted.name;
  if (!found.jobs.empty()) return found;
  std::string kind;  // as the object writes it
  const auto is_wanted = [&](const OwnerReference& owner) {
    if (is_owner(wanted, owner)) kind = owner.kind;
    return is_owner(wanted, owner);
  };
  found.jobs = choose(all, [&](const LiveJob& job) {
    return is_wanted(job.owner) ||
           std::any_of(job.pod_owners.begin(), job.pod_owners.end(), is_wanted);
  });
  if (!found.jobs.empty()) {
    found.through = kind + " " + wanted.name;
    return found;
  }
  found.jobs = choose(all, [&](const LiveJob& job) {
    const auto& names = job.pod_names;
    return is_kind(wanted, "Pod") &&
           std::find(names.begin(), names.end(), wanted.name) != names.end();
  });
  found.through = "pod " + wanted.name;
  return found;
}

FoundJobs find_through_owners(ApiReader& reader, const LiveJobs& all, const JobName& wanted,
                              const std::string& name_space) {
  // Of each owner that is not known yet: the owners of jobs below it.
  std::map<std::string, std::set<std::string>> below;  // an owner's uid -> uids of jobs' owners
  std::vector<OwnerReference> level;
  const auto add = [&](std::vector<OwnerReference>& to, const OwnerReference& owner,
                       const std::string& job_owner) {
    if (owner.uid.empty()) return;
    if (!below.contains(owner.uid)) to.push_back(owner);
    below[owner.uid].insert(job_owner);
  };
  for (const auto* const from : {&all.jobs, &all.foreign}) {
    for (const LiveJob& job : *from) add(level, job.owner, job.owner.uid);
  }
  FoundJobs found;
  std::size_t asked = 0;
  for (int depth = 0; depth < kLevelsMax && !level.empty(); ++depth) {
    std::vector<OwnerReference> above;
    for (const OwnerReference& owner : level) {
      if (asked++ == kOwnersMax) return found;
      const Objects objects = reader.get(resource_of(owner), name_space, owner.name);
      if (objects.refusal == Refusal::forbidden) found.notes.push_back(objects.message);
      if (!objects.ok()) continue;
      const OwnerReference next = controller_of(objects.items.front());
      for (const std::string& job_owner : below[owner.uid]) add(above, next, job_owner);
      if (!is_owner(wanted, next)) continue;
      const std::set<std::string>& uids = below[next.uid];
      found.jobs = choose(all, [&](const LiveJob& job) { return uids.contains(job.owner.uid); });
      found.through = next.kind + " " + next.name;
    }
    if (!found.jobs.empty()) return found;
    level = std::move(above);
  }
  return found;
}

}  // namespace berth::tools
