#include "daemon/snapshot.h"

#include <gtest/gtest.h>

#include <map>
#include <variant>

#include "daemon/snapshots.h"
#include "kube/manifests.h"
#include "mirror/mirror.h"

namespace berth::daemon::snapshot_test {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

class SnapshotTest : public testing::Test {
 protected:
  static constexpr TimePoint kNow{hours(24 * 365 * 50)};

  SnapshotTest() : mirror_({.managed_schedulers = {"berth"}}) {
    NodeObject node;
    node.name = node.uid = "n1";
    node.labels = {{"kubernetes.io/hostname", "n1"}, {"zone", "a"}};
    node.taints = {{"dedicated", "ml", TaintEffect::no_schedule}};
    node.allocatable = {{"cpu", 8000}, {"memory", 1024}, {"nvidia.com/gpu", 4}, {"pods", 110}};
    mirror_.apply(node);
    queue_.name = queue_.uid = "research";
    queue_.weight = 3;
    mirror_.apply(queue_);
    objects_.queues = {queue_};
    PodGroupObject group;
    group.name_space = "ml";
    group.name = group.uid = "train";
    group.created = kNow - hours(2);
    group.queue = "research";
    group.min_member = 2;
    group.time_limit = hours(5);
    mirror_.apply(group);
    for (const char* const name : {"train-0", "train-1"}) mirror_.apply(pod(name, "train"));
  }

  static PodObject pod(const std::string& name, const std::string& group) {
    PodObject pod;
    pod.name_space = "ml";
    pod.name = name;
    pod.uid = "uid-" + name;
    pod.created = kNow - hours(1);
    pod.scheduler_name = "berth";
    pod.group = group;
    pod.labels = {{"app", "train"}};
    pod.request = {{"cpu", 2000}, {"nvidia.com/gpu", 1}, {"pods", 1}};
    pod.constraints.node_selector = {{"zone", "a"}};
    pod.constraints.tolerations = {{"dedicated", false, "ml", TaintEffect::no_schedule}};
    pod.priority = 7;
    return pod;
  }

  std::string text() {
    mirror_.settle(kNow);
    return snapshot_json(snapshot_of(mirror_.cluster(), objects_, "berth", kNow));
  }

  // The objects that a plan reads of it.
  std::vector<ClusterEvent> read() {
    const auto manifests = kube::parse_manifests(text(), "snapshot.json");
    EXPECT_TRUE(manifests) << manifests.error().to_string();
    EXPECT_TRUE(manifests->ignored.empty());
    EXPECT_TRUE(manifests->warnings.empty());
    return manifests->events;
  }

  template <typename Object>
  static std::map<std::string, Object> by_name(const std::vector<ClusterEvent>& events) {
    std::map<std::string, Object> objects;
    for (const ClusterEvent& event : events) {
      if (const auto* const object = std::get_if<Object>(&event)) {
        objects.emplace(object->name, *object);
      }
    }
    return objects;
  }

