#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "berth/base/text.h"
#include "document/readers.h"
#include "kube/codecs.h"
#include "kube/yaml_value.h"

namespace berth::kube {
namespace {

Result<PodObject> pod_from(const std::string& yaml) {
  const Result<document::Value> value = document::parse_yaml(yaml, "pod.yaml");
  EXPECT_TRUE(value.has_value()) << value.error().to_string();
  return decode_pod(*value, "pod.yaml");
}

NamedAmounts request_of(const std::string& spec) {
  const auto pod = pod_with_spec(spec);
  EXPECT_TRUE(pod.has_value()) << pod.error().to_string() << "\n" << spec;
  return pod ? pod->request : NamedAmounts{};
}

std::string error_of(const std::string& spec) {
  const auto pod = pod_with_spec(spec);
  return pod ? "" : pod.error().to_string();
}

std::string cpu(const char* amount) {
  return std::string("resources: {requests: {cpu: ") + amount + "}}";
}

TEST(Pod, reads_every_field_that_a_decision_rests_on) {
  const auto pod = pod_from(R"(
apiVersion: v1
kind: Pod
metadata:
  name: trainer-worker-12
  namespace: team-a
  uid: 123-456
  creationTimestamp: "2026-11-21T09:00:00Z"
  deletionTimestamp: "2026-11-21T09:05:00Z"
  annotations:
    scheduling.k8s.io/group-name: trainer
    volcano.sh/task-spec: worker
    scheduling.volcano.sh/queue-name: research
    volcano.sh/preemptable: "false"
    volcano.sh/cooldown-time: 10m
    berth.dev/run-time: 90s
    volcano.sh/sla-waiting-time: 5m
spec:
  schedulerName: berth
  priority: -5
  priorityClassName: low
  preemptionPolicy: Never
  nodeName: n1
  schedulingGates: [{name: berth.dev/plan}]
  futureField: {of: any, kind: [1, 2]}
status:
  phase: Running
  nominatedNodeName: n2
  startTime: 2026-11-21T09:01:00Z
)");
  ASSERT_TRUE(pod.has_value()) << pod.error().to_string();
  EXPECT_EQ(pod->full_name(), "team-a/trainer-worker-12");
  EXPECT_EQ(pod->uid, "123-456");
  EXPECT_EQ(pod->created, *parse_time("2026-11-21T09:00:00Z"));
  EXPECT_TRUE(pod->terminating);
  EXPECT_EQ(pod->group, "trainer");
  EXPECT_EQ(pod->role, "worker");
  EXPECT_EQ(pod->queue, "research");
  EXPECT_EQ(pod->index, 12);
  EXPECT_EQ(pod->eviction, (EvictionTerms{false, std::chrono::minutes(10)}));
  EXPECT_EQ(pod->run_time, Duration(std::chrono::seconds(90)));
  EXPECT_EQ(pod->waiting_limit, Duration(std::chrono::minutes(5)));
  EXPECT_EQ(pod->scheduler_name, "berth");
  EXPECT_EQ(pod->priority, -5);
  EXPECT_EQ(pod->priority_class, "low");
  EXPECT_TRUE(pod->never_preempts);
  EXPECT_EQ(pod->node_name, "n1");
  EXPECT_EQ(pod->gates, (std::vector<std::string>{"berth.dev/plan"}));
  EXPECT_EQ(pod->phase, PodPhase::running);
  EXPECT_EQ(pod->nominated_node, "n2");
  EXPECT_EQ(pod->started, *parse_time("2026-11-21T09:01:00Z"));
}

TEST(Pod, AUTOSCALE2_says_why_it_is_not_scheduled) {
  const auto with = [](const std::string& conditions) {
    return *pod_from("metadata: {name: p}\nspec: {}\nstatus: {conditions: [" + conditions + "]}\n");
  };
  const std::string other = "{type: Ready, status: 'False', reason: Unschedulable, message: m}";
  EXPECT_EQ(with(other).not_scheduled, "");
  const std::string end = ", status: 'False', message: why}";
  const PodObject waits = with(other + ", {type: PodScheduled, reason: Waiting" + end);
  EXPECT_EQ(waits.not_scheduled, "Waiting");
  EXPECT_EQ(waits.unschedulable, "");
  const PodObject needs_nodes = with("{type: PodScheduled, reason: Unschedulable" + end);
  EXPECT_EQ(needs_nodes.not_scheduled, "Unschedulable");
  EXPECT_EQ(needs_nodes.unschedulable, "why");
  EXPECT_EQ(with("{type: PodScheduled, status: 'True', reason: Unschedulable}").not_scheduled, "");
}

TEST(Pod, says_what_a_target_says_of_itself_and_who_controls_it) {
  const auto pod = pod_from(R"(
metadata:
  name: p
  annotations:
    berth.dev/target: "true"
    berth.dev/target-since: "2026-11-21T09:00:00.123456789Z"
    berth.dev/target-why: waits longest
    berth.dev/target-given-up: "2026-11-21T08:00:00Z"
    berth.dev/first-seen: "2026-11-21T07:00:00Z"
  ownerReferences:
  - {kind: Workflow, uid: w, controller: false}
  - {kind: Job, uid: j, controller: true}
  - {kind: DaemonSet, uid: d}
spec: {restartPolicy: Never}
)");
  ASSERT_TRUE(pod.has_value()) << pod.error().to_string();
  EXPECT_TRUE(pod->marks.is_named);
  EXPECT_EQ(pod->marks.elected_at, *parse_time("2026-11-21T09:00:00.123456789Z"));
  EXPECT_EQ(pod->marks.why, "waits longest");
  EXPECT_EQ(pod->marks.given_up_at, *parse_time("2026-11-21T08:00:00Z"));
  EXPECT_EQ(pod->marks.first_seen, *parse_time("2026-11-21T07:00:00Z"));
  EXPECT_EQ(pod->owner.uid, "j");
  EXPECT_FALSE(pod->is_daemon);
  EXPECT_FALSE(pod->runs_forever);
}

TEST(Pod, is_not_lost_for_an_odd_word_on_it) {
  const auto pod = pod_from(R"(
metadata:
  name: p
  annotations: {berth.dev/target: elected, berth.dev/target-since: yesterday,
                berth.dev/target-why: x, berth.dev/first-seen: ""}
)");
  ASSERT_TRUE(pod.has_value()) << pod.error().to_string();
  TargetMarks marks;
  marks.is_elected = true;
  EXPECT_EQ(pod->marks, marks);
  EXPECT_TRUE(pod->runs_forever);
  EXPECT_EQ(pod->owner.uid, "");
}

TEST(Pod, comes_with_its_node_if_a_daemon_set_or_the_kubelet_made_it) {
  const auto owned_by = [](const std::string& owner) {
    return pod_from("metadata: {name: p, ownerReferences: [" + owner + "]}")->is_daemon;
  };
  EXPECT_TRUE(owned_by("{kind: DaemonSet, uid: d, controller: true}"));
  EXPECT_TRUE(owned_by("{kind: Node, uid: n, controller: true}"));
  EXPECT_FALSE(owned_by("{kind: ReplicaSet, uid: r, controller: true}"));
  EXPECT_FALSE(owned_by("{kind: DaemonSet, uid: d}"));
}

TEST(Pod, has_the_defaults_of_the_api_for_absent_fields) {
  const auto pod = pod_from("metadata: {name: web, creationTimestamp: null}\n");
  ASSERT_TRUE(pod.has_value()) << pod.error().to_string();
  EXPECT_EQ(pod->full_name(), "default/web");
  EXPECT_EQ(pod->uid, "Pod:default/web");
  EXPECT_EQ(pod->created, TimePoint{});
  EXPECT_EQ(pod->scheduler_name, "default-scheduler");
  EXPECT_EQ(pod->phase, PodPhase::pending);
  EXPECT_EQ(pod->index, -1);
  EXPECT_EQ(pod->priority, std::nullopt);
  EXPECT_TRUE(pod->eviction.are_empty());
  EXPECT_FALSE(pod->terminating);
  EXPECT_EQ(pod->request, (NamedAmounts{{"pods", 1}}));
  EXPECT_EQ(pod->constraints, Constraints{});
}

TEST(Pod, joins_a_group_by_either_annotation_or_by_the_label) {
  EXPECT_EQ(
      pod_from("metadata: {name: p, annotations: {scheduling.volcano.sh/group-name: g}}")->group,
      "g");
  EXPECT_EQ(pod_from("metadata: {name: p, labels: {scheduling.x-k8s.io/pod-group: g}}")->group,
            "g");
  EXPECT_EQ(pod_from("metadata: {name: p, labels: {scheduling.x-k8s.io/pod-group: h},"
                     " annotations: {scheduling.k8s.io/group-name: g}}")
                ->group,
            "g");
  EXPECT_EQ(pod_from("metadata: {name: p, labels: {volcano.sh/queue-name: q}}")->queue, "q");
}

TEST(Pod, KUBEGROUP3_joins_the_group_in_its_spec_if_it_names_no_other) {
  const std::string spec = "\nspec: {schedulingGroup: {podGroupName: k}}";
  EXPECT_EQ(pod_from("metadata: {name: p}" + spec)->group, "k");
  EXPECT_EQ(
      pod_from("metadata: {name: p, labels: {scheduling.x-k8s.io/pod-group: g}}" + spec)->group,
      "g");
  EXPECT_EQ(
      pod_from("metadata: {name: p, annotations: {scheduling.k8s.io/group-name: h}}" + spec)->group,
      "h");
}

TEST(Pod, takes_its_index_from_a_label_before_its_name) {
  EXPECT_EQ(
      pod_from("metadata: {name: p-7, labels: {batch.kubernetes.io/job-completion-index: '3'}}")
          ->index,
      3);
  EXPECT_EQ(pod_from("metadata: {name: p-7, labels: {apps.kubernetes.io/pod-index: '4'}}")->index,
            4);
  EXPECT_EQ(pod_from("metadata: {name: p-7}")->index, 7);
  EXPECT_EQ(pod_from("metadata: {name: p-99999999999999999999999}")->index, -1);
}

// Each row: containers run together, init containers one after the other on top of the sidecars
// before them; the request is the larger of the two, and the overhead.
TEST(PodRequest, is_the_larger_of_start_up_and_running_and_the_overhead) {
  const auto container = [](const char* amount) { return "{" + cpu(amount) + "}"; };
  const auto sidecar = [](const char* amount) {
    return "{restartPolicy: Always, " + cpu(amount) + "}";
  };
  const struct {
    std::string containers, init;
    std::int64_t expected;
  } cases[] = {
      {container("1") + ", " + container("500m"), "", 1500},
      {container("1"), container("3"), 3000},
      {container("2"), container("1") + ", " + container("1500m"), 2000},
      {container("3"), container("4") + ", " + sidecar("1") + ", " + container("2"), 4000},
      {container("1"), sidecar("1") + ", " + container("3"), 4000},
      {container("1"), container("3") + ", " + sidecar("1"), 3000},
      {container("2"), sidecar("1") + ", " + sidecar("1"), 4000},
      {container("1"), sidecar("1") + ", " + container("2") + ", " + sidecar("1"), 3000},
  };
  for (const auto& [containers, init, expected] : cases) {
    const std::string spec = "{containers: [" + containers + "], initContainers: [" + init + "]";
    EXPECT_EQ(request_of(spec + "}")["cpu"], expected) << spec;
    EXPECT_EQ(request_of(spec + ", overhead: {cpu: 250m}}")["cpu"], expected + 250) << spec;
  }
}

TEST(PodRequest, takes_a_limit_without_a_request_for_a_request) {
  EXPECT_EQ(request_of("{containers: [{resources: {limits: {cpu: 2, memory: 1Gi}, "
                       "requests: {cpu: 1}}}]}"),
            (NamedAmounts{{"cpu", 1000}, {"memory", 1 << 30}, {"pods", 1}}));
  EXPECT_EQ(request_of("{containers: [{resources: {limits: {cpu: 2}, requests: {cpu: 0}}}]}"),
            (NamedAmounts{{"pods", 1}}));
}

TEST(PodRequest, lets_pod_level_resources_replace_the_sum_per_resource) {
  const std::string containers =
      "containers: [{resources: {requests: {cpu: 1, memory: 1Gi, example.com/gpu: 2}}}]";
  EXPECT_EQ(
      request_of("{" + containers + ", resources: {requests: {cpu: 4}}, overhead: {cpu: 1}}"),
      (NamedAmounts{{"cpu", 5000}, {"memory", 1 << 30}, {"example.com/gpu", 2}, {"pods", 1}}));
  EXPECT_EQ(request_of("{" + containers + ", resources: {limits: {cpu: 4, hugepages-2Mi: 4Mi}}}"),
            (NamedAmounts{{"cpu", 1000},
                          {"memory", 1 << 30},
                          {"example.com/gpu", 2},
                          {"hugepages-2Mi", 4 << 20},
                          {"pods", 1}}));
}

TEST(PodRequest, refuses_amounts_it_cannot_account_for_and_says_where) {
  EXPECT_EQ(error_of("{containers: [{}, {resources: {requests: {cpu: -1}}}]}"),
            "pod.yaml:4:54: spec.containers[1].resources.requests.cpu: \"-1\" is negative, "
            "expected 0 or more");
  EXPECT_NE(
      error_of("{containers: [{resources: {requests: {memory: 1Ei}}}]}").find("more than Berth"),
      std::string::npos);
  EXPECT_NE(error_of("{containers: [{resources: {requests: {memory: 6Pi}}},"
                     " {resources: {requests: {memory: 6Pi}}}]}")
                .find("adds up to more than Berth can count"),
            std::string::npos);
  EXPECT_NE(error_of("{containers: [{resources: {requests: {cpu: true}}}]}"), "");
  EXPECT_NE(error_of("{containers: [{resources: {requests: {'a b': 1}}}]}"), "");
}

TEST(PodConstraints, read_selectors_affinity_tolerations_and_ports) {
  const auto pod = pod_with_spec(R"({
  nodeSelector: {disk: ssd},
  affinity: {nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
      {matchExpressions: [{key: zone, operator: In, values: [a, b]}, {key: gpu, operator: Exists}],
       matchFields: [{key: metadata.name, operator: NotIn, values: [n9]}]},
      {matchExpressions: [{key: cores, operator: Gt, values: ["8"]}]}]},
    preferredDuringSchedulingIgnoredDuringExecution: [
      {weight: 50, preference: {matchExpressions: [{key: old, operator: DoesNotExist}]}}]}},
  tolerations: [{operator: Exists, effect: NoExecute}, {key: team, value: a}],
  containers: [{ports: [{containerPort: 80, hostPort: 8080}, {containerPort: 81},
                        {containerPort: 53, hostPort: 53, protocol: UDP, hostIP: 10.0.0.1}]}]})");
  ASSERT_TRUE(pod.has_value()) << pod.error().to_string();
  const Constraints& read = pod->constraints;
  EXPECT_EQ(read.node_selector.at("disk"), "ssd");
  ASSERT_TRUE(read.has_required_terms);
  ASSERT_EQ(read.required_terms.size(), 2U);
  EXPECT_EQ(read.required_terms[0].labels[0], (Expression{"zone", Operator::in, {"a", "b"}}));
  EXPECT_EQ(read.required_terms[0].labels[1], (Expression{"gpu", Operator::exists, {}}));
  EXPECT_EQ(read.required_terms[0].fields[0],
            (Expression{"metadata.name", Operator::not_in, {"n9"}}));
  EXPECT_EQ(read.required_terms[1].labels[0], (Expression{"cores", Operator::greater, {"8"}}));
  ASSERT_EQ(read.preferred_terms.size(), 1U);
  EXPECT_EQ(read.preferred_terms[0].weight, 50);
  EXPECT_EQ(read.preferred_terms[0].term.labels[0].op, Operator::does_not_exist);
  EXPECT_EQ(read.tolerations, (std::vector<Toleration>{{"", true, "", TaintEffect::no_execute},
                                                       {"team", false, "a", TaintEffect::any}}));
  EXPECT_EQ(read.host_ports,
            (std::vector<HostPort>{{"0.0.0.0", "TCP", 8080}, {"10.0.0.1", "UDP", 53}}));
  EXPECT_TRUE(read.unmodelled.empty());
}

