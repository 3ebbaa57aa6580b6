#include <gtest/gtest.h>

#include "kube/codecs.h"
#include "kube/yaml_value.h"

// Owners as their users write them, and as their controllers default them.

namespace berth::kube {
namespace {

OwnerObject read(const std::string& yaml, const TypeName& type = {}) {
  const auto owner = decode_owner(value_of(yaml), "f", type);
  EXPECT_TRUE(owner.has_value()) << owner.error().to_string();
  return owner ? *owner : OwnerObject();
}

OwnerObject of_kind(const std::string& api_version, const std::string& kind,
                    const std::string& spec) {
  return read("{apiVersion: " + api_version + ", kind: " + kind +
              ", metadata: {name: o, namespace: ml, uid: u}, spec: " + spec + "}");
}

OwnerObject job_with(const std::string& spec) { return of_kind("batch/v1", "Job", spec); }

TEST(Owner, has_its_names_words_and_controller) {
  const OwnerObject owner = read(R"({metadata: {name: j, namespace: ml, uid: u,
      annotations: {berth.dev/gang: all, scheduling.volcano.sh/group-min-member: "3"},
      labels: {kueue.x-k8s.io/queue-name: lq, volcano.sh/queue-name: q},
      ownerReferences: [{apiVersion: jobset.x-k8s.io/v1alpha2, kind: JobSet, name: s, uid: v,
                         controller: true}]}})",
                                 {"Job", "batch/v1"});
  EXPECT_EQ(owner.self, (OwnerReference{"batch/v1", "Job", "j", "u"}));
  EXPECT_EQ(owner.controller, (OwnerReference{"jobset.x-k8s.io/v1alpha2", "JobSet", "s", "v"}));
  EXPECT_EQ(owner.gang, (GangWish{"berth.dev/gang", "all"}));
  EXPECT_EQ(owner.queue, (QueueWish{"q", "lq"}));
  EXPECT_EQ(owner.text(), "Job ml/j");
}

// As deploy/admission/permissions/reserve.yaml asks for them.
TEST(Owner, MAY5_a_job_that_names_its_queue_itself_is_about_that_one_alone) {
  const auto queues = [](const std::string& own, const std::string& of_pods) {
    return read("{apiVersion: batch/v1, kind: Job, metadata: {name: o, uid: u, annotations: {" +
                own + "}}, spec: {template: {metadata: {annotations: {" + of_pods + "}}}}}")
        .queues;
  };
  using Names = std::vector<std::string>;
  const std::string queue = "scheduling.volcano.sh/queue-name: ";
  const std::string target = "berth.dev/target: 'true'";
  EXPECT_EQ(queues(target + ", " + queue + "q", ""), Names{"q"});
  EXPECT_EQ(queues(target + ", " + queue + "q", queue + "p"), (Names{"q", "p"}));
  EXPECT_EQ(queues(target, queue + "p"), Names{"p"});
  EXPECT_EQ(queues(target, ""), Names{""});
  // Pods that name a target may outlive their Job.
  EXPECT_EQ(queues(queue + "q", target), (Names{"q", ""}));
  EXPECT_EQ(queues(queue + "q", target + ", " + queue + "p"), (Names{"q", "p"}));
}

TEST(Owner, OWNED5_a_job_wants_what_Kubernetes_would_start) {
  EXPECT_EQ(job_with("{}").at_once, 1);
  EXPECT_EQ(job_with("{parallelism: 4}").at_once, 4);
  EXPECT_EQ(job_with("{completions: 4}").at_once, 1);
  EXPECT_EQ(job_with("{parallelism: 8, completions: 3}").at_once, 3);
  EXPECT_EQ(job_with("{parallelism: 0, completions: 3}").at_once, 0);
  EXPECT_FALSE(job_with("{}").is_indexed);
  EXPECT_TRUE(job_with("{completionMode: Indexed}").is_indexed);
  EXPECT_EQ(job_with("{parallelism: many}").at_once, std::nullopt) << "cannot be read";
}

TEST(Owner, OWNED7_a_stateful_set_makes_one_pod_after_the_other_unless_it_says_parallel) {
  const OwnerObject ordered = of_kind("apps/v1", "StatefulSet", "{replicas: 3}");
  EXPECT_EQ(ordered.at_once, 3);
  EXPECT_EQ(ordered.at_first, 1);
  EXPECT_EQ(ordered.in_turn, "podManagementPolicy: OrderedReady");
  const OwnerObject parallel =
      of_kind("apps/v1", "StatefulSet", "{replicas: 3, podManagementPolicy: Parallel}");
  EXPECT_EQ(parallel.at_first, std::nullopt);
}

constexpr const char* kJobSet = R"({replicatedJobs: [
  {name: driver, template: {spec: {template: {spec: {}}}}},
  {name: workers, replicas: 2, template: {spec: {parallelism: 4, completions: 4}}}]})";

TEST(Owner, OWNED5_a_job_set_wants_all_pods_of_its_jobs) {
  const OwnerObject set = of_kind("jobset.x-k8s.io/v1alpha2", "JobSet", kJobSet);
  EXPECT_EQ(set.at_once, 9);
  EXPECT_EQ(set.at_first, std::nullopt);
}

