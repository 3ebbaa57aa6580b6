#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "berth/base/text.h"
#include "tools/answering_server.h"
#include "tools/berth_process.h"
#include "tools/fake_cluster.h"
#include "views/start_document.h"

// Starts that berthd has forecast, in berth why, berth jobs and berth when --accuracy.
namespace berth::tools::starts_test {
namespace {

using nlohmann::json;

std::string waiting(const std::string& starts) {
  return R"({"phase":"Inqueue","waiting":{"reason":"gang_incomplete","message":"1 of 2",)"
         R"("queue":"research","position":"1st of 1 in queue research","queuePosition":1)" +
         starts + "}}";
}

class Starts : public testing::Test {
 protected:
  void serve(const std::string& starts) {
    cluster_.serve(kGroups, {group_json("train", waiting(starts))});
    cluster_.serve(kPods, {pod_json("train-0", "train")});
  }
  std::string output_of(const std::vector<std::string>& words) {
    const Outcome outcome = cluster_.run(words);
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  }

  FakeCluster cluster_;
};

constexpr const char* kAll =
    R"(,"startsBy":"2126-11-28T13:00:00Z","likelyFrom":"2126-11-28T10:00:00Z",)"
    R"("likelyTo":"2126-11-28T12:00:00Z")";

TEST_F(Starts, AreInWhyAsTimes) {
  serve(kAll);
  const std::string text = output_of({"why", "train", "-o", "wide"});
  EXPECT_NE(text.find("likely between 2126-11-28T10:00:00Z (in "), std::string::npos) << text;
  EXPECT_NE(text.find("; by 2126-11-28T13:00:00Z (in "), std::string::npos) << text;
  EXPECT_NE(text.find("at the latest, if all pods keep their time limits"), std::string::npos);
}

TEST_F(Starts, AreInTheDocuments) {
  serve(kAll);
  const json job = json::parse(output_of({"jobs", "-o", "json"}))["jobs"][0];
  EXPECT_EQ(job["startsBy"], "2126-11-28T13:00:00Z");
  EXPECT_EQ(job["likelyFrom"], "2126-11-28T10:00:00Z");
  EXPECT_EQ(job["likelyTo"], "2126-11-28T12:00:00Z");
  serve("");
  const json unknown = json::parse(output_of({"why", "train", "-o", "json"}))["jobs"][0];
  EXPECT_TRUE(unknown["startsBy"].is_null());
  EXPECT_TRUE(unknown["likelyTo"].is_null());
}

TEST_F(Starts, AreAColumnOfJobs) {
  serve(R"(,"likelyFrom":"2020-01-01T00:00:00Z","likelyTo":"2020-01-01T00:00:00Z")");
  const std::string text = output_of({"jobs", "-o", "wide"});
  EXPECT_NE(text.find("STARTS"), std::string::npos) << text;
  EXPECT_NE(text.find("now"), std::string::npos) << text;
}

TEST_F(Starts, ThatNobodyKnowsAreNotKnown) {
  serve("");
  const std::string text = output_of({"why", "train", "-o", "wide"});
  EXPECT_NE(text.find("not known: see docs/forecast.md"), std::string::npos) << text;
}

// A user may write anything there.
TEST_F(Starts, ThatAreNoTimesLoseNothingElse) {
  serve(R"(,"startsBy":"tomorrow","likelyFrom":7,"likelyTo":[])");
  const std::string text = output_of({"why", "train", "-o", "wide"});
  EXPECT_NE(text.find("1st of 1 in queue research"), std::string::npos) << text;
}

views::StartTable table() {
  views::StartTable table;
  table.made_at = *parse_time("2026-11-28T10:00:00Z");
  table.planned_for = std::chrono::milliseconds(12);
  table.learned_keys = 7;
  table.accuracy = {50, 40, 4, 6, std::chrono::minutes(25), 9, 2};
  table.rows.push_back({"ml/train",
                        "u1",
                        "research",
                        {{}, table.made_at, table.made_at + std::chrono::hours(1)},
                        table.made_at + std::chrono::minutes(30)});
  return table;
}

TEST(Accuracy, IsThatOfARunningBerthd) {
  const AnsweringServer server("/starts",
                               {200, "application/json", views::write_start_table(table())});
  const Outcome outcome =
      run_program({"when", "--accuracy", "--server", server.url(), "-o", "wide"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* part : {"40 (80 %)", "4 (8 %)", "6 (12 %)", "25m", "2026-11-28T10:00:00Z"}) {
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part << "\n" << outcome.out;
  }
  const Outcome document =
      run_program({"when", "--accuracy", "--server", server.url(), "-o", "json"});
  const auto read = views::read_start_table(document.out, "out");
  ASSERT_TRUE(read) << read.error().to_string();
  EXPECT_EQ(read->rows.at(0).planned, table().rows[0].planned);
  EXPECT_EQ(read->rows.at(0).start, table().rows[0].start);
  EXPECT_EQ(read->accuracy.broken, 2);
  EXPECT_EQ(read->planned_for, std::chrono::milliseconds(12));
}

TEST(Accuracy, NeedsABerthdThatForecasts) {
  const Outcome alone = run_program({"when", "--accuracy"});
  EXPECT_EQ(alone.exit_code, 2);
  EXPECT_NE(alone.err.find("--accuracy: given without --server"), std::string::npos) << alone.err;
  const AnsweringServer off("/starts", http::text_response(503, "forecast.period is 0s"));
  const Outcome none = run_program({"when", "--accuracy", "--server", off.url()});
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_NE(none.err.find("forecast.period is 0s"), std::string::npos) << none.err;
  const AnsweringServer bad("/starts", {200, "application/json", R"({"kind":"Starts"})"});
  const Outcome broken = run_program({"when", "--accuracy", "--server", bad.url()});
  EXPECT_EQ(broken.exit_code, 2);
  EXPECT_NE(broken.err.find("no jobs, expected the document of /starts"), std::string::npos)
      << broken.err;
}

}  // namespace
}  // namespace berth::tools::starts_test
