#include <gtest/gtest.h>

#include <string>

#include "kube/codecs.h"
#include "kube/yaml_value.h"

// Time limits of pods, groups and queues (docs/design/backfill.md).

namespace berth::kube::time_limit_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

std::string ours(const std::string& limit) {
  return "annotations: {berth.dev/time-limit: '" + limit + "'}";
}

std::string of_kueue(const std::string& limit) {
  return "labels: {kueue.x-k8s.io/max-exec-time-seconds: '" + limit + "'}";
}

// As berthd reads it from the API server. A pod's is the same as its group's.
std::optional<Duration> stated(const std::string& metadata, std::string* warning = nullptr) {
  const document::Value value = value_of("{metadata: {name: p, " + metadata + "}}");
  Complaint complaint;
  const auto pod = decode_pod(value, "f", &complaint);
  const auto group = decode_pod_group(value, "f");
  EXPECT_TRUE(pod.has_value()) << metadata;
  if (!pod) return std::nullopt;
  EXPECT_EQ(pod->constraints.fault, "") << "it starts all the same: " << metadata;
  EXPECT_EQ(group.has_value(), !complaint) << "a file with it is refused: " << metadata;
  if (group) {
    EXPECT_EQ(group->time_limit, pod->times.stated) << metadata;
  }
  if (warning != nullptr) *warning = complaint ? complaint->message : "";
  return pod->times.stated;
}

TEST(TimeLimit, TIME1_is_stated_by_an_annotation_or_else_by_the_label_of_Kueue) {
  EXPECT_EQ(stated("labels: {}"), std::nullopt);
  EXPECT_EQ(stated(ours("2h30m")), minutes(150));
  EXPECT_EQ(stated(ours("1ns")), Duration(1));
  EXPECT_EQ(stated(of_kueue("90")), seconds(90));
  EXPECT_EQ(stated(ours("1h") + ", " + of_kueue("90")), hours(1));
}

TEST(TimeLimit, TIME1_that_cannot_be_read_counts_as_absent_with_a_warning) {
  for (const char* limit : {"", "0", "0s", "-1h", "90", "an hour", "999999999h"}) {
    std::string warning;
    EXPECT_EQ(stated(ours(limit), &warning), std::nullopt) << limit;
    EXPECT_EQ(warning.find("metadata.annotations[\"berth.dev/time-limit\"]: "), 0U) << warning;
    EXPECT_EQ(stated(ours(limit) + ", " + of_kueue("90"), &warning), seconds(90)) << limit;
  }
}

// Kueue's webhooks say what is wrong with it.
TEST(TimeLimit, TIME1_of_Kueue_that_is_odd_counts_as_absent) {
  for (const char* limit : {"", "0", "-5", "1.5", "90s", " 90", "90 ", "+90", "0x5a", "1e3",
                            "2147483648", "99999999999999999999"}) {
    std::string warning;
    EXPECT_EQ(stated(of_kueue(limit), &warning), std::nullopt) << limit;
    EXPECT_EQ(warning, "") << limit;
  }
  EXPECT_EQ(stated(of_kueue("2147483647")), seconds(2147483647));
}

TEST(TimeLimit, TIME1_TIME4_of_a_spec_are_its_deadline_and_its_grace) {
  const auto times = [](const std::string& spec) {
    const auto pod = pod_with_spec(spec);
    EXPECT_TRUE(pod.has_value()) << spec;
    return pod ? pod->times : TimeTerms();
  };
  EXPECT_EQ(times("{}"), (TimeTerms{std::nullopt, std::nullopt, seconds(30)}));
  EXPECT_EQ(times("{activeDeadlineSeconds: null, terminationGracePeriodSeconds: null}"),
            (TimeTerms{std::nullopt, std::nullopt, seconds(30)}));
  EXPECT_EQ(times("{activeDeadlineSeconds: 3600, terminationGracePeriodSeconds: 0}"),
            (TimeTerms{hours(1), std::nullopt, Duration()}));
  EXPECT_EQ(times("{terminationGracePeriodSeconds: 120}").grace, minutes(2));
}

// The most that the API server takes of the one; of the other, it takes everything.
TEST(TimeLimit, TIME4_of_a_spec_may_be_as_long_as_Kubernetes_lets_it_be) {
  const auto pod = pod_with_spec(
      "{activeDeadlineSeconds: 2147483647, terminationGracePeriodSeconds: 9223372036854775807}");
  ASSERT_TRUE(pod.has_value()) << pod.error().to_string();
  EXPECT_EQ(pod->times.deadline, seconds(2147483647));
  EXPECT_EQ(pod->times.grace, seconds(2147483647));
  EXPECT_EQ(pod->constraints.fault, "");
  EXPECT_EQ(pod_with_spec("{terminationGracePeriodSeconds: -1}")->times.grace, Duration());
}

