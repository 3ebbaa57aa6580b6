#include "embedded/api_server.h"

#include <gtest/gtest.h>

#include "embedded/fixture.h"

namespace berth::embedded {
namespace {

using std::chrono::seconds;

class ApiServerTest : public ::testing::Test {
 protected:
  ApiServerTest() {
    server.apply({make_node("n1"), make_node("n2")});
    server.follow([this](const ApiServer::Change& change) { seen.push_back(change); });
  }

  ports::BindOutcome bind(const std::string& pod, const std::string& node,
                          const std::string& uid = "") {
    return server.bind({"default", pod, uid.empty() ? "uid-" + pod : uid, node});
  }
  const PodObject& pod(const std::string& name) {
    const PodObject* const found = server.find_pod_named("default/" + name);
    EXPECT_NE(found, nullptr) << name;
    static const PodObject kNone;
    return found == nullptr ? kNone : *found;
  }
  bool has_pod(const std::string& name) const {
    return server.find_pod_named("default/" + name) != nullptr;
  }
  const NodeObject& node(const std::string& name) { return *server.find<NodeObject>(name); }
  const PodGroupObject& group(const std::string& name) {
    return *server.find<PodGroupObject>("default/" + name);
  }
  ports::WriteOutcome write(const ports::ObjectRef& object, ports::Content content) {
    return server.write({object, std::move(content)});
  }
  static ports::ObjectRef group_ref(const std::string& name, const std::string& uid) {
    return {ports::ObjectKind::pod_group, "default", name, uid};
  }
  static ports::ObjectRef node_ref(const std::string& name, const std::string& uid) {
    return {ports::ObjectKind::node, "", name, uid};
  }
  static PodGroupObject make_group(const std::string& name) {
    PodGroupObject made;
    made.name_space = "default";
    made.name = name;
    made.uid = "uid-" + name;
    return made;
  }
  // "MODIFIED pods uid-p 104", and what a client that selects running pods gets.
  std::vector<std::string> lines() {
    std::vector<std::string> all;
    for (const ApiServer::Change& each : seen) {
      std::string line = each.type + " " + to_string(each.kind) + " " + each.key + " " +
                         std::to_string(each.version);
      if (each.kind == Kind::pod) line += " " + each.selected;
      all.push_back(line);
    }
    return all;
  }

