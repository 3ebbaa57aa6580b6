#include "berth/model/bounds.h"

#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace berth::bounds {
namespace {

std::string text(std::size_t number) { return std::to_string(10000 + number); }

PodTerm term(std::size_t number) {
  PodTerm made;
  made.namespaces = {"ml"};
  made.pods.all = {{"label-" + text(number), Operator::in, {"x"}}};
  made.topology_key = "rack";
  return made;
}

PodObject pod_of(const std::function<void(PodObject&)>& change) {
  PodObject pod;
  pod.name = "p";
  pod.request = {{"cpu", 1000}};
  pod.constraints.relations.name_space = "ml";
  change(pod);
  return pod;
}

// A pod with so many of something, and the words about one too many.
struct Bound {
  const char* name;
  std::size_t most;
  std::function<void(PodObject&, std::size_t)> have;
  std::string words;
};

void have_terms(PodObject& pod, std::size_t count) {
  Relations& relations = pod.constraints.relations;
  for (std::size_t i = 0; i < count; ++i) {
    if (i % 4 == 0) relations.affinity.push_back(term(i));
    if (i % 4 == 1) relations.anti_affinity.push_back(term(i));
    if (i % 4 == 2) relations.preferred.push_back({1, term(i)});
    if (i % 4 == 3) relations.spread.push_back({.pods = {}, .topology_key = "rack"});
  }
}

void have_items(PodObject& pod, std::size_t count) {
  PodTerm one = term(0);  // with a label, a value and a namespace
  for (std::size_t i = 3; i < count; ++i) one.namespaces.push_back("ns-" + text(i));
  pod.constraints.relations.affinity.push_back(one);
}

void have_node_terms(PodObject& pod, std::size_t count) {
  pod.constraints.node_selector["a"] = "b";
  pod.constraints.has_required_terms = true;
  for (std::size_t i = 1; i < count; ++i) pod.constraints.required_terms.emplace_back();
}

void have_node_values(PodObject& pod, std::size_t count) {
  SelectorTerm one;
  one.labels = {{"a", Operator::in, {}}};
  for (std::size_t i = 0; i < count; ++i) one.labels[0].values.push_back(text(i));
  pod.constraints.preferred_terms.push_back({1, one});
}

void have_volumes(PodObject& pod, std::size_t count) {
  pod.volumes.claims.push_back({"c", false});
  Disk disk;
  for (std::size_t i = 2; i < count; ++i) disk.monitors.push_back(text(i));
  pod.volumes.disks.push_back(disk);
}

const std::vector<Bound>& bounds_of_a_pod() {
  static const std::vector<Bound> kAll{
      {"terms", kTermsOfPod, have_terms,
       "65 terms of pod affinity and topology spreads, at most 64"},
      {"items", kTermItemsOfPod, have_items,
       "2001 labels, values and namespaces in pod affinity and topology spreads, at most 2000"},
      {"node_terms", kNodeTermsOfPod, have_node_terms,
       "1001 terms and expressions of node affinity and nodeSelector, at most 1000"},
      {"node_values", kNodeValuesOfPod, have_node_values,
       "20001 values in node affinity, at most 20000"},
      {"tolerations", kTolerationsOfPod,
       [](PodObject& pod, std::size_t count) { pod.constraints.tolerations.resize(count); },
       "501 tolerations, at most 500"},
      {"host_ports", kHostPortsOfPod,
       [](PodObject& pod, std::size_t count) { pod.constraints.host_ports.resize(count); },
       "501 host ports, at most 500"},
      {"volumes", kVolumesOfPod, have_volumes, "501 volumes, at most 500"}};
  return kAll;
}

class BoundsOfAPod : public testing::TestWithParam<Bound> {};

TEST_P(BoundsOfAPod, BOUND1_are_kept_and_named) {
  const Bound& bound = GetParam();
  const PodObject at_most = pod_of([&](PodObject& pod) { bound.have(pod, bound.most); });
  PodObject within = at_most;
  keep_within(within);
  EXPECT_EQ(within.constraints, at_most.constraints);
  EXPECT_EQ(within.volumes, at_most.volumes);
  EXPECT_EQ(within.constraints.excess.reason, Reason::none);

  PodObject beyond = pod_of([&](PodObject& pod) { bound.have(pod, bound.most + 1); });
  keep_within(beyond);
  EXPECT_EQ(beyond.constraints.excess.reason, Reason::object_too_large);
  EXPECT_EQ(beyond.constraints.excess.what, bound.words);
  const Constraints& left = beyond.constraints;
  EXPECT_TRUE(left.relations.are_empty());
  EXPECT_TRUE(left.node_selector.empty() && left.required_terms.empty());
  EXPECT_TRUE(left.preferred_terms.empty() && left.tolerations.empty());
  EXPECT_TRUE(left.host_ports.empty() && beyond.volumes.are_empty());
  EXPECT_EQ(beyond.request.at("cpu"), 1000);
}

INSTANTIATE_TEST_SUITE_P(All, BoundsOfAPod, testing::ValuesIn(bounds_of_a_pod()),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Bounds, BOUND1_the_first_is_named_and_all_are_left_out) {
  PodObject pod = pod_of([](PodObject& made) {
    have_terms(made, kTermsOfPod + 1);
    made.constraints.tolerations.resize(kTolerationsOfPod + 1);
    made.constraints.host_ports.resize(1);
  });
  keep_within(pod);
  EXPECT_EQ(pod.constraints.excess.what,
            "65 terms of pod affinity and topology spreads, at most 64");
  EXPECT_TRUE(pod.constraints.tolerations.empty());
  EXPECT_EQ(pod.constraints.host_ports.size(), 1U);
}

TEST(Bounds, BOUND1_images_are_only_a_preference) {
  PodObject pod = pod_of([](PodObject& made) { made.constraints.images.resize(kImagesOfPod + 1); });
  keep_within(pod);
  EXPECT_TRUE(pod.constraints.images.empty());
  EXPECT_EQ(pod.constraints.excess.reason, Reason::none);
}

TEST(Bounds, BOUND3_terms_about_other_namespaces_are_wide) {
  Relations relations;
  relations.name_space = "ml";
  relations.affinity = {term(0), term(1), term(2)};
  relations.affinity[1].namespaces = {"other"};
  relations.affinity[2].selects_namespaces = true;
  const RelationSize size = size_of(relations);
  EXPECT_EQ(size.terms, 3U);
  EXPECT_EQ(size.items, 9U);
  EXPECT_EQ(size.wide, 2U);
}

TEST(Bounds, BOUND4_sixteen_values_are_one_check) {
  PodObject pod = pod_of([](PodObject& made) { have_node_values(made, 160); });
  pod.constraints.tolerations.resize(5);
  EXPECT_EQ(checks_of(pod.constraints), 2U + 10U + 5U);
}

}  // namespace
}  // namespace berth::bounds