TEST(PodConstraints, take_every_port_of_a_pod_on_the_hosts_network) {
  const auto pod = pod_with_spec(
      "{hostNetwork: true, containers: [{ports: [{containerPort: 80}]}],"
      " initContainers: [{ports: [{containerPort: 1}]},"
      " {restartPolicy: Always, ports: [{containerPort: 90}]}]}");
  ASSERT_TRUE(pod.has_value()) << pod.error().to_string();
  EXPECT_EQ(pod->constraints.host_ports,
            (std::vector<HostPort>{{"0.0.0.0", "TCP", 80}, {"0.0.0.0", "TCP", 90}}));
}

TEST(PodConstraints, refuse_what_the_api_server_would_refuse) {
  const auto required = [](const std::string& expressions) {
    return "{affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: "
           "{nodeSelectorTerms: [" +
           expressions + "]}}}}";
  };
  const std::string bad[] = {
      required("{matchExpressions: [{key: a, operator: Is, values: [b]}]}"),
      required("{matchExpressions: [{key: a, operator: In}]}"),
      required("{matchExpressions: [{key: a, operator: Exists, values: [b]}]}"),
      required("{matchExpressions: [{key: a, operator: Gt, values: [x]}]}"),
      required("{matchExpressions: [{key: a, operator: Lt, values: ['1', '2']}]}"),
      required("{matchExpressions: [{operator: Exists}]}"),
      required("{matchFields: [{key: metadata.uid, operator: In, values: [b]}]}"),
      required("{matchExpressions: [{key: a, operator: In, values: [1]}]}"),
      "{tolerations: [{key: a, operator: Like}]}",
      "{tolerations: [{value: a}]}",
      "{tolerations: [{operator: Exists, effect: Never}]}",
      "{containers: [{ports: [{hostPort: 70000}]}]}",
      "{containers: {}}",
      "{containers: [1]}",
      "{priority: 3000000000}",
      "{priority: high}",
      "{hostNetwork: 'true'}",
      "[]"};
  for (const std::string& spec : bad) {
    EXPECT_EQ(error_of(spec).rfind("pod.yaml:4:", 0), 0U) << spec << " gives " << error_of(spec);
  }
  EXPECT_EQ(error_of("{tolerations: [{key: a, operator: Exists, effect: NoSchedul}]}"),
            "pod.yaml:4:57: spec.tolerations[0].effect: \"NoSchedul\" is no effect of a taint; "
            "did you mean \"NoSchedule\"?");
}

