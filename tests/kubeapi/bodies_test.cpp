#include "kubeapi/bodies.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "berth/base/text.h"

namespace berth::kubeapi::bodies_test {
namespace {

using Json = nlohmann::json;

const ports::ObjectRef kQueue{ports::ObjectKind::queue, "", "q", "u1"};
const ports::ObjectRef kGroup{ports::ObjectKind::pod_group, "ns", "g", "u2"};

TEST(QueueStatusPatch, HoldsSharesCountsAndConditions) {
  ports::QueueStatus status;
  status.written.pending = 1;
  status.written.inqueue = 2;
  status.written.running = 3;
  status.written.allocated = {{"cpu", 1500}};
  status.written.deserved = {{"cpu", 4000}};
  status.written.guarantee = {{"memory", std::int64_t{1} << 30}};
  status.written.real_capability = {{"cpu", 8000}};
  status.written.ready = {false, "Faulty", "odd", TimePoint(std::chrono::milliseconds(1500))};
  status.written.scaled = {true, "Overcommitted", "3 of 4 cpu", {}};
  const Json patch = Json::parse(queue_status_patch(kQueue, status));
  EXPECT_EQ(patch["metadata"], (Json{{"uid", "u1"}}));
  const Json expected = Json::parse(R"({
    "pending": 1, "inqueue": 2, "running": 3, "unknown": 0, "completed": 0,
    "allocated": {"cpu": "1500m"}, "deserved": {"cpu": "4"}, "guarantee": {"memory": "1Gi"},
    "realCapability": {"cpu": "8"},
    "conditions": [
      {"type": "Ready", "status": "False", "reason": "Faulty", "message": "odd",
       "lastTransitionTime": "1970-01-01T00:00:01Z"},
      {"type": "GuaranteeScaled", "status": "True", "reason": "Overcommitted",
       "message": "3 of 4 cpu"}],
    "reservation": null})");
  EXPECT_EQ(patch["status"], expected) << patch.dump(1);
}

TEST(QueueStatusPatch, HasTheConditionHonouredOnlyWhereSomethingIsNot) {
  ports::QueueStatus status;
  EXPECT_EQ(Json::parse(queue_status_patch(kQueue, status))["status"]["conditions"].size(), 2u);
  status.written.honoured = {false, "FieldsNotHonoured", "spec.affinity is not honoured", {}};
  const Json conditions = Json::parse(queue_status_patch(kQueue, status))["status"]["conditions"];
  ASSERT_EQ(conditions.size(), 3u);
  EXPECT_EQ(conditions[2], (Json{{"type", "Honoured"},
                                 {"status", "False"},
                                 {"reason", "FieldsNotHonoured"},
                                 {"message", "spec.affinity is not honoured"}}));
}

TEST(QueueStatusPatch, HasTheNodesOfAQueueThatAsksForSome) {
  ports::QueueStatus status;
  status.resources = {"cpu", "nvidia.com/gpu"};
  status.written.reserved = {true, "Met", "8 cpu on n1, n2", {}};
  status.written.reserved_nodes = {"n1", "n2"};
  status.written.reserved_idle = {{"cpu", 1500}};
  const Json written = Json::parse(queue_status_patch(kQueue, status))["status"];
  EXPECT_EQ(written["reservation"], Json::parse(R"({
    "nodes": ["n1", "n2"], "resource": {"cpu": "1500m", "nvidia.com/gpu": null}})"));
  ASSERT_EQ(written["conditions"].size(), 3u);
  EXPECT_EQ(written["conditions"][2], (Json{{"type", "NodesReserved"},
                                            {"status", "True"},
                                            {"reason", "Met"},
                                            {"message", "8 cpu on n1, n2"}}));
  status.written.reserved_nodes.clear();
  status.written.reserved.holds = false;
  const Json none = Json::parse(queue_status_patch(kQueue, status))["status"]["reservation"];
  EXPECT_EQ(none["nodes"], Json::array()) << "it asks, and has none";
}

TEST(ConditionPatch, AUTOSCALE2HasTheTimeOnlyWhereTheConditionIsNew) {
  const ports::ObjectRef pod{ports::ObjectKind::pod, "ns", "p", "u3"};
  ports::PodCondition condition{
      {false, "Unschedulable", "why", TimePoint(std::chrono::milliseconds(1500))}};
  EXPECT_EQ(Json::parse(condition_patch(pod, condition)), Json::parse(R"({
    "metadata": {"uid": "u3"},
    "status": {"conditions": [
      {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "why",
       "lastTransitionTime": "1970-01-01T00:00:01Z"}]}})"));
  condition.scheduled.since = TimePoint();
  const Json later = Json::parse(condition_patch(pod, condition));
  EXPECT_FALSE(later["status"]["conditions"][0].contains("lastTransitionTime"));
}

TEST(QueueStatusPatch, TakesOutResourcesThatHaveNoAmountAnyMore) {
  ports::QueueStatus status;
  status.written.allocated = {{"cpu", 1000}};
  status.resources = {"cpu", "nvidia.com/gpu"};
  const Json patch = Json::parse(queue_status_patch(kQueue, status))["status"];
  EXPECT_EQ(patch["allocated"], (Json{{"cpu", "1"}, {"nvidia.com/gpu", nullptr}}));
  EXPECT_EQ(patch["deserved"], (Json{{"cpu", nullptr}, {"nvidia.com/gpu", nullptr}}));
}

// A user who closes a queue writes its status, perhaps at this very moment.
TEST(QueueStatusPatch, LeavesTheStateAloneUnlessAskedToWriteIt) {
  ports::QueueStatus status;
  EXPECT_FALSE(Json::parse(queue_status_patch(kQueue, status))["status"].contains("state"));
  status.state = QueueState::open;
  EXPECT_EQ(Json::parse(queue_status_patch(kQueue, status))["status"]["state"], "Open");
}

// Issue 9, row 12.
TEST(GroupStatusPatch, SaysWhatIsNotHonoured) {
  ports::GroupStatus status;
  status.honoured = {false, "FieldsNotHonoured", "why", {}};
  const Json conditions = Json::parse(group_status_patch(kGroup, status))["status"]["conditions"];
  EXPECT_EQ(conditions.back(), (Json{{"type", "Honoured"},
                                     {"status", "False"},
                                     {"reason", "FieldsNotHonoured"},
                                     {"message", "why"}}));
}

TEST(GroupStatusPatch, HasATargetsConditionBesideTheOthers) {
  ports::GroupStatus status;
  EXPECT_EQ(Json::parse(group_status_patch(kGroup, status))["status"]["conditions"].size(), 2U);
  status.targeted = {false, "Started", "it has its minimum", TimePoint(std::chrono::seconds(1))};
  const Json conditions = Json::parse(group_status_patch(kGroup, status))["status"]["conditions"];
  ASSERT_EQ(conditions.size(), 3U);
  EXPECT_EQ(conditions[2], (Json{{"type", "Targeted"},
                                 {"status", "False"},
                                 {"reason", "Started"},
                                 {"message", "it has its minimum"},
                                 {"lastTransitionTime", "1970-01-01T00:00:01Z"}}));
}

TEST(GroupStatusPatch, STATUS5HasThePositionInAFieldAndInTheCondition) {
  ports::GroupStatus status;
  status.reason = "NotEnoughResources";
  status.message = "2 of 3 members could be placed";
  status.waits_since = TimePoint(std::chrono::seconds(1));
  status.waiting = {"gang_incomplete",
                    "research",
                    "4th of 12 in queue research",
                    {4, 12, 30, 2, {"a", "b"}},
                    {TimePoint(std::chrono::seconds(9)), TimePoint(std::chrono::seconds(5)),
                     TimePoint(std::chrono::milliseconds(7'300))}};
  const Json written = Json::parse(group_status_patch(kGroup, status))["status"];
  EXPECT_EQ(written["waiting"], (Json{{"reason", "gang_incomplete"},
                                      {"message", "2 of 3 members could be placed"},
                                      {"since", "1970-01-01T00:00:01Z"},
                                      {"queue", "research"},
                                      {"position", "4th of 12 in queue research"},
                                      {"queuePosition", 4},
                                      {"queueWaiting", 12},
                                      {"jobsAhead", 30},
                                      {"jobsAheadInNamespace", 2},
                                      {"aheadInNamespace", Json::array({"a", "b"})},
                                      {"startsBy", "1970-01-01T00:00:09Z"},
                                      {"likelyFrom", "1970-01-01T00:00:05Z"},
                                      {"likelyTo", "1970-01-01T00:00:07Z"}}));
  EXPECT_EQ(written["conditions"][0]["message"],
            "2 of 3 members could be placed; it is 4th of 12 in queue research");
}

TEST(GroupStatusPatch, STATUS5TakesOutAnEarlierPosition) {
  ports::GroupStatus status;
  EXPECT_EQ(Json::parse(group_status_patch(kGroup, status))["status"]["waiting"], Json());
  status.reason = "NotEnoughTasks";
  status.waiting = {"too_few_tasks", "research", "", {}, {}};
  const Json waiting = Json::parse(group_status_patch(kGroup, status))["status"]["waiting"];
  EXPECT_EQ(waiting["reason"], "too_few_tasks");
  for (const char* key :
       {"position", "queuePosition", "queueWaiting", "jobsAhead", "jobsAheadInNamespace",
        "aheadInNamespace", "startsBy", "likelyFrom", "likelyTo"}) {
    ASSERT_TRUE(waiting.contains(key)) << key;
    EXPECT_TRUE(waiting[key].is_null()) << key;
  }
}

TEST(EventBody, OnAQueueIsInTheNamespaceDefault) {
  EXPECT_EQ(event_namespace(kQueue), "default");
  EXPECT_EQ(event_namespace(kGroup), "ns");
  const Json body =
      Json::parse(event_body(kQueue, {true, "NodesNotReserved", "why"}, TimePoint(), "here"));
  EXPECT_EQ(body["metadata"]["namespace"], "default");
  EXPECT_EQ(body["involvedObject"], (Json{{"apiVersion", "scheduling.volcano.sh/v1beta1"},
                                          {"kind", "Queue"},
                                          {"namespace", ""},
                                          {"name", "q"},
                                          {"uid", "u1"}}));
  EXPECT_EQ(body["type"], "Warning");
  EXPECT_EQ(body["reason"], "NodesNotReserved");
}

const ports::GroupSpec kSpec{
    ports::GroupSpec::Verb::make, {"batch/v1", "Job", "train", "uid-job"}, 8, "research"};

TEST(GroupBody, OWNED10_GoesWithItsOwnerAndSaysThatBerthMadeIt) {
  EXPECT_EQ(Json::parse(group_body(kGroup, kSpec)), Json::parse(R"({
    "apiVersion": "scheduling.volcano.sh/v1beta1", "kind": "PodGroup",
    "metadata": {"name": "g", "namespace": "ns",
      "labels": {"app.kubernetes.io/managed-by": "berth"},
      "annotations": {"berth.dev/made-for": "Job train"},
      "ownerReferences": [{"apiVersion": "batch/v1", "kind": "Job", "name": "train",
        "uid": "uid-job", "controller": true, "blockOwnerDeletion": false}]},
    "spec": {"minMember": 8, "queue": "research"}})"));
}

TEST(GroupBody, OWNED11_AChangeAndARemovalAreOfThatVeryGroup) {
  EXPECT_EQ(Json::parse(group_spec_patch(kGroup, kSpec)), Json::parse(R"({"metadata": {"uid": "u2"},
                            "spec": {"minMember": 8, "queue": "research"}})"));
  EXPECT_EQ(Json::parse(deletion_body(kGroup))["preconditions"], (Json{{"uid", "u2"}}));
}

TEST(EventBody, IsAboutAnOwnerByItsOwnType) {
  const ports::ObjectRef owner{ports::ObjectKind::owner, "ns", "train", "u", "batch/v1", "Job"};
  const Json about = Json::parse(event_body(owner, {}, {}, "here"))["involvedObject"];
  EXPECT_EQ(about, Json::parse(R"({"apiVersion": "batch/v1", "kind": "Job", "namespace": "ns",
                                   "name": "train", "uid": "u"})"));
}

const ports::ObjectRef kSigGroup{ports::ObjectKind::sig_pod_group, "ns", "g", "uid-g"};

// The status of scheduling.x-k8s.io, as its controller would write it.
Json foreign_status(const ports::GroupStatus& status) {
  return Json::parse(group_status_patch(kSigGroup, status))["status"];
}

TEST(ForeignStatus, HasItsOwnPhasesAndCountersAndNoConditions) {
  ports::GroupStatus status;
  status.min_member = 2;
  EXPECT_EQ(
      foreign_status(status),
      Json::parse(R"({"phase":"Pending","scheduled":0,"running":0,"succeeded":0,"failed":0})"));
  status.phase = GroupPhase::inqueue;
  status.started = *parse_time("2026-11-21T09:00:00.5Z");
  EXPECT_EQ(foreign_status(status)["phase"], "PreScheduling");
  EXPECT_EQ(foreign_status(status)["scheduleStartTime"], "2026-11-21T09:00:00Z");
  status.scheduled = 1;
  EXPECT_EQ(foreign_status(status)["phase"], "Scheduling");
  status.is_scheduled = true;
  EXPECT_EQ(foreign_status(status)["phase"], "Scheduled");
  status.phase = GroupPhase::running;
  EXPECT_EQ(foreign_status(status)["phase"], "Running");
  status.phase = GroupPhase::unknown;
  EXPECT_EQ(foreign_status(status)["phase"], "Unknown");
  status.phase = GroupPhase::completed;
  EXPECT_EQ(foreign_status(status)["phase"], "Failed");
  status.succeeded = 2;
  EXPECT_EQ(foreign_status(status)["phase"], "Finished");
}

TEST(ForeignStatus, HasEventsOnItsOwnKind) {
  const Json body = Json::parse(event_body(kSigGroup, ports::Event(), TimePoint(), "here"));
  EXPECT_EQ(body["involvedObject"]["apiVersion"], "scheduling.x-k8s.io/v1alpha1");
}

TEST(KubeGroupStatus, KUBEGROUP5HasOneCondition) {
  ports::ObjectRef group{ports::ObjectKind::kube_pod_group, "ns", "g", "uid-g"};
  ports::GroupStatus status;
  status.reason = "Unschedulable";
  status.message = "why";
  status.waits_since = *parse_time("2026-11-21T09:00:00Z");
  EXPECT_EQ(Json::parse(group_status_patch(group, status)),
            Json::parse(R"({"metadata":{"uid":"uid-g"},"status":{"conditions":[
              {"type":"PodGroupInitiallyScheduled","status":"False",
               "lastTransitionTime":"2026-11-21T09:00:00Z","reason":"Unschedulable",
               "message":"why"}]}})"));
  status.is_scheduled = true;
  const Json patch = Json::parse(group_status_patch(group, status));
  EXPECT_EQ(patch["status"]["conditions"][0]["status"], "True");
  EXPECT_EQ(patch["status"]["conditions"][0]["reason"], "Scheduled");
  const auto version = [&] {
    const std::string body = event_body(group, ports::Event(), TimePoint(), "here");
    return Json::parse(body)["involvedObject"]["apiVersion"];
  };
  EXPECT_EQ(version(), "scheduling.k8s.io/v1beta1");
  group.kind = ports::ObjectKind::kube_alpha_pod_group;
  EXPECT_EQ(version(), "scheduling.k8s.io/v1alpha2");
  EXPECT_EQ(Json::parse(group_status_patch(group, status))["status"]["conditions"][0]["type"],
            "PodGroupScheduled");
}

}  // namespace
}  // namespace berth::kubeapi::bodies_test
