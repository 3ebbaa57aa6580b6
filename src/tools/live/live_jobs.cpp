#include "tools/live/live_jobs.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "berth/base/text.h"
#include "document/cursor.h"
#include "kube/codecs.h"
#include "kube/fields.h"
#include "tools/config_command.h"
#include "tools/live/live_limits.h"

namespace berth::tools {

namespace {

const Resource kVolcanoGroups{"scheduling.volcano.sh", "v1beta1", "podgroups"};
const Resource kSigGroups{"scheduling.x-k8s.io", "v1alpha1", "podgroups"};
const Resource kKubeGroups{"scheduling.k8s.io", "v1beta1", "podgroups"};
const Resource kKubeGroups136{"scheduling.k8s.io", "v1alpha2", "podgroups"};
const Resource kComposites{"scheduling.k8s.io", "v1alpha3", "compositepodgroups"};
const Resource kPods{"", "v1", "pods"};
const Resource kEvents{"", "v1", "events"};

constexpr const char* kSource = "the API server";

Line read_line(const document::Cursor& waiting) {
  constexpr std::int64_t kMost = 1'000'000'000;
  const auto count = [&](const char* key) -> std::optional<std::int64_t> {
    const document::Cursor at = waiting[key];
    return at.is_present() ? std::optional(at.integer(0, 0, kMost)) : std::nullopt;
  };
  Line line;
  line.text = waiting["position"].text();
  line.position = count("queuePosition");
  line.queue_waiting = count("queueWaiting");
  line.ahead = count("jobsAhead");
  line.ahead_here = count("jobsAheadInNamespace");
  for (const document::Cursor& name : waiting["aheadInNamespace"].items()) {
    line.names_here.push_back(name.text());
  }
  return line;
}

void take_waiting(const document::Value& object, LiveJob& job) {
  document::Reading reading(object, kSource, document::Strictness::lenient);
  const document::Cursor waiting = reading.root()["status"]["waiting"];
  if (!waiting.is_present()) return;
  job.reason = waiting["reason"].text(job.reason);
  job.message = waiting["message"].text(job.message);
  if (waiting["since"].is_present()) job.since = waiting["since"].time();
  job.queue = waiting["queue"].text(job.queue);
  job.line = read_line(waiting);
  job.start = kube::read_start(waiting);
}

// Pods whose controller is below the owner of their gang name that owner by a label.
struct OwnerLabel {
  std::string_view kind;
  std::string_view name;
  std::string_view index;  // of the gang among the owner's; empty: it has one gang
};
constexpr OwnerLabel kOwnerLabels[] = {{"JobSet", "jobset.sigs.k8s.io/jobset-name", ""},
                                       {"MPIJob", "training.kubeflow.org/job-name", ""},
                                       {"LeaderWorkerSet", "leaderworkerset.sigs.k8s.io/name",
                                        "leaderworkerset.sigs.k8s.io/group-index"}};

// The key of a group that Berth made for an owner, "ml/JobSet train": OWNED-10.
std::string made_for(const document::Value& object, const LiveJob& job) {
  document::Reading reading(object, kSource, document::Strictness::lenient);
  const std::string owner = reading.root()["metadata"]["annotations"]["berth.dev/made-for"].text();
  if (owner.empty()) return "";
  std::string key = job.name_space + "/" + owner;
  if (!owner.starts_with("LeaderWorkerSet ")) return key;
  // "serve-2-x7k2d": the index stands before the hash.
  const std::string rest = job.name.substr(0, job.name.rfind('-'));
  return key + " " + rest.substr(rest.rfind('-') + 1);
}

// The same key by the labels of a pod; empty: none of them.
std::string named_owner(const document::Value& object, const std::string& name_space) {
  document::Reading reading(object, kSource, document::Strictness::lenient);
  const document::Cursor labels = reading.root()["metadata"]["labels"];
  for (const OwnerLabel& label : kOwnerLabels) {
    const std::string name = labels[label.name].text();
    if (name.empty()) continue;
    const std::string key = name_space + "/" + std::string(label.kind) + " " + name;
    return label.index.empty() ? key : key + " " + labels[label.index].text();
  }
  return "";
}

LiveJob job_of_group(const document::Value& object, const PodGroupObject& group) {
  LiveJob job;
  job.name_space = group.name_space;
  job.name = group.name;
  job.is_group = true;
  job.uid = group.uid;
  job.owner = controller_of(object);
  job.created = group.created;
  job.queue = group.queue;
  job.phase = to_string(group.phase);
  job.minimum = group.min_member;
  if (group.time_limit) job.limits.of_group = TimeLimit{*group.time_limit, LimitSource::group};
  job.reason = group.written.reason;
  job.message = group.written.message;
  if (!job.reason.empty() && group.written.waits_since != TimePoint()) {
    job.since = group.written.waits_since;
  }
  job.is_target = group.written.targeted.holds;
  job.target = group.written.targeted.message;
  job.ignored = group.written.honoured.message;
  take_waiting(object, job);
  return job;
}

LiveJob job_of_pod(const PodObject& pod) {
  LiveJob job;
  job.name_space = pod.name_space;
  job.name = pod.name;
  job.uid = pod.uid;
  job.owner = pod.owner;
  job.created = pod.created;
  job.queue = pod.queue;
  job.phase = to_string(pod.phase);
  job.message = pod.unschedulable;
  job.reason = pod.not_scheduled;
  return job;
}

void count(const PodObject& pod, LiveJob& job) {
  ++job.pods.all;
  job.was_planned = job.was_planned || !pod.planned_node.empty();
  job.pods.succeeded += pod.phase == PodPhase::succeeded ? 1 : 0;
  job.pods.failed += pod.phase == PodPhase::failed ? 1 : 0;
  job.pods.running += pod.phase == PodPhase::running ? 1 : 0;
  if (!pod.has_ended()) note_limit(pod, job.limits);
  job.pods.bound += !pod.has_ended() && !pod.node_name.empty() ? 1 : 0;
  const bool is_new =
      std::none_of(job.pod_owners.begin(), job.pod_owners.end(),
                   [&](const OwnerReference& known) { return known.uid == pod.owner.uid; });
  if (is_new && !pod.owner.kind.empty()) job.pod_owners.push_back(pod.owner);
  job.pod_names.push_back(pod.name);
  job.pod_uids.push_back(pod.uid);
  if (job.scheduler.empty()) job.scheduler = pod.scheduler_name;
}

JobState state_of(const LiveJob& job, const std::set<std::string>& ours) {
  const bool is_known =
      !job.reason.empty() || job.line.position || job.phase == "Inqueue" || job.was_planned;
  const bool has_pods = job.pods.all > 0;
  if (has_pods && !ours.contains(job.scheduler) && !(job.is_group && is_known)) {
    return JobState::foreign;
  }
  if (job.phase == "Completed") return JobState::done;
  if (has_pods && job.pods.succeeded + job.pods.failed == job.pods.all) return JobState::done;
  if (job.pods.bound + job.pods.succeeded >= job.minimum && job.pods.bound > 0) {
    return JobState::runs;
  }
  return has_pods || is_known ? JobState::waits : JobState::without_pods;
}

// Collects the jobs of a view.
class Collector {
 public:
  explicit Collector(const ClusterView& view) : view_(view) {}

