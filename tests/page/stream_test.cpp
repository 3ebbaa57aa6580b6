#include "page/stream.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace berth::page::stream_test {
namespace {

using Json = nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;

class Asker final : public http::Responder::Exchange {
 public:
  void answer(http::Response response) override { response_ = std::move(response); }
  void on_disconnect(std::function<void()> callback) override { leave_ = std::move(callback); }
  bool has_answer() const { return response_.has_value(); }
  int status() const { return response_ ? response_->status : 0; }
  Json document() const { return response_ ? Json::parse(response_->body) : Json(); }
  std::string age() const {
    for (const auto& [name, value] : response_ ? response_->headers : http::Response().headers) {
      if (name == "Age") return value;
    }
    return "none";
  }
  bool closes() const { return response_ && response_->closes; }
  void leave() const { leave_(); }

 private:
  std::optional<http::Response> response_;
  std::function<void()> leave_;
};

// A stream without a thread, and with a clock of our own.
class StreamTest : public testing::Test {
 protected:
  std::shared_ptr<Asker> ask(const std::string& query = "") {
    auto asker = std::make_shared<Asker>();
    stream_.request(query, http::Responder(asker));
    stream_.turn();
    return asker;
  }
  std::shared_ptr<Asker> ask_after(std::uint64_t version) {
    return ask("instance=one&after=" + std::to_string(version));
  }
  // The session thread answers.
  void answer(Batch batch) {
    ASSERT_TRUE(take_);
    std::exchange(take_, nullptr)(std::move(batch));
    stream_.turn();
  }
  static Batch batch_of(const std::vector<std::string>& nodes, bool is_whole = true) {
    Batch batch;
    batch.is_whole = is_whole;
    batch.resources = {"cpu"};
    for (const std::string& name : nodes) batch.nodes.push_back({.name = name});
    return batch;
  }
  // Once somebody has looked: the version that there is.
  std::uint64_t begin() {
    const auto asker = ask();
    answer(batch_of({"n1", "n2"}));
    return asker->document()["version"].get<std::uint64_t>();
  }
  void pass(Duration time) {
    clock_.advance(time);
    stream_.turn();
  }

