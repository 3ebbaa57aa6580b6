#include "kube/codecs.h"

#include <gtest/gtest.h>

#include <string>
#include <variant>

#include "berth/base/text.h"
#include "kube/yaml_value.h"

namespace berth::kube {
namespace {

TEST(Node, offers_its_allocatable_or_its_capacity) {
  const auto node = decode_node(value_of(R"(
metadata: {name: n1, labels: {zone: a}}
spec: {unschedulable: true, taints: [{key: gpu, value: "yes", effect: NoSchedule}]}
status:
  capacity: {cpu: 9, memory: 9Gi}
  allocatable: {cpu: 7910m, memory: 8Gi, pods: "250", nvidia.com/gpu: 8, ephemeral-storage: 1Gi}
)"),
                                "f.yaml");
  ASSERT_TRUE(node.has_value()) << node.error().to_string();
  EXPECT_EQ(node->uid, "Node:n1");
  EXPECT_TRUE(node->unschedulable);
  EXPECT_EQ(node->labels.at("zone"), "a");
  EXPECT_EQ(node->taints, (std::vector<Taint>{{"gpu", "yes", TaintEffect::no_schedule}}));
  EXPECT_EQ(node->allocatable, (NamedAmounts{{"cpu", 7910},
                                             {"memory", std::int64_t{8} << 30},
                                             {"pods", 250},
                                             {"nvidia.com/gpu", 8},
                                             {"ephemeral-storage", 1 << 30}}));

  const auto bare =
      decode_node(value_of("{metadata: {name: n1}, status: {capacity: {cpu: 2}}}"), "f");
  EXPECT_EQ(bare->allocatable, (NamedAmounts{{"cpu", 2000}, {"pods", 110}}));
  EXPECT_FALSE(decode_node(value_of("{metadata: {name: N1}}"), "f").has_value());
  EXPECT_FALSE(
      decode_node(value_of("{metadata: {name: n1}, spec: {taints: [{key: a}]}}"), "f").has_value());
  EXPECT_FALSE(
      decode_node(value_of("{metadata: {name: n1}, status: {allocatable: {memory: 1Ei}}}"), "f")
          .has_value());
}

TEST(Owner, names_a_target_only_by_a_clear_word) {
  const auto owner =
      decode_owner(value_of("{metadata: {uid: j, annotations: {berth.dev/target: 'true'}}}"), "f");
  ASSERT_TRUE(owner.has_value()) << owner.error().to_string();
  EXPECT_TRUE(owner->uid == "j" && owner->names_target && !owner->declines_target);
  EXPECT_FALSE(
      decode_owner(value_of("{metadata: {uid: j, annotations: {berth.dev/target: elected}}}"), "f")
          ->names_target);
  EXPECT_FALSE(decode_owner(value_of("{metadata: {uid: j}}"), "f")->names_target);
  EXPECT_FALSE(decode_owner(value_of("{metadata: {name: j}}"), "f").has_value());
}

TEST(Owner, may_want_no_target) {
  const auto owner =
      decode_owner(value_of("{metadata: {uid: j, annotations: {berth.dev/target: 'false'}}}"), "f");
  EXPECT_TRUE(owner->uid == "j" && !owner->names_target && owner->declines_target);
}

TEST(Queue, leaves_out_keys_of_quotas) {
  const auto queue = decode_queue(value_of(R"(
metadata: {name: q}
spec:
  capability: {cpu: 4, limits.cpu: 8, count/pods: 3}
  deserved: {requests.memory: 1Gi}
  guarantee:
    resource: {requests.cpu: 1}
    percentage: {value: 0.5, dimensions: [requests.cpu, cpu]}
)"),
                                  "f");
  ASSERT_TRUE(queue.has_value()) << queue.error().to_string();
  EXPECT_EQ(queue->capability, (NamedAmounts{{"cpu", 4000}}));
  EXPECT_TRUE(queue->deserved.empty());
  EXPECT_TRUE(queue->guarantee.empty());
  EXPECT_EQ(queue->guarantee_share_of, std::vector<std::string>{"cpu"});
}

TEST(Queue, is_reclaimable_open_and_of_weight_one_unless_it_says_otherwise) {
  const auto plain = decode_queue(value_of("{metadata: {name: q}}"), "f");
  ASSERT_TRUE(plain.has_value()) << plain.error().to_string();
  EXPECT_TRUE(plain->reclaimable);
  EXPECT_EQ(plain->weight, 1);
  EXPECT_EQ(plain->state, QueueState::open);

  const auto full = decode_queue(value_of(R"(
metadata: {name: q}
spec: {weight: 4, priority: 2, reclaimable: false, parent: root, capability: {cpu: 1E},
       guarantee: {resource: {cpu: 2}}, deserved: {memory: 4Gi}}
status: {state: Closing}
)"),
                                 "f");
  ASSERT_FALSE(full.has_value());  // 10^18 cores are 10^21 milli-cpu
  const auto closing = decode_queue(value_of(R"(
metadata: {name: q}
spec: {weight: 4, priority: 2, reclaimable: false, parent: root, capability: {memory: 1E},
       guarantee: {resource: {cpu: 2}}, deserved: {memory: 4Gi}}
status: {state: Closing}
)"),
                                    "f");
  ASSERT_TRUE(closing.has_value()) << closing.error().to_string();
  EXPECT_EQ(closing->weight, 4);
  EXPECT_EQ(closing->priority, 2);
  EXPECT_FALSE(closing->reclaimable);
  EXPECT_EQ(closing->parent, "root");
  EXPECT_EQ(closing->capability.at("memory"), 1'000'000'000'000'000'000);
  EXPECT_EQ(closing->guarantee.at("cpu"), 2000);
  EXPECT_EQ(closing->deserved.at("memory"), std::int64_t{4} << 30);
  EXPECT_EQ(closing->state, QueueState::closing);
  EXPECT_FALSE(decode_queue(value_of("{metadata: {name: q}, spec: {weight: 0}}"), "f").has_value());
  // A queue from the API server keeps its fault.
  const auto faulty = decode_queue_with_fault(
      value_of("{metadata: {name: q}, spec: {weight: 2, guarantee: {resource: {cpu: -1}}}}"), "f");
  ASSERT_TRUE(faulty) << faulty.error().to_string();
  EXPECT_EQ(faulty->weight, 2);
  EXPECT_NE(faulty->fault.find("guarantee.resource.cpu"), std::string::npos) << faulty->fault;
  EXPECT_FALSE(decode_queue_with_fault(value_of("{metadata: {}}"), "f").has_value());
}

TEST(Queue, guarantees_an_amount_a_part_and_how_firmly) {
  const auto queue = decode_queue(value_of(R"(
metadata: {name: q}
spec:
  guarantee:
    policy: Guaranteed
    percentage: {dimensions: [cpu, nvidia.com/gpu], value: 0.25}
    resource: {cpu: 2}
)"),
                                  "f");
  ASSERT_TRUE(queue.has_value()) << queue.error().to_string();
  EXPECT_TRUE(queue->guarantees_hard);
  EXPECT_EQ(queue->guarantee_share_of, (std::vector<std::string>{"cpu", "nvidia.com/gpu"}));
  EXPECT_EQ(queue->guarantee_share_billionths, 250'000'000);
  EXPECT_EQ(queue->guarantee, (NamedAmounts{{"cpu", 2000}}));
  for (const char* guarantee : {"{policy: Maybe}", "{percentage: {value: 1.5}}",
                                "{percentage: {value: half}}", "{percentage: {value: -1}}"}) {
    const std::string text =
        std::string("{metadata: {name: q}, spec: {guarantee: ") + guarantee + "}}";
    EXPECT_FALSE(decode_queue(value_of(text), "f").has_value()) << guarantee;
  }
}

TEST(Queue, has_a_policy_in_both_spellings_and_says_whether_it_names_one) {
  const auto with = [](const std::string& guarantee) {
    return *decode_queue(value_of("{metadata: {name: q}, spec: {guarantee: {" + guarantee + "}}}"),
                         "f");
  };
  for (const char* policy : {"policy: Best-Effort", "policy: BestEffort"}) {
    EXPECT_TRUE(with(policy).names_policy) << policy;
    EXPECT_FALSE(with(policy).guarantees_hard) << policy;
  }
  EXPECT_TRUE(with("policy: Guaranteed").names_policy);
  EXPECT_FALSE(with("resource: {cpu: 2}").names_policy);
  EXPECT_FALSE(with("policy: ''").names_policy);
}

// Issue 9, row 12.
TEST(Queue, reads_a_part_exactly_and_refuses_more_digits_than_it_keeps) {
  const auto part = [](const std::string& value) {
    const auto queue = decode_queue_with_fault(
        value_of("{metadata: {name: q}, spec: {guarantee: {percentage: {value: " + value + "}}}}"),
        "f");
    return queue->fault.empty() ? std::to_string(queue->guarantee_share_billionths) : queue->fault;
  };
  EXPECT_EQ(part("0.333333"), "333333000");
  EXPECT_EQ(part("0.123456789"), "123456789");
  EXPECT_EQ(part("0.0005"), "500000");
  EXPECT_EQ(part("0.2500000000000"), "250000000") << "zeros at the end say nothing";
  EXPECT_EQ(part("1"), "1000000000");
  EXPECT_EQ(part("1.0"), "1000000000");
  EXPECT_EQ(part("0"), "0");
  EXPECT_EQ(part("5e-07"), "500") << "as JSON has it";
  EXPECT_NE(part("0.3333333333").find("\"0.3333333333\" has 10 decimals, expected at most 9"),
            std::string::npos)
      << part("0.3333333333");
  for (const char* wrong :
       {"1.000000001", "2", "10", "-0.5", "1e3", "1e999999999999", "1e-2147483648", ".", "x"}) {
    EXPECT_NE(part(wrong).find("is no decimal from 0 to 1"), std::string::npos) << part(wrong);
  }
}

TEST(Queue, has_a_strategy_a_target_and_fields_that_have_no_effect) {
  const auto read = [](const std::string& spec) {
    const auto queue = decode_queue(value_of("{metadata: {name: q}, spec: " + spec + "}"), "f");
    EXPECT_TRUE(queue.has_value()) << queue.error().to_string();
    return *queue;
  };
  EXPECT_TRUE(read("{dequeueStrategy: fifo}").is_fifo);
  EXPECT_FALSE(read("{dequeueStrategy: traverse}").is_fifo);
  EXPECT_FALSE(read("{dequeueStrategy: ''}").is_fifo);
  EXPECT_EQ(read("{deserved: {cpu: 1500m}}").deserved, (NamedAmounts{{"cpu", 1500}}));
  EXPECT_EQ(read("{extendClusters: [{name: x}], affinity: {nodeGroupAffinity: {}}, type: t}")
                .not_honoured,
            (std::vector<std::string>{"spec.affinity", "spec.extendClusters", "spec.type"}));
  EXPECT_TRUE(read("{extendClusters: [], affinity: {}, type: ''}").not_honoured.empty());
  EXPECT_TRUE(read("{affinity: null}").not_honoured.empty());
  EXPECT_FALSE(decode_queue(value_of("{metadata: {name: q}, spec: {dequeueStrategy: lifo}}"), "f")
                   .has_value());
}

TEST(Queue, RUNTIME2_says_how_long_its_jobs_run_first) {
  const auto with = [](const std::string& annotations) {
    return value_of("{metadata: {name: q, annotations: {" + annotations + "}}}");
  };
  const std::string both =
      "berth.dev/preempt-min-run-time: 10m, berth.dev/reclaim-min-run-time: 1h30m";
  const auto queue = decode_queue(with(both), "f");
  ASSERT_TRUE(queue.has_value()) << queue.error().to_string();
  EXPECT_EQ(queue->preempt_min_run_time, std::chrono::minutes(10));
  EXPECT_EQ(queue->reclaim_min_run_time, std::chrono::minutes(90));
  EXPECT_FALSE(decode_queue(with(""), "f")->preempt_min_run_time);

  const std::string bad =
      "berth.dev/preempt-min-run-time: 10m, berth.dev/reclaim-min-run-time: -1h";
  EXPECT_FALSE(decode_queue(with(bad), "f").has_value());
  Complaint complaint;
  const auto live = decode_queue_with_fault(with(bad), "f", &complaint);
  ASSERT_TRUE(live.has_value());
  EXPECT_EQ(live->fault, "") << "its jobs need not wait";
  EXPECT_EQ(live->preempt_min_run_time, std::chrono::minutes(10));
  EXPECT_FALSE(live->reclaim_min_run_time);
  EXPECT_EQ(live->not_honoured, (std::vector<std::string>{"berth.dev/reclaim-min-run-time"}));
  ASSERT_TRUE(complaint);
  EXPECT_NE(complaint->message.find("berth.dev/reclaim-min-run-time"), std::string::npos)
      << complaint->message;
}

TEST(Queue, comes_with_the_status_that_the_api_has) {
  const auto queue = decode_queue(value_of(R"(
metadata: {name: q}
status:
  state: Open
  running: 2
  deserved: {cpu: 1500m}
  realCapability: {memory: 4Gi}
  conditions:
  - {type: Ready, status: "False", reason: Faulty, message: odd,
     lastTransitionTime: "1970-01-01T00:00:07Z"}
  - {type: Other, status: "True"}
  - {type: NodesReserved, status: "True", reason: Met, message: "n1, n2",
     lastTransitionTime: "1970-01-01T00:00:08Z"}
  reservation: {nodes: [n1, n2], resource: {cpu: 1, memory: 2Gi}}
)"),
                                  "f");
  ASSERT_TRUE(queue.has_value()) << queue.error().to_string();
  const WrittenQueueStatus& written = queue->written;
  EXPECT_TRUE(written.has_state);
  EXPECT_EQ(written.running, 2);
  EXPECT_EQ(written.deserved, (NamedAmounts{{"cpu", 1500}}));
  EXPECT_EQ(written.real_capability, (NamedAmounts{{"memory", std::int64_t{4} << 30}}));
  EXPECT_EQ(written.ready,
            (WrittenCondition{false, "Faulty", "odd", TimePoint(std::chrono::seconds(7))}));
  EXPECT_EQ(written.scaled, WrittenCondition());
  EXPECT_EQ(written.reserved,
            (WrittenCondition{true, "Met", "n1, n2", TimePoint(std::chrono::seconds(8))}));
  EXPECT_EQ(written.reserved_nodes, (std::vector<std::string>{"n1", "n2"}));
  EXPECT_EQ(written.reserved_idle,
            (NamedAmounts{{"cpu", 1000}, {"memory", std::int64_t{2} << 30}}));
}

TEST(Queue, is_not_at_fault_for_a_status_that_cannot_be_read) {
  const auto queue = decode_queue_with_fault(
      value_of("{metadata: {name: q}, status: {running: many, allocated: {cpu: x}}}"), "f");
  ASSERT_TRUE(queue.has_value());
  EXPECT_EQ(queue->fault, "");
  EXPECT_EQ(queue->written, WrittenQueueStatus());
}

TEST(PriorityClass, and_namespace_are_read) {
  const auto high = decode_priority_class(
      value_of(
          "{metadata: {name: high}, value: 1000, globalDefault: true, preemptionPolicy: Never}"),
      "f");
  ASSERT_TRUE(high.has_value()) << high.error().to_string();
  EXPECT_EQ(high->value, 1000);
  EXPECT_TRUE(high->global_default);
  EXPECT_TRUE(high->never_preempts);
  const auto name_space = decode_namespace(
      value_of("{metadata: {name: a, annotations: {scheduling.volcano.sh/queue-name: q}}}"), "f");
  EXPECT_EQ(name_space->name, "a");
  EXPECT_EQ(name_space->queue, "q");
}

TEST(Decode, knows_kinds_by_their_api_group) {
  EXPECT_TRUE(is_known({"Pod", "v1"}));
  EXPECT_TRUE(is_known({"PodGroup", "scheduling.volcano.sh/v1beta1"}));
  EXPECT_TRUE(is_known({"PodGroup", "scheduling.x-k8s.io/v1alpha1"}));
  EXPECT_TRUE(is_known({"PriorityClass", "scheduling.k8s.io/v1"}));
  EXPECT_FALSE(is_known({"Queue", "jobset.example.com/v1"}));
  EXPECT_FALSE(is_known({"Deployment", "apps/v1"}));
  EXPECT_EQ((TypeName{"Deployment", "apps/v1"}).to_string(), "Deployment.apps");
  EXPECT_EQ((TypeName{"Service", "v1"}).to_string(), "Service");
  const auto event =
      decode({"Queue", "scheduling.volcano.sh/v1beta1"}, value_of("{metadata: {name: q}}"), "f");
  EXPECT_EQ(std::get<QueueObject>(*event).name, "q");
}

}  // namespace
}  // namespace berth::kube
