#include "kubeapi/cluster_check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "kubeapi/fake_server.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi {
namespace {

using Texts = std::vector<std::string>;
using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

// The findings about a server of that version that refuses reviews with `denied` in them.
Texts findings(const std::string& minor, const std::string& denied, const std::string& mode,
               std::size_t expected, bool autoscaling = true, bool volumes = false) {
  FakeServer server([&](const Call& call, Reply& reply) {
    const bool is_version = call.path() == "/version";
    const bool is_denied = !denied.empty() && call.body.find(denied) != std::string::npos;
    reply.send(is_version ? 200 : 201, is_version ? R"({"major":"1","minor":")" + minor + R"("})"
                                                  : std::string(R"({"status":{"allowed":)") +
                                                        (is_denied ? "false}}" : "true}}"));
  });
  Access access;
  access.server = server.url();
  const auto client = std::move(*RestClient::create(access));
  Awaited<Texts> reported;
  check_cluster(*client, {mode, autoscaling, volumes}, [&](const std::string& text) {
    reported.change([&](Texts& all) { all.push_back(text); });
  });
  EXPECT_TRUE(server.wait_for_calls(8));
  EXPECT_TRUE(reported.wait([&](const Texts& all) { return all.size() >= expected; }));
  client->stop();
  return reported.get();
}

TEST(ClusterCheck, SaysNothingWhereAllIsThere) {
  EXPECT_TRUE(findings("36+", "", "nominate", 0).empty());
}

TEST(ClusterCheck, SaysWhatIsNotAllowedAndWhoNeedsIt) {
  const Texts reported = findings("36", R"("subresource":"binding")", "nominate", 1);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0],
            "not allowed to create pods/binding, which steering mode \"nominate\" needs; "
            "deploy/ has the rights");
}

TEST(ClusterCheck, AUTOSCALE5TheRightIsNeededWhereConditionsAreWritten) {
  const std::string status = R"("resource":"pods","subresource":"status")";
  const Texts reported = findings("36", status, "view", 1);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0],
            "not allowed to patch pods/status, which steering mode \"view\" needs; "
            "deploy/ has the rights");
  EXPECT_TRUE(findings("36", status, "view", 0, false).empty());
}

TEST(ClusterCheck, API32SaysWhichKindsOfVolumesMayNotBeListed) {
  const std::string denied = R"("group":"storage.k8s.io")";
  const Texts reported = findings("36", denied, "view", 5, true, true);
  ASSERT_EQ(reported.size(), 5u);
  EXPECT_TRUE(std::count(reported.begin(), reported.end(),
                         "not allowed to list csinodes.storage.k8s.io: pods with claims are "
                         "planned without regard to volumes; deploy/ has the rights"));
  EXPECT_TRUE(findings("36", denied, "view", 0).empty()) << "they are not wanted";
}

TEST(ClusterCheck, SaysWhatTheServerIsTooOldFor) {
  const Texts reported = findings("26", "", "nominate", 1);
  ASSERT_EQ(reported.size(), 1u);
  EXPECT_EQ(reported[0], "Kubernetes 1.26 has no scheduling gates: expected 1.27 or later");
  EXPECT_EQ(findings("31", "", "nominate", 1).size(), 1u) << "no admission policy";
}

}  // namespace
}  // namespace berth::kubeapi