TEST(Pod, refuses_bad_names_and_times) {
  for (const char* metadata :
       {"{}", "{name: ''}", "{name: Upper}", "{name: a_b}", "{name: -a}", "{name: a.}",
        "{name: a..b}", "{name: a.-b}", "{name: 12}", "{name: a, namespace: B}",
        "{name: a, creationTimestamp: now}", "{name: a, annotations: {berth.dev/run-time: soon}}",
        "{name: a, annotations: [x]}"}) {
    EXPECT_FALSE(pod_from("metadata: " + std::string(metadata)).has_value()) << metadata;
  }
  EXPECT_FALSE(pod_from("metadata: {name: " + std::string(254, 'a') + "}").has_value());
  EXPECT_TRUE(pod_from("metadata: {name: " + std::string(253, 'a') + "}").has_value());
  EXPECT_EQ(pod_from("metadata: {}").error().to_string(),
            "pod.yaml:1:11: metadata: `name` is missing, expected a string");
}

TEST(Pod, STEER6TheLabelOfAnAttemptMeansNothing) {
  const auto pod = pod_from("metadata: {name: p, labels: {berth.dev/attempt: '1.2', a: b}}");
  EXPECT_EQ(pod->labels, (Labels{{"a", "b"}}));
}

}  // namespace
}  // namespace berth::kube