  LiveJobs collect() {
    kube::Complaint complaint;
    for (const document::Value& object : view_.groups) {
      add_group(object, kube::decode_pod_group(object, kSource, &complaint));
    }
    for (const document::Value& object : view_.composites) {
      Result<CompositeGroupObject> composite =
          kube::decode_composite_group(object, kSource, &complaint);
      if (composite) composites_.emplace(composite->group.full_name(), composite->group);
    }
    for (const document::Value& object : view_.kube_groups) {
      add_group(object, kube::decode_kube_pod_group(object, kSource, &complaint));
    }
    for (const document::Value& object : view_.pods) add_pod(object);
    LiveJobs found;
    for (auto* const from : {&groups_, &singles_}) {
      for (auto& [key, job] : *from) {
        job.state = state_of(job, view_.ours);
        // Nothing is missing any more; berthd writes the condition a little later.
        if (job.state == JobState::done) job.reason = job.message = {};
        const bool is_foreign_pod = !job.is_group && job.state == JobState::foreign;
        (is_foreign_pod ? found.foreign : found.jobs).push_back(std::move(job));
      }
    }
    std::stable_sort(found.jobs.begin(), found.jobs.end(), [](const auto& left, const auto& right) {
      return std::tie(left.name_space, left.name) < std::tie(right.name_space, right.name);
    });
    return found;
  }