TEST(TimeLimit, TIME5_of_a_pod_that_terminates_is_the_end_of_its_grace) {
  const auto grace_ends = [](const std::string& metadata) {
    const auto pod = decode_pod(
        value_of("{metadata: {name: p, " + metadata + "}, spec: {containers: []}}"), "f");
    EXPECT_TRUE(pod.has_value()) << metadata;
    return pod ? pod->times.grace_ends : std::nullopt;
  };
  EXPECT_EQ(grace_ends(""), std::nullopt);
  EXPECT_EQ(grace_ends("deletionTimestamp: null"), std::nullopt);
  EXPECT_EQ(
      grace_ends(R"(deletionGracePeriodSeconds: 30, deletionTimestamp: "1970-01-02T00:00:30Z")"),
      TimePoint(hours(24) + seconds(30)));
  EXPECT_EQ(grace_ends(R"(deletionTimestamp: "1960-01-01T00:00:00Z")"), TimePoint());
}

std::optional<JobDeadline> deadline_of(const std::string& type, const std::string& rest) {
  const auto owner =
      decode_owner(value_of("{" + type + ", metadata: {name: j, uid: u}, " + rest + "}"), "f", {});
  EXPECT_TRUE(owner.has_value()) << rest;
  return owner ? owner->deadline : std::nullopt;
}

TEST(TimeLimit, TIME7_of_a_job_counts_from_its_start) {
  const std::string job = "apiVersion: batch/v1, kind: Job";
  const std::string started = R"(status: {startTime: "1970-01-02T00:00:00Z"})";
  EXPECT_EQ(deadline_of(job, "spec: {}, " + started), std::nullopt);
  EXPECT_EQ(deadline_of(job, "spec: {activeDeadlineSeconds: null}"), std::nullopt);
  EXPECT_EQ(deadline_of(job, "spec: {activeDeadlineSeconds: 3600, suspend: true}"),
            (JobDeadline{hours(1), {}}));
  EXPECT_EQ(deadline_of(job, "spec: {activeDeadlineSeconds: 3600}, " + started),
            (JobDeadline{hours(1), TimePoint(hours(24))}));
  EXPECT_EQ(deadline_of(job, "spec: {activeDeadlineSeconds: soon}, " + started), std::nullopt);
  EXPECT_EQ(deadline_of(job, "spec: {activeDeadlineSeconds: 1, parallelism: many}"),
            (JobDeadline{seconds(1), {}}))
      << "another field cannot be read";
  EXPECT_EQ(deadline_of(job, "spec: {template: {spec: {activeDeadlineSeconds: 5}}}"), std::nullopt)
      << "that is each pod's";
}

TEST(TimeLimit, TIME7_of_a_kubeflow_job_is_that_of_its_run_policy) {
  const std::string spec =
      "spec: {runPolicy: {activeDeadlineSeconds: 60}}, "
      R"(status: {startTime: "1970-01-02T00:00:00Z"})";
  const JobDeadline minute{seconds(60), TimePoint(hours(24))};
  EXPECT_EQ(deadline_of("apiVersion: kubeflow.org/v1, kind: PyTorchJob", spec), minute);
  EXPECT_EQ(deadline_of("apiVersion: kubeflow.org/v1, kind: TFJob", spec), minute);
  EXPECT_EQ(deadline_of("apiVersion: kubeflow.org/v2beta1, kind: MPIJob", spec), std::nullopt);
  EXPECT_EQ(deadline_of("apiVersion: example.com/v1, kind: PyTorchJob", spec), std::nullopt);
}

TEST(TimeLimit, TIME3_of_a_queue_is_a_default_and_a_bound) {
  const auto with = [](const std::string& annotations) {
    return value_of("{metadata: {name: q, annotations: {" + annotations + "}}}");
  };
  const auto queue =
      decode_queue(with("berth.dev/default-time-limit: 1h, berth.dev/max-time-limit: 1h30m"), "f");
  ASSERT_TRUE(queue.has_value()) << queue.error().to_string();
  EXPECT_EQ(queue->default_time_limit, hours(1));
  EXPECT_EQ(queue->max_time_limit, minutes(90));
  EXPECT_TRUE(queue->not_honoured.empty());
  EXPECT_EQ(decode_queue(with(""), "f")->default_time_limit, std::nullopt);
  EXPECT_EQ(decode_queue(with(""), "f")->max_time_limit, std::nullopt);

  for (const char* name : {"berth.dev/default-time-limit", "berth.dev/max-time-limit"}) {
    for (const char* limit : {"''", "0s", "'0'", "-1h", "an hour", "8761h"}) {
      const document::Value value = with(std::string(name) + ": " + limit);
      EXPECT_FALSE(decode_queue(value, "f").has_value()) << name << limit;
      Complaint complaint;
      const auto live = decode_queue_with_fault(value, "f", &complaint);
      ASSERT_TRUE(live.has_value()) << name << limit;
      EXPECT_EQ(live->fault, "") << "its jobs need not wait";
      EXPECT_EQ(live->default_time_limit, std::nullopt) << limit;
      EXPECT_EQ(live->max_time_limit, std::nullopt) << limit;
      EXPECT_EQ(live->not_honoured, (std::vector<std::string>{name})) << limit;
      ASSERT_TRUE(complaint) << name << limit;
      EXPECT_NE(complaint->message.find(name), std::string::npos) << complaint->message;
    }
  }
}

}  // namespace
}  // namespace berth::kube::time_limit_test
