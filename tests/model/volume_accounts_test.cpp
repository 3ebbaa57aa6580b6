#include <random>

#include "model/volume_fixture.h"

// VOLUME-9 to VOLUME-13.

namespace berth {
namespace {

constexpr const char* kDriver = "disk.example.com";

class VolumeAccounts : public Volumes {
 protected:
  void add_bound(const std::string& name, const std::string& driver = kDriver) {
    table_.put({bound(name, "v-" + name)});
    VolumeObject object = volume("v-" + name);
    object.is_available = false;
    table_.put({driver.empty() ? object : of_driver(object, driver)});
  }
  void set_limit(const std::string& node, std::int64_t count) {
    table_.put({CsiNodeObject{node, {{kDriver, count}}}});
  }
};

TEST_F(VolumeAccounts, VOLUME9AClaimForOnePodIsUsedOnce) {
  add_bound("data");
  ClaimObject once = bound("data", "v-data");
  once.modes = kReadWriteOncePod;
  table_.put({once});
  const TaskId first = add_pod({"data"});
  const TaskId second = add_pod({"data"});
  EXPECT_EQ(asks(second, "n1"), "ok");
  place(first, "n1");
  for (const char* node : {"n1", "n2"}) EXPECT_EQ(asks(second, node), "claim_in_use");
  table_.unplace(first);
  EXPECT_EQ(asks(second, "n1"), "ok");
}

TEST_F(VolumeAccounts, VOLUME10DisksConflict) {
  const Disk gce{DiskKind::gce, "d", {}, {}, false};
  const Disk read_only{DiskKind::gce, "d", {}, {}, true};
  EXPECT_TRUE(conflict(gce, gce));
  EXPECT_TRUE(conflict(gce, read_only));
  EXPECT_FALSE(conflict(read_only, read_only));
  EXPECT_FALSE(conflict(gce, {DiskKind::gce, "other", {}, {}, false}));
  EXPECT_FALSE(conflict(gce, {DiskKind::ebs, "d", {}, {}, false}));
  const Disk ebs{DiskKind::ebs, "d", {}, {}, true};
  EXPECT_TRUE(conflict(ebs, ebs)) << "EBS is never shared";
  const Disk iscsi{DiskKind::iscsi, "q", {}, {}, false};
  EXPECT_TRUE(conflict(iscsi, iscsi));
  const Disk rbd{DiskKind::rbd, "m", "p", {"a", "b"}, false};
  EXPECT_TRUE(conflict(rbd, {DiskKind::rbd, "m", "p", {"b", "c"}, false}));
  EXPECT_FALSE(conflict(rbd, {DiskKind::rbd, "m", "p", {"c"}, false}));
  EXPECT_FALSE(conflict(rbd, {DiskKind::rbd, "m", "q", {"a"}, false}));
}

TEST_F(VolumeAccounts, VOLUME11ANodeAttachesSoManyVolumesOfADriver) {
  set_limit("n1", 2);
  for (const char* name : {"a", "b", "c"}) add_bound(name);
  add_bound("other", "other.example.com");
  place(add_pod({"a"}), "n1");
  EXPECT_EQ(table_.count("n1", kDriver), 1);
  const TaskId two = add_pod({"b", "c"});
  EXPECT_EQ(asks(two, "n1"), "too_many_volumes");
  EXPECT_EQ(asks(two, "n2"), "ok") << "no limit";
  const TaskId one = add_pod({"b"});
  EXPECT_EQ(asks(one, "n1"), "ok");
  place(one, "n1");
  EXPECT_EQ(asks(add_pod({"c"}), "n1"), "too_many_volumes");
  EXPECT_EQ(asks(add_pod({"a", "b"}), "n1"), "ok") << "they are there already";
  EXPECT_EQ(asks(add_pod({"other"}), "n1"), "ok");
  set_limit("n1", 3);
  EXPECT_EQ(asks(add_pod({"c"}), "n1"), "ok");
  EXPECT_EQ(table_.take_changed_nodes(), std::vector<std::string>{"n1"});
}

TEST_F(VolumeAccounts, VOLUME11AttachedVolumesCountToo) {
  set_limit("n1", 1);
  table_.put({AttachmentObject{"x", "n1", kDriver, "v-a"}});
  add_bound("a");
  add_bound("b");
  EXPECT_EQ(table_.count("n1", kDriver), 1);
  EXPECT_EQ(asks(add_pod({"b"}), "n1"), "too_many_volumes");
  const TaskId pod = add_pod({"a"});
  EXPECT_EQ(asks(pod, "n1"), "too_many_volumes") << "attached, and no pod uses it: twice";
  place(pod, "n1");
  EXPECT_EQ(table_.count("n1", kDriver), 1);
  EXPECT_EQ(asks(add_pod({"a"}), "n1"), "ok");
  table_.unplace(pod);
  table_.remove(StorageKind::attachment, "x");
  EXPECT_EQ(table_.count("n1", kDriver), 0);
  EXPECT_EQ(asks(pod, "n1"), "ok");
  EXPECT_EQ(table_.take_changed_nodes(), std::vector<std::string>{"n1"});
}

TEST_F(VolumeAccounts, VOLUME11AnUnboundClaimCountsForItsClass) {
  set_limit("n1", 1);
  add_class("local", kDriver);
  table_.put({claim("a")});
  table_.put({claim("b")});
  const TaskId pod = add_pod({"a", "a"});
  EXPECT_EQ(asks(pod, "n1"), "ok") << "twice in one pod counts once";
  place(pod, "n1");
  EXPECT_EQ(asks(add_pod({"b"}), "n1"), "too_many_volumes");
  EXPECT_EQ(asks(add_pod({"a"}), "n1"), "ok") << "the same claim";
  // It is bound: the account follows.
  table_.put({of_driver(volume("v"), "other.example.com")});
  table_.put({bound("a", "v")});
  EXPECT_EQ(table_.count("n1", kDriver), 0);
  EXPECT_EQ(table_.count("n1", "other.example.com"), 1);
}

TEST_F(VolumeAccounts, VOLUME11OneHandleOfTwoVolumesCountsOnce) {
  set_limit("n1", 1);
  VolumeObject first = of_driver(volume("v1"), kDriver);
  VolumeObject second = of_driver(volume("v2"), kDriver);
  second.handle = first.handle;
  table_.put({first});
  table_.put({bound("a", "v1")});
  const TaskId pod = add_pod({"a"});
  table_.put({second});
  table_.put({bound("b", "v2")});
  place(pod, "n1");
  EXPECT_EQ(asks(add_pod({"b"}), "n1"), "ok");
}

TEST_F(VolumeAccounts, VOLUME12ALateClaimThatIsSharedFollowsTheFirstPod) {
  zones_ = {{"n1", "a"}, {"n2", "a"}, {"n3", "b"}};
  add_class("local", kDriver);
  table_.put({claim("shared")});
  const TaskId first = add_pod({"shared"});
  const TaskId second = add_pod({"shared"});
  for (const char* node : {"n1", "n3"}) EXPECT_EQ(asks(second, node), "ok");
  place(first, "n1");
  EXPECT_EQ(asks(second, "n1"), "ok");
  EXPECT_EQ(asks(second, "n2"), "ok");
  EXPECT_EQ(asks(second, "n3"), "no_volume_to_bind");
  EXPECT_EQ(table_.may_run_on(needs_of(second), "n3", labels_of("n3")), Reason::none);
  table_.unplace(first);
  EXPECT_EQ(asks(second, "n3"), "ok");
  zones_.clear();
  place(first, "n1");
  EXPECT_EQ(asks(second, "n2"), "no_volume_to_bind") << "without zones, it is the node";
}

TEST_F(VolumeAccounts, VOLUME12AFreeVolumeOfASharedClaimIsTakenOnce) {
  add_class("local", "kubernetes.io/no-provisioner");
  table_.put({on_node(volume("v1"), "n1")});
  table_.put({on_node(volume("v2"), "n2")});
  table_.put({claim("shared")});
  const TaskId first = add_pod({"shared"});
  const TaskId second = add_pod({"shared"});
  place(first, "n1");
  EXPECT_EQ(asks(second, "n1"), "ok");
  EXPECT_EQ(asks(second, "n2"), "no_volume_to_bind");
  place(second, "n1");
  EXPECT_EQ(table_.taken(), (std::vector<std::string>{"ml/shared v1"}));
  table_.unplace(second);
  EXPECT_EQ(table_.taken().size(), 1U);
  table_.unplace(first);
  EXPECT_TRUE(table_.taken().empty());
}

TEST_F(VolumeAccounts, VOLUME12ABoundClaimGivesWhatThePlanTook) {
  add_class("local", "kubernetes.io/no-provisioner");
  table_.put({volume("v1")});
  table_.put({volume("v2")});
  table_.put({claim("a")});
  const TaskId pod = add_pod({"a"});
  place(pod, "n1");
  EXPECT_EQ(table_.taken(), (std::vector<std::string>{"ml/a v1"}));
  table_.put({bound("a", "v2")});
  EXPECT_TRUE(table_.taken().empty());
  table_.unplace(pod);
  EXPECT_TRUE(table_.taken().empty());
}

TEST_F(VolumeAccounts, VOLUME13PodsWithAlikeClaimsHaveTheSameNeeds) {
  add_class("local", kDriver);
  for (const char* name : {"a", "b"}) table_.put({claim(name)});
  table_.put({claim("c", "local", 11 * kGi)});
  const TaskId a = add_pod({"a"});
  const TaskId b = add_pod({"b"});
  EXPECT_EQ(needs_of(a), needs_of(b));
  EXPECT_NE(needs_of(a), needs_of(add_pod({"c"})));
  // Bound: what matters is from where the volume is reached.
  for (const char* name : {"a", "b"}) {
    table_.put({bound(name, std::string("v-") + name)});
    table_.put({of_driver(on_node(volume(std::string("v-") + name), "n1"), kDriver)});
  }
  EXPECT_EQ(needs_of(a), needs_of(b));
  const TaskId c = add_pod({"a"});
  EXPECT_NE(needs_of(a), needs_of(b)) << "another pod uses it, too";
  EXPECT_EQ(needs_of(a), needs_of(c));
  table_.remove_pod(c);
  EXPECT_EQ(needs_of(a), needs_of(b));
  const auto key_of = [this](TaskId pod) {
    std::string key;
    append_key(key, needs_of(pod));
    return key;
  };
  EXPECT_EQ(key_of(a), key_of(b));
  table_.put({of_driver(on_node(volume("v-b"), "n2"), kDriver)});
  EXPECT_NE(key_of(a), key_of(b));
}

TEST_F(VolumeAccounts, ChangesNameThePodsThatTheyConcern) {
  add_class("local", kDriver);
  table_.put({claim("a")});
  const TaskId pod = add_pod({"a"});
  const TaskId other = add_pod({"b"});
  EXPECT_EQ(table_.take_changed_pods(), (std::vector<TaskId>{pod, other}));
  EXPECT_TRUE(table_.take_changed_pods().empty());
  table_.put({bound("a", "v")});
  EXPECT_EQ(table_.take_changed_pods(), std::vector<TaskId>{pod});
  table_.put({volume("v")});
  EXPECT_EQ(table_.take_changed_pods(), std::vector<TaskId>{pod});
  table_.put({volume("w")});
  EXPECT_TRUE(table_.take_changed_pods().empty());
  const TaskId third = add_pod({"a"});
  EXPECT_EQ(table_.take_changed_pods(), (std::vector<TaskId>{pod, third}));
}

TEST_F(VolumeAccounts, TheVersionChangesWhileALateClaimIsInUse) {
  const StorageCapacityObject capacity{"s", "c", "local", {}, 1};
  add_class("local", kDriver);
  table_.put({claim("a")});
  const std::uint64_t before = table_.version();
  table_.put({capacity});
  EXPECT_EQ(table_.version(), before) << "nobody asks";
  const TaskId pod = add_pod({"a"});
  const std::uint64_t asked = table_.version();
  EXPECT_NE(asked, before) << "answers of earlier pods are out of date";
  table_.put({capacity});
  EXPECT_EQ(table_.version(), asked) << "nothing new";
  table_.put({volume("v")});
  EXPECT_NE(table_.version(), asked);
  table_.put({bound("a", "v")});
  const std::uint64_t bound_now = table_.version();
  table_.put({volume("w")});
  EXPECT_EQ(table_.version(), bound_now);
  table_.remove_pod(pod);
}

// Objects and pods come and go in any order. What counts on nodes, and what pods need, is that of a
// table that got only what is there in the end.
class RandomVolumes : public VolumeAccounts {
 protected:
  static constexpr std::uint32_t kSeed = 20261123;

