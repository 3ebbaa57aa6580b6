#include "engine/fit/trial.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "support/stage.h"

namespace berth::engine {
namespace {

// Nodes a and b in zone 1, c in zone 2, d in zone 3.
class TrialTest : public testing::Test {
 protected:
  void stage(const std::string& pods) {
    world_ = support::stage(
        "node a labels=zone:1\nnode b labels=zone:1\nnode c labels=zone:2\nnode d labels=zone:3\n" +
        pods);
  }
  const Shape& shape(const std::string& pod) const {
    return world_->cluster().shape_of(world_->task("default/" + pod));
  }
  NodeId node(const std::string& name) const { return world_->cluster().find_node(name); }
  // How many of nine each node takes.
  std::string takes(const Trial& trial, const std::string& pod) const {
    std::string all;
    for (const char* name : {"a", "b", "c", "d"}) {
      all += std::to_string(trial.most(shape(pod), node(name), 9));
    }
    return all;
  }

  std::unique_ptr<support::World> world_;
};

TEST_F(TrialTest, SPREAD6_members_count_for_those_after_them) {
  stage("pod p labels=app:x spread=app:x@zone@1\n");
  Trial trial(world_->cluster(), Occupants::all);
  EXPECT_EQ(takes(trial, "p"), "1111");
  trial.put(shape("p"), node("a"), 1);
  EXPECT_EQ(takes(trial, "p"), "0011");
  trial.put(shape("p"), node("c"), 1);
  const std::size_t before = trial.mark();
  trial.put(shape("p"), node("d"), 1);
  EXPECT_EQ(takes(trial, "p"), "1111") << "each domain has one, and takes one more";
  trial.take_back_to(before);
  EXPECT_EQ(takes(trial, "p"), "0002");
  trial.take_back_to(0);
  EXPECT_EQ(takes(trial, "p"), "1111");
}

TEST_F(TrialTest, SPREAD6_pods_of_the_cluster_count_beside_them) {
  stage(
      "pod there unmanaged on=b labels=app:x\npod forever unmanaged of-daemonset on=c "
      "labels=app:x\n"
      "pod p labels=app:x spread=app:x@zone@2\npod other labels=app:y spread=app:x@zone@1\n");
  Trial now(world_->cluster(), Occupants::all);
  EXPECT_EQ(takes(now, "p"), "1113");
  EXPECT_EQ(takes(now, "other"), "9999");
  now.put(shape("p"), node("a"), 1);
  EXPECT_EQ(takes(now, "other"), "0099") << "two in zone 1, none in zone 3";
  Trial later(world_->cluster(), Occupants::staying);
  EXPECT_EQ(takes(later, "p"), "2213") << "the pod on b may leave";
}

TEST_F(TrialTest, SPREAD5_one_domain_takes_all_unless_there_must_be_more) {
  stage(
      "pod one labels=app:x selector=zone:1 spread=app:x@zone@1\n"
      "pod three labels=app:x selector=zone:1 spread=app:x@zone@1@min:3\n");
  const Trial trial(world_->cluster(), Occupants::all);
  EXPECT_EQ(trial.most(shape("one"), node("a"), 9), 9);
  EXPECT_EQ(trial.most(shape("three"), node("a"), 9), 1);
}

TEST_F(TrialTest, VOLUME14_members_take_free_volumes_and_attach_slots_from_each_other) {
  stage(
      "csinode a limits=d:3\nstorageclass fast provisioner=d\nstorageclass local\n"
      "volume v1 class=local size=1Gi\nvolume v2 class=local size=1Gi affinity=zone:in:2\n"
      "claim p class=fast\nclaim q class=fast\nclaim l class=local size=1Gi\n"
      "pod p claims=p,q\npod l claims=l labels=app:x spread=app:x@zone@1\n");
  Trial trial(world_->cluster(), Occupants::all);
  EXPECT_EQ(takes(trial, "p"), "1999") << "two of three slots";
  EXPECT_EQ(takes(trial, "l"), "1111");
  trial.put(shape("p"), node("a"), 1);
  EXPECT_EQ(takes(trial, "p"), "0999");
  const std::size_t before = trial.mark();
  trial.put(shape("l"), node("d"), 1);
  EXPECT_EQ(takes(trial, "l"), "0010") << "v2 is left, and d has one of them";
  trial.put(shape("l"), node("c"), 1);
  EXPECT_EQ(takes(trial, "l"), "0000");
  trial.take_back_to(before);
  EXPECT_EQ(takes(trial, "l"), "1111");
  EXPECT_EQ(takes(trial, "p"), "0999");
  trial.take_back_to(0);
  EXPECT_EQ(takes(trial, "p"), "1999");
}

// No pod is there that the worker wants near it.
TEST_F(TrialTest, AFFINITY3_a_worker_waits_for_its_launcher) {
  stage(
      "pod launcher labels=app:l\npod worker near=app:l@zone\n"
      "pod free labels=app:f near=app:f@zone\n");
  Trial now(world_->cluster(), Occupants::all);
  EXPECT_EQ(takes(now, "worker"), "0000");
  EXPECT_EQ(takes(now, "free"), "9999") << "the first of its kind";
  now.put(shape("launcher"), node("a"), 1);
  EXPECT_EQ(takes(now, "worker"), "9900");
  now.put(shape("free"), node("d"), 1);
  EXPECT_EQ(takes(now, "free"), "0009");
  Trial later(world_->cluster(), Occupants::staying);
  EXPECT_EQ(takes(later, "worker"), "9999") << "launchers of others may come";
  later.put(shape("launcher"), node("a"), 1);
  EXPECT_EQ(takes(later, "worker"), "9900");
}

TEST_F(TrialTest, RELATION9_a_launcher_goes_where_its_workers_start) {
  stage("pod launcher labels=app:l\npod worker near=app:l@zone\n");
  const TermId term = shape("worker").terms.affinity.front();
  const DomainId zone = world_->cluster().relations().domain(term, node("c"));
  for (const Occupants occupants : {Occupants::all, Occupants::staying}) {
    Trial trial(world_->cluster(), occupants);
    trial.start_in({{term, zone}});
    EXPECT_EQ(takes(trial, "worker"), "0090") << "largest first: before the launcher, perhaps";
    EXPECT_EQ(takes(trial, "launcher"), "0090");
    trial.put(shape("launcher"), node("c"), 1);
    EXPECT_EQ(takes(trial, "worker"), "0090");
    EXPECT_EQ(takes(trial, "launcher"), "9999") << "one is enough";
  }
}

}  // namespace
}  // namespace berth::engine
