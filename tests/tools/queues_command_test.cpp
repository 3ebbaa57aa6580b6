#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tools/answering_server.h"
#include "tools/berth_process.h"
#include "views/queue_document.h"

namespace berth::tools {
namespace {

using nlohmann::json;

const std::string kExample = BERTH_SOURCE_DIR "/docs/examples/queues";

std::vector<std::string> on_example(std::vector<std::string> more) {
  std::vector<std::string> words{"queues", "--cluster", kExample, "--config",
                                 testdata("proportion.conf")};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

const json& row(const json& document, const std::string& name) {
  static const json none = json::object();
  for (const json& each : document["queues"]) {
    if (each["queue"] == name) return each;
  }
  ADD_FAILURE() << "no queue " << name;
  return none;
}

TEST(QueuesCommand, ShowsTheExampleAsATree) {
  const Outcome outcome = run_program(on_example({"-o", "table"}));
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  std::string text = outcome.out;
  for (const char* block : {"█", "▓", "░", "·"}) {  // as the environment's locale has it
    const std::string sign = std::string(block) == "█"   ? "#"
                             : std::string(block) == "▓" ? "+"
                             : std::string(block) == "░" ? "-"
                                                         : ".";
    for (std::size_t at = text.find(block); at != text.npos; at = text.find(block, at)) {
      text.replace(at, std::string_view(block).size(), sign);
    }
  }
  EXPECT_EQ(text, read_text(testdata("queues.golden")));
}

TEST(QueuesCommand, OffATerminalTheDefaultIsJson) {
  const json document = json::parse(run_program(on_example({})).out);
  EXPECT_EQ(document["divided"], true);
  EXPECT_EQ(document["total"]["cpu"], "16");
  EXPECT_EQ(row(document, "vision")["parent"], "research");
  EXPECT_EQ(row(document, "vision")["guarantee"], (json{{"cpu", "4"}}));
  EXPECT_EQ(row(document, "research")["guarantee"], (json{{"cpu", "6"}}));
  EXPECT_EQ(row(document, "batch")["realCapability"]["cpu"], "10");
  EXPECT_EQ(row(document, "research")["allocated"]["cpu"], "2");
}

TEST(QueuesCommand, AsksARunningBerthd) {
  const std::string document = run_program(on_example({"-o", "json"})).out;
  const AnsweringServer server("/queues", {200, "application/json", document});
  const Outcome outcome = run_program({"queues", "--server", server.url(), "-o", "json"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out, document);
  const Outcome table = run_program({"queues", "--server", server.url() + "/", "-o", "table"});
  EXPECT_EQ(table.out, run_program(on_example({"-o", "table"})).out);
}

TEST(QueuesCommand, SaysWhyThereIsNoAnswer) {
  const AnsweringServer server("/queues", http::text_response(503, "not the leader"));
  const Outcome refused = run_program({"queues", "--server", server.url()});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_EQ(refused.out, "");
  EXPECT_NE(refused.err.find("answered 503: not the leader"), std::string::npos) << refused.err;
  const Outcome nobody = run_program({"queues", "--server", "http://127.0.0.1:1"});
  EXPECT_EQ(nobody.exit_code, 2);
  EXPECT_NE(nobody.err.find("expected a berthd there (--server), or --cluster"), std::string::npos)
      << nobody.err;
}

TEST(QueuesCommand, RefusesWhatItDoesNotKnow) {
  const auto refused = [](const std::vector<std::string>& more) {
    const Outcome outcome = run_program(on_example(more));
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_EQ(outcome.out, "");
    return outcome.err;
  };
  EXPECT_NE(refused({"--resource", "memroy"}).find("did you mean \"memory\"?"), std::string::npos);
  EXPECT_NE(refused({"--server", "http://h:1"}).find("together with --cluster"), std::string::npos);
  EXPECT_NE(refused({"-o", "yaml"}).find("expected table or json"), std::string::npos);
  EXPECT_NE(refused({"--resuorce", "cpu"}).find("did you mean \"--resource\"?"), std::string::npos);
}

TEST(QueuesCommand, TheResourceAskedForIsShown) {
  const Outcome outcome = run_program(on_example({"-o", "table", "--resource", "pods"}));
  EXPECT_NE(outcome.out.find("pods"), std::string::npos);
  EXPECT_EQ(outcome.out.find(" cpu "), std::string::npos) << outcome.out;
}

TEST(QueuesCommand, ThePlanHasTheSameShares) {
  const Outcome outcome = run_program(
      {"plan", "-o", "json", "--cluster", kExample, "--config", testdata("proportion.conf")});
  const json document = json::parse(outcome.out);
  const json& queues = document["cycles"][0]["queues"];
  EXPECT_EQ(queues[0]["queue"], "batch");
  EXPECT_EQ(queues[0]["realCapability"]["cpu"], "10");
  EXPECT_EQ(queues[0]["deserved"]["cpu"], "10");
  EXPECT_EQ(queues[0]["overused"], false);
}

}  // namespace
}  // namespace berth::tools
