#include <gtest/gtest.h>

#include <map>
#include <set>

#include "berth/model/cluster.h"
#include "engine/consistency.h"

namespace berth {
namespace {

PodTerm about(const std::string& app, const std::string& key) {
  PodTerm term;
  term.pods.all = {{"app", Operator::in, {app}}};
  term.namespaces = {"ns"};
  term.topology_key = key;
  return term;
}

Constraints apart_from(const std::string& app, const std::string& key) {
  Constraints constraints;
  constraints.relations.name_space = "ns";
  constraints.relations.anti_affinity = {about(app, key)};
  return constraints;
}

Constraints near(const std::vector<PodTerm>& terms) {
  Constraints constraints;
  constraints.relations.name_space = "ns";
  constraints.relations.affinity = terms;
  return constraints;
}

// Nodes a and b in zone 1, c in zone 2, d in none.
class PodRelationsTest : public testing::Test {
 protected:
  PodRelationsTest() {
    std::vector<Node> nodes;
    for (const auto& [name, zone] :
         std::map<std::string, std::string>{{"a", "1"}, {"b", "1"}, {"c", "2"}, {"d", ""}}) {
      Node node;
      node.name = name;
      node.labels["host"] = name;
      if (!zone.empty()) node.labels["zone"] = zone;
      nodes.push_back(node);
    }
    cluster_.replace_nodes(nodes);
  }
  ~PodRelationsTest() override { EXPECT_EQ(engine::relation_fault(cluster_), ""); }

  TaskId add(const std::string& name, const Constraints& constraints, const Labels& labels = {},
             const std::string& name_space = "ns") {
    Task task;
    task.name = name_space + "/" + name;
    task.uid = task.name;
    task.labels = cluster_.take_labels(name_space, labels);
    task.shape = cluster_.intern_shape({{"pods", 1}}, constraints, name_space, task.labels);
    return cluster_.add_task(task);
  }
  TaskId place(const std::string& name, const std::string& node, const Constraints& constraints,
               const Labels& labels = {}, const std::string& name_space = "ns") {
    const TaskId id = add(name, constraints, labels, name_space);
    cluster_.move_task(id, cluster_.find_node(node), TaskStatus::running);
    return id;
  }
  const ShapeTerms& terms(TaskId id) const { return cluster_.shape_of(id).terms; }
  Counted count(TermId term, const std::string& node) const {
    const PodRelations& relations = cluster_.relations();
    const DomainId domain = relations.domain(term, cluster_.find_node(node));
    return domain.is_valid() ? relations.term(term).counts.at(domain) : Counted();
  }

