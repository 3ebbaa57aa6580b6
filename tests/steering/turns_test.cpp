#include "steering/turns.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace berth::steering {
namespace {

PodTerm near(const std::string& app) {
  PodTerm term;
  term.pods.all = {{"app", Operator::in, {app}}};
  term.namespaces = {"ns"};
  term.topology_key = "zone";
  return term;
}

Constraints spread_over(const std::string& key, std::int32_t skew = 1) {
  SpreadConstraint spread;
  spread.pods.all = {{"app", Operator::in, {"x"}}};
  spread.topology_key = key;
  spread.max_skew = skew;
  Constraints constraints;
  constraints.relations.name_space = "ns";
  constraints.relations.spread = {spread};
  return constraints;
}

Constraints near_to(const std::string& app) {
  Constraints constraints;
  constraints.relations.name_space = "ns";
  constraints.relations.affinity = {near(app)};
  return constraints;
}

// Nodes a1 and a2 in zone a, b1 in b, c1 in c.
class TurnsTest : public testing::Test {
 protected:
  TurnsTest() {
    std::vector<Node> nodes;
    for (const char* name : {"a1", "a2", "b1", "c1"}) {
      Node node;
      node.name = name;
      node.labels = {{"zone", std::string(name, 1)}, {"host", name}};
      nodes.push_back(node);
    }
    cluster_.replace_nodes(std::move(nodes));
  }
  TaskId add(const std::string& node, const Constraints& constraints, const std::string& app,
             TaskStatus status) {
    Task task;
    task.name = "ns/p" + std::to_string(cluster_.task_slots());
    task.uid = task.name;
    task.labels = cluster_.take_labels("ns", {{"app", app}});
    task.shape = cluster_.intern_shape({{"pods", 1}}, constraints, "ns", task.labels);
    const TaskId id = cluster_.add_task(task);
    cluster_.move_task(id, cluster_.find_node(node), status);
    return id;
  }
  // The next of the plan.
  void plan(const std::string& node, const Constraints& constraints, const std::string& app = "x") {
    pods_.push_back({add(node, constraints, app, TaskStatus::binding)});
  }
  void plan_alike(const std::string& node, const Constraints& constraints) {
    plan(node, constraints);
    pods_.back().may_exchange = true;
  }
  void come(std::initializer_list<std::size_t> which) {
    for (const std::size_t i : which) pods_[i].has_come = true;
  }
  // Places in the plan of those that may come now.
  std::vector<std::size_t> turns(bool is_order_kept) {
    give_turns(cluster_, is_order_kept, pods_);
    std::vector<std::size_t> may;
    for (std::size_t i = 0; i < pods_.size(); ++i) {
      if (pods_[i].is_its && !pods_[i].has_come) may.push_back(i);
    }
    return may;
  }

