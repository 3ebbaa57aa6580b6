#include "berth/model/images.h"

#include <gtest/gtest.h>

#include "berth/model/cluster.h"

namespace berth {
namespace {

TEST(Images, NODEORDER6OnlyImagesThatShapesNameChangeTheVersion) {
  ImageTable table;
  const ImageId train = table.take("train:v1");
  const std::uint64_t first = table.version();
  EXPECT_FALSE(table.set("n1", {{"other:v1", 5}}));
  EXPECT_EQ(table.version(), first);
  EXPECT_TRUE(table.set("n1", {{"other:v1", 5}, {"train:v1", 7}, {"train:v1", 9}}));
  EXPECT_NE(table.version(), first);
  EXPECT_EQ(table.nodes_with(train), 1);
  ASSERT_EQ(table.on("n1").size(), 2U);
  EXPECT_EQ(table.on("n1")[0], (ImageTable::OnNode{train, 7})) << "the first counts";

  const std::uint64_t second = table.version();
  EXPECT_FALSE(table.set("n1", {{"train:v1", 7}})) << "the other one went";
  EXPECT_TRUE(table.set("n1", {{"train:v1", 8}})) << "another size";
  EXPECT_TRUE(table.set("n1", {}));
  EXPECT_GT(table.version(), second);
  EXPECT_EQ(table.nodes_with(train), 0);
  EXPECT_TRUE(table.on("n1").empty());
}

TEST(Images, AnImageThatNobodyHasOrNamesIsForgotten) {
  ImageTable table;
  const ImageId train = table.take("train:v1");
  table.set("n1", {{"train:v1", 7}, {"other:v1", 5}});
  EXPECT_EQ(table.size(), 2U);
  table.give_back(train);
  EXPECT_EQ(table.size(), 2U) << "a node has it";
  table.set("n1", {{"other:v1", 5}});
  EXPECT_EQ(table.size(), 1U);
  EXPECT_EQ(table.take("new:v1"), train) << "ids are given again";
}

// Nodes n1 and n2; each pod asks for no more than a place.
class PreferenceTest : public testing::Test {
 protected:
  PreferenceTest() {
    Node one;
    one.name = "n1";
    one.labels["zone"] = "a";
    Node two;
    two.name = "n2";
    two.labels["zone"] = "b";
    cluster_.replace_nodes({one, two});
  }
  TaskId add(const std::string& name, const Constraints& constraints, const Labels& labels = {}) {
    Task task;
    task.name = "ns/" + name;
    task.uid = task.name;
    task.labels = cluster_.take_labels("ns", labels);
    task.shape = cluster_.intern_shape({{"pods", 1}}, constraints, "ns", task.labels);
    return cluster_.add_task(task);
  }
  static Constraints preferring(std::int32_t weight) {
    PreferredPodTerm preferred{weight, {}};
    preferred.term.pods.all = {{"app", Operator::in, {"x"}}};
    preferred.term.namespaces = {"ns"};
    preferred.term.topology_key = "zone";
    Constraints constraints;
    constraints.relations.name_space = "ns";
    constraints.relations.preferred = {preferred};
    return constraints;
  }
  Cluster cluster_;
};

TEST_F(PreferenceTest, AShapeThatOnlyPrefersHasNoRelationsAndTheVetoesOfItsBase) {
  const TaskId plain = add("plain", {});
  const TaskId fond = add("fond", preferring(5));
  Constraints with_image;
  with_image.images = {"train:v1"};
  const TaskId heavy = add("heavy", with_image);
  for (const TaskId id : {fond, heavy}) {
    const Shape& shape = cluster_.shape_of(id);
    EXPECT_NE(shape.id, cluster_.task(plain).shape);
    EXPECT_EQ(shape.base, cluster_.task(plain).shape);
    EXPECT_TRUE(shape.only_prefers);
    EXPECT_FALSE(shape.has_relations());
    EXPECT_EQ(shape.lasting_key, cluster_.shape_of(plain).lasting_key);
  }
  EXPECT_NE(cluster_.task(add("less", preferring(4))).shape, cluster_.task(fond).shape);
  EXPECT_EQ(cluster_.task(add("same", preferring(5))).shape, cluster_.task(fond).shape);
}

TEST_F(PreferenceTest, AFFINITY10PodsWithAPreferredTermAreCountedForThoseThatItDraws) {
  const TaskId fond = add("fond", preferring(-5));
  const TaskId drawn = add("drawn", {}, {{"app", "x"}});
  const Shape& shape = cluster_.shape_of(drawn);
  ASSERT_EQ(shape.terms.drawn_by.size(), 1U);
  ASSERT_EQ(shape.terms.counted.size(), 1U);
  EXPECT_TRUE(shape.only_prefers);
  const Term& draws = cluster_.relations().term(shape.terms.drawn_by[0]);
  EXPECT_EQ(draws.spec.weight, -5);
  const std::uint64_t before = draws.counts.version();
  cluster_.move_task(fond, NodeId(1), TaskStatus::running);
  const DomainId zone = cluster_.relations().domain(shape.terms.drawn_by[0], NodeId(1));
  EXPECT_EQ(draws.counts.at(zone).there, 1);
  EXPECT_GT(draws.counts.version(), before);
  cluster_.move_task(fond, NodeId(), TaskStatus::pending);
  EXPECT_EQ(draws.counts.domain_count(), 0U);

  cluster_.remove_task(fond);
  EXPECT_EQ(cluster_.relations().terms().size(), 0U);
  EXPECT_EQ(cluster_.shape_of(drawn).base, cluster_.task(drawn).shape) << "it is a base again";
}

}  // namespace
}  // namespace berth
