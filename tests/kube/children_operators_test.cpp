#include <set>

#include "document/readers.h"
#include "kube/children_support.h"
#include "kube/offspring.h"

// The pods that come of JobSets, LeaderWorkerSets and the jobs of Kubeflow and Ray.

namespace berth::kube {
namespace {

// A pod template at that indent.
std::string template_at(std::size_t indent, const std::string& extra = "") {
  const std::string space(indent, ' ');
  return space + "template:\n" + space + "  spec:\n" + space + "    schedulerName: berth\n" +
         extra + space + "    containers: [{name: c, resources: {requests: {cpu: 1}}}]\n";
}

std::string job_set(const std::string& spec, const std::string& of_workers = "") {
  return "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: s}\nspec:\n" + spec +
         "  replicatedJobs:\n  - name: driver\n    template:\n      spec:\n" + template_at(8) +
         "  - name: workers\n    replicas: 2\n" + of_workers +
         "    template:\n      spec:\n        parallelism: 2\n        completions: 2\n" +
         template_at(8);
}

const std::string kOfJobSet = "jobset.sigs.k8s.io/";

TEST(Children, of_a_job_set_are_the_pods_of_its_jobs) {
  const Manifests manifests = read(job_set(""));
  EXPECT_EQ(made(manifests), "JobSet default/s: 5");
  const PodObject pod = pod_named(manifests, "s-workers-1-0-");
  EXPECT_EQ(label(pod, kOfJobSet + "jobset-name"), "s");
  EXPECT_EQ(label(pod, kOfJobSet + "jobset-uid"), "JobSet:default/s");
  EXPECT_EQ(label(pod, kOfJobSet + "replicatedjob-name"), "workers");
  EXPECT_EQ(label(pod, kOfJobSet + "replicatedjob-replicas"), "2");
  EXPECT_EQ(label(pod, kOfJobSet + "global-replicas"), "3");
  EXPECT_EQ(label(pod, kOfJobSet + "job-index"), "1");
  EXPECT_EQ(label(pod, kOfJobSet + "job-global-index"), "2");
  EXPECT_EQ(label(pod, kOfJobSet + "restart-attempt"), "0");
  EXPECT_EQ(label(pod, "batch.kubernetes.io/job-name"), "s-workers-1");
  EXPECT_EQ(pod.owner.uid, "Job:default/s-workers-1");
  EXPECT_EQ(pod.index, 0);
  EXPECT_NE(label(pod, kOfJobSet + "job-key"),
            label(pod_named(manifests, "s-workers-0-0-"), kOfJobSet + "job-key"));
}

TEST(Children, of_a_job_set_follow_its_order) {
  EXPECT_EQ(made(read(job_set("  suspend: true\n"))), "JobSet default/s: 0: it is suspended");
  EXPECT_EQ(made(read(job_set("  startupPolicy: {startupPolicyOrder: InOrder}\n"))),
            "JobSet default/s: 1: these of its Jobs follow later: workers");
  EXPECT_EQ(made(read(job_set("", "    dependsOn: [{name: driver, status: Complete}]\n"))),
            "JobSet default/s: 1: these of its Jobs follow later: workers");
}

TEST(Children, of_a_job_set_are_not_made_if_its_jobs_or_pods_are_there) {
  const std::string labelled =
      "---\napiVersion: v1\nkind: Pod\n"
      "metadata: {name: s-workers-0-0-abcde, labels: {jobset.sigs.k8s.io/jobset-name: s}}\n";
  EXPECT_EQ(pods_in(read(job_set("") + labelled)).size(), 1u);
  const std::string job =
      "---\napiVersion: batch/v1\nkind: Job\n"
      "metadata: {name: s-driver-0, uid: u, ownerReferences: [{kind: JobSet, name: s, uid: v}]}\n"
      "spec:\n  template: {spec: {restartPolicy: Never, containers: [{name: c}]}}\n";
  const Manifests manifests = read(job_set("") + job);
  EXPECT_EQ(made(manifests), "Job default/s-driver-0: 1");
}

std::string leader_worker_set(const std::string& spec, const std::string& metadata = "name: l") {
  return "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {" + metadata +
         "}\nspec:\n  replicas: 2\n" + spec + "  leaderWorkerTemplate:\n    size: 3\n" +
         "    workerTemplate:\n      spec:\n        schedulerName: berth\n        containers: "
         "[{name: c}]\n";
}

const std::string kOfGroups = "leaderworkerset.sigs.k8s.io/";

TEST(Children, of_a_leader_worker_set_are_groups_of_a_leader_and_workers) {
  const Manifests manifests = read(leader_worker_set(""));
  EXPECT_EQ(made(manifests), "LeaderWorkerSet default/l: 6");
  std::set<std::string> names;
  for (const PodObject& pod : pods_in(manifests)) names.insert(pod.name);
  EXPECT_EQ(names, (std::set<std::string>{"l-0", "l-0-1", "l-0-2", "l-1", "l-1-1", "l-1-2"}));
  const PodObject leader = pod_named(manifests, "l-1");
  const PodObject worker = pod_named(manifests, "l-1-2");
  EXPECT_EQ(label(leader, kOfGroups + "name"), "l");
  EXPECT_EQ(label(leader, kOfGroups + "worker-index"), "0");
  EXPECT_EQ(label(leader, kOfGroups + "group-index"), "1");
  EXPECT_EQ(label(worker, kOfGroups + "worker-index"), "2");
  EXPECT_EQ(label(worker, kOfGroups + "group-index"), "1");
  EXPECT_EQ(label(worker, kOfGroups + "group-key"), label(leader, kOfGroups + "group-key"));
  EXPECT_NE(label(worker, kOfGroups + "group-key"),
            label(pod_named(manifests, "l-0"), kOfGroups + "group-key"));
  EXPECT_EQ(leader.owner.uid, "StatefulSet:default/l");
  EXPECT_EQ(worker.owner.uid, "StatefulSet:default/l-1");
}

TEST(Children, of_a_leader_worker_set_may_begin_with_leaders) {
  EXPECT_EQ(made(read(leader_worker_set("  startupPolicy: LeaderReady\n"))),
            "LeaderWorkerSet default/l: 2: the workers follow when their leader is ready");
  EXPECT_EQ(
      made(read(leader_worker_set(
          "", "name: l, annotations: {leaderworkerset.sigs.k8s.io/exclusive-topology: rack}"))),
      "LeaderWorkerSet default/l: 2: the workers follow when their leader has a node");
}

std::string pytorch_job(const std::string& spec = "") {
  return "apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: p}\nspec:\n" + spec +
         "  pytorchReplicaSpecs:\n    Master:\n      restartPolicy: OnFailure\n" + template_at(6) +
         "    Worker:\n      replicas: 2\n" + template_at(6);
}

TEST(Children, of_a_pytorch_job_are_its_replicas) {
  const Manifests manifests = read(pytorch_job());
  EXPECT_EQ(made(manifests), "PyTorchJob default/p: 3");
  const PodObject worker = pod_named(manifests, "p-worker-1");
  EXPECT_EQ(label(worker, "training.kubeflow.org/job-name"), "p");
  EXPECT_EQ(label(worker, "training.kubeflow.org/replica-type"), "worker");
  EXPECT_EQ(label(worker, "training.kubeflow.org/replica-index"), "1");
  EXPECT_EQ(label(worker, "training.kubeflow.org/operator-name"), "pytorchjob-controller");
  EXPECT_EQ(label(pod_named(manifests, "p-master-0"), "training.kubeflow.org/job-role"), "master");
  EXPECT_EQ(worker.owner.uid, "PyTorchJob:default/p");
  EXPECT_FALSE(worker.runs_forever);
  EXPECT_EQ(made(read(pytorch_job("  runPolicy: {suspend: true}\n"))),
            "PyTorchJob default/p: 0: it is suspended");
}

std::string mpi_job(const std::string& spec = "") {
  return "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: m}\nspec:\n" + spec +
         "  mpiReplicaSpecs:\n    Launcher:\n" + template_at(6) +
         "    Worker:\n      replicas: 2\n" + template_at(6);
}

TEST(Children, of_an_mpi_job_are_workers_and_the_pod_of_its_launcher) {
  const Manifests manifests = read(mpi_job());
  EXPECT_EQ(made(manifests), "MPIJob default/m: 3");
  EXPECT_EQ(label(pod_named(manifests, "m-worker-1"), "training.kubeflow.org/job-role"), "worker");
  EXPECT_EQ(pod_named(manifests, "m-worker-1").owner.uid, "MPIJob:default/m");
  const PodObject launcher = pod_named(manifests, "m-launcher-");
  EXPECT_EQ(label(launcher, "training.kubeflow.org/job-role"), "launcher");
  EXPECT_EQ(label(launcher, "training.kubeflow.org/job-name"), "m");
  EXPECT_EQ(launcher.owner.uid, "Job:default/m-launcher");
  EXPECT_EQ(made(read(mpi_job("  launcherCreationPolicy: WaitForWorkersReady\n"))),
            "MPIJob default/m: 2: the launcher follows when the workers are ready");
}

TEST(Children, of_an_mpi_job_without_launcher_are_refused_with_its_place) {
  const std::string head =
      "apiVersion: kubeflow.org/v2beta1\nkind: MPIJob\nmetadata: {name: m, annotations: "
      "{berth.dev/gang: all}}\nspec:\n";
  const std::string workers = "    Worker:\n      replicas: 2\n" + template_at(6);
  const std::string missing = "`Launcher` is missing, expected one with a template";
  EXPECT_EQ(error_in(head + "  mpiReplicaSpecs:\n" + workers),
            "f.yaml:6:5: spec.mpiReplicaSpecs: " + missing);
  EXPECT_EQ(error_in(head +
                     "  launcherCreationPolicy: WaitForWorkersReady\n"
                     "  mpiReplicaSpecs:\n" +
                     workers),
            "f.yaml:7:5: spec.mpiReplicaSpecs: " + missing);
  EXPECT_EQ(error_in(head + "  slotsPerWorker: 1\n"), "f.yaml:5:3: spec: " + missing);
  EXPECT_EQ(error_in(head + "  mpiReplicaSpecs:\n    Launcher: {replicas: 1}\n" + workers),
            "f.yaml:6:15: spec.mpiReplicaSpecs.Launcher: a template is missing, expected one with "
            "metadata and spec");
}

std::string ray_cluster_spec(std::size_t indent) {
  const std::string space(indent, ' ');
  return space + "headGroupSpec:\n" + template_at(indent + 2) + space + "workerGroupSpecs:\n" +
         space + "- groupName: small\n" + space + "  replicas: 5\n" + space + "  maxReplicas: 2\n" +
         space + "  numOfHosts: 2\n" + template_at(indent + 2);
}

TEST(Children, of_a_ray_cluster_are_its_head_and_workers) {
  const Manifests manifests =
      read("apiVersion: ray.io/v1\nkind: RayCluster\nmetadata: {name: r}\nspec:\n" +
           ray_cluster_spec(2));
  EXPECT_EQ(made(manifests), "RayCluster default/r: 5");
  const PodObject worker = pod_named(manifests, "r-small-worker-");
  EXPECT_EQ(label(worker, "ray.io/cluster"), "r");
  EXPECT_EQ(label(worker, "ray.io/group"), "small");
  EXPECT_EQ(label(worker, "ray.io/node-type"), "worker");
  EXPECT_EQ(label(pod_named(manifests, "r-head-"), "ray.io/group"), "headgroup");
}

TEST(Children, of_a_ray_job_are_those_of_its_cluster) {
  const Manifests manifests =
      read("apiVersion: ray.io/v1\nkind: RayJob\nmetadata: {name: j}\nspec:\n  rayClusterSpec:\n" +
           ray_cluster_spec(4));
  EXPECT_EQ(made(manifests),
            "RayJob default/j: 5: the Job that submits it follows when the cluster is ready");
  EXPECT_TRUE(pod_named(manifests, "j-").owner.uid.starts_with("RayCluster:default/j-"));
}

// KubeRay copies both to the cluster, whose pods are the gang and have the queue.
TEST(Children, of_a_ray_job_have_its_labels_and_annotations) {
  const Manifests manifests = read(
      "apiVersion: ray.io/v1\nkind: RayJob\nmetadata:\n  name: j\n"
      "  labels: {kueue.x-k8s.io/queue-name: vision}\n"
      "  annotations: {berth.dev/gang: all}\nspec:\n  rayClusterSpec:\n" +
      ray_cluster_spec(4));
  std::string clusters;
  for (const ClusterEvent& event : manifests.events) {
    const auto* const owner = std::get_if<OwnerObject>(&event);
    if (owner == nullptr || owner->self.kind != "RayCluster") continue;
    clusters += owner->gang.value + " in " + owner->queue.local_queue + ";";
  }
  EXPECT_EQ(clusters, "all in vision;");
}

// Where one object may make a thousand.
std::string error_in_making(const std::string& yaml) {
  document::Value object = *document::parse_yaml(yaml, "f.yaml");
  Offspring offspring(1000);
  EXPECT_TRUE(offspring.keep({"JobSet", "jobset.x-k8s.io/v1alpha2"}, object, "f.yaml"));
  std::vector<Made> made;
  std::vector<std::string> warnings;
  const auto drop = [](const TypeName&, const document::Value&, const std::string&) -> Status {
    return Done{};
  };
  const Status status = offspring.make(drop, made, warnings);
  return status ? "" : status.error().to_string();
}

TEST(Children, may_not_be_too_many) {
  std::string set = job_set("");
  set.replace(set.find("replicas: 2"), 11, "replicas: 900");
  EXPECT_EQ(error_in_making(set),
            "f.yaml:1:1: JobSet default/s makes more than 1000 pods, expected fewer");
}

TEST(Children, that_make_no_pods_may_not_be_too_many) {
  std::string idle =
      "apiVersion: jobset.x-k8s.io/v1alpha2\nkind: JobSet\nmetadata: {name: s}\n"
      "spec:\n  replicatedJobs:\n";
  for (const char* const name : {"a", "b"}) {
    idle += "  - name: " + std::string(name) +
            "\n    replicas: 600\n    template:\n      spec:\n        parallelism: 0\n" +
            template_at(8);
  }
  EXPECT_EQ(error_in_making(idle),
            "f.yaml:1:1: JobSet default/s makes more than 1000 objects, expected fewer");
}

}  // namespace
}  // namespace berth::kube