  Agenda clock{test_start()};
  ApiServer server{clock};
  std::vector<ApiServer::Change> seen;
};

TEST_F(ApiServerTest, EachChangeHasAVersionAndAnEditThatChangesNothingIsNone) {
  server.apply({make_pod("p")});
  const auto end = [](PodObject& each) { each.phase = PodPhase::succeeded; };
  EXPECT_TRUE(server.change<PodObject>("uid-p", [](PodObject&) {}));
  EXPECT_TRUE(server.change<PodObject>("uid-p", end));
  EXPECT_FALSE(server.change<PodObject>("uid-none", end));
  server.erase<PodObject>("uid-p");
  server.erase<PodObject>("uid-p");
  EXPECT_EQ(lines(), (std::vector<std::string>{"ADDED pods uid-p 103 ADDED",
                                               "MODIFIED pods uid-p 104 DELETED",
                                               "DELETED pods uid-p 105 "}))
      << "a client that selects pods that have not ended sees it go once";
  EXPECT_EQ(seen.back().pod().name, "p") << "as it was";
  EXPECT_EQ(std::get<PodDeleted>(seen.back().event).uid, "uid-p");
}

TEST_F(ApiServerTest, AWatchGoesOnFromAVersionUntilThatIsCompacted) {
  const std::uint64_t begin = server.version();
  for (int i = 0; i < 50; ++i) server.apply({make_pod("p" + std::to_string(i))});
  std::vector<std::uint64_t> versions;
  server.each_change_after(
      begin + 47, [&](const ApiServer::Change& change) { versions.push_back(change.version); });
  EXPECT_EQ(versions, (std::vector<std::uint64_t>{begin + 48, begin + 49, begin + 50}));
  EXPECT_LE(server.oldest(), begin);
  server.compact();
  EXPECT_EQ(server.oldest(), server.version());
  for (std::size_t i = 0; i <= ApiServer::kChangesKept; ++i) {
    server.change<PodObject>("uid-p0", [&](PodObject& each) { each.index = static_cast<int>(i); });
  }
  EXPECT_EQ(server.oldest(), begin + 51) << "the first of so many changes has left";
}

TEST_F(ApiServerTest, AChangeByAFollowerComesAfterTheOneThatItFollows) {
  server.follow([this](const ApiServer::Change& change) {
    if (change.type == "ADDED") server.erase<PodObject>(change.key);
  });
  std::vector<std::string> types;
  server.follow([&](const ApiServer::Change& change) { types.push_back(change.type); });
  server.apply({make_pod("p")});
  EXPECT_EQ(types, (std::vector<std::string>{"ADDED", "DELETED"}));
}

TEST_F(ApiServerTest, ABindingEndsTheNomination) {
  server.apply({make_pod("p")});
  nominate(server, "uid-p", "n2");
  EXPECT_EQ(pod("p").nominated_node, "n2");
  EXPECT_TRUE(bind("p", "n1").bound);
  EXPECT_EQ(pod("p").node_name, "n1");
  EXPECT_EQ(pod("p").scheduled, clock.now());
  EXPECT_EQ(pod("p").nominated_node, "");
}

TEST_F(ApiServerTest, AUTOSCALE2APodThatWaitsShowsItsCondition) {
  server.apply({make_pod("p")});
  const auto write_reason = [this](const std::string& reason) {
    write({.uid = "uid-p"}, ports::PodCondition{{false, reason, "why", {}}});
  };
  write_reason("Unschedulable");
  EXPECT_EQ(pod("p").not_scheduled, "Unschedulable");
  EXPECT_EQ(pod("p").unschedulable, "why");
  write_reason("Waiting");
  EXPECT_EQ(pod("p").not_scheduled, "Waiting");
  EXPECT_EQ(pod("p").unschedulable, "");
}

TEST_F(ApiServerTest, ACommitTakesTheGateOffAndPutsThePlanOn) {
  PodObject gated = make_pod("p");
  gated.gates = {"berth.dev/plan"};
  server.apply({gated});
  const ports::PodWrite commit{.kind = ports::PodWrite::Kind::commit, .node = "n2"};
  EXPECT_EQ(write({.uid = "uid-p"}, commit).result, ports::WriteOutcome::Result::done);
  EXPECT_TRUE(pod("p").gates.empty());
  EXPECT_EQ(pod("p").planned_node, "n2");
}

TEST_F(ApiServerTest, AWriteOnAPodThatIsGoneSaysSo) {
  EXPECT_EQ(write({.uid = "uid-nobody"}, ports::PodWrite()).result,
            ports::WriteOutcome::Result::gone);
}

TEST_F(ApiServerTest, BindingAgainToTheSameNodeSucceedsAndElsewhereDoesNot) {
  server.apply({make_pod("p")});
  ASSERT_TRUE(bind("p", "n1").bound);
  EXPECT_TRUE(bind("p", "n1").bound);
  const ports::BindOutcome elsewhere = bind("p", "n2");
  EXPECT_FALSE(elsewhere.bound);
  EXPECT_EQ(elsewhere.error, "pod \"default/p\" is already assigned to node \"n1\"");
}

TEST_F(ApiServerTest, BindingIsRefusedForWhatAnApiServerRefuses) {
  PodObject gated = make_pod("gated");
  gated.gates = {"berth.dev/plan"};
  server.apply({make_pod("p"), gated});
  EXPECT_EQ(bind("none", "n1").error, "pod \"default/none\" not found");
  EXPECT_EQ(bind("p", "n1", "uid-old").error,
            "pod \"default/p\" has uid \"uid-p\", the binding names \"uid-old\"");
  EXPECT_EQ(bind("gated", "n1").error,
            "pod \"default/gated\" has scheduling gate \"berth.dev/plan\"");
  EXPECT_TRUE(pod("p").node_name.empty());
  EXPECT_TRUE(bind("p", "n9").bound) << "an API server does not look at the node";
}

TEST_F(ApiServerTest, ABudgetRefusesEvictionsAsTheApiServerDoes) {
  BudgetObject budget;
  budget.name_space = "default";
  budget.name = "web";
  budget.selector.emplace();
  budget.selector->push_back({"app", Operator::in, {"web"}});
  budget.allowed = 1;
  std::vector<ClusterEvent> objects{budget};
  for (const char* name : {"p", "q", "r"}) {
    PodObject web = make_pod(name);
    if (web.name != "r") web.labels = {{"app", "web"}};
    web.node_name = "n1";
    web.phase = PodPhase::running;
    objects.emplace_back(web);
  }
  server.apply(objects);
  const auto evict = [&](const std::string& name) {
    return write({ports::ObjectKind::pod, "default", name, "uid-" + name}, ports::Eviction{"why"});
  };
  using Outcome = ports::WriteOutcome::Result;
  EXPECT_EQ(evict("p").result, Outcome::done);
  EXPECT_TRUE(pod("p").terminating);
  EXPECT_EQ(server.find<BudgetObject>("default/web")->allowed, 0);
  EXPECT_TRUE(server.find<BudgetObject>("default/web")->counts("p"));
  const ports::WriteOutcome refused = evict("q");
  EXPECT_EQ(refused.result, Outcome::refused);
  EXPECT_NE(refused.error.find("The disruption budget web"), std::string::npos) << refused.error;
  EXPECT_FALSE(pod("q").terminating);
  EXPECT_EQ(evict("r").result, Outcome::done) << "no budget selects it";
  BudgetObject second = budget;
  second.name = "second";
  second.allowed = 9;
  server.apply({second});
  EXPECT_NE(evict("q").error.find("more than one"), std::string::npos);
}

TEST_F(ApiServerTest, PodsLeaveWithTheirNode) {
  server.apply({make_pod("p"), make_pod("q")});
  ASSERT_TRUE(bind("p", "n1").bound);
  ASSERT_TRUE(bind("q", "n2").bound);
  server.apply({NodeDeleted{"n1"}});
  EXPECT_FALSE(has_pod("p"));
  EXPECT_TRUE(has_pod("q"));
}

TEST_F(ApiServerTest, AnotherPodOfTheSameNameTakesTheFirstOnesPlace) {
  server.apply({make_pod("p")});
  PodObject again = make_pod("p");
  again.uid = "uid-again";
  server.apply({again});
  EXPECT_EQ(pod("p").uid, "uid-again");
  EXPECT_EQ(server.find<PodObject>("uid-p"), nullptr);
  server.apply({PodDeleted{"uid-again"}});
  EXPECT_FALSE(has_pod("p"));
}

TEST_F(ApiServerTest, TheStatusOfAPodSurvivesANewManifest) {
  server.apply({make_pod("p")});
  ASSERT_TRUE(bind("p", "n1").bound);
  clock.run_for(seconds(9));
  PodObject changed = make_pod("p");
  changed.request["cpu"] = 500;
  server.apply({changed});
  EXPECT_EQ(pod("p").node_name, "n1");
  EXPECT_EQ(pod("p").created, test_start());
  EXPECT_EQ(pod("p").request.at("cpu"), 500);
}

TEST_F(ApiServerTest, AdmissionGivesPriorityAndCreationTime) {
  const PriorityClassObject high{"high", 1'000, false, true};
  const PriorityClassObject usual{"usual", 10, true, false};
  PodObject of_class = make_pod("of-class");
  of_class.priority_class = "high";
  PodObject system = make_pod("system");
  system.priority_class = "system-node-critical";
  PodObject fixed = make_pod("fixed");
  fixed.priority = 7;
  server.apply({of_class, system, fixed, make_pod("plain"), high, usual});
  EXPECT_EQ(pod("of-class").priority, 1'000);
  EXPECT_TRUE(pod("of-class").never_preempts);
  EXPECT_EQ(pod("system").priority, 2'000'001'000);
  EXPECT_EQ(pod("fixed").priority, 7);
  EXPECT_EQ(pod("plain").priority, 10);
  EXPECT_EQ(pod("plain").created, test_start());
}

TEST_F(ApiServerTest, AGroupsStatusIsKept) {
  server.apply({make_group("g")});
  ports::GroupStatus status;
  status.phase = GroupPhase::inqueue;
  status.message = "waits";
  write(group_ref("g", "uid-g"), status);
  using Outcome = ports::WriteOutcome::Result;
  EXPECT_EQ(write(group_ref("g", "uid-old"), ports::GroupStatus()).result, Outcome::gone);
  server.apply({make_group("g")});
  EXPECT_EQ(group("g").phase, GroupPhase::inqueue);
  EXPECT_EQ(group("g").written.message, "waits");
}

TEST_F(ApiServerTest, AGroupThatBerthMadeGoesWithItsOwner) {
  OwnerObject owner;
  owner.uid = "job-1";
  server.apply({owner, make_group("other")});
  ports::GroupSpec spec{.owner = {}, .min_member = 3, .queue = "q"};
  spec.owner.uid = "job-1";
  write(group_ref("made", ""), spec);
  EXPECT_EQ(group("made").min_member, 3);
  EXPECT_TRUE(group("made").is_made_by_berth);
  spec.verb = ports::GroupSpec::Verb::change;
  spec.min_member = 4;
  write(group_ref("made", group("made").uid), spec);
  EXPECT_EQ(group("made").min_member, 4);
  server.apply({OwnerDeleted{"job-1"}});
  EXPECT_EQ(server.find<PodGroupObject>("default/made"), nullptr);
  EXPECT_NE(server.find<PodGroupObject>("default/other"), nullptr);
}

TEST_F(ApiServerTest, TopologiesComeChangeAndGo) {
  const auto rack = [](const std::string& label) {
    return TopologyObject{LevelsObject{TopologyKind::kueue, "gpu", {{label}}, {}}};
  };
  server.apply({rack("rack")});
  server.apply({rack("row")});
  server.apply({TopologyDeleted{TopologyKind::kueue, "gpu"}});
  EXPECT_EQ(lines(),
            (std::vector<std::string>{"ADDED topologies Topology.kueue.x-k8s.io gpu 103",
                                      "MODIFIED topologies Topology.kueue.x-k8s.io gpu 104",
                                      "DELETED topologies Topology.kueue.x-k8s.io gpu 105"}));
}

TEST_F(ApiServerTest, KeepsLocksWhenUsersChangeTheirNodes) {
  write(node_ref("n1", "other"), ports::NodeLock{"job.g", test_start(), true});
  EXPECT_EQ(node("n1").locked_for, "") << "that node is gone";
  write(node_ref("n1", "node-n1"), ports::NodeLock{"job.g", test_start(), true});
  server.apply({make_node("n1")});
  EXPECT_EQ(node("n1").locked_for, "job.g");
  EXPECT_EQ(node("n1").locked_since, test_start());
  EXPECT_TRUE(node("n1").has_lock_taint);
  write(node_ref("n1", "node-n1"), ports::NodeLock{"", {}, false, "q", test_start(), true});
  EXPECT_EQ(node("n1").locked_since, std::nullopt);
  server.apply({make_node("n1")});
  EXPECT_EQ(node("n1").locked_for_queue, "q");
  EXPECT_EQ(node("n1").locked_for_queue_since, test_start());
  EXPECT_TRUE(node("n1").has_queue_lock_taint);
  write(node_ref("n1", "node-n1"), ports::NodeLock());
  EXPECT_EQ(node("n1").locked_for_queue, "");
  EXPECT_EQ(node("n1").locked_for_queue_since, std::nullopt);
}

TEST_F(ApiServerTest, KeepsMarksWhenUsersChangeTheirGroups) {
  PodGroupObject named = make_group("g");
  named.marks.is_named = true;
  server.apply({named});
  TargetMarks marks;
  marks.elected_at = marks.first_seen = test_start();
  write(group_ref("g", "uid-g"), marks);
  EXPECT_TRUE(group("g").marks.is_named) << "a user's word";
  named.marks.is_named = false;
  server.apply({named});
  EXPECT_FALSE(group("g").marks.is_named);
  EXPECT_EQ(group("g").marks.elected_at, test_start());
  EXPECT_FALSE(group("g").marks.is_elected) << "it was elected by name";
  marks.is_elected = true;
  write(group_ref("g", "uid-g"), marks);
  EXPECT_TRUE(group("g").marks.is_elected);
  write(group_ref("g", "uid-g"), TargetMarks());
  EXPECT_FALSE(group("g").marks.is_elected);
  EXPECT_EQ(group("g").marks.elected_at, std::nullopt);
  EXPECT_EQ(group("g").marks.first_seen, test_start());
}

}  // namespace
}  // namespace berth::embedded