 private:
  using Jobs = std::map<std::pair<std::string, std::string>, LiveJob>;  // by namespace and name

  // KUBEGROUP-8. The condition stands on the composite with which a group starts.
  void take_condition_above(const PodGroupObject& group, LiveJob& job) const {
    const PodGroupObject* whole = &group;
    for (int level = 0; level < CompositeGroupObject::kLevelsMost; ++level) {
      const auto above = composites_.find(group.name_space + "/" + whole->parent);
      if (above == composites_.end()) break;
      whole = &above->second;
    }
    if (whole == &group || !job.reason.empty() || whole->written.reason.empty()) return;
    job.reason = whole->written.reason;
    job.message = "CompositePodGroup " + whole->full_name() + ": " + whole->written.message;
    job.since = whole->written.waits_since;
  }

  void add_group(const document::Value& object, const Result<PodGroupObject>& group) {
    if (!group) return;
    LiveJob job = job_of_group(object, *group);
    take_condition_above(*group, job);
    if (!job.owner.uid.empty()) group_of_owner_[job.owner.uid] = job.name;
    if (const std::string key = made_for(object, job); !key.empty())
      group_of_owner_[key] = job.name;
    groups_.try_emplace({job.name_space, job.name}, std::move(job));
  }

  void add_pod(const document::Value& object) {
    kube::Complaint complaint;
    const auto pod = kube::decode_pod(object, kSource, &complaint);
    if (!pod) return;
    std::string group = pod->group;
    for (const std::string& key : {pod->owner.uid, named_owner(object, pod->name_space)}) {
      const auto found = group_of_owner_.find(key);
      if (group.empty() && !key.empty() && found != group_of_owner_.end()) group = found->second;
    }
    const auto job = groups_.find({pod->name_space, group});
    if (job != groups_.end()) {
      count(*pod, job->second);
      if (job->second.owner.kind.empty()) job->second.owner = pod->owner;
      return;
    }
    const auto single = singles_.try_emplace({pod->name_space, pod->name}, job_of_pod(*pod));
    count(*pod, single.first->second);
    if (!group.empty() && single.second) {
      single.first->second.reason = "group_missing";
      single.first->second.message = "it names pod group \"" + group + "\", which does not exist";
    }
  }

