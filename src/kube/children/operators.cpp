#include <algorithm>

#include "berth/base/text.h"
#include "kube/children/making.h"
#include "kube/owner_counts.h"

// Kubeflow's training operator, the MPI operator, and KubeRay.

namespace berth::kube {

namespace {

using document::Cursor;
using document::Value;

// ---- Kubeflow

constexpr const char* kTraining = "training.kubeflow.org/";

Texts labels_of_mpi(const Making& job, const std::string& role) {
  const std::string prefix = kTraining;
  return {{prefix + "operator-name", "mpi-operator"},
          {prefix + "job-name", job.name()},
          {prefix + "job-role", role}};
}

// The replica's own policy counts. ExitCode is the operator's own work.
void put_restart_policy(Value& pod, const Cursor& replica, const std::string& fallback) {
  const std::string policy = replica["restartPolicy"].text(fallback);
  put_text(map_in(pod, "spec"), "restartPolicy", policy == "ExitCode" ? "Never" : policy);
}

// ---- KubeRay

Texts labels_of_ray(const std::string& cluster, const std::string& node_type,
                    const std::string& group) {
  return {{"ray.io/is-ray-node", "yes"},
          {"ray.io/cluster", cluster},
          {"ray.io/node-type", node_type},
          {"ray.io/group", group},
          {"ray.io/identifier", cluster + "-" + node_type},
          {"app.kubernetes.io/name", "kuberay"},
          {"app.kubernetes.io/created-by", "kuberay-operator"}};
}

std::string base_of_ray(const std::string& prefix, const std::string& node_type) {
  constexpr std::size_t kPrefixMax = 50;
  return lowered(prefix.substr(0, kPrefixMax)) + "-" + node_type + "-";
}

bool give_ray_pod(Making& making, const Cursor& pod_template, const Texts& labels,
                  const std::string& name) {
  Value pod = making.pod(name, pod_template);
  put_labels(pod, labels);
  return making.give(std::move(pod));
}

// As many as the group wants, each of so many hosts.
std::int64_t workers_of(const Cursor& group) {
  if (group["suspend"].boolean(false)) return 0;
  const std::int64_t least = Making::count(group["minReplicas"], 0);
  const Cursor most = group["maxReplicas"];
  std::int64_t replicas = std::max(least, Making::count(group["replicas"], least));
  if (most.is_present()) replicas = std::min(replicas, most.integer(0, 0, 2'147'483'647));
  return replicas * Making::count(group["numOfHosts"], 1);
}

}  // namespace

std::string make_of_training_job(Making& making) {
  const std::string kind = making.root()["kind"].text();
  const Cursor spec = making.spec();
  const Cursor replicas = spec[replica_specs_of(kind)];
  if (spec["runPolicy"]["suspend"].boolean(false)) return kSuspended;
  const std::string prefix = kTraining;
  for (const auto& [type, replica] : replicas.entries()) {
    const std::string role = lowered(type);
    const std::int64_t count = Making::count(replica["replicas"], 1);
    making.check("PodTemplateSpec", replica["template"]);
    for (std::int64_t i = 0; i < count; ++i) {
      const std::string index = std::to_string(i);
      Value pod = making.pod(making.name() + "-" + role + "-" + index, replica["template"]);
      put_labels(pod, {{prefix + "job-name", making.name()},
                       {prefix + "operator-name", lowered(kind) + "-controller"},
                       {prefix + "replica-type", role},
                       {prefix + "replica-index", index}});
      if (role == "master") put_labels(pod, {{prefix + "job-role", role}});
      put_restart_policy(pod, replica, "Never");
      if (!making.give(std::move(pod))) return {};
    }
  }
  return {};
}

std::string make_of_mpi_job(Making& making) {
  const Cursor spec = making.spec();
  const Cursor replicas = spec["mpiReplicaSpecs"];
  const Cursor launcher = replicas["Launcher"];
  const Cursor worker = replicas["Worker"];
  if (spec["runPolicy"]["suspend"].boolean(false)) return kSuspended;
  const bool is_last = making.one_of(spec["launcherCreationPolicy"],
                                     {"AtStartup", "WaitForWorkersReady"}) == "WaitForWorkersReady";
  if (!launcher.is_present()) {
    replicas.complain("`Launcher` is missing, expected one with a template");
  }
  making.check("PodTemplateSpec", launcher["template"]);
  making.check("PodTemplateSpec", worker["template"]);
  const bool launcher_works = spec["runLauncherAsWorker"].boolean(false);
  const std::int64_t count = Making::count(worker["replicas"], 0);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::string name = making.name() + "-worker-" + std::to_string(i);
    Value pod = making.pod(name, worker["template"]);
    put_labels(pod, labels_of_mpi(making, "worker"));
    put_labels(pod, {{std::string(kTraining) + "replica-index",
                      std::to_string(launcher_works ? i + 1 : i)}});
    put_text(map_in(pod, "spec"), "hostname", name);
    put_text(map_in(pod, "spec"), "subdomain", making.name());
    put_restart_policy(pod, worker, "Never");
    if (!making.give(std::move(pod))) return {};
  }
  if (is_last && count > 0) return "the launcher follows when the workers are ready";
  Value pod = making.pod(making.name() + "-launcher", launcher["template"]);
  put_labels(pod, labels_of_mpi(making, "launcher"));
  put_restart_policy(pod, launcher, "OnFailure");
  if (making.reading().failed()) return {};  // there may be no template
  Value job = making.child(kJobType, making.name() + "-launcher");
  Value& pod_template = map_in(map_in(job, "spec"), "template");
  pod_template.position = pod.position;
  const Value* const metadata = pod.find("metadata");
  put(map_in(pod_template, "metadata"), "labels", *metadata->find("labels"));
  put(map_in(pod_template, "metadata"), "annotations", *metadata->find("annotations"));
  put(pod_template, "spec", *pod.find("spec"));
  put_labels(job, {{"app", making.name()}});
  making.give(std::move(job));
  return {};
}

std::string make_of_ray_cluster(Making& making) {
  const Cursor spec = making.spec();
  if (spec["suspend"].boolean(false)) return kSuspended;
  const Cursor head = spec["headGroupSpec"]["template"];
  making.check("PodTemplateSpec", head);
  const std::string head_name = generated_name(base_of_ray(making.name(), "head"), making.uid(), 0);
  if (!give_ray_pod(making, head, labels_of_ray(making.name(), "head", "headgroup"), head_name)) {
    return {};
  }
  std::int64_t number = 1;
  for (const Cursor& group : spec["workerGroupSpecs"].items()) {
    const std::string name = group.required_text("groupName");
    making.check("PodTemplateSpec", group["template"]);
    const std::int64_t count = workers_of(group);
    const std::string base = base_of_ray(making.name() + "-" + name, "worker");
    for (std::int64_t i = 0; i < count; ++i) {
      if (!give_ray_pod(making, group["template"], labels_of_ray(making.name(), "worker", name),
                        generated_name(base, making.uid(), number++))) {
        return {};
      }
    }
  }
  if (!spec["enableInTreeAutoscaling"].boolean(false)) return {};
  return "the operator adds a container for autoscaling to the head";
}

std::string make_of_ray_job(Making& making) {
  const Cursor spec = making.spec();
  if (spec["suspend"].boolean(false)) return kSuspended;
  const bool has_cluster = making.root()["status"]["rayClusterName"].is_present();
  if (has_cluster || !spec["rayClusterSpec"].is_present()) return "its cluster is another object";
  const TypeName type{"RayCluster", making.root()["apiVersion"].text()};
  Value cluster = making.child(type, generated_name(making.name() + "-", making.uid(), 0));
  put(cluster, "spec", *spec["rayClusterSpec"].value());
  for (const char* const key : {"labels", "annotations"}) {  // KubeRay copies both
    const Cursor own = making.root()["metadata"][key];
    if (own.is_present()) put(map_in(cluster, "metadata"), key, *own.value());
  }
  put_labels(cluster, {{"ray.io/originated-from-crd", "RayJob"},
                       {"ray.io/originated-from-cr-name", making.name()}});
  making.give(std::move(cluster));
  if (spec["submissionMode"].text("K8sJobMode") != "K8sJobMode") return {};
  return "the Job that submits it follows when the cluster is ready";
}

}  // namespace berth::kube
