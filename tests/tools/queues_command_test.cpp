#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/checkout.h"
#include "tools/answering_server.h"
#include "tools/berth_process.h"
#include "views/queue_document.h"

namespace berth::tools::queues_command_test {
namespace {

using nlohmann::json;

const std::string kExample = support::source_file("docs/examples/queues");

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

// A berthd of before the documents had versions.
TEST(QueuesCommand, ReadsTheDocumentOfAnOlderBerthdAndRefusesAnotherVersion) {
  json document = json::parse(run_program(on_example({"-o", "json"})).out);
  document.erase("apiVersion");
  document.erase("kind");
  const AnsweringServer older("/queues", {200, "application/json", document.dump()});
  EXPECT_EQ(run_program({"queues", "--server", older.url()}).exit_code, 0);
  document["apiVersion"] = "berth.dev/v2";
  const AnsweringServer newer("/queues", {200, "application/json", document.dump()});
  const Outcome outcome = run_program({"queues", "--server", newer.url()});
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("\"berth.dev/v2\" is not known, expected berth.dev/v1"),
            std::string::npos)
      << outcome.err;
}

TEST(QueuesCommand, AQueueIsShownWithThoseAboveAndBelowIt) {
  const auto names = [](const std::vector<std::string>& flags) {
    const json document = json::parse(run_program(on_example(flags)).out);
    std::vector<std::string> all;
    for (const json& each : document["queues"]) all.push_back(each["queue"]);
    return all;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(names({"-q", "vision"}), (Names{"research", "vision"}));
  EXPECT_EQ(names({"-q", "research"}), (Names{"research", "speech", "vision"}));
  EXPECT_EQ(names({"--sort", "weight"}),
            (Names{"research", "speech", "vision", "batch", "default"}));
  const json document = json::parse(run_program(on_example({"-q", "vision"})).out);
  EXPECT_EQ(row(document, "vision")["guarantee"], (json{{"cpu", "4"}}));
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
  EXPECT_NE(refused({"-o", "yaml"}).find("expected table, wide or json"), std::string::npos);
  EXPECT_NE(refused({"--resource", "ory"}).find("did you mean \"memory\"?"), std::string::npos);
  const std::string absent = refused({"--resource", "gpu"});
  EXPECT_NE(absent.find("no resource \"gpu\"; expected one of: cpu"), std::string::npos) << absent;
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
}  // namespace berth::tools::queues_command_test
