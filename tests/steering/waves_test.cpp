#include <gtest/gtest.h>

#include <set>

#include "steering/steering_fixture.h"

namespace berth::steering {
namespace {

// Gangs whose order matters (docs/design/constraints.md, RELATION-12).
class SteeringInWaves : public SteeringTest {
 protected:
  void SetUp() override {
    for (const char* name : {"n1", "n2"}) {
      NodeObject node = make_node(name, 8);
      node.labels["kubernetes.io/hostname"] = name;
      post(node);
    }
    post(make_group("g", 4));
  }
  void use(Steering& steering) {
    current_ = &steering;
    start_leading();
  }
  void post_member(int index, Constraints constraints, const std::string& app, bool gated) {
    PodObject pod = member(index, gated);
    pod.labels = {{"app", app}};
    pod.constraints = std::move(constraints);
    post(pod);
  }
  static Constraints near(const std::string& app) {
    PodTerm term;
    term.pods.all = {{"app", Operator::in, {app}}};
    term.namespaces = {"ml"};
    term.topology_key = "kubernetes.io/hostname";
    Constraints constraints;
    constraints.relations.name_space = "ml";
    constraints.relations.affinity = {term};
    return constraints;
  }
  static Constraints spread_over_nodes() {
    SpreadConstraint spread;
    spread.pods.all = {{"app", Operator::in, {"x"}}};
    spread.topology_key = "kubernetes.io/hostname";
    Constraints constraints;
    constraints.relations.name_space = "ml";
    constraints.relations.spread = {spread};
    return constraints;
  }
  void post_spread_gang(bool gated) {
    for (int i = 0; i < 4; ++i) post_member(i, spread_over_nodes(), "x", gated);
  }
  // Hints do not exchange their places.
  void post_spread_gang_of_hints() {
    Constraints constraints = spread_over_nodes();
    constraints.unmodelled = {"resourceClaims"};
    for (int i = 0; i < 4; ++i) post_member(i, constraints, "x", true);
  }
  void post_single(const std::string& name, Constraints constraints, const std::string& app) {
    PodObject pod = member(0, false);
    pod.name = pod.uid = name;
    pod.group.clear();
    pod.labels = {{"app", app}};
    pod.constraints = std::move(constraints);
    post(pod);
  }
  // The launcher is g-3.
  void post_launcher_and_workers(bool gated) {
    for (int i = 0; i < 3; ++i) post_member(i, near("launcher"), "worker", gated);
    post_member(3, {}, "launcher", gated);
  }
  void plan_in_order(const std::vector<daemon::PodOnNode>& binds) {
    current_->keep_order(daemon::assume(mirror_, binds), mirror_.cluster());
  }
  Texts shown() {
    Texts texts;
    const auto table = current_->take_shown();
    if (table == nullptr) return {"unchanged"};
    for (const ports::ShownPod& each : table->pods) {
      texts.push_back(each.uid + " on " + each.node + (each.is_nominated ? " if it can be" : ""));
    }
    return texts;
  }
  // The writes that follow a bind call: no session runs.
  Texts after_calls(const std::set<std::string>& uids) {
    come_.insert(uids.begin(), uids.end());
    Texts all;
    for (int i = 0; i < 5; ++i) {
      follow_up();
      const Texts some = api_.take();
      all.insert(all.end(), some.begin(), some.end());
    }
    return all;
  }

