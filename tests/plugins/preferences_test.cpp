#include "plugins/nodeorder/preferences.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "support/stage.h"

namespace berth::plugins {
namespace {

using Points = std::vector<std::int32_t>;
using Scorer = void(const Cluster&, const Shape&, const Passes&, std::int32_t, engine::ScoreSums);

// Of the pod `p`, on all nodes by name. Cordoned nodes do not pass.
Points points_of(Scorer* add, const std::string& text) {
  const auto world = support::stage(text);
  const Cluster& cluster = world->cluster();
  Passes passes;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    passes.push_back(cluster.node(NodeId(n)).is_unschedulable ? 0 : 1);
  }
  Points points(passes.size(), 0);
  add(cluster, cluster.shape_of(world->task("default/p")), passes, 1, points.data());
  return points;
}

// "pod a0 ...", "pod a1 ...": so many on each of these nodes.
std::string pods_on(const std::vector<std::pair<std::string, int>>& nodes, const std::string& of) {
  std::string text;
  for (const auto& [node, count] : nodes) {
    for (int i = 0; i < count; ++i) {
      text += "pod " + node + "-" + std::to_string(i) + " unmanaged on=" + node + " " + of + "\n";
    }
  }
  return text;
}

TEST(Preferences, TheLogarithmIsRightToOnePartInAThousand) {
  for (const std::uint64_t number : {1U, 2U, 3U, 5U, 6U, 100U, 5002U, 1U << 30}) {
    const double exact = std::log(static_cast<double>(number)) * 1024;
    EXPECT_NEAR(static_cast<double>(fine_log(number)), exact, 1.0) << number;
  }
}

// The rows of kube-scheduler's own table in podtopologyspread/scoring_test.go: 760 to 980.
TEST(Preferences, SPREAD9FewPodsInADomainAreBetter) {
  const std::string nodes = "node a cpu=9\nnode b cpu=9\nnode c cpu=9\nnode d cpu=9\n";
  const std::string zones =
      "node a cpu=9 labels=zone:1\nnode b cpu=9 labels=zone:1\nnode x cpu=9 labels=zone:2\n";
  const std::string p = "pod p labels=app:x prefers-spread=";
  const std::string host = "app:x@kubernetes.io/hostname@";
  const auto all_of = [](const std::string& names, const std::vector<int>& counts) {
    std::vector<std::pair<std::string, int>> on;
    for (std::size_t i = 0; i < counts.size(); ++i) on.emplace_back(names.substr(i, 1), counts[i]);
    return pods_on(on, "labels=app:x");
  };
  const struct {
    const char* what;
    std::string text;
    Points expected;
  } cases[] = {
      {"a skew of 3", nodes + p + host + "3\n" + all_of("abcd", {4, 3, 2, 1}), {44, 66, 77, 100}},
      {"one node is cordoned",
       "node a cpu=9\nnode b cpu=9\nnode x cpu=9\nnode y cpu=9 unschedulable\n" + p + host + "1\n" +
           all_of("abxy", {4, 2, 1, 3}),
       {33, 83, 100, 0}},
      {"over zones, of which a cordoned node counts",
       zones + "node y cpu=9 labels=zone:2 unschedulable\n" + p + "app:x@zone@1\n" +
           all_of("abxy", {4, 2, 1, 3}),
       {75, 75, 100, 0}},
      {"over zones and nodes",
       "node a cpu=9 labels=zone:1\nnode b cpu=9 labels=zone:1 unschedulable\n"
       "node x cpu=9 labels=zone:2\nnode y cpu=9 labels=zone:2 unschedulable\n" +
           p + "app:x@zone@1;" + host + "1\n" + all_of("abxy", {2, 1, 2, 4}),
       {100, 0, 63, 0}},
      {"a node without the label has no points",
       zones + "node z cpu=9\n" + p + "app:x@zone@1\n" + all_of("abxz", {1, 0, 0, 0}),
       {0, 0, 100, 0}},
      {"nobody is there", nodes + p + host + "1\n", {100, 100, 100, 100}},
      {"it refuses no node for a full domain and has no effect without a constraint",
       nodes + "pod p labels=app:x\n" + all_of("abcd", {4, 3, 2, 1}),
       {0, 0, 0, 0}},
  };
  for (const auto& [what, text, expected] : cases) {
    EXPECT_EQ(points_of(add_spread_points, text), expected) << what;
  }
}

// Rows of interpodaffinity/scoring_test.go: 400 to 610, 872 to 950.
TEST(Preferences, AFFINITY10PodsNearCountByTheirWeight) {
  const std::string nodes =
      "node n1 cpu=9 labels=zone:a\nnode n2 cpu=9 labels=zone:b\nnode n3 cpu=9 labels=zone:a\n"
      "node n4 cpu=9\n";
  const struct {
    const char* what;
    std::string text;
    Points expected;
  } cases[] = {
      {"all nodes of the domain",
       "pod p prefers-near=5:app:x@zone\npod q unmanaged on=n1 labels=app:x\n",
       {100, 0, 100, 0}},
      {"two weights",
       "pod p prefers-near=8:app:x@zone;2:app:y@zone\npod q unmanaged on=n1 labels=app:y\n"
       "pod r unmanaged on=n2 labels=app:x\n",
       {25, 100, 25, 0}},
      {"those to be apart from count against a domain",
       "pod p prefers-apart=5:app:x@zone\npod q unmanaged on=n1 labels=app:x\n",
       {0, 100, 0, 100}},
      {"more pods count more",
       "pod p prefers-apart=5:app:x@zone\npod q unmanaged on=n1 labels=app:x\n"
       "pod r unmanaged on=n3 labels=app:x\npod s unmanaged on=n2 labels=app:x\n",
       {0, 50, 0, 100}},
      {"pods that are there prefer it near, or apart",
       "pod p labels=app:x\npod q unmanaged on=n1 prefers-near=6:app:x@zone\n"
       "pod r unmanaged on=n2 prefers-apart=6:app:x@zone\n",
       {100, 0, 100, 50}},
      {"required affinity of a pod that is there counts as 1",
       "pod p labels=app:x\npod q unmanaged on=n1 near=app:x@zone\n"
       "pod r unmanaged on=n2 prefers-near=4:app:x@zone\n",
       {25, 100, 25, 0}},
      {"pods of another namespace do not",
       "pod p prefers-near=5:app:x@zone\npod other:q unmanaged on=n1 labels=app:x\n",
       {0, 0, 0, 0}},
      {"equal everywhere: no points",
       "pod p prefers-near=5:app:x@kubernetes.io/hostname\n" +
           pods_on({{"n1", 1}, {"n2", 1}, {"n3", 1}, {"n4", 1}}, "labels=app:x"),
       {0, 0, 0, 0}},
  };
  for (const auto& [what, text, expected] : cases) {
    EXPECT_EQ(points_of(add_affinity_points, nodes + text), expected) << what;
  }
}

// Rows of imagelocality/image_locality_test.go: 230 to 290.
TEST(Preferences, NODEORDER6LargeImagesOfManyNodesCountMost) {
  const std::string two =
      "node n1 cpu=9 images=40=40,300=300,2000=2000\nnode n2 cpu=9 images=250=250,10=10\n";
  const std::string large =
      "node n1 cpu=9 images=4000=4000,30=30\nnode n2 cpu=9 images=250=250,10=10\n";
  const struct {
    std::string text;
    Points expected;
  } cases[] = {
      {two + "pod p images=40,250\n", {0, 5}},
      {two + "pod p images=300,40\n", {7, 0}},
      {large + "pod p images=10,4000\n", {100, 0}},
      {large + "node n3 cpu=9\npod p images=10,4000\n", {66, 0, 0}},
      {two + "pod p\n", {0, 0}},
      {two + "pod p images=nobody-has-it\n", {0, 0}},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_EQ(points_of(add_image_points, text), expected) << text;
  }
}

}  // namespace
}  // namespace berth::plugins
