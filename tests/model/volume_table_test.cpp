#include <set>

#include "model/volume_fixture.h"

// VOLUME-1 to VOLUME-8. Some cases are those of kube-scheduler's own tests, in other words.

namespace berth {
namespace {

TEST_F(Volumes, VOLUME1AClaimMustBeThere) {
  const TaskId pod = add_pod({"data"});
  EXPECT_EQ(fault_of(pod), "persistentvolumeclaim \"data\" not found");
  ClaimObject lost = bound("data", "v1");
  lost.is_lost = true;
  table_.put({lost});
  EXPECT_EQ(fault_of(pod),
            "persistentvolumeclaim \"data\" bound to non-existent persistentvolume \"v1\"");
  ClaimObject ending = bound("data", "v1");
  ending.is_ending = true;
  table_.put({ending});
  EXPECT_EQ(fault_of(pod), "persistentvolumeclaim \"data\" is being deleted");
  ClaimObject odd = bound("data", "v1");
  odd.fault = "spec.accessModes[0]: odd";
  table_.put({odd});
  EXPECT_EQ(fault_of(pod), "persistentvolumeclaim \"data\": spec.accessModes[0]: odd");
  table_.put({bound("data", "v1")});
  table_.put({volume("v1")});
  EXPECT_EQ(asks(pod, "n1"), "ok");
  table_.remove(StorageKind::claim, "ml/data");
  EXPECT_EQ(asks(pod, "n1"), "persistentvolumeclaim \"data\" not found");
  EXPECT_EQ(table_.may_run_on(needs_of(pod), "n1", labels_of("n1")), Reason::claim_not_ready);
}

TEST_F(Volumes, VOLUME1AnEphemeralClaimMustBeThePodsOwn) {
  VolumeWishes wishes;
  wishes.claims = {{"p0-scratch", true}};
  const TaskId pod = add_pod_with(wishes);
  EXPECT_EQ(fault_of(pod),
            "waiting for ephemeral volume controller to create the persistentvolumeclaim "
            "\"p0-scratch\"");
  add_class("local", "disk.example.com");
  table_.put({claim("p0-scratch")});
  EXPECT_EQ(fault_of(pod), "PVC ml/p0-scratch was not created for pod ml/p0 (pod is not owner)");
  ClaimObject own = claim("p0-scratch");
  own.owner_uid = "uid-of-ml/p0";
  table_.put({own});
  EXPECT_EQ(asks(pod, "n1"), "ok");
}

TEST_F(Volumes, VOLUME2AnUnboundClaimIsLateOrNotReady) {
  const std::string immediate = "pod has unbound immediate PersistentVolumeClaims";
  const TaskId pod = add_pod({"data"});
  table_.put({claim("data", "")});
  EXPECT_EQ(fault_of(pod), immediate) << "no class";
  table_.put({claim("data")});
  EXPECT_EQ(fault_of(pod), immediate) << "a class that does not exist";
  add_class("local", "disk.example.com", BindingMode::immediate);
  EXPECT_EQ(fault_of(pod), immediate);
  add_class("local", "disk.example.com", BindingMode::unset);
  EXPECT_EQ(fault_of(pod), "VolumeBindingMode not set for StorageClass \"local\"");
  add_class("local", "disk.example.com");
  EXPECT_EQ(asks(pod, "n1"), "ok");
  ClaimObject half = claim("data");
  half.volume = "v1";
  table_.put({half});
  EXPECT_EQ(fault_of(pod), immediate) << "it names a volume, and is not bound";
}

TEST_F(Volumes, VOLUME3ABoundVolumeIsReachedFromItsNodesOnly) {
  zones_ = {{"n1", "a"}, {"n2", "b"}};
  const TaskId pod = add_pod({"data"});
  table_.put({bound("data", "v1")});
  EXPECT_EQ(fault_of(pod), "persistentvolume \"v1\" not found");
  table_.put({reachable_by(volume("v1"), "topology.kubernetes.io/zone", "a")});
  EXPECT_EQ(asks(pod, "n1"), "ok");
  EXPECT_EQ(asks(pod, "n2"), "volume_node_affinity");
  VolumeObject nowhere = volume("v1");
  nowhere.affinity = std::vector<SelectorTerm>{};
  table_.put({nowhere});
  EXPECT_EQ(asks(pod, "n1"), "volume_node_affinity");
  VolumeObject by_name = volume("v1");
  by_name.affinity = {{{}, {{"metadata.name", Operator::in, {"n2"}}}}};
  table_.put({by_name});
  EXPECT_EQ(asks(pod, "n1"), "ok") << "kube-scheduler does not look at fields";
  VolumeObject faulty = volume("v1");
  faulty.fault = "odd";
  table_.put({faulty});
  EXPECT_EQ(asks(pod, "n1"), "volume_node_affinity");
}

TEST_F(Volumes, VOLUME3AnEphemeralClaimMayLoseItsVolume) {
  VolumeWishes wishes;
  wishes.claims = {{"p0-scratch", true}};
  const TaskId pod = add_pod_with(wishes);
  ClaimObject own = bound("p0-scratch", "v1");
  own.owner_uid = "uid-of-ml/p0";
  table_.put({own});
  EXPECT_EQ(asks(pod, "n1"), "volume_missing");
  VolumeObject there = volume("v1");
  there.zones = {{"topology.kubernetes.io/zone", {"a"}}};
  table_.put({there});
  zones_ = {{"n1", "b"}};
  EXPECT_EQ(asks(pod, "n1"), "ok") << "VOLUME-4 does not see ephemeral claims";
}

TEST_F(Volumes, VOLUME4TheZoneOfABoundVolumeIsTheNodes) {
  constexpr const char* kZone = "topology.kubernetes.io/zone";
  constexpr const char* kBeta = "failure-domain.beta.kubernetes.io/zone";
  const TaskId pod = add_pod({"data"});
  table_.put({bound("data", "v1")});
  VolumeObject zoned = volume("v1");
  zoned.zones = {{kZone, {"a", "b"}}};
  table_.put({zoned});
  EXPECT_EQ(asks(pod, "n", {{kZone, "b"}}), "ok");
  EXPECT_EQ(asks(pod, "n", {{kZone, "c"}}), "volume_zone");
  EXPECT_EQ(asks(pod, "n", {{"rack", "r"}}), "ok") << "no zone and no region";
  EXPECT_EQ(asks(pod, "n", {{"topology.kubernetes.io/region", "r"}}), "volume_zone");
  EXPECT_EQ(asks(pod, "n", {{kBeta, "a"}}), "volume_zone");
  zoned.zones = {{kBeta, {"a"}}};
  table_.put({zoned});
  EXPECT_EQ(asks(pod, "n", {{kZone, "a"}}), "ok");
  EXPECT_EQ(asks(pod, "n", {{kZone, "a"}, {kBeta, "c"}}), "volume_zone");
}

TEST_F(Volumes, VOLUME5ASelectedNodeIsTheOnlyOne) {
  add_class("local", "disk.example.com");
  ClaimObject chosen = claim("data");
  chosen.selected_node = "n2";
  table_.put({chosen});
  const TaskId pod = add_pod({"data"});
  EXPECT_EQ(asks(pod, "n1"), "no_volume_to_bind");
  EXPECT_EQ(asks(pod, "n2"), "ok");
  table_.put({volume("free")});
  add_class("local", "kubernetes.io/no-provisioner");
  EXPECT_EQ(asks(pod, "n2"), "no_volume_to_bind") << "it is provisioned, or nothing";
}

TEST_F(Volumes, VOLUME6TheExampleByHand) {
  add_class("local", "kubernetes.io/no-provisioner");
  table_.put({on_node(volume("v1"), "n1")});
  table_.put({on_node(volume("v2", 20 * kGi), "n1")});
  table_.put({on_node(volume("v3"), "n2")});
  for (const char* name : {"a", "b", "c", "d"}) table_.put({claim(name)});
  const TaskId a = add_pod({"a"});
  const TaskId b = add_pod({"b"});
  const TaskId c = add_pod({"c"});
  const TaskId d = add_pod({"d"});
  EXPECT_EQ(asks(a, "n1"), "ok");
  EXPECT_EQ(asks(a, "n3"), "no_volume_to_bind");
  place(a, "n1");
  EXPECT_EQ(table_.taken(), (std::vector<std::string>{"ml/a v1"}));
  EXPECT_EQ(asks(b, "n1"), "ok");
  place(b, "n1");
  EXPECT_EQ(table_.taken(), (std::vector<std::string>{"ml/a v1", "ml/b v2"}));
  EXPECT_EQ(asks(c, "n1"), "no_volume_to_bind");
  EXPECT_EQ(table_.may_run_on(needs_of(c), "n1", labels_of("n1")), Reason::none)
      << "but for the plan, it may";
  EXPECT_EQ(asks(c, "n2"), "ok");
  place(c, "n2");
  for (const char* node : {"n1", "n2"}) EXPECT_EQ(asks(d, node), "no_volume_to_bind");
  for (const TaskId pod : {c, b, a}) table_.unplace(pod);
  EXPECT_TRUE(table_.taken().empty());
  EXPECT_EQ(asks(d, "n2"), "ok");
}

TEST_F(Volumes, VOLUME6AVolumeMustSuit) {
  add_class("local", "kubernetes.io/no-provisioner");
  table_.put({claim("data")});
  const TaskId pod = add_pod({"data"});
  const auto answer = [&](auto change) {
    VolumeObject object = volume("v1");
    change(object);
    table_.put({object});
    return asks(pod, "n1") == "ok";
  };
  EXPECT_TRUE(answer([](auto&) {}));
  EXPECT_FALSE(answer([](auto& v) { v.size = 9 * kGi; }));
  EXPECT_FALSE(answer([](auto& v) { v.modes = kReadOnlyMany; }));
  EXPECT_TRUE(answer([](auto& v) { v.modes = kReadWriteOnce | kReadOnlyMany; }));
  EXPECT_FALSE(answer([](auto& v) { v.is_block = true; }));
  EXPECT_FALSE(answer([](auto& v) { v.class_name = "other"; }));
  EXPECT_FALSE(answer([](auto& v) { v.attributes_class = "gold"; }));
  EXPECT_FALSE(answer([](auto& v) { v.is_available = false; }));
  EXPECT_FALSE(answer([](auto& v) { v.is_ending = true; }));
  EXPECT_FALSE(answer([](auto& v) { v.claim = ClaimReference{"ml", "other", ""}; }));
  EXPECT_FALSE(answer([](auto& v) { v.fault = "odd"; }));
  ClaimObject selects = claim("data");
  selects.selector = {{{"tier", Operator::in, {"ssd"}}}};
  table_.put({selects});
  EXPECT_FALSE(answer([](auto&) {}));
  EXPECT_TRUE(answer([](auto& v) { v.labels = {{"tier", "ssd"}}; }));
}

TEST_F(Volumes, VOLUME6ClaimsOfAPodAreServedBySize) {
  add_class("local", "kubernetes.io/no-provisioner");
  table_.put({claim("large", "local", 20 * kGi)});
  table_.put({claim("small")});
  table_.put({volume("v1", 20 * kGi)});
  const TaskId pod = add_pod({"large", "small"});
  EXPECT_EQ(asks(pod, "n1"), "no_volume_to_bind") << "the small one takes the only volume";
  table_.put({volume("v2", 30 * kGi)});
  EXPECT_EQ(asks(pod, "n1"), "ok");
  place(pod, "n1");
  EXPECT_EQ(table_.taken(), (std::vector<std::string>{"ml/large v2", "ml/small v1"}));
}

TEST_F(Volumes, VOLUME6AVolumeThatNamesTheClaimComesFirst) {
  add_class("local", "kubernetes.io/no-provisioner");
  table_.put({claim("data")});
  const TaskId pod = add_pod({"data"});
  table_.put({volume("a")});
  VolumeObject named = on_node(volume("z", 50 * kGi), "n1");
  named.claim = ClaimReference{"ml", "data", ""};
  named.is_available = false;
  table_.put({named});
  EXPECT_EQ(asks(pod, "n2"), "no_volume_to_bind") << "although \"a\" is free there";
  EXPECT_EQ(asks(pod, "n1"), "ok");
  place(pod, "n1");
  EXPECT_EQ(table_.taken(), (std::vector<std::string>{"ml/data z"}));
  table_.unplace(pod);
  named.claim->uid = "of another claim of that name";
  table_.put({named});
  EXPECT_EQ(asks(pod, "n2"), "ok");
}

TEST_F(Volumes, VOLUME7AVolumeIsMadeWhereTheClassAllows) {
  zones_ = {{"n1", "a"}, {"n2", "b"}};
  StorageClassObject its{"local", "disk.example.com", BindingMode::wait_for_first_consumer, {}};
  its.topologies = {{{"topology.kubernetes.io/zone", Operator::in, {"b", "c"}}}, {}};
  table_.put({its});
  table_.put({claim("data")});
  const TaskId pod = add_pod({"data"});
  EXPECT_EQ(asks(pod, "n1"), "no_volume_to_bind");
  EXPECT_EQ(asks(pod, "n2"), "ok");
  table_.put({on_node(volume("v1"), "n1")});
  EXPECT_EQ(asks(pod, "n1"), "ok") << "a free volume needs no provisioner";
}

TEST_F(Volumes, VOLUME8EachClaimByItselfMustHaveRoomInAPool) {
  zones_ = {{"n1", "a"}, {"n2", "b"}};
  add_class("local", "disk.example.com");
  table_.put({claim("one", "local", 60)});
  table_.put({claim("two", "local", 60)});
  const TaskId pod = add_pod({"one", "two"});
  table_.put({CsiDriverObject{"disk.example.com", true}});
  EXPECT_EQ(asks(pod, "n1"), "not_enough_storage") << "no capacity is published";
  StorageCapacityObject capacity{"kube-system", "c1", "local", {}, 100};
  table_.put({capacity});
  EXPECT_EQ(asks(pod, "n1"), "not_enough_storage") << "no node reaches it";
  capacity.topology = {{{"topology.kubernetes.io/zone", Operator::in, {"a"}}}};
  table_.put({capacity});
  EXPECT_EQ(asks(pod, "n1"), "ok");
  EXPECT_EQ(asks(pod, "n2"), "not_enough_storage");
  capacity.largest = 59;
  table_.put({capacity});
  EXPECT_EQ(asks(pod, "n1"), "not_enough_storage");
  table_.put({CsiDriverObject{"disk.example.com", false}});
  EXPECT_EQ(asks(pod, "n1"), "ok");
}

TEST_F(Volumes, InTreeVolumesOfCsiDriversAreNotModelled) {
  const TaskId pod = add_pod({"data"});
  table_.put({bound("data", "v1")});
  EXPECT_TRUE(table_.is_modelled(pod));
  VolumeObject migrated = volume("v1");
  migrated.is_migrated = true;
  table_.put({migrated});
  EXPECT_FALSE(table_.is_modelled(pod));
  add_class("ebs", "kubernetes.io/aws-ebs");
  table_.put({claim("late", "ebs")});
  EXPECT_FALSE(table_.is_modelled(add_pod({"late"})));
  VolumeWishes inline_disk;
  inline_disk.has_migrated = true;
  EXPECT_FALSE(table_.is_modelled(add_pod_with(inline_disk)));
}

}  // namespace
}  // namespace berth
