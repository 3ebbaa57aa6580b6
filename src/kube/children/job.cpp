#include <algorithm>

#include "kube/children/making.h"
#include "kube/fields.h"

// Kubernetes' own controllers of Jobs and StatefulSets.

namespace berth::kube {

namespace {

using document::Cursor;
using document::Value;

constexpr const char* kIndex = "batch.kubernetes.io/job-completion-index";

// As podGenerateNameWithIndex of the Job controller: a long name is cut, not the index.
std::string indexed_base(const std::string& job, std::int64_t index) {
  constexpr std::size_t kBaseMax = 58;
  const std::string end = "-" + std::to_string(index) + "-";
  return job.substr(0, std::min(job.size(), kBaseMax - end.size())) + end;
}

std::string more(std::int64_t count) {
  return count == 1 ? "1 more follows" : std::to_string(count) + " more follow";
}

void require_restart_policy(const Cursor& pod_spec) {
  const Cursor policy = pod_spec["restartPolicy"];
  const std::string text = policy.text("Always");
  if (text == "Never" || text == "OnFailure") return;
  policy.complain("the pods of a Job have \"Never\" or \"OnFailure\" as restartPolicy, not \"" +
                  text + "\"");
}

Texts labels_of_job(const Making& job) {
  return {{"batch.kubernetes.io/controller-uid", job.uid()},
          {"batch.kubernetes.io/job-name", job.name()},
          {"controller-uid", job.uid()},
          {"job-name", job.name()}};
}

// The webhook of LeaderWorkerSet, which adds to the pods of its StatefulSets.
void add_labels_of_groups(Value& pod, const Cursor& template_of_pod, const std::string& full_name,
                          std::int64_t ordinal) {
  const std::string prefix = "leaderworkerset.sigs.k8s.io/";
  const Cursor metadata = template_of_pod["metadata"];
  if (!metadata["labels"][prefix + "name"].is_present()) return;
  const std::string number = std::to_string(ordinal);
  if (metadata["annotations"][prefix + "leader-name"].is_present()) {
    put_labels(pod, {{prefix + "worker-index", number}});
  } else {
    put_labels(pod,
               {{prefix + "group-index", number}, {prefix + "group-key", digest_of(full_name)}});
  }
}

// A volume of a claim of its own for each template.
void add_claims(Value& pod, const Cursor& templates, const std::string& name) {
  Value& volumes = map_in(map_in(pod, "spec"), "volumes");
  volumes.kind = document::Kind::list;
  for (const Cursor& claim : templates.items()) {
    const std::string of_template = claim["metadata"].required_text("name");
    std::erase_if(volumes.items, [&](const Value& volume) {
      const Value* const known = volume.find("name");
      return known != nullptr && known->text == of_template;
    });
    Value volume;
    volume.kind = document::Kind::map;
    volume.position = claim.value()->position;
    put_text(volume, "name", of_template);
    put_text(map_in(volume, "persistentVolumeClaim"), "claimName", of_template + "-" + name);
    volumes.items.push_back(std::move(volume));
  }
}

}  // namespace

std::string make_of_job(Making& making) {
  const Cursor spec = making.spec();
  const bool is_indexed =
      making.one_of(spec["completionMode"], {"NonIndexed", "Indexed"}) == "Indexed";
  const std::int64_t parallelism = Making::count(spec["parallelism"], 1);
  const Cursor completions = spec["completions"];
  if (is_indexed && !completions.is_present()) {
    completions.complain("`completions` is missing, expected a number, as it is Indexed");
  }
  // Without completions, all pods that run at once are wanted.
  const std::int64_t wanted =
      completions.integer(std::max<std::int64_t>(1, parallelism), 0, kCountMax);
  require_restart_policy(spec["template"]["spec"]);
  if (spec["suspend"].boolean(false)) return kSuspended;
  const std::int64_t count = std::min(parallelism, wanted);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string base = is_indexed ? indexed_base(making.name(), i) : making.name() + "-";
    Value pod = making.pod(generated_name(base, making.uid(), i), spec["template"]);
    put_text(map_in(pod, "metadata"), "generateName", base);
    put_labels(pod, labels_of_job(making));
    if (is_indexed) {
      put_labels(pod, {{kIndex, std::to_string(i)}});
      put_annotations(pod, {{kIndex, std::to_string(i)}});
      put_text(map_in(pod, "spec"), "hostname", making.name() + "-" + std::to_string(i));
    }
    if (!making.give(std::move(pod))) return {};
  }
  if (count == wanted) return {};
  return more(wanted - count) + " as these end";
}

std::string make_of_stateful_set(Making& making) {
  const Cursor spec = making.spec();
  const std::int64_t replicas = Making::count(spec["replicas"], 1);
  const std::int64_t start = spec["ordinals"]["start"].integer(0, 0, kCountMax - kPodsMax);
  const bool is_ordered =
      making.one_of(spec["podManagementPolicy"], {"OrderedReady", "Parallel"}) == "OrderedReady";
  const std::int64_t count = is_ordered ? std::min<std::int64_t>(1, replicas) : replicas;
  for (std::int64_t ordinal = start; ordinal < start + count; ++ordinal) {
    const std::string name = making.name() + "-" + std::to_string(ordinal);
    Value pod = making.pod(name, spec["template"]);
    put_labels(pod, {{"apps.kubernetes.io/pod-index", std::to_string(ordinal)},
                     {"statefulset.kubernetes.io/pod-name", name}});
    const std::string full_name = making.full_name() + "-" + std::to_string(ordinal);
    add_labels_of_groups(pod, spec["template"], full_name, ordinal);
    add_claims(pod, spec["volumeClaimTemplates"], name);
    Value& of_pod = map_in(pod, "spec");
    put_text(of_pod, "hostname", name);
    put_text(of_pod, "subdomain", spec["serviceName"].text());
    if (!making.give(std::move(pod))) return {};
  }
  if (count == replicas) return {};
  return more(replicas - count) +
         " one by one, each when the one before is ready, as podManagementPolicy is "
         "OrderedReady";
}

}  // namespace berth::kube