  Cluster cluster_;
  const Labels x_{{"app", "x"}};
};

TEST_F(PodRelationsTest, ATermCountsThePodsThatAreThereAndThoseThatCome) {
  place("before", "a", {}, x_);
  place("elsewhere", "a", {}, x_, "other");
  const TaskId wants = add("wants", near({about("x", "zone")}));
  const TermId term = terms(wants).affinity.at(0);
  EXPECT_EQ(count(term, "b").there, 1) << "b is in the zone of a";
  EXPECT_EQ(count(term, "c").there, 0);
  place("after", "c", {}, x_);
  EXPECT_EQ(count(term, "c").there, 1);
  EXPECT_EQ(cluster_.relations().term(term).counts.total().there, 2);
}

TEST_F(PodRelationsTest, RELATION3StatesAreCountedApart) {
  const TaskId wants = add("wants", apart_from("x", "host"));
  const TermId term = terms(wants).anti_affinity.at(0);
  const TaskId other = place("other", "a", {}, x_);
  cluster_.move_task(other, cluster_.find_node("a"), TaskStatus::releasing);
  EXPECT_EQ(count(term, "a"), (Counted{1, 1, 0, 0}));
  cluster_.move_task(other, cluster_.find_node("b"), TaskStatus::pipelined);
  EXPECT_EQ(count(term, "a"), Counted());
  EXPECT_EQ(count(term, "b"), (Counted{0, 0, 1, 0}));
  cluster_.move_task(other, NodeId(), TaskStatus::pending);
  EXPECT_EQ(cluster_.relations().term(term).counts.domain_count(), 0U);
}

TEST_F(PodRelationsTest, RELATION4WhatIsUndoneIsAsItWas) {
  const TaskId wants = add("wants", apart_from("x", "zone"), x_);
  const TermId counted = terms(wants).anti_affinity.at(0);
  const TermId held = terms(wants).held.at(0);
  const std::uint64_t before = cluster_.relations().opened();
  cluster_.move_task(wants, cluster_.find_node("a"), TaskStatus::allocated);
  EXPECT_EQ(count(counted, "b").there, 1);
  EXPECT_EQ(count(held, "b").there, 1);
  EXPECT_EQ(cluster_.relations().opened(), before) << "it only keeps others away";
  cluster_.move_task(wants, NodeId(), TaskStatus::pending);
  EXPECT_EQ(count(counted, "b"), Counted());
  EXPECT_EQ(count(held, "b"), Counted());
  EXPECT_NE(cluster_.relations().opened(), before) << "zone 1 may be used again";
}

TEST_F(PodRelationsTest, AFFINITY3TheLastThatGoesOpensAllDomains) {
  add("wants", near({about("x", "zone")}), x_);
  const TaskId first = place("first", "a", {}, x_);
  const std::uint64_t before = cluster_.relations().opened();
  cluster_.move_task(first, NodeId(), TaskStatus::pending);
  EXPECT_NE(cluster_.relations().opened(), before) << "the next may be the first anywhere";
}

TEST_F(PodRelationsTest, AFFINITY5TermsOfAffinityCountPodsThatMatchAllOfThem) {
  PodTerm other = about("x", "host");
  other.pods.all = {{"tier", Operator::exists, {}}};
  const TaskId wants = add("wants", near({about("x", "zone"), other}));
  ASSERT_EQ(terms(wants).affinity.size(), 2u) << "one for each key";
  place("half", "a", {}, x_);
  place("whole", "c", {}, {{"app", "x"}, {"tier", "db"}});
  for (const TermId term : terms(wants).affinity) {
    EXPECT_EQ(count(term, "a").there, 0);
    EXPECT_EQ(count(term, "c").there, 1);
  }
}

TEST_F(PodRelationsTest, AFFINITY6APodThatIsRefusedByOthersHasAnotherShapeFromThenOn) {
  const TaskId plain = add("plain", {}, x_);
  const ShapeId before = cluster_.task(plain).shape;
  EXPECT_FALSE(cluster_.shape(before).has_relations());
  const TaskId refuses = place("refuses", "a", apart_from("x", "zone"));
  EXPECT_NE(cluster_.task(plain).shape, before);
  EXPECT_EQ(cluster_.shape_of(plain).base, before) << "rankings stay";
  ASSERT_EQ(terms(plain).refused_by.size(), 1u);
  EXPECT_EQ(count(terms(plain).refused_by[0], "b").there, 1);
  EXPECT_EQ(count(terms(plain).refused_by[0], "d"), Counted()) << "it has no zone";
  cluster_.remove_task(refuses);
  EXPECT_EQ(cluster_.task(plain).shape, before);
}

TEST_F(PodRelationsTest, RELATION6NothingIsLeftOfPodsThatAreGone) {
  std::size_t slots = 0;
  for (int times = 0; times < 100; ++times) {
    const std::string app = "app-" + std::to_string(times);
    const TaskId one = place("one", "a", apart_from(app, "host"), {{"app", app}});
    const TaskId two = add("two", near({about(app, "zone")}), {{"app", app}});
    cluster_.remove_task(one);
    cluster_.remove_task(two);
    if (times == 1) slots = cluster_.shape_count();
  }
  EXPECT_EQ(cluster_.shape_count(), slots);
  EXPECT_EQ(cluster_.relations().terms().size(), 0u);
  EXPECT_EQ(cluster_.relations().labels().set_count(), 0u);
}

TEST_F(PodRelationsTest, ShapesAreGivenBackAndTheirIdsAreNewShapes) {
  Constraints selective;
  selective.node_selector["disk"] = "ssd";
  const TaskId first = add("first", selective);
  const ShapeId id = cluster_.task(first).shape;
  const std::uint64_t serial = cluster_.shape(id).serial;
  cluster_.remove_task(first);
  selective.node_selector["disk"] = "hdd";
  const TaskId second = add("second", selective);
  EXPECT_EQ(cluster_.task(second).shape, id);
  EXPECT_NE(cluster_.shape(id).serial, serial);
}

TEST_F(PodRelationsTest, RELATION1LabelsThatNoTermAsksForDoNotDistinguishPods) {
  const Labels first{{"app", "x"}, {"index", "0"}};
  const Labels second{{"app", "x"}, {"index", "1"}};
  const TaskId one = add("one", apart_from("x", "host"), first);
  const TaskId two = add("two", apart_from("x", "host"), second);
  EXPECT_EQ(cluster_.task(one).shape, cluster_.task(two).shape);
  const TaskId other = add("other", apart_from("x", "host"), {{"app", "y"}});
  EXPECT_NE(cluster_.task(one).shape, cluster_.task(other).shape) << "it does not refuse itself";
  EXPECT_TRUE(terms(one).refuses_itself);
  EXPECT_FALSE(terms(other).refuses_itself);
  EXPECT_EQ(cluster_.shape_of(one).base, cluster_.shape_of(other).base);
}

TEST_F(PodRelationsTest, ANodeThatComesIntoAnotherDomainTakesItsPodsThere) {
  const TaskId wants = add("wants", near({about("x", "zone")}));
  const TermId term = terms(wants).affinity.at(0);
  place("x", "a", {}, x_);
  Node moved = cluster_.node(cluster_.find_node("a"));
  moved.labels["zone"] = "2";
  cluster_.update_node(cluster_.find_node("a"), moved);
  EXPECT_EQ(count(term, "c").there, 1);
  EXPECT_EQ(count(term, "b").there, 0);
  std::vector<Node> nodes{cluster_.node(cluster_.find_node("c"))};
  cluster_.replace_nodes(nodes);
  EXPECT_EQ(count(term, "c").there, 0) << "its node is gone";
}

TEST_F(PodRelationsTest, LabelsOfPodsAndOfNamespacesMayChange) {
  PodTerm term = about("x", "zone");
  term.namespaces.clear();
  term.selects_namespaces = true;
  term.of_namespaces = {{"team", Operator::in, {"red"}}};
  const TaskId wants = add("wants", near({term}));
  const TermId id = terms(wants).affinity.at(0);
  const TaskId other = place("other", "a", {}, x_, "theirs");
  EXPECT_EQ(count(id, "a").there, 0);
  cluster_.set_namespace_labels("theirs", {{{"team", "red"}}});
  EXPECT_EQ(count(id, "a").there, 1);
  EXPECT_FALSE(cluster_.set_namespace_labels("theirs", {{{"team", "red"}}})) << "nothing new";

  cluster_.move_task(other, NodeId(), TaskStatus::pending);
  cluster_.set_labels(other, {{"app", "y"}});
  cluster_.set_shape(
      other, cluster_.intern_shape({{"pods", 1}}, {}, "theirs", cluster_.task(other).labels));
  cluster_.move_task(other, cluster_.find_node("a"), TaskStatus::running);
  EXPECT_EQ(count(id, "a").there, 0);
}

// docs/design/pod-affinity.md, odd cases.
TEST_F(PodRelationsTest, AFFINITY1ASelectorOfNamespacesIsOfThoseThatAreListed) {
  PodTerm term = about("x", "zone");
  term.namespaces.clear();
  term.selects_namespaces = true;
  term.of_namespaces = {{"team", Operator::does_not_exist, {}}};
  cluster_.set_namespace_labels("theirs", {{{"team", "red"}}});
  const TaskId other = place("other", "a", {}, x_, "theirs");
  Constraints refuses;
  refuses.relations.anti_affinity = {term};
  const TaskId wants = add("wants", refuses);
  const auto there = [&] { return count(terms(wants).anti_affinity.at(0), "a").there; };
  EXPECT_EQ(there(), 0) << "its namespace has the label";
  EXPECT_TRUE(terms(other).refused_by.empty());
  const TaskId unlisted = place("unlisted", "a", {}, x_, "unlisted");
  EXPECT_EQ(there(), 0) << "its own term";
  EXPECT_EQ(terms(unlisted).refused_by.size(), 1U) << "others meet it with no labels";
  cluster_.set_namespace_labels("unlisted", std::map<std::string, std::string>());
  EXPECT_EQ(there(), 1);
  cluster_.set_namespace_labels("theirs", std::map<std::string, std::string>());
  EXPECT_EQ(there(), 2);
}

TEST_F(PodRelationsTest, NoSelectorMatchesNobodyAndAnEmptyOneEverybody) {
  PodTerm none = about("x", "zone");
  none.pods = {{}, true};
  PodTerm any = about("x", "zone");
  any.pods.all.clear();
  place("x", "a", {}, x_);
  place("bare", "a", {});
  const TaskId nobody = add("nobody", near({none}));
  EXPECT_EQ(count(terms(nobody).affinity.at(0), "a").there, 0);
  EXPECT_FALSE(terms(nobody).matches_own_affinity);
  const TaskId everybody = add("everybody", near({any}));
  EXPECT_EQ(count(terms(everybody).affinity.at(0), "a").there, 2);
  EXPECT_TRUE(terms(everybody).matches_own_affinity);
}

TEST(LabelTableTest, RELATION5SetsAreFoundByTheirLabels) {
  LabelTable table;
  const LabelSetId one = table.take({{"app", "x"}, {"i", "0"}});
  const LabelSetId two = table.take({{"app", "x"}, {"i", "1"}});
  const LabelSetId three = table.take({{"app", "y"}});
  const auto with = [&](const char* key, const char* value) {
    const auto found = table.sets_with(key, value);
    return std::set<LabelSetId>(found.begin(), found.end());
  };
  EXPECT_EQ(with("app", "x"), (std::set<LabelSetId>{one, two}));
  table.give_back(one);
  EXPECT_EQ(with("app", "x"), (std::set<LabelSetId>{two}));
  EXPECT_EQ(with("app", "y"), (std::set<LabelSetId>{three}));
  EXPECT_TRUE(with("i", "0").empty());
  table.give_back(two);
  EXPECT_TRUE(with("app", "x").empty());
}

}  // namespace
}  // namespace berth
