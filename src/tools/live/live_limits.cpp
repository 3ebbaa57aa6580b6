#include "tools/live/live_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "berth/base/text.h"
#include "kube/codecs.h"
#include "tools/live/find_job.h"

namespace berth::tools {

namespace {

std::optional<TimeLimit> limit_of(const PodObject& pod, const LiveLimits& limits) {
  if (pod.times.deadline) return TimeLimit{*pod.times.deadline, LimitSource::pod_deadline};
  if (pod.times.stated) return TimeLimit{*pod.times.stated, LimitSource::pod};
  return limits.of_group;
}

std::optional<JobDeadline> deadline_of(ApiReader& reader, const std::string& name_space,
                                       const OwnerReference& owner) {
  const Objects objects = reader.get(resource_of(owner), name_space, owner.name);
  if (!objects.ok()) return std::nullopt;
  const auto object =
      kube::decode_owner(objects.items.front(), "the API server", {owner.kind, owner.api_version});
  return object && object->uid == owner.uid ? object->deadline : std::nullopt;
}

}  // namespace

void note_limit(const PodObject& pod, LiveLimits& limits) {
  const std::optional<TimeLimit> limit = limit_of(pod, limits);
  if (!limit) {
    limits.has_endless_pod = true;
    limits.of_pods.reset();
  } else if (!limits.has_endless_pod &&
             (!limits.of_pods || limits.of_pods->length < limit->length)) {
    limits.of_pods = limit;
  }
}

void add_job_deadlines(ApiReader& reader, const std::string& name_space,
                       std::vector<LiveJob>& jobs) {
  std::map<std::string, std::optional<JobDeadline>> known;  // by uid
  for (LiveJob& job : jobs) {
    const auto owner = std::find_if(job.pod_owners.begin(), job.pod_owners.end(),
                                    [](const auto& each) { return kube::may_have_deadline(each); });
    if (owner == job.pod_owners.end()) continue;
    const auto [entry, is_new] = known.try_emplace(owner->uid);
    if (is_new) entry->second = deadline_of(reader, name_space, *owner);
    job.limits.of_job = entry->second;
  }
}

std::string limit_text(const LiveJob& job) {
  const std::optional<TimeLimit>& limit = job.limits.limit();
  if (!limit) return "";
  return fmt::format("{} ({})", format_duration(limit->length), words_of(limit->source));
}

std::string deadline_text(const LiveJob& job) {
  const std::optional<JobDeadline>& deadline = job.limits.of_job;
  if (!deadline) return "";
  const std::string words = words_of(LimitSource::job_deadline);
  const std::string length = format_duration(deadline->length);
  if (!deadline->since) return fmt::format("{} from the start of the Job ({})", length, words);
  return fmt::format("{} from {}, until {} ({})", length, format_time(*deadline->since),
                     format_time(*deadline->since + deadline->length), words);
}

}  // namespace berth::tools
