#include "engine/node_groups.h"

#include <gtest/gtest.h>

#include "support/stage.h"

namespace berth::engine {
namespace {

std::vector<TopologyKeyId> keys_of(const Cluster& cluster, const std::vector<std::string>& names) {
  const PodRelations& relations = cluster.relations();
  std::vector<TopologyKeyId> keys;
  for (const std::string& name : names) {
    for (std::size_t t = 0; t < relations.terms().slots(); ++t) {
      const TopologyKeyId key = relations.term(TermId(t)).key;
      if (relations.term(TermId(t)).uses == 0 || relations.domains().name(key) != name) continue;
      keys.push_back(key);
      break;
    }
  }
  return keys;
}

TEST(NodeGroups, AreTheNodesAlikeInAllKeysThatHaveFewDomains) {
  std::string text = "pod p cpu=1 apart=app:x@host;app:x@zone;app:x@disk\n";
  for (int n = 0; n < 48; ++n) {
    const std::string number = std::to_string(100 + n);
    text += "node n" + number + " cpu=1 labels=host:n" + number + ",zone:z" +
            std::to_string(n / 16) + (n % 2 == 0 ? ",disk:fast" : "") + "\n";
  }
  const auto world = support::stage(text);
  const Cluster& cluster = world->cluster();
  const auto keys = keys_of(cluster, {"host", "zone", "disk"});
  ASSERT_EQ(keys.size(), 3u);
  const NodeGroups groups = group_nodes(cluster, keys);
  EXPECT_EQ(groups.keys, keys_of(cluster, {"disk", "zone"}));
  EXPECT_EQ(groups.count, 6u) << "each zone, with the disk and without";
  for (std::size_t n = 0; n < 48; ++n) EXPECT_EQ(groups.of[n], n / 16 * 2 + n % 2);
}

TEST(NodeGroups, WithoutKeysAllNodesAreOne) {
  const auto world = support::stage("node a cpu=1\nnode b cpu=1\n");
  const NodeGroups groups = group_nodes(world->cluster(), {});
  EXPECT_EQ(groups.count, 1u);
  EXPECT_EQ(groups.of, std::vector<std::uint32_t>(2, 0));
}

}  // namespace
}  // namespace berth::engine