TEST(Owner, OWNED7_a_job_set_may_start_its_jobs_in_turn) {
  std::string spec(kJobSet);
  spec.insert(1, "startupPolicy: {startupPolicyOrder: InOrder}, ");
  const OwnerObject set = of_kind("jobset.x-k8s.io/v1alpha2", "JobSet", spec);
  EXPECT_EQ(set.at_once, 9);
  EXPECT_EQ(set.at_first, 1);
  const OwnerObject dependent = of_kind("jobset.x-k8s.io/v1alpha2", "JobSet", R"({replicatedJobs: [
      {name: a, replicas: 2, template: {spec: {parallelism: 2}}},
      {name: b, dependsOn: [{name: a, status: Ready}], template: {spec: {}}}]})");
  EXPECT_EQ(dependent.at_once, 5);
  EXPECT_EQ(dependent.at_first, 4);
  EXPECT_EQ(dependent.in_turn, "dependsOn");
}

TEST(Owner, OWNED5_a_group_of_a_leader_worker_set_has_its_size) {
  const char* api = "leaderworkerset.x-k8s.io/v1";
  EXPECT_EQ(
      of_kind(api, "LeaderWorkerSet", "{replicas: 2, leaderWorkerTemplate: {size: 4}}").at_once, 4);
  const OwnerObject late = of_kind(api, "LeaderWorkerSet",
                                   "{startupPolicy: LeaderReady, leaderWorkerTemplate: {size: 4}}");
  EXPECT_EQ(late.at_first, 1);
  EXPECT_EQ(late.in_turn, "startupPolicy: LeaderReady");
}

TEST(Owner, OWNED5_kubeflows_jobs_want_the_sum_of_their_replicas) {
  const struct {
    const char* kind;
    const char* spec;
    std::int32_t pods;
  } kCases[] = {
      {"PyTorchJob", "{pytorchReplicaSpecs: {Master: {replicas: 1}, Worker: {replicas: 3}}}", 4},
      {"PyTorchJob", "{pytorchReplicaSpecs: {Master: {}, Worker: {replicas: 3}}}", 4},
      {"TFJob",
       "{tfReplicaSpecs: {Chief: {replicas: 1}, PS: {replicas: 2}, Worker: {replicas: 4}}}", 7},
      {"XGBoostJob", "{xgbReplicaSpecs: {Master: {replicas: 1}, Worker: {replicas: 2}}}", 3},
      {"PaddleJob", "{paddleReplicaSpecs: {Worker: {replicas: 2}}}", 2},
      {"JAXJob", "{jaxReplicaSpecs: {Worker: {replicas: 5}}}", 5},
      {"MPIJob", "{mpiReplicaSpecs: {Launcher: {replicas: 1}, Worker: {replicas: 4}}}", 5},
      {"MPIJob",
       "{launcherCreationPolicy: WaitForWorkersReady, mpiReplicaSpecs: {Launcher: {replicas: 1}, "
       "Worker: {replicas: 4}}}",
       4},
  };
  for (const auto& each : kCases) {
    EXPECT_EQ(of_kind("kubeflow.org/v1", each.kind, each.spec).at_once, each.pods) << each.spec;
  }
}

TEST(Owner, OWNED5_a_ray_cluster_wants_its_head_and_its_workers) {
  const auto ray = [](const std::string& spec) {
    return of_kind("ray.io/v1", "RayCluster", spec).at_once;
  };
  EXPECT_EQ(ray("{workerGroupSpecs: [{replicas: 2, minReplicas: 1, maxReplicas: 5}, "
                "{replicas: 3, numOfHosts: 2}]}"),
            9);
  EXPECT_EQ(ray("{workerGroupSpecs: [{minReplicas: 2}, {replicas: 9, maxReplicas: 4}]}"), 7);
  EXPECT_EQ(ray("{workerGroupSpecs: [{replicas: 4, suspend: true}]}"), 1);
  EXPECT_EQ(
      ray("{enableInTreeAutoscaling: true, workerGroupSpecs: [{replicas: 4, minReplicas: 1}]}"), 2);
}

TEST(Owner, OWNED5_of_other_kinds_nobody_knows_how_many_pods_it_wants) {
  EXPECT_EQ(of_kind("example.com/v1", "Job", "{parallelism: 4}").at_once, std::nullopt);
  EXPECT_EQ(of_kind("trainer.kubeflow.org/v1alpha1", "TrainJob", "{}").at_once, std::nullopt);
}

TEST(Owner, OWNED15_a_namespace_names_a_queue_by_Volcanos_annotation_or_by_our_label) {
  const auto queue = [](const std::string& metadata) {
    const auto read = decode_namespace(value_of("{metadata: {name: ml, " + metadata + "}}"), "f");
    return read ? read->queue : "";
  };
  EXPECT_EQ(queue("labels: {berth.dev/queue: a}"), "a");
  EXPECT_EQ(
      queue("labels: {berth.dev/queue: a}, annotations: {scheduling.volcano.sh/queue-name: b}"),
      "b");
}

}  // namespace
}  // namespace berth::kube
