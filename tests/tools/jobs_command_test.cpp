#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tools/fake_cluster.h"

namespace berth::tools {
namespace {

using nlohmann::json;

constexpr const char* kQueues = "/apis/scheduling.volcano.sh/v1beta1/queues";

std::string waiting(int position) {
  return R"({"phase":"Inqueue","waiting":{"reason":"gang_incomplete","message":)"
         R"("0 of 2 members could be placed; 0/4 nodes fit","queue":"research","queuePosition":)" +
         std::to_string(position) + "}}";
}

class JobsCommand : public testing::Test {
 protected:
  JobsCommand() {
    cluster_.serve(kGroups, {group_json("a", waiting(2)), group_json("b", waiting(1)),
                             group_json("c", R"({"phase":"Running"})")});
    cluster_.serve(kPods, {pod_json("a-0", "a"), pod_json("b-0", "b"), pod_json("c-0", "c", "n1"),
                           pod_json("c-1", "c", "n2"), pod_json("single", "", "n1"),
                           pod_json("web", "", "n1", "", "default-scheduler")});
  }

  std::vector<std::string> names(std::vector<std::string> flags) {
    flags.insert(flags.begin(), "jobs");
    const Outcome outcome = cluster_.run(flags);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    std::vector<std::string> all;
    if (outcome.exit_code != 0) return all;
    const json document = json::parse(outcome.out);
    EXPECT_EQ(document["kind"], "Jobs");
    for (const json& job : document["jobs"]) all.push_back(job["name"]);
    return all;
  }

