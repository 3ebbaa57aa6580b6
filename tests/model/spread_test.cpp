#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "berth/engine/fit.h"
#include "berth/model/cluster.h"
#include "engine/consistency.h"

namespace berth {
namespace {

Node node_in(const std::string& name, const std::string& zone) {
  Node node;
  node.name = name;
  if (!zone.empty()) node.labels["zone"] = zone;
  return node;
}

Constraints spread_over_zones() {
  SpreadConstraint spread;
  spread.pods.all = {{"app", Operator::in, {"x"}}};
  spread.topology_key = "zone";
  Constraints constraints;
  constraints.relations.name_space = "ns";
  constraints.relations.spread = {spread};
  return constraints;
}

// Nodes a and b in zone 1, c in zone 2, d in none.
class SpreadTest : public testing::Test {
 protected:
  SpreadTest() {
    cluster_.replace_nodes(
        {node_in("a", "1"), node_in("b", "1"), node_in("c", "2"), node_in("d", "")});
  }
  ~SpreadTest() override { EXPECT_EQ(engine::relation_fault(cluster_), ""); }

  TaskId add(const std::string& name, const Constraints& constraints, const Labels& labels) {
    Task task;
    task.name = "ns/" + name;
    task.uid = task.name;
    task.labels = cluster_.take_labels("ns", labels);
    task.shape = cluster_.intern_shape({{"pods", 1}}, constraints, "ns", task.labels);
    return cluster_.add_task(task);
  }
  void move(TaskId id, const std::string& node, TaskStatus status) {
    cluster_.move_task(id, cluster_.find_node(node), status);
    ASSERT_EQ(engine::relation_fault(cluster_), "");
  }
  TaskId place(const std::string& name, const std::string& node) {
    const TaskId id = add(name, {}, x_);
    move(id, node, TaskStatus::running);
    return id;
  }
  TermId term_of(TaskId id) const { return cluster_.shape_of(id).terms.spread.at(0); }
  std::size_t domains(TermId term) const { return cluster_.relations().spread(term).size(); }
  std::int32_t lowest(TermId term) const {
    return cluster_.relations().spread(term).lowest_that_stay();
  }
  std::int32_t there(TermId term, const std::string& node) const {
    const PodRelations& relations = cluster_.relations();
    const DomainId domain = relations.domain(term, cluster_.find_node(node));
    return relations.term(term).counts.at(domain).there;
  }
  // Of each node: "y", "n", or "-" without the label.
  std::string answers(TaskId id, engine::Occupants occupants) const {
    std::string all;
    for (std::size_t n = 0; n < cluster_.node_count(); ++n) {
      const engine::Verdict verdict = engine::constraints::topology_spread.check(
          {cluster_, cluster_.shape_of(id), cluster_.node(NodeId(n)), occupants});
      const bool is_missing = verdict.reason == Reason::topology_label_missing;
      all += verdict ? "y" : is_missing ? "-" : "n";
    }
    return all;
  }

