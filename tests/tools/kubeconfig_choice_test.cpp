#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "tools/fake_cluster.h"

// Which kubeconfig counts: flags, then $KUBECONFIG, then ~/.kube/config.

namespace berth::tools {
namespace {

class KubeconfigChoice : public testing::Test {
 protected:
  KubeconfigChoice() {
    unsetenv("KUBERNETES_SERVICE_HOST");
    unsetenv("KUBECONFIG");
    setenv("HOME", home_.path().c_str(), 1);
    cluster_.serve("/apis/scheduling.volcano.sh/v1beta1/namespaces/ml/podgroups", {});
    cluster_.serve("/api/v1/namespaces/ml/pods", {pod_json("single", "", "n1")});
  }

  void expect_answer(const std::vector<std::string>& words) {
    const Outcome outcome = run_program(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("\"single\""), std::string::npos) << outcome.out;
  }

  FakeCluster cluster_;
  TemporaryDirectory home_;
};

TEST_F(KubeconfigChoice, ThatOfTheHomeDirectoryIsTheLast) {
  home_.write(".kube/config", cluster_.kubeconfig_text("token: secret"));
  expect_answer({"jobs"});
  setenv("KUBECONFIG", home_.write("broken", "- no kubeconfig\n").c_str(), 1);
  EXPECT_EQ(run_program({"jobs"}).exit_code, 2);
  expect_answer({"jobs", "--kubeconfig", cluster_.kubeconfig()});
}

TEST_F(KubeconfigChoice, OfSeveralFilesTheFirstWithTheContextCounts) {
  const std::string other = home_.write(
      "other", "current-context: here\ncontexts: [{name: there, context: {cluster: c}}]\n");
  const std::string absent = (home_.path() / "absent").string();
  setenv("KUBECONFIG", (absent + ":" + other + ":" + cluster_.kubeconfig()).c_str(), 1);
  expect_answer({"jobs"});
  expect_answer({"jobs", "--context", "here", "-n", "ml"});
  const Outcome outcome = run_program({"jobs", "--context", "hree"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("no entry named \"hree\""), std::string::npos) << outcome.err;
}

TEST_F(KubeconfigChoice, WithoutOneTheChoicesAreNamed) {
  const Outcome outcome = run_program({"jobs"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_EQ(
      outcome.err,
      "kubeconfig: there is none, expected --kubeconfig FILE, $KUBECONFIG, ~/.kube/config, or "
      "to be in a pod\n");
}

TEST_F(KubeconfigChoice, WithoutOneQueuesAsksBerthd) {
  const Outcome outcome = run_program({"queues"});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("http://127.0.0.1:8892/queues"), std::string::npos) << outcome.err;
}

// As clouds have it.
TEST_F(KubeconfigChoice, AProgramMayGiveTheCredentials) {
  const std::string program = home_.write(
      "login", "#!/bin/sh\necho '{\"kind\":\"ExecCredential\",\"status\":{\"token\":\"t7\"}}'\n");
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const std::string user =
      "exec: {apiVersion: client.authentication.k8s.io/v1, command: '" + program + "'}";
  expect_answer({"jobs", "--kubeconfig", home_.write("cloud", cluster_.kubeconfig_text(user))});
  EXPECT_EQ(cluster_.header_of_first("authorization"), "Bearer t7");
}

}  // namespace
}  // namespace berth::tools
