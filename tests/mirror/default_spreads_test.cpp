#include "mirror/default_spreads.h"

#include <gtest/gtest.h>

#include "berth/model/bounds.h"
#include "engine/consistency.h"
#include "mirror/mirror.h"

namespace berth::mirror {
namespace {

SelectingObject selecting(SelectingKind kind, const std::string& name, const std::string& key,
                          const std::string& value) {
  return {kind, "ns", name, {{{key, Operator::in, {value}}}, false}};
}

// The defaults are one pod more in a zone than in the emptiest.
class DefaultSpreadsTest : public testing::Test {
 protected:
  DefaultSpreadsTest() : mirror_(options()) {
    pod_.name_space = "ns";
    pod_.name = "p";
    pod_.uid = "p";
    pod_.scheduler_name = "berth";
    pod_.request = {{"cpu", 100}, {"pods", 1}};
    pod_.labels = {{"app", "web"}, {"tier", "front"}};
    pod_.owner = {"apps/v1", "ReplicaSet", "web-1", "u1"};
  }
  static Options options() {
    Options options;
    SpreadConstraint zones;
    zones.topology_key = "zone";
    options.default_spreads = {zones};
    return options;
  }
  void post(const ClusterEvent& event) {
    mirror_.apply(event);
    mirror_.settle(TimePoint());
    EXPECT_EQ(engine::first_inconsistency(mirror_.cluster()), "");
  }
  const std::vector<SpreadConstraint>& spreads() {
    return mirror_.cluster().shape_of(mirror_.find_task("p")).constraints.relations.spread;
  }
  // "app=web tier=front", of the one spread. "none": there is none.
  std::string selector() {
    if (spreads().empty()) return "none";
    std::string text;
    for (const Expression& each : spreads().front().pods.all) {
      text += (text.empty() ? "" : " ") + each.key + "=" + each.values.front();
    }
    return text;
  }

  Mirror mirror_;
  PodObject pod_;
};

TEST_F(DefaultSpreadsTest, SPREAD8ThePodsThatItsServicesSelectAreCounted) {
  post(pod_);
  EXPECT_EQ(selector(), "none");
  post(selecting(SelectingKind::service, "web", "app", "web"));
  EXPECT_EQ(selector(), "app=web");
  post(selecting(SelectingKind::service, "other", "app", "db"));
  EXPECT_EQ(selector(), "app=web");
  post(selecting(SelectingKind::service, "front", "tier", "front"));
  EXPECT_EQ(selector(), "app=web tier=front");
  post(SelectingDeleted{SelectingKind::service, "ns/web"});
  EXPECT_EQ(selector(), "tier=front");
  post(SelectingDeleted{SelectingKind::service, "ns/front"});
  EXPECT_EQ(selector(), "none");
}

TEST_F(DefaultSpreadsTest, SPREAD8TheSelectorOfItsControllerCountsByItsName) {
  post(selecting(SelectingKind::replica_set, "web-1", "revision", "1"));
  post(selecting(SelectingKind::replica_set, "web-2", "revision", "2"));
  post(selecting(SelectingKind::stateful_set, "web-1", "set", "x"));
  post(pod_);
  EXPECT_EQ(selector(), "revision=1");
  EXPECT_EQ(spreads().front().topology_key, "zone");
  pod_.owner.kind = "Job";
  post(pod_);
  EXPECT_EQ(selector(), "none");
}

TEST_F(DefaultSpreadsTest, BOUND6TheFirstServicesByNameCount) {
  const auto name = [](std::size_t number) { return "s" + std::to_string(10000 + number); };
  for (std::size_t s = 0; s < bounds::kServicesOfNamespace; ++s) {
    mirror_.apply(selecting(SelectingKind::service, name(s), "app", "db"));
  }
  post(selecting(SelectingKind::service, name(bounds::kServicesOfNamespace), "app", "web"));
  post(pod_);
  EXPECT_EQ(selector(), "none");
  post(SelectingDeleted{SelectingKind::service, "ns/" + name(0)});
  EXPECT_EQ(selector(), "app=web");
}

TEST_F(DefaultSpreadsTest, BOUND6ASelectorBeyondThePodsBoundCountsForNone) {
  pod_.labels.clear();
  for (std::size_t l = 0; l < 1200; ++l) {  // two items each: a label and its value
    pod_.labels.emplace_back("l" + std::to_string(10000 + l), "x");
  }
  const auto with_labels = [&](std::size_t count) {
    SelectingObject service{SelectingKind::service, "ns", "s", {{}, false}};
    for (std::size_t l = 0; l < count; ++l) {
      service.pods.all.push_back({pod_.labels[l].first, Operator::in, {"x"}});
    }
    return service;
  };
  post(pod_);
  post(with_labels(1000));
  EXPECT_EQ(spreads().size(), 1U);
  post(with_labels(1001));
  EXPECT_EQ(spreads().size(), 0U);
}

TEST_F(DefaultSpreadsTest, SPREAD8AServiceThatSelectsNoPodCountsForNone) {
  post(pod_);
  post(SelectingObject{SelectingKind::service, "ns", "headless", {{}, true}});
  EXPECT_EQ(selector(), "none");
}

TEST_F(DefaultSpreadsTest, SPREAD8OwnConstraintsTakeTheirPlace) {
  post(selecting(SelectingKind::service, "web", "app", "web"));
  SpreadConstraint own;
  own.topology_key = "rack";
  pod_.constraints.relations.preferred_spread = {own};
  pod_.constraints.relations.name_space = "ns";
  post(pod_);
  EXPECT_EQ(selector(), "none");
}

TEST_F(DefaultSpreadsTest, SPREAD8APodThatHasANodeHasNone) {
  NodeObject node;
  node.name = "n";
  node.allocatable = {{"cpu", 1000}, {"pods", 10}};
  post(node);
  post(selecting(SelectingKind::service, "web", "app", "web"));
  post(pod_);
  EXPECT_EQ(selector(), "app=web");
  pod_.node_name = "n";
  pod_.phase = PodPhase::running;
  post(pod_);
  EXPECT_EQ(selector(), "none");
  post(selecting(SelectingKind::service, "front", "tier", "front"));
  EXPECT_EQ(selector(), "none");
  post(PodDeleted{"p"});
}

TEST_F(DefaultSpreadsTest, SPREAD8OtherNamespacesAreLeftAlone) {
  post(pod_);
  SelectingObject service = selecting(SelectingKind::service, "web", "app", "web");
  service.name_space = "other";
  post(service);
  EXPECT_EQ(selector(), "none");
}

}  // namespace
}  // namespace berth::mirror
