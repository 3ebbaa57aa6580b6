#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/checkout.h"
#include "tools/berth_process.h"

namespace berth::tools {
namespace {

using nlohmann::json;

const std::string kFirstGang = support::source_file("docs/examples/first-gang");

constexpr const char* kCluster = R"(
apiVersion: v1
kind: Node
metadata: {name: n1, labels: {berth.dev/locked-for: job.u9}}
spec: {taints: [{key: team, value: a, effect: NoSchedule}]}
status: {allocatable: {cpu: 4, memory: 8Gi, pods: 10}}
---
apiVersion: v1
kind: Node
metadata: {name: n2}
status: {allocatable: {cpu: 1, memory: 8Gi, pods: 10}}
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata:
  {namespace: ml, name: big, uid: u9, annotations: {berth.dev/target: elected,
   berth.dev/target-since: "2026-11-21T09:00:00Z"}}
spec: {minMember: 1}
---
apiVersion: v1
kind: Pod
metadata: {namespace: ml, name: big-0, annotations: {scheduling.k8s.io/group-name: big}}
spec: {schedulerName: berth, containers: [{name: c, resources: {requests: {cpu: 2}}}]}
---
apiVersion: v1
kind: Pod
metadata: {namespace: ml, name: device}
spec:
  containers: [{name: c, resources: {requests: {cpu: 1}}}]
  tolerations: [{operator: Exists}]
  resourceClaims: [{name: device, resourceClaimName: device}]
)";

Outcome fits(const std::vector<std::string>& more) {
  const TemporaryDirectory directory;
  std::vector<std::string> words{"fits"};
  words.insert(words.end(), more.begin(), more.end());
  words.insert(words.end(), {"--cluster", directory.write("cluster.yaml", kCluster)});
  return run_program(words);
}

TEST(FitsCommand, TheDocumentHasEachPodAndNode) {
  const Outcome outcome = fits({"-o", "json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, R"json({
 "apiVersion": "berth.dev/v1",
 "kind": "Fits",
 "pods": [
  {
   "pod": "ml/big-0",
   "hint": [],
   "refused": null,
   "nodes": [
    {
     "node": "n1",
     "fits": false,
     "reason": "taint_not_tolerated",
     "message": "taint team not tolerated"
    },
    {
     "node": "n2",
     "fits": false,
     "reason": "insufficient_resource",
     "message": "insufficient cpu (2 needed, 1 idle)"
    }
   ]
  },
  {
   "pod": "ml/device",
   "hint": [
    "resourceClaims"
   ],
   "refused": null,
   "nodes": [
    {
     "node": "n1",
     "fits": true,
     "reason": "",
     "message": ""
    },
    {
     "node": "n2",
     "fits": true,
     "reason": "",
     "message": ""
    }
   ]
  }
 ]
}
)json");
  EXPECT_EQ(json::parse(fits({"ml/device", "-o", "json"}).out)["pods"].size(), 1U);
  EXPECT_EQ(fits({"ml/device"}).out, fits({"ml/device", "-o", "json"}).out) << "no terminal";
}

TEST(FitsCommand, ATableOfOnePodHasALineForEachNode) {
  EXPECT_EQ(fits({"ml/big-0", "-o", "table"}).out,
            "0/2 nodes fit ml/big-0\n"
            "\n"
            "NODE  FITS  WHY NOT\n"
            "n1    no    taint team not tolerated\n"
            "n2    no    insufficient cpu (2 needed, 1 idle)\n");
  EXPECT_EQ(fits({"ml/device", "-o", "wide"}).out,
            "2/2 nodes fit ml/device\n"
            "a hint: resourceClaims is not modelled, so kube-scheduler may refuse more nodes\n"
            "\n"
            "NODE  FITS  LOCK                      WHY NOT\n"
            "n1    yes   locked for target ml/big\n"
            "n2    yes   -\n");
}

TEST(FitsCommand, ATableOfAllHasALineForEachPod) {
  const Outcome outcome = fits({"-o", "table"});
  EXPECT_EQ(
      outcome.out,
      "POD        FITS ON  WHY NOT\n"
      "ml/big-0   0/2      1 insufficient cpu (2 needed, at most 1 idle), 1 taint team not "
      "tolerated\n"
      "ml/device  2/2      a hint: resourceClaims is not modelled, so kube-scheduler may refuse "
      "more nodes\n");
  EXPECT_EQ(outcome.err.find("other schedulers"), std::string::npos) << "it asks for all alike";
}

TEST(FitsCommand, APodThatIsBoundIsNotAsked) {
  const Outcome outcome = run_program({"fits", "ml/tuning-0", "--cluster", kFirstGang});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(outcome.err,
            "fits: pod \"ml/tuning-0\" is on node \"n1\" already, expected one that waits\n");
}

TEST(FitsCommand, NobodyThatWaitsIsNoError) {
  const TemporaryDirectory directory;
  const std::string file =
      directory.write("node.yaml", "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\n");
  const Outcome table = run_program({"fits", "--cluster", file, "-o", "table"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_EQ(table.out, "no pod waits\n");
  const Outcome document = run_program({"fits", "--cluster", file, "-o", "json"});
  EXPECT_EQ(json::parse(document.out)["pods"], json::array());
}

// docs/command-line.md shows it.
TEST(FitsCommand, ThePageShowsTheOutput) {
  const Outcome outcome =
      run_program({"fits", "ml/big-model-0", "--cluster", kFirstGang, "-o", "table"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  const std::string page = read_text(support::source_file("docs/command-line.md"));
  EXPECT_NE(page.find(outcome.out), std::string::npos) << outcome.out;
}

}  // namespace
}  // namespace berth::tools