  std::set<std::string> come_;
  const std::function<bool(const std::string&)> has_come_ = [this](const std::string& uid) {
    return come_.contains(uid);
  };
  Steering nominating_{observed_, writes_, {.has_come = has_come_}};
  Steering viewing_{observed_, writes_, {.mode = Mode::view, .has_come = has_come_}};
};

TEST_F(SteeringInWaves, SPREAD11MembersOfASpreadAreNominatedInTheirWave) {
  use(nominating_);
  post_spread_gang_of_hints();
  plan_in_order({{"g-0", "n1"}, {"g-1", "n2"}, {"g-2", "n1"}, {"g-3", "n2"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-0 on n1", "nominate g-1 on n2", "commit g-0 on n1",
                             "commit g-1 on n2"}));
  EXPECT_EQ(after_calls({"g-1"}), Texts{}) << "g-3 would be the second of two to none on n1";
  EXPECT_EQ(after_calls({"g-0"}), (Texts{"nominate g-2 on n1", "nominate g-3 on n2",
                                         "commit g-2 on n1", "commit g-3 on n2"}));
  EXPECT_EQ(after_calls({"g-2", "g-3"}), Texts{});
}

TEST_F(SteeringInWaves, STEER16MembersOfASpreadAreCommittedTogetherByAWriteEach) {
  use(nominating_);
  post_spread_gang(true);
  plan_in_order({{"g-0", "n1"}, {"g-1", "n2"}, {"g-2", "n1"}, {"g-3", "n2"}});
  EXPECT_EQ(rounds(), (Texts{"commit g-0 on n1", "commit g-1 on n2", "commit g-2 on n1",
                             "commit g-3 on n2"}));
}

TEST_F(SteeringInWaves, STEER16AnExchangeIsNotWritten) {
  use(nominating_);
  post_spread_gang(true);
  plan_in_order({{"g-0", "n1"}, {"g-1", "n2"}, {"g-2", "n1"}, {"g-3", "n2"}});
  rounds();
  mirror_.apply(PlacementMoved{"g-3", "n2", "n1"});
  mirror_.apply(PlacementMoved{"g-0", "n1", "n2"});
  mirror_.settle(TimePoint());
  nominating_.exchange("g-3", "g-0");
  EXPECT_EQ(rounds(), Texts{});
  const auto order = [this](const std::string& pod) {
    return nominating_.order_of(find_(pod), pod);
  };
  EXPECT_LT(order("g-3"), order("g-1")) << "its place is the first now";
  EXPECT_LT(order("g-2"), order("g-0"));
}

TEST_F(SteeringInWaves, STEER16ANominationOfBeforeIsCleared) {
  use(nominating_);
  post_spread_gang(true);
  PodObject pod = member(2, true);
  pod.labels = {{"app", "x"}};
  pod.constraints = spread_over_nodes();
  pod.nominated_node = "n2";
  post(pod);
  plan_in_order({{"g-0", "n1"}, {"g-1", "n2"}, {"g-2", "n1"}, {"g-3", "n2"}});
  EXPECT_EQ(rounds(), (Texts{"nominate g-2", "commit g-0 on n1", "commit g-1 on n2",
                             "commit g-2 on n1", "commit g-3 on n2"}));
}

TEST_F(SteeringInWaves, RELATION12PodsInNoGroupThatShareASpreadAreShownInTurns) {
  use(viewing_);
  for (const char* name : {"a", "b", "c", "d"}) post_single(name, spread_over_nodes(), "x");
  plan_in_order({{"c", "n1"}, {"b", "n2"}, {"d", "n1"}, {"a", "n2"}});
  rounds();
  EXPECT_EQ(shown(), (Texts{"c on n1 if it can be", "b on n2 if it can be"}));
  after_calls({"b"});
  EXPECT_EQ(shown(), Texts{"unchanged"}) << "d comes before a";
  after_calls({"c"});
  EXPECT_EQ(shown(), (Texts{"c on n1 if it can be", "b on n2 if it can be", "d on n1 if it can be",
                            "a on n2 if it can be"}));
}

TEST_F(SteeringInWaves, RELATION12APodInNoGroupIsShownAfterThatWhichItRequires) {
  use(viewing_);
  post_single("a", near("db"), "web");
  post_single("b", {}, "other");
  post_single("c", {}, "db");
  plan_in_order({{"c", "n1"}, {"a", "n1"}, {"b", "n1"}});
  rounds();
  EXPECT_EQ(shown(), (Texts{"c on n1", "b on n1", "a on n1"})) << "b keeps its place among all";
}

TEST_F(SteeringInWaves, RELATION12APodInNoGroupIsCommittedAfterThatWhichItRequires) {
  use(nominating_);
  post_single("a", near("db"), "web");
  post_single("c", {}, "db");
  plan_in_order({{"c", "n1"}, {"a", "n1"}});
  EXPECT_EQ(rounds(), Texts{"commit c on n1"});
  EXPECT_EQ(after_calls({"c"}), Texts{"commit a on n1"});
}

TEST_F(SteeringInWaves, RELATION12ALauncherIsCommittedBeforeItsWorkers) {
  use(nominating_);
  post_launcher_and_workers(true);
  plan_in_order({{"g-3", "n1"}, {"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n1"}});
  const Texts written = rounds();
  EXPECT_EQ(std::count(written.begin(), written.end(), "nominate g-2 on n1"), 1)
      << "their room is kept";
  EXPECT_EQ(written.back(), "commit g-3 on n1");
  EXPECT_EQ(after_calls({"g-3"}),
            (Texts{"commit g-0 on n1", "commit g-1 on n1", "commit g-2 on n1"}));
}

TEST_F(SteeringInWaves, RELATION12PodsAreShownInTheOrderOfThePlan) {
  use(viewing_);
  post_launcher_and_workers(false);
  plan_in_order({{"g-3", "n1"}, {"g-1", "n1"}, {"g-0", "n1"}, {"g-2", "n1"}});
  EXPECT_EQ(rounds(), Texts{});
  EXPECT_EQ(shown(), (Texts{"g-3 on n1", "g-1 on n1", "g-0 on n1", "g-2 on n1"}));
}

TEST_F(SteeringInWaves, RELATION12AMemberThatIsPlannedAnewComesLast) {
  use(viewing_);
  post_launcher_and_workers(false);
  plan_in_order({{"g-3", "n1"}, {"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n1"}});
  rounds();
  shown();
  post(PlacementDropped{"g-0", "n1", "kube-scheduler: no", true});
  plan_in_order({{"g-0", "n1"}});
  rounds();
  EXPECT_EQ(shown(), (Texts{"g-3 on n1", "g-1 on n1", "g-2 on n1", "g-0 on n1"}));
}

TEST_F(SteeringInWaves, SPREAD10PodsOfASpreadAreShownOneANode) {
  use(viewing_);
  post_spread_gang(false);
  plan_in_order({{"g-2", "n1"}, {"g-1", "n2"}, {"g-0", "n1"}, {"g-3", "n2"}});
  rounds();
  EXPECT_EQ(shown(), (Texts{"g-2 on n1 if it can be", "g-1 on n2 if it can be"}));
  after_calls({"g-1"});
  EXPECT_EQ(shown(), Texts{"unchanged"}) << "g-0 comes before g-3";
  after_calls({"g-2"});
  EXPECT_EQ(shown(), (Texts{"g-2 on n1 if it can be", "g-1 on n2 if it can be",
                            "g-0 on n1 if it can be", "g-3 on n2 if it can be"}));
}

TEST_F(SteeringInWaves, RELATION12ABoundMemberHasCome) {
  use(nominating_);
  post_spread_gang_of_hints();
  plan_in_order({{"g-0", "n1"}, {"g-1", "n2"}, {"g-2", "n1"}, {"g-3", "n2"}});
  rounds();
  for (const int i : {0, 1}) {
    PodObject pod = member(i, false);
    pod.labels = {{"app", "x"}};
    post(daemon::running_on(pod, i == 0 ? "n1" : "n2"));
  }
  const Texts written = rounds();
  EXPECT_EQ(std::count(written.begin(), written.end(), "commit g-2 on n1"), 1);
}

TEST_F(SteeringInWaves, STEER12ARefusalAmidAWaveIsAVetoThoughItTakesTheNomination) {
  use(nominating_);
  post_launcher_and_workers(true);
  plan_in_order({{"g-3", "n1"}, {"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n1"}});
  rounds();
  api_.answers_at_once = false;
  after_calls({"g-3"});  // the answer to the commit of g-0 comes late
  PodObject pod = member(0, false);
  pod.labels = {{"app", "worker"}};
  pod.nominated_node = "n1";
  post(pod);
  pod.nominated_node.clear();
  pod.not_scheduled = "Unschedulable";
  pod.unschedulable = "0/2 nodes are available: 2 cannot allocate all claims.";
  post(pod);
  const auto drops = round();
  ASSERT_EQ(drops.size(), 1u);
  EXPECT_EQ(drops[0].pod_uid, "g-0");
  EXPECT_TRUE(drops[0].is_vetoed);
}

TEST_F(SteeringInWaves, STEER12ARefusalInTheSameWordsAsBeforeIsAVeto) {
  use(nominating_);
  post_launcher_and_workers(true);
  PodObject pod = member(3, false);
  pod.labels = {{"app", "launcher"}};
  pod.not_scheduled = "Unschedulable";
  pod.unschedulable = "0/2 nodes are available: 2 cannot allocate all claims.";
  post(pod);
  plan_in_order({{"g-3", "n1"}, {"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n1"}});
  rounds();
  pod.nominated_node = "n1";
  post(pod);
  EXPECT_TRUE(round().empty()) << "the words are of an earlier attempt";
  pod.nominated_node.clear();
  post(pod);
  const auto drops = round();
  ASSERT_EQ(drops.size(), 1u);
  EXPECT_TRUE(drops[0].is_vetoed);
}

TEST_F(SteeringInWaves, STEER6AWorkerThatWasRefusedBeforeIsWokenByALabel) {
  use(nominating_);
  post_launcher_and_workers(false);
  PodObject pod = member(1, false);
  pod.labels = {{"app", "worker"}};
  pod.not_scheduled = "Unschedulable";
  pod.unschedulable = "0/2 nodes are available: 2 node(s) didn't match pod affinity rules.";
  pod.constraints = mirror_.cluster().shape_of(find_("g-1")).constraints;
  post(pod);
  plan_in_order({{"g-3", "n1"}, {"g-0", "n1"}, {"g-1", "n1"}, {"g-2", "n1"}});
  rounds();
  EXPECT_EQ(after_calls({"g-3"}),
            (Texts{"commit g-0 on n1", "commit g-1 on n1, by a label", "commit g-2 on n1"}));
}

}  // namespace
}  // namespace berth::steering
