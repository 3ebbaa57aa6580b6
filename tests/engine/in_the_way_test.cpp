#include "engine/fit/in_the_way.h"

#include <gtest/gtest.h>

#include <string>

#include "berth/engine/fit.h"
#include "support/stage.h"

namespace berth::engine {
namespace {

// Of the pod `default/p` and node `n1`.
std::string in_the_way(const std::string& text, Reason reason, const std::string& reader) {
  const auto world = support::stage(
      "node n1 cpu=90 labels=zone:a\nnode n2 cpu=90 labels=zone:a\n"
      "node n3 cpu=90 labels=zone:b\n" +
      text);
  const Cluster& cluster = world->cluster();
  const Shape& shape = cluster.shape_of(world->task("default/p"));
  const auto pods = pods_in_the_way(cluster, shape, NodeId(0), reject(reason));
  return named_in_the_way(cluster, pods, reader).text();
}

TEST(InTheWay, PodsOfTheDomainThatItRefusesOrThatRefuseIt) {
  const std::string others =
      "pod b unmanaged on=n2 labels=app:x\npod a unmanaged on=n1 labels=app:x\n"
      "pod far unmanaged on=n3 labels=app:x\npod plain unmanaged on=n1\n";
  EXPECT_EQ(in_the_way(others + "pod p apart=app:x@zone\n", Reason::pod_anti_affinity_mismatch,
                       "default"),
            "default/a and default/b");
  const std::string refusing =
      "pod a unmanaged on=n2 apart=app:x@zone\npod b unmanaged on=n1 apart=app:y@zone\n";
  EXPECT_EQ(
      in_the_way(refusing + "pod p labels=app:x\n", Reason::existing_pod_anti_affinity, "default"),
      "default/a");
  EXPECT_EQ(in_the_way(refusing + "pod p labels=app:x\n", Reason::insufficient_resource, "default"),
            "");
}

TEST(InTheWay, PodsWithTheSameHostPort) {
  EXPECT_EQ(in_the_way("pod a unmanaged on=n1 ports=80\npod b unmanaged on=n1 ports=81\n"
                       "pod c unmanaged on=n1 ports=UDP:80\npod p ports=80\n",
                       Reason::host_port_taken, "default"),
            "default/a");
}

TEST(InTheWay, MAY11AtMostFiveHaveNamesAndNoneOfAnotherNamespace) {
  std::string text = "pod p apart=app:x@zone@default|other\n";
  for (int i = 0; i < 7; ++i) {
    text += "pod d" + std::to_string(i) + " unmanaged on=n1 labels=app:x\n";
    text += "pod other:o" + std::to_string(i) + " unmanaged on=n2 labels=app:x\n";
  }
  EXPECT_EQ(in_the_way(text, Reason::pod_anti_affinity_mismatch, "default"),
            "default/d0, default/d1, default/d2, default/d3, default/d4, 2 more and 7 of other "
            "namespaces");
}

}  // namespace
}  // namespace berth::engine