  FakeCluster cluster_;
};

using Names = std::vector<std::string>;

TEST_F(JobsCommand, ShowsGroupsAndSinglePodsOfOurs) {
  EXPECT_EQ(names({}), (Names{"a", "b", "c", "single"}));
  const Outcome table = cluster_.run({"jobs", "-o", "wide"});
  EXPECT_NE(table.out.find("NAME"), std::string::npos);
  EXPECT_NE(table.out.find("0 of 2 members could be placed; 0/4 nodes fit"), std::string::npos);
  EXPECT_EQ(table.err, "note: 1 pod in namespace ml of other schedulers are not shown\n");
}

TEST_F(JobsCommand, FiltersAndSorts) {
  EXPECT_EQ(names({"--waiting"}), (Names{"a", "b"}));
  EXPECT_EQ(names({"--running"}), (Names{"c", "single"}));
  EXPECT_EQ(names({"-q", "research", "--sort", "position"}), (Names{"b", "a", "c"}));
  EXPECT_EQ(names({"--scheduler", "default-scheduler"}), (Names{"a", "b", "c", "web"}));
}

TEST_F(JobsCommand, TheApiServerReadsTheSelector) {
  names({"-l", "team=a,tier in (x)"});
  const std::vector<std::string> targets = cluster_.targets();
  const auto is_selecting = [](const std::string& target) {
    return target.find("labelSelector=team%3Da%2Ctier%20in%20%28x%29") != std::string::npos;
  };
  EXPECT_EQ(std::count_if(targets.begin(), targets.end(), is_selecting), 2);
}

TEST_F(JobsCommand, AServerThatGivesTheSameTokenAgainIsAnError) {
  cluster_.serve_body(kPods, R"({"metadata":{"continue":"same"},"items":[]})");
  const Outcome outcome = cluster_.run({"jobs"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("cannot list pods: "), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("a \"continue\" that it gave before, expected the next page"),
            std::string::npos)
      << outcome.err;
}

TEST_F(JobsCommand, AListThatDoesNotEndIsAnError) {
  cluster_.serve_body(kPods, R"({"metadata":{"continue":"$NEW"},"items":[]})");
  const Outcome outcome = cluster_.run({"jobs"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("does not end the list, expected at most 2000 pages"),
            std::string::npos)
      << outcome.err;
}

TEST_F(JobsCommand, NoTextOfAnObjectSteersTheTerminal) {
  const std::string status = R"({"phase":"Inqueue","waiting":{"reason":"gang_faulty","message":)"
                             R"("a\u001b[2J\nb\u009b","queue":"q\u001b","position":"\u001b"}})";
  cluster_.serve(kGroups, {group_json("a", status, owner_json("x/v1", "K\\u001b", "o\\u001b\\n"))});
  for (const std::vector<std::string>& words : {std::vector<std::string>{"jobs", "-o", "wide"},
                                                {"jobs", "-o", "table"},
                                                {"why", "a", "-o", "table"},
                                                {"why", "a", "-o", "wide"}}) {
    const Outcome outcome = cluster_.run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_EQ((outcome.out + outcome.err).find('\x1b'), std::string::npos) << outcome.out;
    EXPECT_EQ((outcome.out + outcome.err).find("\xC2\x9B"), std::string::npos) << outcome.out;
    EXPECT_NE(outcome.out.find("\xEF\xBF\xBD[2J"), std::string::npos) << outcome.out;
  }
}

TEST_F(JobsCommand, FlagsThatDisagreeAreRefused) {
  const Outcome both = cluster_.run({"jobs", "-A", "-n", "ml"});
  EXPECT_EQ(both.exit_code, 2);
  EXPECT_NE(both.err.find("--all-namespaces: given together with --namespace"), std::string::npos);
  const Outcome order = cluster_.run({"jobs", "--sort", "postion"});
  EXPECT_NE(order.err.find("did you mean \"position\"?"), std::string::npos) << order.err;
}

TEST_F(JobsCommand, OfAllNamespacesNeedsTheRightInAll) {
  cluster_.forbid("/apis/scheduling.volcano.sh/v1beta1/podgroups", "list", "podgroups");
  const Outcome outcome = cluster_.run({"jobs", "-A"});
  EXPECT_EQ(outcome.exit_code, 3);
  EXPECT_NE(outcome.err.find("clusterrolebinding NAME --clusterrole=view --user=alice"),
            std::string::npos)
      << outcome.err;
}

const std::string kQueue = R"({"metadata":{"name":"research"},"spec":{"weight":3},"status":{
  "state":"Open","pending":2,"allocated":{"cpu":"4"},"deserved":{"cpu":"6"},
  "realCapability":{"cpu":"16"},"guarantee":{"cpu":"2"}}})";
const std::string kChild =
    R"({"metadata":{"name":"vision"},"spec":{"parent":"research","priority":5}})";

TEST_F(JobsCommand, QueuesAreThoseOfTheApiServer) {
  cluster_.serve(kQueues, {kChild, kQueue});
  const json document = json::parse(cluster_.run({"queues"}).out);
  EXPECT_EQ(document["kind"], "Queues");
  EXPECT_EQ(document["partial"], true);
  EXPECT_EQ(document["total"], json::object());
  EXPECT_EQ(document["queues"][0]["queue"], "research");
  EXPECT_EQ(document["queues"][0]["allocated"]["cpu"], "4");
  EXPECT_EQ(document["queues"][0]["podGroups"]["pending"], 2);
  EXPECT_EQ(document["queues"][1]["parent"], "research");
  const Outcome table = cluster_.run({"queues", "-o", "table", "--resource", "cpu"});
  EXPECT_NE(table.out.find("  vision"), std::string::npos) << table.out;
}

TEST_F(JobsCommand, WithoutTheRightToListQueuesThoseOfTheNamespaceAreShown) {
  cluster_.forbid(kQueues, "list", "queues.scheduling.volcano.sh");
  const Outcome outcome = cluster_.run({"queues"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.err.find("--clusterrole=berth-queues-view --user=alice"), std::string::npos)
      << outcome.err;
  const json document = json::parse(outcome.out);
  EXPECT_EQ(document["kind"], "QueuesOfNamespace");
  EXPECT_EQ(document["queues"][1],
            (json{{"queue", "research"}, {"waiting", 2}, {"running", 1}, {"done", 0}}));
}

// Nobody checks the names in a pod's ownerReferences. A shell takes a completed word as typed.
TEST_F(JobsCommand, OwnersNamesAreNoCommandsAndNoControlSequences) {
  cluster_.serve(kGroups, {});
  cluster_.serve(kPods, {pod_json("p-0", "", "", owner_json("batch/v1", "Job", "a$(id)")),
                         pod_json("p-1", "", "", owner_json("batch/v1", "Job", "b\\n:0")),
                         pod_json("p-2", "", "", owner_json("batch/v1", "Job", "trai\\u001bn"))});
  const Outcome words =
      run_program({"__complete", "why", "--kubeconfig", cluster_.kubeconfig(), ""});
  EXPECT_EQ(words.out, "p-0\np-1\np-2\n:4\n") << words.err;
  const Outcome absent = cluster_.run({"why", "train"});
  EXPECT_EQ(absent.exit_code, 4);
  EXPECT_NE(absent.err.find("did you mean \"trai\xEF\xBF\xBDn\"?\n"), std::string::npos)
      << absent.err;
}

TEST_F(JobsCommand, KubeconfigAndServerOrManifestsExcludeEachOther) {
  const Outcome outcome = cluster_.run({"queues", "--server"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("--kubeconfig: given together with --server"), std::string::npos)
      << outcome.err;
}

}  // namespace
}  // namespace berth::tools