  const ClusterView& view_;
  std::map<std::string, PodGroupObject> composites_;  // by full name
  Jobs groups_;
  Jobs singles_;
  std::map<std::string, std::string> group_of_owner_;  // its uid, or made_for() -> the group
};

std::set<std::string> schedulers_or_default(const std::vector<std::string>& given) {
  if (!given.empty()) return {given.begin(), given.end()};
  const Result<conf::Config> config = open_config("");
  if (!config) return {"berth"};
  return {config->scheduler_names.begin(), config->scheduler_names.end()};
}

// The uids of the objects with these labels.
Objects matching(ApiReader& reader, const Resource& resource, const std::string& name_space,
                 const std::string& selector, std::set<std::string>& uids) {
  Objects found =
      reader.list(resource, name_space, "labelSelector=" + kubeapi::url_encoded(selector));
  for (const document::Value& object : found.items) {
    document::Reading reading(object, kSource, document::Strictness::lenient);
    uids.insert(reading.root()["metadata"]["uid"].text());
  }
  return found;
}

LiveJobs refused(const Objects& objects) { return {{}, {}, objects.refusal, objects.message}; }

bool names_kube_group(const document::Value& pod) {
  return pod.at({"spec", "schedulingGroup"}) != nullptr;
}

bool names_composite(const document::Value& group) {
  return group.at({"spec", "parentCompositePodGroupName"}) != nullptr;
}

bool is_absent(const Objects& objects) { return objects.refusal == Refusal::not_found; }

TimePoint time_of(const document::Cursor& event) {
  for (const char* key : {"lastTimestamp", "eventTime", "firstTimestamp"}) {
    if (event[key].is_present()) return event[key].time();
  }
  return event["metadata"]["creationTimestamp"].time();
}

LiveEvent read_event(const document::Value& object) {
  document::Reading reading(object, kSource, document::Strictness::lenient);
  const document::Cursor root = reading.root();
  const document::Cursor about = root["involvedObject"];
  LiveEvent event;
  event.time = time_of(root);
  event.object = lowered(about["kind"].text()) + " " + about["name"].text();
  event.reason = root["reason"].text();
  event.message = root["message"].text();
  event.object_uid = about["uid"].text();
  event.is_warning = root["type"].text() == "Warning";
  return event;
}

}  // namespace

const char* to_string(JobState state) {
  switch (state) {
    case JobState::waits:
      return "waits";
    case JobState::runs:
      return "runs";
    case JobState::done:
      return "done";
    case JobState::foreign:
      return "other scheduler";
    case JobState::without_pods:
      return "no pods";
  }
  return "";
}

OwnerReference controller_of(const document::Value& object) {
  document::Reading reading(object, kSource, document::Strictness::lenient);
  return kube::read_controller(reading.root());
}

LiveJobs jobs_of(const ClusterView& view) { return Collector(view).collect(); }

LiveJobs read_jobs(ApiReader& reader, const std::string& name_space,
                   const std::vector<std::string>& schedulers, const std::string& selector) {
  ClusterView view;
  view.ours = schedulers_or_default(schedulers);
  std::set<std::string> chosen;
  for (const Resource* const kind : {&kVolcanoGroups, &kSigGroups, &kPods}) {
    Objects objects = reader.list(*kind, name_space);
    // The second kind of group is for clusters that have it.
    if (kind == &kSigGroups && !objects.ok()) continue;
    if (is_absent(objects)) {
      objects.message += ", expected Berth's definitions there (deploy/crds)";
    }
    if (!objects.ok()) return refused(objects);
    auto& into = kind == &kPods ? view.pods : view.groups;
    for (document::Value& object : objects.items) into.push_back(std::move(object));
    if (selector.empty()) continue;
    if (const Objects found = matching(reader, *kind, name_space, selector, chosen); !found.ok()) {
      return refused(found);
    }
  }
  // Few clusters serve Kubernetes' own groups, so they cost a request only where a pod is in one.
  if (std::any_of(view.pods.begin(), view.pods.end(), names_kube_group)) {
    const Resource* kind = &kKubeGroups;
    Objects objects = reader.list(*kind, name_space);
    if (is_absent(objects)) objects = reader.list(*(kind = &kKubeGroups136), name_space);
    if (!objects.ok() && !is_absent(objects)) return refused(objects);
    view.kube_groups = std::move(objects.items);
    if (std::any_of(view.kube_groups.begin(), view.kube_groups.end(), names_composite)) {
      Objects composites = reader.list(kComposites, name_space);
      if (!composites.ok() && !is_absent(composites)) return refused(composites);
      view.composites = std::move(composites.items);
    }
    if (!selector.empty()) matching(reader, *kind, name_space, selector, chosen);
  }
  LiveJobs found = jobs_of(view);
  if (selector.empty()) return found;
  std::erase_if(found.jobs, [&](const LiveJob& job) {
    const auto is_chosen = [&](const std::string& uid) { return chosen.contains(uid); };
    return !is_chosen(job.uid) && std::none_of(job.pod_uids.begin(), job.pod_uids.end(), is_chosen);
  });
  return found;
}

std::string add_events(ApiReader& reader, const std::string& name_space,
                       std::vector<LiveJob>& jobs) {
  const Objects events = reader.list(kEvents, name_space, "fieldSelector=source%3Dberthd");
  std::map<std::string, LiveJob*> job_of;
  for (LiveJob& job : jobs) {
    job_of[job.uid] = &job;
    for (const std::string& uid : job.pod_uids) job_of[uid] = &job;
  }
  for (const document::Value& object : events.items) {
    LiveEvent event = read_event(object);
    const auto job = job_of.find(event.object_uid);
    if (job != job_of.end()) job->second->events.push_back(std::move(event));
  }
  for (LiveJob& job : jobs) {
    std::stable_sort(job.events.begin(), job.events.end(),
                     [](const auto& left, const auto& right) { return left.time > right.time; });
  }
  return events.ok() ? "" : events.message;
}

}  // namespace berth::tools
