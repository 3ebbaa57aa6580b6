#include <gtest/gtest.h>

#include <algorithm>

#include "engine/consistency.h"
#include "mirror/mirror.h"
#include "support/stage.h"

namespace berth::mirror {
namespace {

using support::stage;
using support::World;

const Shape& shape_of(const World& world, const std::string& pod) {
  return world.cluster().shape_of(world.mirror().find_task(pod));
}

std::vector<std::string> unmodelled(const World& world, const std::string& pod) {
  return shape_of(world, pod).constraints.unmodelled;
}

ClaimObject bound_claim(const std::string& name, const std::string& volume) {
  ClaimObject claim;
  claim.name_space = "default";
  claim.name = name;
  claim.volume = volume;
  claim.is_bind_completed = true;
  return claim;
}

VolumeObject volume_of(const std::string& name, const std::string& driver) {
  VolumeObject volume;
  volume.name = name;
  volume.driver = driver;
  volume.handle = name;
  return volume;
}

void tell(World& world, const ClusterEvent& event) {
  world.apply(event);
  world.mirror().settle(TimePoint());
  EXPECT_EQ(engine::first_inconsistency(world.cluster()), "");
}

TEST(MirrorVolumes, PodsWithClaimsAreHintsUntilVolumesAreKnown) {
  const auto world = stage("node n cpu=4\npod p cpu=1 claims=data\npod q cpu=1\n");
  EXPECT_EQ(unmodelled(*world, "default/p"), std::vector<std::string>{"lateBindingVolume"});
  EXPECT_TRUE(shape_of(*world, "default/p").is_hint);
  EXPECT_FALSE(shape_of(*world, "default/q").is_hint);
  tell(*world, StorageKnown{});
  EXPECT_FALSE(shape_of(*world, "default/p").is_hint);
  EXPECT_EQ(shape_of(*world, "default/p").constraints.volumes.fault,
            "persistentvolumeclaim \"data\" not found");
  tell(*world, StorageKnown{false});
  EXPECT_TRUE(shape_of(*world, "default/p").is_hint);
  EXPECT_TRUE(shape_of(*world, "default/p").constraints.volumes.are_empty());
}

TEST(MirrorVolumes, AVolumeOfAnInTreeKindMakesAHint) {
  const auto world = stage(
      "node n cpu=4\nvolume v claim=data in-tree\nclaim data volume=v\n"
      "pod p cpu=1 claims=data\n");
  EXPECT_EQ(unmodelled(*world, "default/p"), std::vector<std::string>{"migratedVolume"});
}

TEST(MirrorVolumes, VOLUME13AChangeOfAClaimChangesTheShapeOfItsPods) {
  const auto world = stage(
      "node n cpu=4\nstorageclass local\nclaim a class=local\nclaim b class=local\n"
      "pod p cpu=1 claims=a\npod q cpu=1 claims=b\n");
  EXPECT_EQ(shape_of(*world, "default/p").id, shape_of(*world, "default/q").id);
  const std::uint64_t stamp = world->cluster().stamp();
  world->mirror().settle(TimePoint());
  EXPECT_EQ(world->cluster().stamp(), stamp) << "nothing has happened";
  tell(*world, StorageObject{bound_claim("a", "v")});
  tell(*world, StorageObject{volume_of("v", "")});
  EXPECT_NE(shape_of(*world, "default/p").id, shape_of(*world, "default/q").id);
  EXPECT_TRUE(shape_of(*world, "default/p").constraints.volumes.claims.at(0).is_bound);
  tell(*world, StorageDeleted{StorageKind::claim, "default/a"});
  EXPECT_EQ(shape_of(*world, "default/p").constraints.volumes.fault,
            "persistentvolumeclaim \"a\" not found");
}

TEST(MirrorVolumes, VOLUME13PodsWithANodeHaveOneShapeAndCountThere) {
  const auto world = stage(
      "node n cpu=4\nnode m cpu=4\nvolume v driver=d claim=a\nvolume w driver=d claim=b\n"
      "claim a volume=v\nclaim b volume=w\n"
      "pod p cpu=1 claims=a on=n\npod q cpu=1 claims=b on=m\n");
  EXPECT_EQ(shape_of(*world, "default/p").id, shape_of(*world, "default/q").id);
  const auto count = [&](const char* node) {
    return world->cluster().relations().volumes().count(node, "d");
  };
  EXPECT_EQ(count("n"), 1);
  EXPECT_EQ(count("m"), 1);
  tell(*world, StorageObject{volume_of("v", "e")});
  EXPECT_EQ(count("n"), 0);
  world->finish("default/q", true);
  EXPECT_EQ(count("m"), 0);
  world->remove("default/p");
  world->remove("default/q");
  EXPECT_EQ(engine::first_inconsistency(world->cluster()), "");
}

TEST(MirrorVolumes, APodOnANodeThatComesLateCountsThen) {
  const auto world = stage(
      "volume v driver=d claim=a\nclaim a volume=v\npod p unmanaged cpu=1 claims=a on=late\n");
  const VolumeTable& volumes = world->cluster().relations().volumes();
  EXPECT_EQ(volumes.count("late", "d"), 0);
  NodeObject node;
  node.name = "late";
  tell(*world, node);
  EXPECT_EQ(volumes.count("late", "d"), 1);
  tell(*world, NodeDeleted{"late"});
  EXPECT_EQ(volumes.count("late", "d"), 0);
}

TEST(MirrorVolumes, ChangesAreAskedAboutAgain) {
  const auto world =
      stage("node n cpu=4\nstorageclass local\nclaim a class=local\npod p cpu=1 claims=a\n");
  const std::uint64_t before = world->cluster().spec_version();
  VolumeObject free = volume_of("f", "");
  free.is_available = true;
  tell(*world, StorageObject{free});
  EXPECT_GT(world->cluster().spec_version(), before) << "a late claim waits";
  const std::uint64_t position = world->cluster().changes().position();
  tell(*world, StorageObject{CsiNodeObject{"n", {{"d", 1}}}});
  const auto changed = world->cluster().changes().since(position);
  EXPECT_EQ(std::count(changed.begin(), changed.end(), NodeId(0)), 1);
}

}  // namespace
}  // namespace berth::mirror
