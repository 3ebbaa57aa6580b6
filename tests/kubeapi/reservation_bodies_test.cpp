#include "kubeapi/reservation_bodies.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "berth/model/claim.h"
#include "berth/model/queue_nodes.h"

namespace berth::kubeapi {
namespace {

using Json = nlohmann::json;

const TimePoint kAt = *parse_time("2026-11-21T09:00:00.123456789Z");

ports::NodeLock lock(bool has_taint = false) { return {"job.g", kAt, has_taint}; }
ports::NodeLock open() { return {}; }

// The object after the patch; null: there was nothing to be written.
Json after(const Json& seen, const std::optional<std::string>& patch) {
  if (!patch) return nullptr;
  const Json what = Json::parse(*patch);
  EXPECT_EQ(what["metadata"]["uid"], "u");
  EXPECT_EQ(what["metadata"]["resourceVersion"], "7");
  Json object = seen;
  object.merge_patch(what);
  return object;
}

Json after(const Json& seen, const ports::NodeLock& lock) {
  return after(seen, node_lock_patch("u", lock, seen.dump()));
}

Json after(const Json& seen, const TargetMarks& marks) {
  return after(seen, job_marks_patch("u", marks, seen.dump()));
}

Json object(Json labels, Json annotations) {
  return {{"metadata",
           {{"uid", "u"},
            {"resourceVersion", "7"},
            {"labels", std::move(labels)},
            {"annotations", std::move(annotations)}}}};
}

Json taint(const char* key, const char* value) {
  return {{"key", key}, {"value", value}, {"effect", "NoSchedule"}};
}

// Rows 0.44 and 0.45.
TEST(NodeLockPatch, SetsAndTakesAwayLabelAndAnnotation) {
  const Json free = object({{"zone", "a"}}, {{"x", "y"}});
  const Json locked = after(free, lock());
  EXPECT_EQ(locked["metadata"]["labels"], (Json{{"zone", "a"}, {kLockedForLabel, "job.g"}}));
  EXPECT_EQ(locked["metadata"]["annotations"][kLockedSinceAnnotation],
            "2026-11-21T09:00:00.123456789Z");
  EXPECT_TRUE(after(locked, lock()).is_null()) << "it is so already";
  EXPECT_EQ(after(locked, open())["metadata"], free["metadata"]);
}

TEST(NodeLockPatch, LosesNobodysTaint) {
  Json node = object({}, {});
  Json lost = taint("lost", "");
  lost["timeAdded"] = "2026-11-21T08:00:00Z";
  lost["effect"] = "NoExecute";
  node["spec"]["taints"] = {lost, taint(kLockedForLabel, "queue.q"),
                            taint(kLockedForLabel, "job.old"), taint("gpu", "yes")};
  const Json others{lost, taint(kLockedForLabel, "queue.q"), taint("gpu", "yes")};
  const Json tainted = after(node, lock(true));
  Json expected = others;
  expected.push_back(taint(kLockedForLabel, "job.g"));
  EXPECT_EQ(tainted["spec"]["taints"], expected);
  EXPECT_EQ(after(tainted, open())["spec"]["taints"], others);

  const Json alone = after(object({}, {}), lock(true));
  EXPECT_EQ(alone["spec"]["taints"], Json::array({taint(kLockedForLabel, "job.g")}));
  EXPECT_FALSE(after(alone, open())["spec"].contains("taints"));
}

TEST(NodeLockPatch, LeavesAnothersLockAndAnotherNodeAlone) {
  Json node = object({{kLockedForLabel, "queue.q"}}, {{kLockedSinceAnnotation, "then"}});
  EXPECT_TRUE(after(node, lock()).is_null());
  EXPECT_TRUE(after(node, open()).is_null() || after(node, open())["metadata"] == node["metadata"]);
  node["spec"]["taints"] = Json::array({taint(kLockedForLabel, "job.old")});
  EXPECT_FALSE(after(node, open())["spec"].contains("taints"));
  EXPECT_EQ(after(node, open())["metadata"], node["metadata"]);
  node["metadata"]["uid"] = "v";
  EXPECT_FALSE(node_lock_patch("u", lock(), node.dump()));
  EXPECT_FALSE(node_lock_patch("u", lock(), "no JSON"));
}

TEST(NodeLockPatch, SetsAndTakesAwayTheLockForAQueue) {
  const Json free = object({{"zone", "a"}}, {{"x", "y"}});
  ports::NodeLock of_queue;
  of_queue.queue = "q";
  of_queue.queue_since = kAt;
  of_queue.has_queue_taint = true;
  const Json locked = after(free, of_queue);
  EXPECT_EQ(locked["metadata"]["labels"], (Json{{"zone", "a"}, {kLockedForQueueLabel, "q"}}));
  EXPECT_EQ(locked["metadata"]["annotations"],
            (Json{{"x", "y"}, {kLockedForQueueSinceAnnotation, "2026-11-21T09:00:00.123456789Z"}}));
  EXPECT_EQ(locked["spec"]["taints"], Json::array({taint(kLockedForQueueLabel, "q")}));
  EXPECT_TRUE(after(locked, of_queue).is_null()) << "it is so already";
  EXPECT_EQ(after(locked, open())["metadata"], free["metadata"]);
  EXPECT_FALSE(after(locked, open())["spec"].contains("taints"));

  ports::NodeLock both = lock(true);
  both.queue = "q";
  both.queue_since = kAt;
  both.has_queue_taint = true;
  const Json twice = after(locked, both);
  EXPECT_EQ(twice["metadata"]["labels"],
            (Json{{"zone", "a"}, {kLockedForLabel, "job.g"}, {kLockedForQueueLabel, "q"}}));
  EXPECT_EQ(twice["spec"]["taints"],
            (Json{taint(kLockedForLabel, "job.g"), taint(kLockedForQueueLabel, "q")}));
  EXPECT_EQ(after(twice, of_queue), locked) << "the target is gone, the queue stays";
}

TEST(NodeLockPatch, TakesAwayWhatAnotherWroteWithTheKeyForQueues) {
  Json node = object({{kLockedForQueueLabel, "odd"}}, {{"x", "y"}});
  node["spec"]["taints"] = Json::array({taint(kLockedForQueueLabel, "odder"), taint("gpu", "")});
  const Json cleared = after(node, open());
  EXPECT_EQ(cleared["metadata"]["labels"], Json::object());
  EXPECT_EQ(cleared["spec"]["taints"], Json::array({taint("gpu", "")}));
}

TEST(NodeLockPatch, LocksForAQueueWhereAnotherOwnsTheLockForATarget) {
  Json node = object({{kLockedForLabel, "theirs"}}, {{kLockedSinceAnnotation, "then"}});
  node["spec"]["taints"] = Json::array({taint(kLockedForLabel, "job.old")});
  ports::NodeLock both = lock(true);
  both.queue = "q";
  both.queue_since = kAt;
  const Json locked = after(node, both);
  EXPECT_EQ(locked["metadata"]["labels"],
            (Json{{kLockedForLabel, "theirs"}, {kLockedForQueueLabel, "q"}}));
  EXPECT_EQ(locked["metadata"]["annotations"][kLockedSinceAnnotation], "then");
  EXPECT_EQ(locked["spec"], node["spec"]);
}

// Row 0.43.
TEST(JobMarksPatch, SetsAndTakesAwayAllButWhenItWasFirstSeen) {
  TargetMarks marks;
  marks.first_seen = kAt;
  marks.elected_at = kAt;
  marks.is_elected = true;
  marks.why = "waits longest";
  const Json target = after(object({}, {{"x", "y"}}), marks);
  EXPECT_EQ(target["metadata"]["annotations"],
            (Json{{"x", "y"},
                  {kTargetAnnotation, "elected"},
                  {kTargetSinceAnnotation, "2026-11-21T09:00:00.123456789Z"},
                  {kTargetWhyAnnotation, "waits longest"},
                  {kFirstSeenAnnotation, "2026-11-21T09:00:00.123456789Z"}}));
  EXPECT_TRUE(after(target, marks).is_null());
  TargetMarks given_up;
  given_up.given_up_at = kAt;
  EXPECT_EQ(after(target, given_up)["metadata"]["annotations"],
            (Json{{"x", "y"},
                  {kGivenUpAnnotation, "2026-11-21T09:00:00.123456789Z"},
                  {kFirstSeenAnnotation, "2026-11-21T09:00:00.123456789Z"}}));
}

TEST(JobMarksPatch, CLAIM8SetsAndTakesAwayClaims) {
  TargetMarks marks;
  marks.claims = "2026-11-21T09:00:00Z n1*3 n2";
  const Json claiming = after(object({}, {{"x", "y"}}), marks);
  EXPECT_EQ(claiming["metadata"]["annotations"],
            (Json{{"x", "y"}, {kClaimsAnnotation, "2026-11-21T09:00:00Z n1*3 n2"}}));
  EXPECT_TRUE(after(claiming, marks).is_null());
  EXPECT_EQ(after(claiming, TargetMarks())["metadata"]["annotations"], (Json{{"x", "y"}}));
}

TEST(JobMarksPatch, KeepsAUsersWord) {
  TargetMarks marks;
  marks.elected_at = kAt;
  const Json named = object({}, {{kTargetAnnotation, "true"}});
  const Json elected = after(named, marks);
  EXPECT_EQ(elected["metadata"]["annotations"][kTargetAnnotation], "true");
  EXPECT_EQ(after(elected, TargetMarks())["metadata"]["annotations"],
            named["metadata"]["annotations"]);
}

// Issue 9, row 9.
TEST(JobMarksPatch, SaysOfANamedTargetOnlySinceWhen) {
  TargetMarks marks;
  marks.elected_at = kAt;
  marks.why = "its user names it";
  const Json named = after(object({}, {{"x", "y"}}), marks)["metadata"]["annotations"];
  EXPECT_FALSE(named.contains(kTargetAnnotation));
  EXPECT_TRUE(named.contains(kTargetSinceAnnotation));
  const Json declined = object({}, {{kTargetAnnotation, "false"}});
  EXPECT_EQ(after(declined, marks)["metadata"]["annotations"][kTargetAnnotation], "false");
  EXPECT_TRUE(after(declined, TargetMarks()).is_null());
}

}  // namespace
}  // namespace berth::kubeapi