  using Places = std::vector<std::size_t>;
  Cluster cluster_;
  std::vector<Turn> pods_;
};

TEST_F(TurnsTest, RELATION12AWaveOfASpreadHasOneOfEachDomain) {
  const Constraints spread = spread_over("zone");
  for (const char* node : {"a1", "b1", "c1", "a2", "b1", "c1"}) plan(node, spread);
  EXPECT_EQ(turns(false), (Places{0, 1, 2}));
  come({1});
  EXPECT_EQ(turns(false), (Places{0, 2})) << "a second one in b would be too many";
  come({0, 2});
  EXPECT_EQ(turns(false), (Places{3, 4, 5}));
}

TEST_F(TurnsTest, STEER16PodsThatExchangeTheirPlacesNeedNoWaves) {
  const Constraints spread = spread_over("zone");
  for (const char* node : {"a1", "b1", "c1", "a2", "b1", "c1"}) plan_alike(node, spread);
  EXPECT_EQ(turns(false), (Places{0, 1, 2, 3, 4, 5}));
}

TEST_F(TurnsTest, STEER16AnotherKindWaitsForThemAndTheyForIt) {
  const Constraints spread = spread_over("zone");
  Constraints other = spread;
  other.node_selector = {{"host", "b1"}};
  other.relations.spread[0].affinity = NodePolicy::ignore;
  for (const char* node : {"a1", "b1", "c1", "a2"}) plan_alike(node, spread);
  plan_alike("b1", other);
  for (const char* node : {"c1", "a2"}) plan_alike(node, spread);
  EXPECT_EQ(turns(false), (Places{0, 1, 2, 3})) << "they may come in another order than the fifth";
  come({0, 1, 2, 3});
  EXPECT_EQ(turns(false), (Places{4, 5})) << "in b and c, whichever comes first";
  come({4, 5});
  EXPECT_EQ(turns(false), (Places{6}));
}

TEST_F(TurnsTest, STEER16PodsThatNoSpreadCountsAreNotInTheirWay) {
  const Constraints spread = spread_over("zone");
  plan("a1", {}, "launcher");
  for (const char* node : {"a1", "b1", "c1", "a2"}) plan_alike(node, spread);
  EXPECT_EQ(turns(false), (Places{0, 1, 2, 3, 4}));
}

TEST_F(TurnsTest, STEER16ThoseThatRequireAnotherWaitForIt) {
  Constraints near_launcher = spread_over("host");
  near_launcher.relations.affinity = {near("launcher")};
  plan("a1", {}, "launcher");
  for (const char* node : {"a1", "a2", "a1", "a2"}) plan_alike(node, near_launcher);
  EXPECT_EQ(turns(false), (Places{0}));
  come({0});
  EXPECT_EQ(turns(false), (Places{1, 2, 3, 4}));
}

TEST_F(TurnsTest, STEER16TheFirstThatDoesNotFitComesAloneAllTheSame) {
  const Constraints spread = spread_over("zone");
  add("a1", {}, "x", TaskStatus::running);
  plan_alike("a2", spread);
  plan_alike("b1", spread);
  EXPECT_EQ(turns(false), (Places{0})) << "kube-scheduler says no, or knows more";
  EXPECT_EQ(turns(false), (Places{0}));
}

TEST_F(TurnsTest, RELATION12PodsThatAreThereCount) {
  const Constraints spread = spread_over("zone");
  add("a1", {}, "x", TaskStatus::running);
  add("c1", {}, "x", TaskStatus::running);
  plan("b1", spread);
  plan("a2", spread);
  EXPECT_EQ(turns(false), (Places{0})) << "a has one, so b comes first";
  come({0});
  EXPECT_EQ(turns(false), (Places{1}));
}

TEST_F(TurnsTest, RELATION12ALargerSkewLetsNoMoreOfADomainComeAtOnce) {
  const Constraints spread = spread_over("zone", 2);
  for (const char* node : {"a1", "b1", "a2", "c1"}) plan(node, spread);
  EXPECT_EQ(turns(false), (Places{0, 1}));
  come({0});
  EXPECT_EQ(turns(false), (Places{1, 2, 3}));
}

TEST_F(TurnsTest, RELATION12OneTakesATurnIfNoneFits) {
  const Constraints spread = spread_over("zone");
  add("a1", {}, "x", TaskStatus::running);
  plan("a2", spread);
  plan("b1", spread);
  EXPECT_EQ(turns(false), (Places{0})) << "kube-scheduler says no, or knows more";
  EXPECT_EQ(turns(false), (Places{0}));
}

TEST_F(TurnsTest, RELATION12ALauncherComesBeforeThoseThatRequireIt) {
  plan("a1", {}, "launcher");
  for (const char* node : {"a1", "a2", "a2"}) plan(node, near_to("launcher"), "worker");
  EXPECT_EQ(turns(false), (Places{0}));
  come({0});
  EXPECT_EQ(turns(false), (Places{1, 2, 3})) << "then in any order";
}

TEST_F(TurnsTest, RELATION12TheFirstOfItsKindComesAlone) {
  for (const char* node : {"a1", "a2", "a1"}) plan(node, near_to("x"));
  EXPECT_EQ(turns(false), (Places{0}));
  EXPECT_EQ(turns(false), (Places{0})) << "it is on its way";
  come({0});
  EXPECT_EQ(turns(false), (Places{1, 2}));
}

TEST_F(TurnsTest, RELATION12InTheViewTheOrderSuffices) {
  plan("a1", {}, "launcher");
  plan("a1", near_to("launcher"), "worker");
  plan("a2", near_to("launcher"), "worker");
  EXPECT_EQ(turns(true), (Places{0, 1, 2}));
}

TEST_F(TurnsTest, SPREAD11OnePodANodeIsShownByNomination) {
  const Constraints spread = spread_over("zone");
  for (const char* node : {"a1", "b1", "c1", "a2", "b1", "c1"}) plan(node, spread);
  EXPECT_EQ(turns(true), (Places{0, 1, 2, 3})) << "two of zone a, on two nodes";
  come({0});
  EXPECT_EQ(turns(true), (Places{1, 2, 3}));
  come({1});
  EXPECT_EQ(turns(true), (Places{2, 3, 4})) << "in the order of the plan";
}

TEST_F(TurnsTest, SPREAD10ASpreadThatIgnoresAffinityIsShownByAffinity) {
  Constraints spread = spread_over("zone");
  spread.relations.spread[0].affinity = NodePolicy::ignore;
  for (const char* node : {"a1", "b1", "c1", "a1"}) plan(node, spread);
  EXPECT_FALSE(is_shown_by_nomination(cluster_.shape_of(pods_[0].task)));
  EXPECT_EQ(turns(true), (Places{0, 1, 2, 3}));
}

TEST_F(TurnsTest, RELATION12AClaimThatIsBoundLateIsSharedAfterItsFirstPod) {
  Constraints shared;
  VolumeNeed need;
  need.claim = "ns/data";
  shared.volumes.claims = {need};
  shared.volumes.depend_on_plan = true;
  for (const char* node : {"a1", "a1", "a2", "a2"}) plan(node, shared);
  EXPECT_EQ(turns(true), (Places{0, 1})) << "on one node";
  EXPECT_TRUE(depends_on_order(cluster_, cluster_.shape_of(pods_[0].task)));
  come({0, 1});
  EXPECT_EQ(turns(false), (Places{2, 3}));
}

TEST_F(TurnsTest, STEER16PodsOfASpreadMayExchangeTheirPlaces) {
  Constraints hint = spread_over("zone");
  hint.unmodelled = {"resourceClaims"};
  Constraints late = spread_over("zone");
  late.volumes.claims = {VolumeNeed()};
  for (const Constraints& each : {spread_over("zone"), hint, late, near_to("x")}) plan("a1", each);
  const auto may = [this](std::size_t i) {
    return is_exchangeable(cluster_, cluster_.task(pods_[i].task), true);
  };
  EXPECT_TRUE(may(0));
  EXPECT_FALSE(may(1)) << "a hint may go to a node of its own choice";
  EXPECT_FALSE(may(2)) << "its volume may decide where it goes";
  EXPECT_FALSE(may(3)) << "no order of places helps it";
  cluster_.set_lock(cluster_.find_node("a1"), Lock{JobId(0), false, {}});
  EXPECT_FALSE(may(0)) << "others do not tolerate the taint of its node";
}

TEST_F(TurnsTest, RELATION12AntiAffinityHoldsInAnyOrder) {
  Constraints apart;
  apart.relations.name_space = "ns";
  apart.relations.anti_affinity = {near("x")};
  plan("a1", apart);
  const Shape& shape = cluster_.shape_of(pods_[0].task);
  EXPECT_TRUE(shape.has_relations());
  EXPECT_FALSE(depends_on_order(cluster_, shape));
}

}  // namespace
}  // namespace berth::steering
