#include "kube/children.h"

#include <set>

#include "berth/base/text.h"
#include "kube/children_support.h"

// The pods that Kubernetes' own controllers make of Jobs and StatefulSets.

namespace berth::kube {
namespace {

// `spec`: lines such as "  parallelism: 3\n".
std::string job(const std::string& spec, const std::string& metadata = "name: train") {
  return "apiVersion: batch/v1\nkind: Job\nmetadata: {" + metadata + ", namespace: ml}\nspec:\n" +
         spec + R"(  template:
    metadata:
      labels: {app: train}
      annotations: {scheduling.k8s.io/group-name: big}
    spec:
      schedulerName: berth
      priorityClassName: high
      restartPolicy: Never
      containers: [{name: c, resources: {requests: {cpu: 2}}}]
)";
}

std::string stateful_set(const std::string& spec) {
  return "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: web}\nspec:\n" + spec +
         R"(  template:
    spec:
      schedulerName: berth
      containers: [{name: c}]
)";
}

const std::string kIndexed = "  completionMode: Indexed\n";
const std::string kThree = "  parallelism: 3\n  completions: 3\n";

TEST(Children, of_an_indexed_job_are_as_its_controller_writes_them) {
  const Manifests manifests = read(job(kThree + kIndexed));
  EXPECT_EQ(made(manifests), "Job ml/train: 3");
  ASSERT_EQ(pods_in(manifests).size(), 3u);
  const PodObject pod = pod_named(manifests, "train-1-");
  EXPECT_EQ(pod.name.size(), std::string("train-1-xxxxx").size());
  EXPECT_EQ(pod.name_space, "ml");
  EXPECT_EQ(pod.index, 1);
  EXPECT_EQ(pod.group, "big");
  EXPECT_EQ(pod.priority_class, "high");
  EXPECT_EQ(pod.scheduler_name, "berth");
  EXPECT_EQ(pod.request.at("cpu"), 2000);
  EXPECT_EQ(pod.owner.uid, "Job:ml/train");
  EXPECT_EQ(label(pod, "app"), "train");
  EXPECT_EQ(label(pod, "batch.kubernetes.io/job-name"), "train");
  EXPECT_EQ(label(pod, "job-name"), "train");
  EXPECT_EQ(label(pod, "batch.kubernetes.io/controller-uid"), "Job:ml/train");
  EXPECT_EQ(label(pod, "controller-uid"), "Job:ml/train");
  EXPECT_EQ(label(pod, "batch.kubernetes.io/job-completion-index"), "1");
}

TEST(Children, of_a_plain_job_have_names_of_their_own_the_same_in_each_run) {
  constexpr std::size_t kMany = 5'000;
  const std::string many = "  parallelism: " + std::to_string(kMany) + "\n";
  const Manifests manifests = read(job(many));
  std::set<std::string> names;
  for (const PodObject& pod : pods_in(manifests)) names.insert(pod.name);
  EXPECT_EQ(names.size(), kMany);
  EXPECT_EQ(pods_in(manifests), pods_in(read(job(many))));
  EXPECT_EQ(label(pods_in(manifests).front(), "batch.kubernetes.io/job-completion-index"), "none");
  // As the API server cuts the base of a generated name.
  const std::string name(60, 'x');
  EXPECT_EQ(pods_in(read(job("", "name: " + name))).front().name.size(), 63u);
  EXPECT_TRUE(pods_in(read(job(kThree + kIndexed, "name: " + name)))
                  .back()
                  .name.starts_with(std::string(55, 'x') + "-2-"));
}

TEST(Children, of_a_job_are_as_many_as_it_wants_at_once) {
  EXPECT_EQ(made(read(job(""))), "Job ml/train: 1");
  EXPECT_EQ(made(read(job("  parallelism: 3\n"))), "Job ml/train: 3");
  EXPECT_EQ(made(read(job("  parallelism: 0\n"))), "Job ml/train: 0: 1 more follows as these end");
  EXPECT_EQ(made(read(job("  completions: 9\n"))), "Job ml/train: 1: 8 more follow as these end");
  EXPECT_EQ(made(read(job("  parallelism: 9\n  completions: 2\n"))), "Job ml/train: 2");
  EXPECT_EQ(made(read(job(kThree + "  suspend: true\n"))), "Job ml/train: 0: it is suspended");
  EXPECT_EQ(made(read(job(kThree + "  managedBy: kueue.x-k8s.io/multikueue\n"))),
            "Job ml/train: 0: it is managed by kueue.x-k8s.io/multikueue");
  const Manifests ended =
      read(job(kThree) + "status: {conditions: [{type: Complete, status: 'True'}]}\n");
  EXPECT_TRUE(ended.made.empty() && pods_in(ended).empty()) << "nobody asks for them";
  EXPECT_EQ(made(read(job(kThree, "generateName: train-")))
                .substr(0, std::string("Job ml/train-").size()),
            "Job ml/train-");
}