  ManualClock clock_{TimePoint(std::chrono::hours(1))};
  History history_;
  std::shared_ptr<const views::QueueTable> queues_;
  Stream::Take take_;
  int asked_ = 0;
  Stream stream_{{.instance = "one",
                  .version = "0",
                  .ask =
                      [this](Stream::Take take) {
                        take_ = std::move(take);
                        ++asked_;
                      },
                  .history = history_,
                  .queues = [this] { return queues_; },
                  .reservations = [] { return nullptr; },
                  .real_clock = clock_}};
};

TEST_F(StreamTest, PAGE1_NothingIsCopiedWhileNobodyLooks) {
  pass(seconds(10));
  EXPECT_EQ(asked_, 0);
  begin();
  EXPECT_EQ(asked_, 1);
  pass(milliseconds(900));
  EXPECT_EQ(asked_, 1) << "once a second";
  pass(milliseconds(100));
  EXPECT_EQ(asked_, 2);
  answer(batch_of({}, false));
  pass(seconds(59));
  ASSERT_EQ(asked_, 2 + 0) << "the last minute is over";
}

TEST_F(StreamTest, AFirstRequestGetsEverythingAsItIsThen) {
  const auto asker = ask();
  EXPECT_FALSE(asker->has_answer());
  answer(batch_of({"n1", "n2"}));
  ASSERT_TRUE(asker->has_answer());
  EXPECT_EQ(asker->status(), 200);
  EXPECT_EQ(asker->document()["whole"], true);
  EXPECT_EQ(asker->document()["set"]["nodes"].size(), 2U);
}

TEST_F(StreamTest, PAGE3_ARequestWaitsForAChange) {
  const auto asker = ask_after(begin());
  EXPECT_FALSE(asker->has_answer());
  pass(seconds(1));
  answer(batch_of({"n1"}, false));
  EXPECT_FALSE(asker->has_answer()) << "n1 is as before";
  pass(seconds(1));
  Batch batch = batch_of({"n1"}, false);
  batch.nodes[0].is_unschedulable = true;
  answer(std::move(batch));
  ASSERT_TRUE(asker->has_answer());
  EXPECT_EQ(asker->document()["whole"], false);
  EXPECT_EQ(asker->document()["set"]["nodes"], Json::parse(R"([["n1",1,-1,[],[],-1,"",[]]])"));
}

TEST_F(StreamTest, PAGE3_ARequestWaitsForTwentySecondsAtMost) {
  const std::uint64_t version = begin();
  const auto asker = ask_after(version);
  for (int i = 0; i < 19; ++i) {
    pass(seconds(1));
    answer(batch_of({}, false));
  }
  EXPECT_FALSE(asker->has_answer());
  pass(seconds(1));
  ASSERT_TRUE(asker->has_answer());
  EXPECT_EQ(asker->document()["version"], version);
  EXPECT_EQ(asker->document()["set"], Json::object());
}

TEST_F(StreamTest, PAGE2_AnotherInstanceGetsEverything) {
  const std::uint64_t version = begin();
  const auto asker = ask("instance=another&after=" + std::to_string(version));
  ASSERT_TRUE(asker->has_answer());
  EXPECT_EQ(asker->document()["whole"], true);
}

TEST_F(StreamTest, PAGE3_SixtyFourWaitAndOthersAreRefused) {
  const std::uint64_t version = begin();
  std::vector<std::shared_ptr<Asker>> askers;
  for (std::size_t i = 0; i < Stream::kWaitingMost; ++i) askers.push_back(ask_after(version));
  EXPECT_EQ(ask_after(version)->status(), 503);
  askers[3]->leave();
  stream_.turn();
  EXPECT_FALSE(ask_after(version)->has_answer());
  EXPECT_EQ(ask_after(version)->status(), 503);
}

TEST_F(StreamTest, PAGE4_AStateThatNobodyLookedAtIsNotShownAsThePresentOne) {
  begin();
  pass(std::chrono::minutes(5));
  const auto asker = ask();
  EXPECT_FALSE(asker->has_answer());
  answer(batch_of({"n3"}));
  ASSERT_TRUE(asker->has_answer());
  EXPECT_EQ(asker->document()["set"]["nodes"].size(), 1U);
}

TEST_F(StreamTest, PAGE4_ASessionThatDoesNotEndHoldsUpNoRequest) {
  const auto asker = ask();
  pass(Stream::kPatience);
  ASSERT_TRUE(asker->has_answer());
  EXPECT_EQ(asker->document()["set"], Json::object());
}

TEST_F(StreamTest, PAGE20_AnswersHaveTheAgeOfTheState) {
  const auto first = ask();
  pass(seconds(3));
  answer(batch_of({"n1"}));
  EXPECT_EQ(first->age(), "0");
  clock_.advance(milliseconds(1900));
  EXPECT_EQ(ask()->age(), "1");
}

TEST_F(StreamTest, PAGE20_ASessionThatHangsIsReportedOnce) {
  const std::uint64_t version = begin();
  const auto asker = ask_after(version);
  pass(seconds(1));  // the session thread is asked
  clock_.advance(seconds(9));
  EXPECT_EQ(stream_.turn(), clock_.now() + seconds(1));
  EXPECT_FALSE(asker->has_answer());
  pass(seconds(1));
  ASSERT_TRUE(asker->has_answer());
  EXPECT_EQ(asker->document()["set"], Json::object());
  EXPECT_EQ(asker->age(), "11");
  EXPECT_EQ(ask()->age(), "11") << "who has nothing gets what there is";
  const auto again = ask_after(version);
  pass(seconds(19));
  EXPECT_FALSE(again->has_answer()) << "it is known";
  EXPECT_GT(stream_.turn(), clock_.now());
  pass(seconds(1));
  EXPECT_EQ(again->age(), "31");
  const auto back = ask_after(version);
  EXPECT_FALSE(back->has_answer());
  answer(batch_of({}, false));
  EXPECT_EQ(back->age(), "0") << "without a change";
  EXPECT_FALSE(ask_after(version)->has_answer());
}

TEST_F(StreamTest, PAGE20_AQuietClusterIsNotStale) {
  const auto asker = ask_after(begin());
  for (int i = 0; i < 20; ++i) {
    pass(seconds(1));
    answer(batch_of({}, false));
  }
  EXPECT_EQ(asker->age(), "1");
}

TEST_F(StreamTest, PAGE13_WithoutLeadingThereAreNoNodes) {
  const std::uint64_t version = begin();
  const auto asker = ask_after(version);
  pass(seconds(1));
  Batch batch;
  batch.leads = false;
  answer(std::move(batch));
  ASSERT_TRUE(asker->has_answer());
  EXPECT_EQ(asker->document()["set"]["cluster"][0]["leads"], false);
  EXPECT_EQ(asker->document()["gone"]["nodes"], (Json{"n2", "n1"}));
  EXPECT_TRUE(asker->closes());
  const auto next = ask_after(asker->document()["version"].get<std::uint64_t>());
  pass(Stream::kBesideLeader - milliseconds(1));
  EXPECT_FALSE(next->has_answer());
  pass(milliseconds(1));
  ASSERT_TRUE(next->has_answer());
  EXPECT_TRUE(next->closes());
  answer(batch_of({"n1"}));
  EXPECT_FALSE(ask()->closes());
}

TEST_F(StreamTest, QueuesAreRowsOfTheirDocument) {
  auto table = std::make_shared<views::QueueTable>();
  table->rows.resize(1);
  table->rows[0].name = "research";
  table->clear_amounts();
  queues_ = table;
  const auto asker = ask();
  answer(batch_of({}));
  EXPECT_EQ(asker->document()["set"]["queues"][0]["queue"], "research");
}

TEST_F(StreamTest, OldSessionsAreGone) {
  const std::uint64_t version = begin();
  for (std::size_t i = 0; i < History::kSessions + 5; ++i) {
    history_.add(SessionRecord{.at = TimePoint(seconds(i))});
    if (i != 2) continue;
    pass(seconds(1));
    answer(batch_of({}, false));
  }
  pass(seconds(1));
  answer(batch_of({}, false));
  const Json all = ask()->document();
  EXPECT_EQ(all["set"]["sessions"].size(), History::kSessions);
  const Json since = ask_after(version)->document();
  EXPECT_EQ(since["gone"]["sessions"].size(), 3U);
}

TEST_F(StreamTest, RefusesWhatIsNoVersion) {
  const auto asker = ask("instance=one&after=x");
  EXPECT_EQ(asker->status(), 400);
}

TEST_F(StreamTest, TheThreadAnswersAndEnds) {
  Stream stream{{.instance = "two",
                 .version = "0",
                 .ask = [](const Stream::Take& take) { take(batch_of({"n1"})); },
                 .history = history_,
                 .queues = [this] { return queues_; },
                 .reservations = [] { return nullptr; },
                 .real_clock = clock_}};
  stream.start();
  const auto asker = std::make_shared<Asker>();
  stream.request("instance=two&after=99", http::Responder(asker));
  stream.stop();
  EXPECT_TRUE(asker->status() == 200 || asker->status() == 503);
}

}  // namespace
}  // namespace berth::page::stream_test
