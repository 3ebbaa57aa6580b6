#include <gtest/gtest.h>

#include <string>

#include "berth/base/text.h"
#include "kube/codecs.h"
#include "kube/yaml_value.h"

// Locks of nodes, for targets and for queues, and tolerations of them.

namespace berth::kube {
namespace {

TEST(Node, keeps_its_lock_apart_from_its_labels_and_taints) {
  const auto node = [](const std::string& metadata, const std::string& taints = "") {
    return *decode_node(
        value_of("{metadata: {name: n, " + metadata + "}, spec: {taints: [" + taints + "]}}"), "f");
  };
  const std::string taint = "{key: berth.dev/locked-for, value: job.u-1, effect: NoSchedule}";
  const auto locked = node(
      "labels: {zone: a, berth.dev/locked-for: job.u-1}, annotations: "
      "{berth.dev/locked-since: '2026-11-21T09:00:00.5Z'}",
      "{key: gpu, effect: NoSchedule}, " + taint);
  EXPECT_EQ(locked.locked_for, "job.u-1");
  EXPECT_EQ(locked.locked_since, *parse_time("2026-11-21T09:00:00.5Z"));
  EXPECT_TRUE(locked.has_lock_taint);
  EXPECT_EQ(locked.labels, (std::map<std::string, std::string>{{"zone", "a"}}));
  EXPECT_EQ(locked.taints, (std::vector<Taint>{{"gpu", "", TaintEffect::no_schedule}}));

  const auto others =
      node("labels: {berth.dev/locked-for: queue.q}, annotations: {berth.dev/locked-since: soon}",
           "{key: berth.dev/locked-for, value: queue.q, effect: NoSchedule}");
  EXPECT_EQ(others.locked_for, "queue.q");
  EXPECT_EQ(others.locked_since, std::nullopt);
  EXPECT_FALSE(others.has_lock_taint);
  EXPECT_EQ(others.taints.size(), 1U);

  // The rest of a lock must be read, so that it is removed. A taint for another lock is not its
  // own.
  EXPECT_TRUE(node("labels: {}", taint).has_lock_taint);
  EXPECT_TRUE(node("labels: {}", taint).taints.empty());
  EXPECT_FALSE(node("labels: {berth.dev/locked-for: job.u-2}", taint).has_lock_taint);
}

TEST(Node, keeps_its_lock_for_a_queue_apart_from_that_for_a_target) {
  const auto node = [](const std::string& metadata, const std::string& taints = "") {
    return *decode_node(
        value_of("{metadata: {name: n, " + metadata + "}, spec: {taints: [" + taints + "]}}"), "f");
  };
  const std::string taint = "{key: berth.dev/locked-for-queue, value: q, effect: NoSchedule}";
  const auto both = node(
      "labels: {zone: a, berth.dev/locked-for: job.u-1, berth.dev/locked-for-queue: q}, "
      "annotations: {berth.dev/locked-for-queue-since: '2026-11-21T09:00:00.5Z'}",
      taint);
  EXPECT_EQ(both.locked_for, "job.u-1");
  EXPECT_EQ(both.locked_since, std::nullopt);
  EXPECT_EQ(both.locked_for_queue, "q");
  EXPECT_EQ(both.locked_for_queue_since, *parse_time("2026-11-21T09:00:00.5Z"));
  EXPECT_TRUE(both.has_queue_lock_taint);
  EXPECT_FALSE(both.has_lock_taint);
  EXPECT_EQ(both.labels, (std::map<std::string, std::string>{{"zone", "a"}}));
  EXPECT_TRUE(both.taints.empty());

  EXPECT_TRUE(node("labels: {}", taint).has_queue_lock_taint) << "the rest of a lock";
  EXPECT_TRUE(node("labels: {}", taint).taints.empty());
  const auto another = node("labels: {berth.dev/locked-for-queue: r}", taint);
  EXPECT_FALSE(another.has_queue_lock_taint);
  EXPECT_TRUE(another.taints.empty());
}

TEST(PodConstraints, leave_out_our_toleration_of_locks_and_list_all_that_do_the_same) {
  const auto with = [](const std::string& toleration) {
    return *decode_pod(value_of("{metadata: {name: p}, spec: {tolerations: [" + toleration + "]}}"),
                       "f");
  };
  const auto ours = with(
      "{key: berth.dev/locked-for, operator: Equal, value: job.u-1, effect: NoSchedule}, "
      "{key: gpu, operator: Exists}");
  EXPECT_EQ(ours.lock_tolerations, (LockTolerations{false, {"job.u-1"}, false}));
  EXPECT_EQ(ours.constraints.tolerations, (std::vector<Toleration>{{"gpu", true, "", {}}}));
  const auto copied = with(
      "{key: berth.dev/locked-for, value: job.u-2, effect: NoSchedule}, "
      "{key: berth.dev/locked-for, value: job.u-1, effect: NoSchedule}");
  EXPECT_EQ(copied.lock_tolerations.some, (std::vector<std::string>{"job.u-1", "job.u-2"}));
  EXPECT_TRUE(copied.lock_tolerations.cover("job.u-1"));
  EXPECT_FALSE(copied.lock_tolerations.cover("job.u-3"));
  const auto every = with("{operator: Exists}");
  EXPECT_EQ(every.lock_tolerations, (LockTolerations{true, {}, true}));
  EXPECT_TRUE(every.lock_tolerations.cover("job.u-3"));
  EXPECT_EQ(every.constraints.tolerations.size(), 1U);
  const LockTolerations none;
  EXPECT_EQ(with("{operator: Exists, effect: NoExecute}").lock_tolerations, none);
  EXPECT_EQ(with("{key: berth.dev/locked-for, value: queue.q}").lock_tolerations, none);
  EXPECT_EQ(with("{key: gpu, operator: Exists}").lock_tolerations, none);
}

TEST(PodConstraints, keep_tolerations_of_locks_for_queues_apart_from_those_for_targets) {
  const auto with = [](const std::string& toleration) {
    return *decode_pod(value_of("{metadata: {name: p}, spec: {tolerations: [" + toleration + "]}}"),
                       "f");
  };
  const auto ours = with(
      "{key: berth.dev/locked-for-queue, value: q, effect: NoSchedule}, "
      "{key: berth.dev/locked-for, value: job.u-1}");
  EXPECT_EQ(ours.lock_tolerations, (LockTolerations{false, {"job.u-1", "queue.q"}, false}));
  EXPECT_TRUE(ours.constraints.tolerations.empty());
  EXPECT_TRUE(ours.lock_tolerations.cover("queue.q"));
  EXPECT_FALSE(ours.lock_tolerations.cover("queue.r"));
  const auto queues = with("{key: berth.dev/locked-for-queue, operator: Exists}");
  EXPECT_EQ(queues.lock_tolerations, (LockTolerations{false, {}, true}));
  EXPECT_TRUE(queues.lock_tolerations.cover("queue.r"));
  EXPECT_FALSE(queues.lock_tolerations.cover("job.u-1"));
  const auto targets = with("{key: berth.dev/locked-for, operator: Exists}");
  EXPECT_EQ(targets.lock_tolerations, (LockTolerations{true, {}, false}));
  EXPECT_FALSE(targets.lock_tolerations.cover("queue.q"));
  const auto other = with("{key: berth.dev/locked-for-queue, value: q, effect: NoExecute}");
  EXPECT_EQ(other.lock_tolerations, LockTolerations());
}

}  // namespace
}  // namespace berth::kube