  std::size_t below(std::size_t n) { return random_() % n; }
  std::string any_claim() { return {static_cast<char>('a' + below(4))}; }
  std::string any_volume() { return "v" + std::to_string(below(4)); }
  std::string any_node() { return "n" + std::to_string(below(2)); }

  void put_claim() {
    const std::string name = any_claim();
    claims_[name] = below(2) == 0 ? claim(name) : bound(name, any_volume());
    table_.put({claims_[name]});
  }
  void put_volume() {
    const std::string name = any_volume();
    VolumeObject& object = volumes_[name];
    object = of_driver(on_node(volume(name), any_node()), kDriver);
    if (below(2) == 0) object.handle = "same";
    if (below(3) == 0) object.claim = ClaimReference{"ml", any_claim(), ""};
    table_.put({object});
    if (below(2) == 0) table_.put({AttachmentObject{"of-" + name, any_node(), kDriver, name}});
  }
  void remove_object() {
    const std::string name = below(2) == 0 ? any_claim() : any_volume();
    table_.remove(claims_.erase(name) > 0 ? StorageKind::claim : StorageKind::volume,
                  name.front() == 'v' ? name : "ml/" + name);
    volumes_.erase(name);
    if (below(2) == 0) table_.remove(StorageKind::attachment, "of-" + any_volume());
  }
  void make_pod() {
    VolumeWishes wishes;
    wishes.claims = {{any_claim(), false}, {any_claim(), below(4) == 0}};
    wishes_[add_pod_with(wishes)] = wishes;
  }
  void move_pod() {
    if (wishes_.empty()) return;
    const TaskId id(below(wishes_.size()));
    if (node_of_.erase(id) > 0) return table_.unplace(id);
    node_of_[id] = any_node();
    place(id, node_of_[id]);
  }
  void step() {
    switch (below(5)) {
      case 0:
        return put_claim();
      case 1:
        return put_volume();
      case 2:
        return remove_object();
      case 3:
        return make_pod();
      default:
        return move_pod();
    }
  }
  void expect_as_fresh(const std::string& where) {
    VolumeTable fresh;
    fresh.put({storage_class_});
    for (const auto& [id, wishes] : wishes_) fresh.add_pod(id, "ml", "uid", wishes);
    for (const auto& [id, node] : node_of_) fresh.place(id, node, labels_of(node));
    for (const auto& [name, object] : volumes_) fresh.put({object});
    for (const auto& [name, object] : claims_) fresh.put({object});
    for (std::size_t v = 0; v < 4; ++v) {
      table_.remove(StorageKind::attachment, "of-v" + std::to_string(v));
    }
    for (const char* node : {"n0", "n1"}) {
      EXPECT_EQ(table_.count(node, kDriver), fresh.count(node, kDriver)) << where;
    }
    for (const auto& [id, wishes] : wishes_) {
      EXPECT_EQ(needs_of(id), fresh.needs_of(id, name_of(id))) << where;
    }
  }
  void expect_nothing_is_left(const std::string& where) {
    for (const auto& [id, node] : node_of_) table_.unplace(id);
    EXPECT_TRUE(table_.taken().empty()) << where;
    for (const char* node : {"n0", "n1"}) EXPECT_EQ(table_.count(node, kDriver), 0) << where;
    for (const auto& [id, wishes] : wishes_) table_.remove_pod(id);
  }
  void begin() {
    table_ = VolumeTable();
    pods_ = 0;
    claims_.clear();
    volumes_.clear();
    wishes_.clear();
    node_of_.clear();
    storage_class_ = {"local",
                      below(2) == 0 ? kDriver : "kubernetes.io/no-provisioner",
                      BindingMode::wait_for_first_consumer,
                      {}};
    table_.put({storage_class_});
  }

  std::mt19937 random_{kSeed};
  StorageClassObject storage_class_;
  std::map<std::string, ClaimObject> claims_;
  std::map<std::string, VolumeObject> volumes_;
  std::map<TaskId, VolumeWishes> wishes_;
  std::map<TaskId, std::string> node_of_;
};

TEST_F(RandomVolumes, AccountsAreThoseOfAFreshTable) {
  for (int round = 0; round < 300; ++round) {
    const std::string where = "seed " + std::to_string(kSeed) + ", round " + std::to_string(round);
    begin();
    for (int steps = 0; steps < 60; ++steps) step();
    expect_as_fresh(where);
    expect_nothing_is_left(where);
  }
}

}  // namespace
}  // namespace berth