  mirror::Mirror mirror_;
  QueueObject queue_;
  Snapshot::Objects objects_;
};

TEST_F(SnapshotTest, ObjectsComeBackAsTheyWere) {
  const std::vector<ClusterEvent> events = read();
  const NodeObject node = by_name<NodeObject>(events).at("n1");
  EXPECT_EQ(node.labels.at("zone"), "a");
  EXPECT_EQ(node.taints.size(), 1U);
  EXPECT_EQ(node.allocatable.at("nvidia.com/gpu"), 4);
  EXPECT_EQ(node.allocatable.at("cpu"), 8000);
  EXPECT_EQ(by_name<QueueObject>(events).at("research").weight, 3);
  const PodGroupObject group = by_name<PodGroupObject>(events).at("train");
  EXPECT_EQ(group.min_member, 2);
  EXPECT_EQ(group.queue, "research");
  EXPECT_EQ(group.time_limit, hours(5));
  EXPECT_EQ(group.created, kNow - hours(2));
  const PodObject pod = by_name<PodObject>(events).at("train-1");
  EXPECT_EQ(pod.group, "train");
  EXPECT_EQ(pod.request.at("cpu"), 2000);
  EXPECT_EQ(pod.request.at("nvidia.com/gpu"), 1);
  EXPECT_EQ(pod.constraints.node_selector.at("zone"), "a");
  EXPECT_EQ(pod.constraints.tolerations.size(), 1U);
  EXPECT_EQ(pod.priority, 7);
  EXPECT_TRUE(pod.node_name.empty());
  EXPECT_EQ(pod.phase, PodPhase::pending);
}

TEST_F(SnapshotTest, PodsThatRunAreOnTheirNodesWithTheirTimes) {
  PodObject runs = pod("alone", "");
  runs.queue = "research";
  runs.node_name = "n1";
  runs.phase = PodPhase::running;
  runs.started = kNow - minutes(30);
  runs.times.deadline = hours(1);
  runs.times.grace = minutes(2);
  mirror_.apply(runs);
  PodObject others = runs;
  others.name = "web";
  others.uid = "uid-web";
  others.scheduler_name = "another";
  mirror_.apply(others);
  PodObject leaves = runs;
  leaves.name = "leaves";
  leaves.uid = "uid-leaves";
  leaves.terminating = true;
  mirror_.apply(leaves);
  const auto pods = by_name<PodObject>(read());
  const PodObject& back = pods.at("alone");
  EXPECT_EQ(back.node_name, "n1");
  EXPECT_EQ(back.phase, PodPhase::running);
  EXPECT_EQ(back.started, kNow - minutes(30));
  EXPECT_EQ(back.times.deadline, hours(1));
  EXPECT_EQ(back.times.grace, minutes(2));
  EXPECT_EQ(back.queue, "research");
  EXPECT_NE(pods.at("web").scheduler_name, "berth");
  EXPECT_EQ(pods.at("web").node_name, "n1");
  EXPECT_TRUE(pods.at("leaves").terminating);
}

TEST_F(SnapshotTest, PodsHaveTheirLabelsAndRelations) {
  PodObject apart = pod("apart", "");
  apart.queue = "research";
  Relations& relations = apart.constraints.relations;
  relations.name_space = "ml";
  const PodSelector same{{{"app", Operator::in, {"train"}}}};
  const PodTerm term{same, {"ml"}, false, {}, "zone"};
  relations.anti_affinity = {term};
  relations.preferred = {{-7, term}, {9, {PodSelector{}, {}, true, {}, "rack"}}};
  relations.spread = {{same, false, "zone", 2, 3, NodePolicy::ignore, NodePolicy::honor}};
  relations.preferred_spread = {{PodSelector{}, true, "zone"}};
  mirror_.apply(apart);
  const auto pods = by_name<PodObject>(read());
  EXPECT_EQ(pods.at("apart").constraints.relations, relations);
  EXPECT_EQ(pods.at("train-0").labels, (Labels{{"app", "train"}}));
  EXPECT_TRUE(pods.at("train-0").constraints.relations.are_empty());
}

TEST_F(SnapshotTest, BudgetsAndTopologiesComeBack) {
  const BudgetObject budget{"ml", "most",     "u-1", {{{"app", Operator::in, {"train"}}}},
                            2,    {"train-0"}};
  mirror_.apply(budget);
  const TopologyObject racks{
      LevelsObject{TopologyKind::kueue, "gpu", {{"zone"}, {"example.com/rack"}}, ""}};
  const TopologyObject aliases{LevelsObject{TopologyKind::kai, "net", {{"zone", "area"}}, ""}};
  HyperNodeObject hyper{"s0", kNow - hours(1), 1, "switch", {}, ""};
  hyper.members = {{false, "n1", {}, {}}, {false, "", {}, {{"zone", Operator::exists, {}}}}};
  const TopologyObject broken{LevelsObject{TopologyKind::kueue, "odd", {}, "no label of nodes"}};
  objects_.topologies = {racks, aliases, {hyper}, broken};
  const std::vector<ClusterEvent> events = read();
  EXPECT_EQ(by_name<BudgetObject>(events).at("most"), budget);
  std::vector<TopologyObject> back;
  for (const ClusterEvent& event : events) {
    if (const auto* const topology = std::get_if<TopologyObject>(&event)) back.push_back(*topology);
  }
  ASSERT_EQ(back.size(), 3U);
  for (const TopologyObject& each : {racks, aliases, TopologyObject{hyper}}) {
    EXPECT_EQ(std::count(back.begin(), back.end(), each), 1) << each.name();
  }
}

TEST_F(SnapshotTest, AJobThatIsToBeNearItselfStaysSo) {
  PodGroupObject group;
  group.name_space = "ml";
  group.name = group.uid = "train";
  group.queue = "research";
  group.topology.rules = {{.written = kTopologyRequired, .required = {.name = "zone"}}};
  mirror_.apply(group);
  const auto back = by_name<PodGroupObject>(read()).at("train").topology;
  ASSERT_EQ(back.rules.size(), 1U);
  EXPECT_EQ(back.rules[0].required.name, "zone");
}

TEST_F(SnapshotTest, AMirrorOfItHasTheSameJobs) {
  mirror::Mirror again({.managed_schedulers = {"berth"}});
  for (const ClusterEvent& event : read()) again.apply(event);
  again.settle(kNow);
  const JobId before = mirror_.find_group("ml/train");
  const JobId after = again.find_group("ml/train");
  ASSERT_TRUE(after.is_valid());
  const Job& job = again.cluster().job(after);
  EXPECT_EQ(job.task_count(), 2);
  EXPECT_EQ(job.queue_name, mirror_.cluster().job(before).queue_name);
  EXPECT_EQ(job.priority, mirror_.cluster().job(before).priority);
  EXPECT_EQ(again.cluster().queue(job.queue).weight, 3);
}

TEST(SnapshotsTest, AllWhoAskGetTheSame) {
  int wakes = 0;
  Snapshots snapshots([&] { ++wakes; });
  const mirror::Mirror mirror;
  std::vector<std::shared_ptr<const Snapshot>> taken;
  const auto take = [&](std::shared_ptr<const Snapshot> snapshot) {
    taken.push_back(std::move(snapshot));
  };
  EXPECT_FALSE(snapshots.answer(&mirror.cluster(), "berth", TimePoint())) << "nobody has asked";
  snapshots.ask(take);
  snapshots.ask(take);
  EXPECT_EQ(wakes, 2);
  EXPECT_TRUE(taken.empty());
  QueueObject queue;
  queue.name = "research";
  snapshots.observe(queue);
  EXPECT_TRUE(snapshots.answer(&mirror.cluster(), "berth", TimePoint()));
  ASSERT_EQ(taken.size(), 2U);
  ASSERT_NE(taken[0], nullptr);
  EXPECT_EQ(taken[0], taken[1]);
  EXPECT_EQ(taken[0]->objects.queues.size(), 1U);
  snapshots.observe(QueueDeleted{"research"});
  snapshots.ask(take);
  EXPECT_TRUE(snapshots.answer(&mirror.cluster(), "berth", TimePoint()));
  EXPECT_TRUE(taken[2]->objects.queues.empty());
}

TEST(SnapshotsTest, WhereThereIsNoneTheAnswerIsNull) {
  Snapshots snapshots([] {});
  std::size_t none = 0;
  const auto take = [&](const std::shared_ptr<const Snapshot>& snapshot) {
    none += snapshot == nullptr ? 1U : 0U;
  };
  for (std::size_t i = 0; i <= Snapshots::kAskingMost; ++i) snapshots.ask(take);
  EXPECT_EQ(none, 1U) << "too many ask";
  EXPECT_FALSE(snapshots.answer(nullptr, "berth", TimePoint()));
  EXPECT_EQ(none, 1 + Snapshots::kAskingMost) << "the cluster is not known yet";
  snapshots.ask(take);
  snapshots.end();
  EXPECT_EQ(none, 2 + Snapshots::kAskingMost);
  snapshots.ask(take);
  EXPECT_EQ(none, 3 + Snapshots::kAskingMost);
}

}  // namespace
}  // namespace berth::daemon::snapshot_test
