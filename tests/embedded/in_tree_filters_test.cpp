#include "embedded/in_tree_filters.h"

#include <gtest/gtest.h>

#include "embedded/fixture.h"

namespace berth::embedded {
namespace {

TEST(InTreeFiltersTest, TaintsKeepPodsOffUnlessTolerated) {
  NodeObject node = make_node("n1");
  node.taints = {{"gpu", "a100", TaintEffect::no_schedule}};
  struct Case {
    std::vector<Toleration> tolerations;
    bool admitted;
  };
  const Case cases[] = {
      {{}, false},
      {{{"gpu", false, "a100", TaintEffect::no_schedule}}, true},
      {{{"gpu", false, "h100", TaintEffect::no_schedule}}, false},
      {{{"gpu", true, "", TaintEffect::any}}, true},
      {{{"gpu", true, "", TaintEffect::no_execute}}, false},
      {{{"", true, "", TaintEffect::any}}, true},
      {{{"", false, "", TaintEffect::any}}, false},
  };
  for (const Case& one : cases) {
    PodObject pod = make_pod("p");
    pod.constraints.tolerations = one.tolerations;
    EXPECT_EQ(node_admits(node, pod), one.admitted) << &one - cases;
  }
  node.taints = {{"gpu", "a100", TaintEffect::prefer_no_schedule}};
  EXPECT_TRUE(node_admits(node, make_pod("p")));
  node.taints = {{"gpu", "a100", TaintEffect::no_execute}};
  EXPECT_FALSE(node_admits(node, make_pod("p")));
}

TEST(InTreeFiltersTest, ACordonedNodeTakesOnlyWhoToleratesThat) {
  NodeObject node = make_node("n1");
  node.unschedulable = true;
  PodObject pod = make_pod("p");
  EXPECT_FALSE(node_admits(node, pod));
  pod.constraints.tolerations = {{"node.kubernetes.io/unschedulable", true, "", TaintEffect::any}};
  EXPECT_TRUE(node_admits(node, pod));
}

TEST(InTreeFiltersTest, SelectorAndRequiredTermsMustHold) {
  NodeObject node = make_node("n1");
  node.labels = {{"zone", "a"}, {"cores", "64"}, {"word", "many"}};
  PodObject pod = make_pod("p");
  pod.constraints.node_selector = {{"zone", "a"}};
  EXPECT_TRUE(node_admits(node, pod));
  pod.constraints.node_selector = {{"zone", "b"}};
  EXPECT_FALSE(node_admits(node, pod));

  struct Case {
    Expression expression;
    bool holds;
  };
  const Case cases[] = {
      {{"zone", Operator::in, {"b", "a"}}, true},   {{"zone", Operator::not_in, {"a"}}, false},
      {{"none", Operator::not_in, {"a"}}, true},    {{"zone", Operator::exists, {}}, true},
      {{"none", Operator::exists, {}}, false},      {{"none", Operator::does_not_exist, {}}, true},
      {{"cores", Operator::greater, {"63"}}, true}, {{"cores", Operator::greater, {"64"}}, false},
      {{"cores", Operator::less, {"65"}}, true},    {{"word", Operator::less, {"65"}}, false},
      {{"none", Operator::less, {"65"}}, false},
  };
  for (const Case& one : cases) {
    PodObject picky = make_pod("p");
    picky.constraints.has_required_terms = true;
    picky.constraints.required_terms = {{{one.expression}, {}}};
    EXPECT_EQ(node_admits(node, picky), one.holds) << &one - cases;
  }
}

TEST(InTreeFiltersTest, OneTermIsEnoughAnEmptyOneNeverAndFieldsMeanTheName) {
  PodObject pod = make_pod("p");
  pod.constraints.has_required_terms = true;
  EXPECT_FALSE(node_admits(make_node("n1"), pod));
  pod.constraints.required_terms = {{}};
  EXPECT_FALSE(node_admits(make_node("n1"), pod));
  pod.constraints.required_terms.push_back({{}, {{"metadata.name", Operator::in, {"n1"}}}});
  EXPECT_TRUE(node_admits(make_node("n1"), pod));
  EXPECT_FALSE(node_admits(make_node("n2"), pod));
}

TEST(InTreeFiltersTest, ALocksTaintKeepsOffWhoDoesNotTolerateIt) {
  NodeObject node = make_node("n");
  node.has_lock_taint = true;
  node.locked_for = "job.g";
  PodObject pod = make_pod("p");
  EXPECT_FALSE(node_admits(node, pod));
  pod.lock_tolerations.some = {"job.other"};
  EXPECT_FALSE(node_admits(node, pod)) << "another's lock";
  pod.lock_tolerations.some = {"job.g", "job.other"};
  EXPECT_TRUE(node_admits(node, pod));
  pod.lock_tolerations = {.all = true, .some = {}};
  EXPECT_TRUE(node_admits(node, pod));

  node.has_queue_lock_taint = true;
  node.locked_for_queue = "q";
  EXPECT_FALSE(node_admits(node, pod)) << "the queue's lock is another";
  pod.lock_tolerations.some = {"queue.q"};
  EXPECT_TRUE(node_admits(node, pod));
  node.locked_for_queue = "r";
  EXPECT_FALSE(node_admits(node, pod));
  pod.lock_tolerations.all_for_queues = true;
  EXPECT_TRUE(node_admits(node, pod));
}

}  // namespace
}  // namespace berth::embedded