TEST(Children, are_as_old_as_their_owner_and_know_its_uid) {
  const Manifests manifests =
      read(job(kThree, "name: train, uid: u-1, creationTimestamp: '2026-11-21T09:00:00Z'"));
  for (const PodObject& pod : pods_in(manifests)) {
    EXPECT_EQ(format_time(pod.created), "2026-11-21T09:00:00Z");
    EXPECT_EQ(pod.owner.uid, "u-1");
  }
}

TEST(Children, are_made_only_of_what_has_none) {
  const auto pod = [](const std::string& owner, const std::string& name = "other") {
    return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name +
           ", namespace: ml, ownerReferences: [{apiVersion: batch/v1, kind: Job, " + owner +
           "}]}\n";
  };
  const std::string with_uid = job(kThree, "name: train, uid: u-1");
  EXPECT_EQ(pods_in(read(with_uid + pod("name: train, uid: u-1"))).size(), 1u);
  // Of an older Job of that name.
  EXPECT_EQ(pods_in(read(with_uid + pod("name: train, uid: u-0"))).size(), 4u);
  EXPECT_EQ(pods_in(read(job(kThree) + pod("name: train, uid: u-0"))).size(), 1u);
  EXPECT_EQ(pods_in(read(pod("name: train, uid: u-0") + "---\n" + job(kThree))).size(), 1u);
  EXPECT_EQ(pods_in(read(job(kThree) + pod("name: another"))).size(), 4u);
  // A pod that is there already stays.
  const std::string taken =
      "---\napiVersion: v1\nkind: Pod\nmetadata: {name: web-1}\n"
      "spec: {schedulerName: other}\n";
  const Manifests set =
      read(stateful_set("  replicas: 3\n  podManagementPolicy: Parallel\n") + taken);
  EXPECT_EQ(pods_in(set).size(), 3u);
  EXPECT_EQ(pod_named(set, "web-1").scheduler_name, "other");
}

TEST(Children, of_a_stateful_set_are_numbered) {
  const Manifests manifests = read(
      stateful_set("  replicas: 2\n  podManagementPolicy: Parallel\n  ordinals: {start: 5}\n"));
  EXPECT_EQ(made(manifests), "StatefulSet default/web: 2");
  const PodObject pod = pod_named(manifests, "web-6");
  EXPECT_EQ(pod.index, 6);
  EXPECT_EQ(label(pod, "statefulset.kubernetes.io/pod-name"), "web-6");
  EXPECT_EQ(label(pod, "apps.kubernetes.io/pod-index"), "6");
  EXPECT_EQ(pod.owner.uid, "StatefulSet:default/web");
  EXPECT_EQ(made(read(stateful_set("  podManagementPolicy: Parallel\n  replicas: 0\n"))),
            "StatefulSet default/web: 0");
}

TEST(Children, of_an_ordered_stateful_set_begin_with_one) {
  const Manifests manifests = read(stateful_set("  replicas: 3\n"));
  EXPECT_EQ(made(manifests),
            "StatefulSet default/web: 1: 2 more follow one by one, each when the one before is "
            "ready, as podManagementPolicy is OrderedReady");
  EXPECT_EQ(pods_in(manifests).front().name, "web-0");
}

TEST(Children, of_a_stateful_set_have_claims_of_their_own) {
  const Manifests plain = read(stateful_set(""));
  const Manifests manifests =
      read(stateful_set("  volumeClaimTemplates: [{metadata: {name: data}}]\n"));
  EXPECT_NE(pods_in(manifests).front().constraints, pods_in(plain).front().constraints);
}

TEST(Children, of_bad_objects_are_refused_with_their_place) {
  EXPECT_EQ(error_in(job("  parallelism: -1\n")),
            "f.yaml:5:16: spec.parallelism: \"-1\" is out of range, expected a whole number from 0 "
            "to 100000");
  EXPECT_EQ(error_in(job("  parallelism: \"3\"\n")).find("f.yaml:5:16: spec.parallelism: "), 0u);
  EXPECT_EQ(error_in(job(kIndexed)),
            "f.yaml:5:3: spec: `completions` is missing, expected a number, as it is Indexed");
  EXPECT_EQ(
      error_in(job("  completionMode: indexed\n")),
      "f.yaml:5:19: spec.completionMode: \"indexed\" is not known; did you mean \"Indexed\"?");
  std::string always = job("");
  always.replace(always.find("Never"), 5, "Always");
  EXPECT_EQ(error_in(always),
            "f.yaml:12:22: spec.template.spec.restartPolicy: the pods of a Job have \"Never\" or "
            "\"OnFailure\" as restartPolicy, not \"Always\"");
  std::string amount = job("");
  amount.replace(amount.find("cpu: 2"), 6, "cpu: x");
  EXPECT_NE(error_in(amount).find("f.yaml:13:58: "), std::string::npos) << error_in(amount);
  EXPECT_NE(error_in("apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {}\n")
                .find("f.yaml:4:7: spec: "),
            std::string::npos);
  EXPECT_NE(error_in(job("") + "---\n" + job(""))
                .find("f.yaml:15:1: Job \"ml/train\" is also at "
                      "f.yaml:1:1, expected it once"),
            std::string::npos)
      << error_in(job("") + "---\n" + job(""));
}

}  // namespace
}  // namespace berth::kube
