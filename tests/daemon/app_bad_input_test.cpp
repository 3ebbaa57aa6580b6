#include <gtest/gtest.h>

#include "daemon/berthd_process.h"
#include "daemon/manifests.h"
#include "daemon/temporary_directory.h"

// An error that ends berthd is one line, with status 2.

namespace berth::daemon {
namespace {

class AppBadInput : public testing::Test {
 protected:
  void expect_refusal(const std::vector<std::string>& arguments, const std::string& words) {
    BerthdProcess berthd(arguments);
    EXPECT_EQ(berthd.exit_code(), 2) << words;
    EXPECT_TRUE(berthd.has_printed(words)) << words << ", but it printed:\n" << berthd.printed();
    EXPECT_FALSE(berthd.has_printed("listening on port"));
  }

  TemporaryDirectory directory_;
  const std::string good_ = directory_.write("good.yaml", nodes_yaml(1, 4));
};

TEST_F(AppBadInput, AFlagIsNamed) {
  expect_refusal({"--embedded", good_, "--speed", "0"}, "--speed");
  expect_refusal({"--embedded", good_, "--exit-after", "x"}, "--exit-after");
  expect_refusal({"--embedded", good_, "--bogus"}, "--bogus");
  expect_refusal({}, "--embedded");
}

TEST_F(AppBadInput, AnAddressThatCannotBeListenedOnIsNamed) {
  expect_refusal({"--embedded", good_, "--listen", "8890"}, "--listen: \"8890\"");
  expect_refusal({"--embedded", good_, "--listen", "localhost:0"}, "localhost");
  expect_refusal({"--embedded", good_, "--listen", "192.0.2.1:0"}, "192.0.2.1");
}

TEST_F(AppBadInput, APortThatIsTakenIsNamed) {
  BerthdProcess first({"--embedded", good_});
  const std::string port = std::to_string(first.port());
  expect_refusal({"--embedded", good_, "--listen", "127.0.0.1:" + port}, port);
}

TEST_F(AppBadInput, AManifestIsNamedWithLineAndColumn) {
  const std::string bad =
      directory_.write("bad.yaml",
                       "apiVersion: v1\nkind: Node\nmetadata:\n  name: n1\nstatus:\n"
                       "  allocatable: {cpu: four}\n");
  expect_refusal({"--embedded", bad}, bad + ":6:22: ");
  expect_refusal({"--embedded", directory_.path().string()}, bad + ":6:22: ");
  expect_refusal({"--embedded", directory_.file("missing.yaml")}, "missing.yaml");
}

TEST_F(AppBadInput, AConfigurationIsNamedWithLineAndColumn) {
  const std::string bad = directory_.write("config", "actions: \"enqueue, alocate\"\n");
  expect_refusal({"--embedded", good_, "--config", bad}, bad + ":1:");
  expect_refusal({"--embedded", good_, "--config", directory_.file("missing")}, "missing");
  const std::string empty = directory_.write("empty", "");
  expect_refusal({"--embedded", good_, "--config", empty}, "empty");
}

}  // namespace
}  // namespace berth::daemon
