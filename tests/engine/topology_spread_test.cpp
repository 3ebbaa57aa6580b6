#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "berth/base/text.h"
#include "berth/engine/fit.h"
#include "support/stage.h"

namespace berth::engine {
namespace {

// Of kube-scheduler's own tables, in pkg/scheduler/framework/plugins/podtopologyspread: nodes,
// pods that are there, the pod that waits, and what the constraint says of each node: "y", "n", or
// "-" if the label is missing. Room and other constraints are not asked.
struct Case {
  std::string name;
  std::string nodes;
  std::string there;  // "a*2 b/bar": two pods with label foo on a, one with label bar on b
  std::string waits;
  std::string answers;
};

const std::string kFour =
    "node a labels=zone:1,node:a\nnode b labels=zone:1,node:b\n"
    "node x labels=zone:2,node:x\nnode y labels=zone:2,node:y\n";
const std::string kThree = "node a labels=node:a\nnode b labels=node:b\nnode c labels=node:c\n";
const std::string kFooOnThree =
    "node a labels=node:a,foo:\nnode b labels=node:b,foo:\n"
    "node x labels=node:x,foo:\nnode y labels=node:y\n";
const std::string kTaintOnOne =
    "node a labels=node:a\nnode b labels=node:b\nnode x labels=node:x\n"
    "node y labels=node:y taints=own::NoSchedule\n";

std::string pods_of(const std::string& there) {
  std::string lines;
  int number = 0;
  for (const std::string& item : split_list(there, ' ')) {
    const std::size_t times = item.find('*');
    const std::string place = item.substr(0, times);
    const std::size_t slash = place.find('/');
    const std::string labels = slash == place.npos ? "foo:" : place.substr(slash + 1);
    const int count = times == item.npos ? 1 : std::stoi(item.substr(times + 1));
    for (int i = 0; i < count; ++i) {
      lines += "pod there-" + std::to_string(number++) + " unmanaged on=" + place.substr(0, slash) +
               " labels=" + labels + "\n";
    }
  }
  return lines;
}

std::string answers_of(const Case& each) {
  const auto world =
      support::stage(each.nodes + pods_of(each.there) + "pod p " + each.waits + "\n");
  const Cluster& cluster = world->cluster();
  const Shape& shape = cluster.shape_of(world->task("default/p"));
  EXPECT_TRUE(shape.has_relations()) << each.name;
  std::string answers;
  for (std::size_t n = 0; n < cluster.node_count(); ++n) {
    const Verdict verdict =
        constraints::topology_spread.check({cluster, shape, cluster.node(NodeId(n))});
    if (verdict) answers += "y";
    if (verdict.reason == Reason::topology_spread) answers += "n";
    if (verdict.reason == Reason::topology_label_missing) answers += "-";
  }
  return answers;
}

void expect_answers(const std::vector<Case>& cases) {
  for (const Case& each : cases) EXPECT_EQ(answers_of(each), each.answers) << each.name;
}

TEST(TopologySpread, SPREAD6_one_spread) {
  const std::string by_zone = "labels=foo: spread=foo:exists@zone@1";
  const std::string by_node = "labels=foo: spread=foo:exists@node@1";
  expect_answers({
      {"nobody there", kFour, "", by_zone, "yyyy"},
      {"nobody there, and not itself", kFour, "", "labels=foo: spread=bar:exists@zone@1", "yyyy"},
      {"3/3", kFour, "a*2 b y*3", by_zone, "yyyy"},
      {"2/1/0/3", kFour, "a*2 b y*3", by_node, "nnyn"},
      {"2/1/0/3, a skew of 2", kFour, "a*2 b y*3", "labels=foo: spread=foo:exists@node@2", "nyyn"},
      {"2/1/0/3, not itself", kFour, "a*2 b y*3", "labels=bar: spread=foo:exists@node@1", "nyyn"},
  });
}

TEST(TopologySpread, SPREAD4_who_counts) {
  const std::string foreign =
      "pod other:p1 unmanaged on=a labels=foo:\npod third:p2 unmanaged on=a labels=foo:\n";
  expect_answers({
      {"other namespaces", kFour + foreign, "x y", "labels=foo: spread=foo:exists@zone@1", "yynn"},
      {"no selector", kFour, "x y", "labels=foo: spread=none@zone@1", "yyyy"},
      {"an empty selector", kFour, "x y", "labels=foo: spread=*@zone@1", "yyyy"},
      {"terminating", kThree + "pod going unmanaged terminating on=a labels=foo:\n", "b",
       "labels=foo: spread=foo:exists@node@1", "yny"},
      {"by revision", kFour, "a/rev:1,foo: a/rev:1,foo: x/rev:2,foo:",
       "labels=foo:,rev:2 spread=foo:exists,rev:2@zone@1", "yynn"},
  });
}

TEST(TopologySpread, SPREAD2_nodes_without_a_label) {
  const std::string typing_error =
      "node a labels=zone:1\nnode b labels=zon:1\nnode x labels=zone:2\nnode y labels=zone:2\n";
  const std::string one_of_two =
      "node a labels=zone:1,node:a\nnode b labels=zone:1,node:b\n"
      "node x labels=zone:2\nnode y labels=zone:2,node:y\n";
  expect_answers({
      {"1/2", typing_error, "a b x y", "labels=foo: spread=foo:exists@zone@1", "y-nn"},
      {"nobody has it", kFour, "", "labels=foo: spread=foo:exists@rack@1", "----"},
      {"one of two", one_of_two, "a y", "labels=foo: spread=foo:exists@zone@1;foo:exists@node@1",
       "ny-n"},
      {"the first refusal counts", one_of_two, "x*3 a y*3",
       "labels=foo: spread=foo:exists@zone@1;foo:exists@node@1", "nynn"},
  });
}

TEST(TopologySpread, SPREAD3_nodes_that_are_left_out) {
  expect_answers({
      {"2/~1~/~0~/3", kFour, "a*2 b y*3",
       "labels=foo: affinity=node:in:a|y spread=foo:exists@node@1", "yyyn"},
      {"0/~2~/0/1", kFour, "b*2 y", "labels=foo: affinity=node:notin:b spread=foo:exists@zone@1",
       "yynn"},
      {"1/1/0/~0~ by selector", kFooOnThree, "a b y",
       "labels=foo: selector=foo: spread=foo:exists@node@1", "nnyy"},
      {"1/1/0/1, selector ignored", kFooOnThree, "a b y",
       "labels=foo: selector=foo: spread=foo:exists@node@1@affinity:ignore", "nnyn"},
      {"1/1/0/~0~ by affinity", kFooOnThree, "a b y",
       "labels=foo: affinity=foo:exists spread=foo:exists@node@1", "nnyy"},
      {"1/1/0/1, affinity ignored", kFooOnThree, "a b y",
       "labels=foo: affinity=foo:exists spread=foo:exists@node@1@affinity:ignore", "nnyn"},
      {"1/1/0/~1~ by taints", kTaintOnOne, "a b y",
       "labels=foo: spread=foo:exists@node@1@taints:honor", "nnyy"},
      {"1/1/0/1, tolerated", kTaintOnOne, "a b y",
       "labels=foo: tolerates=own spread=foo:exists@node@1@taints:honor", "nnyn"},
      {"1/1/0/1, taints ignored", kTaintOnOne, "a b y", "labels=foo: spread=foo:exists@node@1",
       "nnyn"},
  });
}

TEST(TopologySpread, SPREAD5_the_lowest_count_and_minDomains) {
  const std::string by_node = "labels=foo: spread=foo:exists@node@2";
  const std::string by_zone = "labels=foo: spread=foo:exists@zone@2";
  expect_answers({
      {"2/2/1, fewer domains", kThree, "a*2 b*2 c", by_node + "@min:4", "nny"},
      {"2/2/1, as many domains", kThree, "a*2 b*2 c", by_node + "@min:3", "yyy"},
      {"2/2/1, more domains", kThree, "a*2 b*2 c", by_node + "@min:2", "yyy"},
      {"2/1, fewer domains", kFour, "a b y", by_zone + "@min:3", "nnyy"},
      {"2/1, more domains", kFour, "a b y", by_zone + "@min:1", "yyyy"},
      {"nobody is left", kFour, "a*3", "labels=foo: selector=no:where spread=foo:exists@zone@1",
       "yyyy"},
      {"a cordoned node is a domain", kThree + "node d labels=node:d unschedulable\n", "a b c",
       "labels=foo: spread=foo:exists@node@1", "nnny"},
  });
}

TEST(TopologySpread, SPREAD6_two_spreads) {
  const std::string both = "labels=foo: spread=foo:exists@zone@1;foo:exists@node@1";
  const std::string each = "labels=foo:,bar: spread=foo:exists@zone@1;bar:exists@node@1";
  const std::string of_zones = "labels=foo:,bar: spread=bar:exists@zone@1;foo:exists@zone@1";
  const std::string one_tainted =
      "node a labels=zone:1,node:a,foo:\nnode b labels=zone:1,node:b\n"
      "node x labels=zone:2,node:x,foo:\n"
      "node y labels=zone:2,node:y,foo: taints=own::NoSchedule\n";
  const std::string foo_on_three =
      "node a labels=zone:1,node:a,foo:\nnode b labels=zone:1,node:b,foo:\n"
      "node x labels=zone:2,node:x,foo:\nnode y labels=zone:2,node:y\n";
  const std::string taint_on_y =
      "node a labels=zone:1,node:a\nnode b labels=zone:1,node:b\n"
      "node x labels=zone:2,node:x\nnode y labels=zone:2,node:y taints=own::NoSchedule\n";
  expect_answers({
      {"3/3 and 2/1/0/3", kFour, "a*2 b y*3", both, "nnyn"},
      {"3/4 and 2/1/0/4", kFour, "a*2 b y*4", both, "nnnn"},
      {"foo 1/0, bar 1/0/0/1", kFour, "a y/bar:", each, "nnyn"},
      {"foo 1/0, bar 0/0/1/1", kFour, "a x/bar: y/bar:", each, "nnnn"},
      {"foo 2/3, bar 1/0/0/1", kFour, "a a/foo:,bar: y y/foo:,bar: y", each, "nynn"},
      {"not itself by zone", kFour,
       "a x/bar: y/bar:", "labels=bar: spread=foo:exists@zone@1;bar:exists@node@1", "yynn"},
      {"bar 2/1, foo 3/3", kFour, "a/foo:,bar: a b/foo:,bar: y y/foo:,bar: y", of_zones, "nnyy"},
      {"bar 2/1, foo 3/4", kFour, "a/foo:,bar: a b/foo:,bar: y y/foo:,bar: y*2", of_zones, "nnnn"},
      {"zone honours affinity, node ignores it", foo_on_three, "a b y",
       "labels=foo: selector=foo: spread=foo:exists@zone@1;foo:exists@node@1@affinity:ignore",
       "nnyn"},
      {"zone honours taints, node ignores them", taint_on_y, "a b y",
       "labels=foo: spread=foo:exists@zone@1@taints:honor;foo:exists@node@1", "nnyn"},
      {"both honour affinity", one_tainted, "a b y",
       "labels=foo: selector=foo: spread=foo:exists@zone@1;foo:exists@node@1", "nyyn"},
      {"zone honours both, node neither", one_tainted, "a b y",
       "labels=foo: selector=foo: spread=foo:exists@zone@1@taints:honor;"
       "foo:exists@node@1@affinity:ignore",
       "nnyn"},
  });
}

}  // namespace
}  // namespace berth::engine
