#include "kube/children/making.h"

// JobSet and LeaderWorkerSet.

namespace berth::kube {

namespace {

using document::Cursor;
using document::Value;

Value number_value(std::int64_t number) {
  Value value;
  value.kind = document::Kind::number;
  value.text = std::to_string(number);
  return value;
}

// ---- JobSet

struct JobOfSet {
  std::string replicated_job;
  std::int64_t replicas = 0;
  std::int64_t index = 0;
  std::int64_t global_index = 0;
  std::int64_t global_replicas = 0;
};

Texts texts_of_job_set(const Making& set, const JobOfSet& job, const std::string& name_of_job) {
  const std::string prefix = "jobset.sigs.k8s.io/";
  return {{prefix + "jobset-name", set.name()},
          {prefix + "jobset-uid", set.uid()},
          {prefix + "replicatedjob-name", job.replicated_job},
          {prefix + "restart-attempt", "0"},
          {prefix + "replicatedjob-replicas", std::to_string(job.replicas)},
          {prefix + "global-replicas", std::to_string(job.global_replicas)},
          {prefix + "job-index", std::to_string(job.index)},
          {prefix + "job-key", digest_of(set.full_name() + " " + name_of_job)},
          {prefix + "job-global-index", std::to_string(job.global_index)}};
}

// The webhook's defaults, then what the controller adds.
Value job_of_set(const Making& set, const JobOfSet& job, const Cursor& job_template) {
  const std::string name = set.name() + "-" + job.replicated_job + "-" + std::to_string(job.index);
  Value child = set.child(kJobType, name, job_template);
  Value& spec = map_in(child, "spec");
  if (spec.find("completionMode") == nullptr) {
    put_text(spec, "completionMode", "Indexed");
    if (spec.find("completions") == nullptr) {
      const Value* const parallelism = spec.find("parallelism");
      put(spec, "completions", parallelism == nullptr ? number_value(1) : *parallelism);
    }
  }
  Value& pod_spec = map_in(map_in(spec, "template"), "spec");
  if (pod_spec.find("restartPolicy") == nullptr) put_text(pod_spec, "restartPolicy", "OnFailure");
  put_text(pod_spec, "subdomain", set.name());
  const Texts texts = texts_of_job_set(set, job, name);
  Value& pod_template = map_in(map_in(child, "spec"), "template");
  put_labels(pod_template, texts);
  put_annotations(pod_template, texts);
  put_labels(child, texts);
  put_annotations(child, texts);
  return child;
}

std::int64_t jobs_in(const Cursor& replicated_jobs) {
  std::int64_t sum = 0;
  for (const Cursor& each : replicated_jobs.items()) sum += Making::count(each["replicas"], 1);
  return sum;
}

// ---- LeaderWorkerSet

constexpr const char* kOfGroups = "leaderworkerset.sigs.k8s.io/";

// A StatefulSet whose pods start together, of the template at that place.
Value stateful_set(const Making& set, const std::string& name, const Cursor& pod_template,
                   std::int64_t replicas) {
  Value child = set.child(kStatefulSetType, name);
  child.position = pod_template.is_present() ? pod_template.value()->position : child.position;
  Value& spec = map_in(child, "spec");
  spec.position = child.position;
  put(spec, "replicas", number_value(replicas));
  put_text(spec, "podManagementPolicy", "Parallel");
  put_text(spec, "serviceName", set.name());
  if (pod_template.is_present()) put(spec, "template", *pod_template.value());
  put_labels(child, {{std::string(kOfGroups) + "name", set.name()}});
  return child;
}

Value leaders(const Making& set, const Cursor& leader_template, std::int64_t replicas,
              std::int64_t size) {
  const std::string prefix = kOfGroups;
  Value child = stateful_set(set, set.name(), leader_template, replicas);
  Value& pod_template = map_in(map_in(child, "spec"), "template");
  put_labels(pod_template, {{prefix + "worker-index", "0"}, {prefix + "name", set.name()}});
  put_annotations(pod_template, {{prefix + "size", std::to_string(size)}});
  return child;
}

// The leader's pod is the controller of its workers' StatefulSet.
Value workers(const Making& set, const Cursor& worker_template, std::int64_t group,
              std::int64_t size) {
  const std::string prefix = kOfGroups;
  const std::string leader = set.name() + "-" + std::to_string(group);
  const std::string full_name = set.full_name() + "-" + std::to_string(group);
  Value child = stateful_set(set, leader, worker_template, size - 1);
  put(map_in(map_in(child, "spec"), "ordinals"), "start", number_value(1));
  Value& pod_template = map_in(map_in(child, "spec"), "template");
  put_labels(pod_template, {{prefix + "group-index", std::to_string(group)},
                            {prefix + "name", set.name()},
                            {prefix + "group-key", digest_of(full_name)}});
  put_annotations(pod_template,
                  {{prefix + "size", std::to_string(size)}, {prefix + "leader-name", leader}});
  Value& owner = map_in(map_in(child, "metadata"), "ownerReferences").items.front();
  put_text(owner, "apiVersion", kPodType.api_version);
  put_text(owner, "kind", kPodType.kind);
  put_text(owner, "name", leader);
  put_text(owner, "uid", "Pod:" + full_name);
  return child;
}

}  // namespace

std::string make_of_job_set(Making& making) {
  const Cursor spec = making.spec();
  const Cursor replicated_jobs = spec["replicatedJobs"];
  const bool is_in_order = making.one_of(spec["startupPolicy"]["startupPolicyOrder"],
                                         {"AnyOrder", "InOrder"}) == "InOrder";
  if (spec["suspend"].boolean(false)) return kSuspended;
  JobOfSet job;
  job.global_replicas = jobs_in(replicated_jobs);
  std::string later;
  for (const Cursor& each : replicated_jobs.items()) {
    job.replicated_job = each.required_text("name");
    job.replicas = Making::count(each["replicas"], 1);
    making.check("JobTemplateSpec", each["template"]);
    const bool waits = !each["dependsOn"].items().empty() || (is_in_order && job.global_index > 0);
    if (waits) {
      later += (later.empty() ? "" : ", ") + job.replicated_job;
      continue;
    }
    for (job.index = 0; job.index < job.replicas; ++job.index, ++job.global_index) {
      if (!making.give(job_of_set(making, job, each["template"]))) return {};
    }
  }
  return later.empty() ? "" : "these of its Jobs follow later: " + later;
}

std::string make_of_leader_worker_set(Making& making) {
  const Cursor spec = making.spec();
  const Cursor group = spec["leaderWorkerTemplate"];
  const std::int64_t replicas = Making::count(spec["replicas"], 1);
  const std::int64_t size = group["size"].integer(1, 1, kPodsMax);
  const bool follow =
      making.one_of(spec["startupPolicy"], {"LeaderCreated", "LeaderReady"}) == "LeaderReady";
  Cursor leader_template = group["leaderTemplate"];
  if (!leader_template.is_present()) leader_template = group["workerTemplate"];
  making.check("PodTemplateSpec", group["leaderTemplate"]);
  making.check("PodTemplateSpec", group["workerTemplate"]);
  const bool is_exclusive =
      making.root()["metadata"]["annotations"][std::string(kOfGroups) + "exclusive-topology"]
          .is_present();
  if (!making.give(leaders(making, leader_template, replicas, size))) return {};
  if (size == 1) return {};
  if (follow) return "the workers follow when their leader is ready";
  if (is_exclusive) return "the workers follow when their leader has a node";
  for (std::int64_t i = 0; i < replicas; ++i) {
    if (!making.give(workers(making, group["workerTemplate"], i, size))) return {};
  }
  return {};
}

}  // namespace berth::kube