  Cluster cluster_;
  const Labels x_{{"app", "x"}};
};

TEST_F(SpreadTest, SPREAD4_counts_pods_that_are_there_and_those_that_come) {
  place("before", "a");
  place("no-zone", "d");
  const TermId term = term_of(add("p", spread_over_zones(), x_));
  EXPECT_EQ(domains(term), 2u);
  EXPECT_EQ(there(term, "b"), 1);
  EXPECT_EQ(lowest(term), 0);
  const TaskId after = place("after", "c");
  EXPECT_EQ(lowest(term), 1);
  move(after, "c", TaskStatus::releasing);
  EXPECT_EQ(lowest(term), 0) << "it leaves";
}

TEST_F(SpreadTest, RELATION4_what_is_undone_is_as_it_was) {
  const TaskId first = add("first", spread_over_zones(), x_);
  const TaskId second = add("second", spread_over_zones(), x_);
  const TermId term = term_of(first);
  EXPECT_EQ(term, term_of(second));
  move(first, "a", TaskStatus::allocated);
  move(second, "c", TaskStatus::allocated);
  EXPECT_EQ(lowest(term), 1);
  move(second, "", TaskStatus::pending);
  EXPECT_EQ(lowest(term), 0);
  move(first, "", TaskStatus::pending);
  EXPECT_EQ(cluster_.relations().term(term).counts.domain_count(), 0U);
}

TEST_F(SpreadTest, opens_where_pods_go_and_everywhere_when_the_lowest_count_rises) {
  const TaskId first = add("first", spread_over_zones(), x_);
  const TaskId second = add("second", spread_over_zones(), x_);
  const auto opened = [this] { return cluster_.relations().opened(); };
  std::uint64_t before = opened();
  move(first, "a", TaskStatus::allocated);
  EXPECT_EQ(opened(), before) << "zone 1 takes fewer, zone 2 as many";
  move(second, "c", TaskStatus::allocated);
  EXPECT_NE(opened(), before) << "zone 1 takes one more";
  before = opened();
  move(second, "", TaskStatus::pending);
  EXPECT_NE(opened(), before) << "zone 2 takes one more";
}

TEST_F(SpreadTest, SPREAD3_follows_nodes_that_come_and_go) {
  place("x", "c");
  const TermId term = term_of(add("p", spread_over_zones(), x_));
  const auto label = [this](const std::string& name, const std::string& zone) {
    Node node = node_in(name, zone);
    cluster_.update_node(cluster_.find_node(name), node);
  };
  label("d", "3");
  EXPECT_EQ(domains(term), 3u);
  label("c", "1");
  EXPECT_EQ(domains(term), 2u) << "zone 2 has no nodes any more";
  EXPECT_EQ(there(term, "a"), 1);
  label("c", "");
  EXPECT_EQ(there(term, "a"), 0);
  cluster_.replace_nodes({node_in("a", "1"), node_in("c", "4"), node_in("e", "5")});
  EXPECT_EQ(domains(term), 3u);
  EXPECT_EQ(there(term, "c"), 1) << "the pod kept its node";
}

TEST_F(SpreadTest, SPREAD3_follows_taints_where_they_are_honoured) {
  place("x", "a");
  Constraints honours = spread_over_zones();
  honours.relations.spread[0].taints = NodePolicy::honor;
  const TaskId pod = add("p", honours, x_);
  EXPECT_EQ(lowest(term_of(pod)), 0);
  Node tainted = node_in("c", "2");
  tainted.taints = {{"own", "", TaintEffect::no_schedule}};
  cluster_.update_node(cluster_.find_node("c"), tainted);
  EXPECT_EQ(domains(term_of(pod)), 1u);
  EXPECT_EQ(lowest(term_of(pod)), 1);
}

TEST_F(SpreadTest, RELATION6_nothing_is_left_of_spreads_that_are_gone) {
  for (int times = 0; times < 3; ++times) {
    Constraints other = spread_over_zones();
    other.node_selector["zone"] = std::to_string(times);
    const TaskId one = add("one", spread_over_zones(), x_);
    const TaskId two = add("two", other, x_);
    EXPECT_EQ(cluster_.relations().node_sets().size(), 2u);
    cluster_.remove_task(one);
    cluster_.remove_task(two);
  }
  EXPECT_EQ(cluster_.relations().node_sets().size(), 0u);
  EXPECT_EQ(cluster_.relations().terms().size(), 0u);
}

TEST_F(SpreadTest, RELATION7_promised_pods_raise_the_lowest_count_once_room_is_vacated) {
  using engine::Occupants;
  const TaskId pod = add("p", spread_over_zones(), x_);
  const TaskId one = add("one", {}, x_);
  const TaskId two = add("two", {}, x_);
  EXPECT_EQ(answers(pod, Occupants::all), "yyy-");
  move(one, "b", TaskStatus::pipelined);
  EXPECT_EQ(answers(pod, Occupants::all), "nny-");
  EXPECT_EQ(answers(pod, Occupants::once_vacated), "nny-");
  EXPECT_EQ(answers(pod, Occupants::staying), "yyy-") << "who comes to c is not known";
  move(two, "c", TaskStatus::pipelined);
  EXPECT_EQ(answers(pod, Occupants::all), "nnn-") << "they are not there yet";
  EXPECT_EQ(answers(pod, Occupants::once_vacated), "yyy-");
}

TEST_F(SpreadTest, SPREAD5_too_few_domains_bound_what_never_leaves) {
  Constraints wide = spread_over_zones();
  wide.relations.spread[0].min_domains = 3;
  const TaskId pod = add("p", wide, x_);
  Task daemon;
  daemon.name = daemon.uid = "ns/daemon";
  daemon.never_leaves = true;
  daemon.labels = cluster_.take_labels("ns", x_);
  daemon.shape = cluster_.intern_shape({{"pods", 1}}, {}, "ns", daemon.labels);
  move(cluster_.add_task(daemon), "a", TaskStatus::running);
  EXPECT_EQ(answers(pod, engine::Occupants::staying), "nny-");
}

}  // namespace
}  // namespace berth
