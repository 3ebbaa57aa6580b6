#include "kube/codecs.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "berth/base/text.h"
#include "kube/yaml_value.h"

namespace berth::kube {
namespace {

TEST(PodGroup, says_what_a_target_says_of_itself_and_who_controls_it) {
  const auto group = decode_pod_group(value_of(R"(
metadata:
  name: g
  annotations: {berth.dev/target: elected, berth.dev/target-since: "2026-11-21T09:00:00Z",
                berth.dev/target-why: why, berth.dev/target-given-up: never,
                berth.dev/claims: "2026-11-21T09:00:00Z n1*3"}
  ownerReferences: [{kind: Job, uid: j, controller: true}]
)"),
                                      "f");
  ASSERT_TRUE(group.has_value()) << group.error().to_string();
  TargetMarks marks;
  marks.elected_at = *parse_time("2026-11-21T09:00:00Z");
  marks.why = "why";
  marks.is_elected = true;
  marks.claims = "2026-11-21T09:00:00Z n1*3";
  EXPECT_EQ(group->marks, marks);
  EXPECT_EQ(group->owner_uid, "j");
}

TEST(PodGroup, STATUS5_reads_the_position_that_was_written) {
  const auto status_of = [](const char* status) {
    const auto group = decode_pod_group(
        value_of(std::string("metadata: {namespace: ml, name: g}\nstatus:\n") + status), "f");
    EXPECT_TRUE(group.has_value()) << group.error().to_string();
    return group->written;
  };
  const WrittenStatus ours = status_of(R"(
  conditions:
  - {type: Unschedulable, status: "True", reason: NotEnoughResources,
     message: "2 of 3; it is 4th of 12 in queue q"}
  waiting: {reason: gang_incomplete, message: "2 of 3", queue: q, position: 4th of 12 in queue q,
            queuePosition: 4, queueWaiting: 12, jobsAhead: 30, jobsAheadInNamespace: 2,
            aheadInNamespace: [a, b], startsBy: "2026-11-21T12:00:00Z",
            likelyFrom: "2026-11-21T10:00:00Z", likelyTo: "2026-11-21T11:00:00Z"}
)");
  EXPECT_EQ(ours.message, "2 of 3");
  EXPECT_EQ(ours.waiting, (WrittenWaiting{"gang_incomplete",
                                          "q",
                                          "4th of 12 in queue q",
                                          {4, 12, 30, 2, {"a", "b"}},
                                          {parse_time("2026-11-21T12:00:00Z").value(),
                                           parse_time("2026-11-21T10:00:00Z").value(),
                                           parse_time("2026-11-21T11:00:00Z").value()}}));
  // Volcano's definition keeps the condition alone.
  const WrittenStatus left = status_of(R"(
  conditions:
  - {type: Unschedulable, status: "True", reason: NotEnoughResources,
     message: "it is odd; it is large; it is 4th of 12 in queue q"}
)");
  EXPECT_EQ(left.message, "it is odd; it is large");
  EXPECT_EQ(left.waiting, (WrittenWaiting{"", "", "4th of 12 in queue q", {}, {}}));
  const WrittenStatus none = status_of(R"(
  conditions:
  - {type: Unschedulable, status: "True", reason: NotEnoughResources,
     message: "it is odd; it is 3 in all"}
)");
  EXPECT_EQ(none.message, "it is odd; it is 3 in all");
  EXPECT_EQ(none.waiting, WrittenWaiting());
}

TEST(PodGroup, does_not_believe_marks_that_are_older_than_itself) {
  const auto marks_at = [](const char* created) {
    const auto group = decode_pod_group(value_of(std::string(R"(
apiVersion: scheduling.x-k8s.io/v1alpha1
metadata:
  namespace: ml
  name: g
  annotations: {berth.dev/target: elected, berth.dev/target-since: "2026-11-21T09:00:00.7Z",
                berth.dev/target-why: why, berth.dev/target-given-up: "2026-11-21T09:00:00Z",
                berth.dev/first-seen: "2026-11-21T09:00:00Z",
                berth.dev/claims: "2026-11-21T09:00:00Z n1"}
  creationTimestamp: )") + created),
                                        "f");
    EXPECT_TRUE(group.has_value()) << group.error().to_string();
    return group->marks;
  };
  const TargetMarks own = marks_at("\"2026-11-21T09:00:02Z\"");
  EXPECT_EQ(own.first_seen, *parse_time("2026-11-21T09:00:00Z"));
  EXPECT_EQ(own.given_up_at, own.first_seen);
  EXPECT_EQ(own.why, "why");
  EXPECT_EQ(own.claims, "2026-11-21T09:00:00Z n1");
  TargetMarks copied;
  copied.is_elected = true;
  EXPECT_EQ(marks_at("\"2026-11-21T09:00:03Z\""), copied) << "what is there is to be taken away";
}

// Issue 9, row 1: Volcano's controllers ask the quota evaluator how much a job uses.
TEST(PodGroup, leaves_out_keys_of_quotas) {
  const auto group = decode_pod_group(value_of(R"(
metadata: {name: g}
spec: {minResources: {count/pods: "2", pods: "2", cpu: "2", requests.cpu: "2", limits.memory: 4Gi,
                      requests.nvidia.com/gpu: "2", nvidia.com/gpu: "2"}}
)"),
                                      "f");
  ASSERT_TRUE(group.has_value()) << group.error().to_string();
  EXPECT_EQ(*group->min_resources,
            (NamedAmounts{{"pods", 2}, {"cpu", 2000}, {"nvidia.com/gpu", 2}}));
}

// Issue 9, row 2.
TEST(PodGroup, and_its_queue_say_whose_it_is) {
  const char* annotated = "{metadata: {name: x, annotations: {berth.dev/scheduler: volcano}}}";
  EXPECT_EQ(decode_pod_group(value_of(annotated), "f")->scheduler, "volcano");
  EXPECT_EQ(decode_queue(value_of(annotated), "f")->scheduler, "volcano");
}

// Issue 9, row 9.
TEST(PodGroup, may_want_to_be_no_target) {
  const auto group = decode_pod_group(
      value_of("{metadata: {name: x, annotations: {berth.dev/target: 'false'}}}"), "f");
  EXPECT_TRUE(group->marks.is_declined);
  EXPECT_FALSE(group->marks.is_named);
}

TEST(PodGroup, BOUND2_is_at_fault_with_too_many_roles_or_a_name_that_is_too_long) {
  const auto group_with = [](std::size_t roles, std::size_t length) {
    std::string text = "metadata: {name: g}\nspec:\n  minMember: 1\n  minTaskMember:\n";
    text += "    " + std::string(length, 'x') + ": 1\n";
    for (std::size_t i = 1; i < roles; ++i) text += "    r" + std::to_string(i) + ": 1\n";
    Complaint complaint;
    const auto read =
        decode_live({"PodGroup", "scheduling.volcano.sh/v1beta1"}, value_of(text), "f", complaint);
    EXPECT_TRUE(read.has_value());
    return std::get<PodGroupObject>(*read);
  };
  EXPECT_EQ(group_with(256, 253).fault, "");
  EXPECT_EQ(group_with(256, 253).min_task_member.size(), 256U);
  EXPECT_EQ(group_with(257, 253).fault, "spec.minTaskMember: 257 roles, expected at most 256");
  EXPECT_EQ(group_with(257, 253).min_task_member.size(), 0U);
  const PodGroupObject odd = group_with(2, 254);
  EXPECT_NE(odd.fault.find("the name of a role has 254 bytes, expected at most 253"),
            std::string::npos)
      << odd.fault;
  EXPECT_EQ(odd.min_task_member.size(), 1U);
}

TEST(PodGroup, BOUND1_has_names_no_longer_than_those_of_Kubernetes) {
  const std::string longer(300, 'x');
  const auto group =
      decode_pod_group(value_of("metadata: {name: g}\nspec: {minMember: 1, queue: " + longer +
                                ", priorityClassName: " + longer + "}"),
                       "f");
  ASSERT_TRUE(group.has_value()) << group.error().to_string();
  EXPECT_EQ(group->queue, std::string(253, 'x'));
  EXPECT_EQ(group->priority_class, std::string(253, 'x'));
}

TEST(PodGroup, reads_both_api_groups) {
  const auto group = decode_pod_group(value_of(R"(
metadata: {name: g, namespace: a}
spec: {minMember: 3, minTaskMember: {ps: 1, worker: 2}, queue: q, priorityClassName: high,
       minResources: {cpu: 3, memory: 3Gi}}
status: {phase: Inqueue}
)"),
                                      "f");
  ASSERT_TRUE(group.has_value()) << group.error().to_string();
  EXPECT_EQ(group->full_name(), "a/g");
  EXPECT_EQ(group->uid, "PodGroup:a/g");
  EXPECT_EQ(group->min_member, 3);
  EXPECT_EQ(group->min_task_member.at("worker"), 2);
  EXPECT_EQ(group->queue, "q");
  EXPECT_EQ(group->priority_class, "high");
  EXPECT_EQ(group->min_resources->at("cpu"), 3000);
  EXPECT_EQ(group->phase, GroupPhase::inqueue);

  const auto other = decode_pod_group(
      value_of("{metadata: {name: g}, spec: {minMember: 0}, status: {phase: Scheduling}}"), "f");
  EXPECT_EQ(other->min_member, 1);
  EXPECT_EQ(other->phase, GroupPhase::inqueue);
  EXPECT_EQ(other->min_resources, std::nullopt);
  EXPECT_FALSE(
      decode_pod_group(value_of("{metadata: {name: g}, spec: {minMember: -1}}"), "f").has_value());
  EXPECT_FALSE(
      decode_pod_group(value_of("{metadata: {name: g}, spec: {minMember: 1.5}}"), "f").has_value());
}

TEST(PodGroup, comes_with_the_conditions_that_the_api_has) {
  const auto group = decode_pod_group(value_of(R"(
metadata: {name: g}
status:
  conditions:
  - {type: Targeted, status: "True", reason: Locked, message: m,
     lastTransitionTime: "2026-11-21T09:00:00Z"}
  - {type: Unschedulable, status: "False", reason: Scheduling}
)"),
                                      "f");
  ASSERT_TRUE(group.has_value()) << group.error().to_string();
  EXPECT_EQ(group->written.targeted,
            (WrittenCondition{true, "Locked", "m", *parse_time("2026-11-21T09:00:00Z")}));
  EXPECT_EQ(group->written.reason, "");
}

TEST(PodGroup, reads_phases_where_the_other_api_group_has_conditions) {
  const auto with_phase = [](const std::string& phase) {
    return *decode_pod_group(
        value_of("{apiVersion: scheduling.x-k8s.io/v1alpha1, metadata: {name: g}, status: "
                 "{running: 2, scheduleStartTime: \"2026-11-21T09:00:00Z\", phase: " +
                 phase + "}}"),
        "f");
  };
  EXPECT_EQ(with_phase("Scheduling").api, GroupApi::sig);
  EXPECT_EQ(with_phase("Scheduling").written.running, 2);
  EXPECT_EQ(with_phase("Scheduling").started, *parse_time("2026-11-21T09:00:00Z"));
  EXPECT_FALSE(with_phase("Scheduling").written.is_scheduled);
  EXPECT_EQ(with_phase("Scheduled").phase, GroupPhase::inqueue);
  for (const char* phase : {"Scheduled", "Running", "Finished"}) {
    EXPECT_TRUE(with_phase(phase).written.is_scheduled) << phase;
  }
  EXPECT_EQ(with_phase("Failed").phase, GroupPhase::completed);
  EXPECT_EQ(decode_pod_group(value_of("{metadata: {name: g}}"), "f")->started, std::nullopt);
}

TEST(PodGroup, TOPO24_parts_that_start_together_are_a_minimum) {
  const auto minimum = [](const std::string& spec) {
    return decode_pod_group(value_of("{metadata: {name: g}, spec: {" + spec + "}}"), "f")
        ->min_member;
  };
  const std::string parts = "subGroupPolicy: [{name: a, subGroupSize: 4, minSubGroups: 2}";
  EXPECT_EQ(minimum(parts + "]"), 8);
  EXPECT_EQ(minimum("minMember: 9, " + parts + "]"), 9);
  EXPECT_EQ(minimum(parts + ", {name: b, subGroupSize: 3, minSubGroups: 1}]"), 11);
  EXPECT_EQ(minimum("subGroupPolicy: [{name: a, minSubGroups: 2}]"), 1);
}

Result<PodGroupObject> kube_group(const std::string& spec, const std::string& status = "{}",
                                  const std::string& version = "v1beta1") {
  return decode_pod_group(value_of("apiVersion: scheduling.k8s.io/" + version +
                                   "\nkind: PodGroup\nmetadata: {name: g}\nspec: " + spec +
                                   "\nstatus: " + status + "\n"),
                          "f");
}

TEST(PodGroup, KUBEGROUP1_of_kubernetes_needs_the_count_of_its_gang_policy) {
  const auto group =
      kube_group("{schedulingPolicy: {gang: {minCount: 7}}, priorityClassName: high}");
  ASSERT_TRUE(group.has_value()) << group.error().to_string();
  EXPECT_EQ(group->api, GroupApi::kubernetes);
  EXPECT_EQ(group->min_member, 7);
  EXPECT_EQ(group->priority_class, "high");
  EXPECT_TRUE(group->not_honoured.empty());
  EXPECT_FALSE(kube_group("{schedulingPolicy: {gang: {minCount: 0}}}").has_value());
  const auto of_136 = kube_group("{schedulingPolicy: {gang: {minCount: 7}}}", "{}", "v1alpha2");
  EXPECT_EQ(of_136->api, GroupApi::kubernetes_alpha);
  EXPECT_EQ(of_136->min_member, 7);
}

TEST(PodGroup, KUBEGROUP2_of_kubernetes_without_a_gang_policy_starts_one_by_one) {
  EXPECT_EQ(kube_group("{schedulingPolicy: {basic: {}}}")->min_member, 1);
}

TEST(PodGroup, of_kubernetes_names_what_is_not_honoured) {
  const auto group = kube_group("{schedulingPolicy: {basic: {}}, resourceClaims: [{name: c}]}");
  EXPECT_EQ(group->not_honoured, (std::vector<std::string>{"spec.resourceClaims"}));
}

TEST(PodGroup, KUBEGROUP6_of_kubernetes_leaves_whole_if_it_says_so) {
  const auto leaves_whole = [](const std::string& mode, const std::string& version) {
    return kube_group("{schedulingPolicy: {basic: {}}, disruptionMode: " + mode + "}", "{}",
                      version)
        ->leaves_whole;
  };
  EXPECT_TRUE(leaves_whole("{all: {}}", "v1beta1"));
  EXPECT_FALSE(leaves_whole("{single: {}}", "v1beta1"));
  EXPECT_FALSE(leaves_whole("null", "v1beta1"));
  EXPECT_TRUE(leaves_whole("PodGroup", "v1alpha2"));
  EXPECT_FALSE(leaves_whole("Pod", "v1alpha2"));
}

TEST(PodGroup, KUBEGROUP7_of_kubernetes_says_that_nobody_leaves_for_it) {
  EXPECT_TRUE(
      kube_group("{schedulingPolicy: {basic: {}}, preemptionPolicy: Never}")->never_preempts);
  EXPECT_FALSE(kube_group("{schedulingPolicy: {basic: {}}, preemptionPolicy: PreemptLowerPriority}")
                   ->never_preempts);
}

TEST(PodGroup, KUBEGROUP5_of_kubernetes_has_one_condition) {
  std::string type = "PodGroupInitiallyScheduled";
  const auto with = [&](const std::string& condition) {
    return *kube_group("{schedulingPolicy: {gang: {minCount: 2}}}",
                       "{conditions: [{type: DisruptionTarget, status: 'True'}, {type: " + type +
                           ", lastTransitionTime: '2026-11-21T09:00:00Z', " + condition + "}]}");
  };
  const PodGroupObject waits = with("status: 'False', reason: Unschedulable, message: why");
  EXPECT_FALSE(waits.written.is_scheduled);
  EXPECT_EQ(waits.written.reason, "Unschedulable");
  EXPECT_EQ(waits.written.message, "why");
  EXPECT_EQ(format_time(waits.written.waits_since), "2026-11-21T09:00:00Z");
  EXPECT_EQ(waits.phase, GroupPhase::pending);
  const PodGroupObject scheduled = with("status: 'True', reason: Scheduled, message: ''");
  EXPECT_TRUE(scheduled.written.is_scheduled);
  EXPECT_EQ(scheduled.written.reason, "");
  EXPECT_EQ(scheduled.phase, GroupPhase::running);
  type = "PodGroupScheduled";  // of v1alpha2
  EXPECT_TRUE(with("status: 'True', reason: Scheduled, message: ''").written.is_scheduled);
}

}  // namespace
}  // namespace berth::kube
