#include "daemon/learned.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace berth::daemon::learned_test {
namespace {

using ports::LearnedStore;
using std::chrono::minutes;
using std::chrono::seconds;

// Keeps what it is asked until the test answers.
class Store final : public LearnedStore {
 public:
  void read(Read done) override { reads.push_back(std::move(done)); }
  void write(const Texts& texts, std::uint64_t epoch, Written done) override {
    writes.emplace_back(texts, epoch);
    answers.push_back(std::move(done));
  }

  std::vector<Read> reads;
  std::vector<std::pair<Texts, std::uint64_t>> writes;
  std::vector<Written> answers;
};

class LearnedTest : public testing::Test {
 protected:
  Learned make() {
    Learned learned(
        {&store_, [this] { ++woken_; }, [this](const std::string& line) { log_.push_back(line); }});
    for (const char* key : {"a", "b"}) {
      learned.add(
          key, [this, key](TimePoint) { return knows_[key]; },
          [this, key](const std::string& text, TimePoint) -> Status {
            if (text == "odd") return Error{"odd, expected better", key};
            knows_[key] += text;
            return Done{};
          });
    }
    return learned;
  }
  static TimePoint at(Duration time) { return TimePoint(std::chrono::hours(1000)) + time; }

  Store store_;
  std::map<std::string, std::string> knows_;
  std::vector<std::string> log_;
  int woken_ = 0;
};

// LEARN-1
TEST_F(LearnedTest, is_read_once_and_joined_with_what_was_learned_meanwhile) {
  Learned learned = make();
  learned.start_leading(3, at({}));
  ASSERT_EQ(store_.reads.size(), 1U);
  knows_["a"] = "new+";
  store_.reads[0]({{"a", "old"}, {"other", "x"}}, {});
  EXPECT_EQ(woken_, 1);
  learned.follow_up(at(seconds(1)));
  learned.follow_up(at(minutes(5)));
  EXPECT_EQ(knows_["a"], "new+old");
  EXPECT_EQ(store_.reads.size(), 1U);
  EXPECT_TRUE(store_.writes.empty());
  EXPECT_TRUE(log_.empty());
}

// LEARN-2
TEST_F(LearnedTest, is_not_written_before_it_was_read) {
  Learned learned = make();
  learned.start_leading(3, at({}));
  knows_["a"] = "new";
  store_.reads[0]({}, {"no answer", true});
  for (int i = 1; i <= 20; ++i) learned.follow_up(at(seconds(30 * i)));
  EXPECT_TRUE(store_.writes.empty());
  ASSERT_EQ(store_.reads.size(), 2U) << "once more, a minute later, and not answered";
  store_.reads[1]({}, {});
  learned.follow_up(at(minutes(11)));
  ASSERT_EQ(store_.writes.size(), 1U);
  EXPECT_EQ(store_.writes[0].first, (LearnedStore::Texts{{"a", "new"}}));
  EXPECT_EQ(store_.writes[0].second, 3U);
}

TEST_F(LearnedTest, is_left_alone_for_this_term_if_it_is_forbidden) {
  Learned learned = make();
  learned.start_leading(3, at({}));
  knows_["a"] = "new";
  store_.reads[0]({}, {"status 403: no", false});
  for (int i = 1; i < 100; ++i) learned.follow_up(at(minutes(i)));
  learned.stop_leading(true, at(minutes(100)));
  EXPECT_TRUE(store_.writes.empty());
  EXPECT_EQ(store_.reads.size(), 1U);
  EXPECT_EQ(log_, (std::vector<std::string>{
                      "what was learned cannot be kept, learning begins anew: status 403: no"}));
  learned.start_leading(4, at(minutes(101)));
  EXPECT_EQ(store_.reads.size(), 2U);
}

TEST_F(LearnedTest, begins_anew_where_a_text_cannot_be_read) {
  Learned learned = make();
  learned.start_leading(3, at({}));
  store_.reads[0]({{"a", "odd"}, {"b", "good"}}, {});
  learned.follow_up(at(seconds(1)));
  EXPECT_EQ(knows_["b"], "good");
  EXPECT_EQ(log_, (std::vector<std::string>{"what was learned cannot be read, learning of a "
                                            "begins anew: a: odd, expected better"}));
  knows_["a"] = "better";
  learned.follow_up(at(minutes(10)));
  ASSERT_EQ(store_.writes.size(), 1U);
  EXPECT_EQ(store_.writes[0].first, (LearnedStore::Texts{{"a", "better"}}));
}

// LEARN-3
TEST_F(LearnedTest, is_written_once_in_ten_minutes_at_most_and_only_if_it_has_changed) {
  Learned learned = make();
  learned.start_leading(3, at({}));
  store_.reads[0]({{"a", "1"}}, {});
  for (int second = 1; second <= 3600; ++second) {
    if (second < 1800) knows_["a"] += "x";
    learned.follow_up(at(seconds(second)));
    for (auto& answer : std::exchange(store_.answers, {})) answer({});
  }
  EXPECT_EQ(store_.writes.size(), 3U);
  EXPECT_EQ(store_.writes.back().first.at("a"), knows_["a"]);
  EXPECT_EQ(store_.writes.back().first.count("b"), 0U) << "nothing is known of it";
}

TEST_F(LearnedTest, is_sent_again_if_it_was_not_written) {
  Learned learned = make();
  learned.start_leading(3, at({}));
  store_.reads[0]({}, {});
  knows_["a"] = "1";
  learned.follow_up(at(minutes(10)));
  store_.answers[0]({"status 500", true});
  learned.follow_up(at(minutes(15)));
  EXPECT_EQ(store_.writes.size(), 1U);
  learned.follow_up(at(minutes(20)));
  EXPECT_EQ(store_.writes.size(), 2U);
  EXPECT_EQ(log_, (std::vector<std::string>{"what was learned was not written: status 500"}));
}

// LEARN-4
TEST_F(LearnedTest, is_written_in_the_end_if_the_term_still_holds) {
  Learned learned = make();
  learned.start_leading(3, at({}));
  store_.reads[0]({}, {});
  learned.follow_up(at(seconds(1)));
  knows_["a"] = "1";
  learned.stop_leading(true, at(seconds(2)));
  ASSERT_EQ(store_.writes.size(), 1U);
  EXPECT_EQ(store_.writes[0].second, 3U);
  EXPECT_TRUE(learned.is_ending(at(seconds(2))));
  EXPECT_FALSE(learned.is_ending(at(seconds(3)))) << "it is waited for no longer";
  store_.answers[0]({});
  learned.follow_up(at(seconds(2)));
  EXPECT_FALSE(learned.is_ending(at(seconds(2))));

  learned.start_leading(5, at(seconds(10)));
  store_.reads[1]({}, {});
  learned.follow_up(at(seconds(11)));
  learned.stop_leading(false, at(seconds(12)));
  EXPECT_EQ(store_.writes.size(), 1U) << "another may lead";
  EXPECT_FALSE(learned.is_ending(at(seconds(12))));
}

// An answer of an earlier term says nothing about this one.
TEST_F(LearnedTest, takes_no_answer_of_an_earlier_term) {
  Learned learned = make();
  learned.start_leading(3, at({}));
  learned.stop_leading(true, at(seconds(1)));
  EXPECT_TRUE(store_.writes.empty()) << "nothing was read";
  learned.start_leading(5, at(seconds(2)));
  store_.reads[0]({{"a", "stale"}}, {});
  learned.follow_up(at(seconds(3)));
  EXPECT_EQ(knows_["a"], "");
  store_.reads[1]({{"a", "fresh"}}, {});
  learned.follow_up(at(seconds(4)));
  EXPECT_EQ(knows_["a"], "fresh");
}

// LEARN-5
TEST_F(LearnedTest, leaves_out_what_does_not_fit_and_says_so_once) {
  Learned learned = make();
  learned.start_leading(3, at({}));
  store_.reads[0]({}, {});
  knows_["a"] = std::string(600'000, 'a');
  knows_["b"] = std::string(400'000, 'b');
  for (int i = 1; i <= 3; ++i) {
    knows_["a"][0] = static_cast<char>('0' + i);
    learned.follow_up(at(minutes(10 * i)));
    for (auto& answer : std::exchange(store_.answers, {})) answer({});
  }
  ASSERT_EQ(store_.writes.size(), 3U);
  for (const auto& [texts, epoch] : store_.writes) EXPECT_EQ(texts.count("b"), 0U);
  EXPECT_EQ(log_, (std::vector<std::string>{
                      "what was learned is not written as a whole, since only 900000 bytes may be "
                      "kept: b has 400000 bytes"}));
}

TEST_F(LearnedTest, does_nothing_without_a_store) {
  Learned learned({nullptr, [] {}, [](const std::string&) {}});
  learned.add(
      "a", [](TimePoint) { return "x"; },
      [](const std::string&, TimePoint) -> Status { return Done{}; });
  learned.start_leading(1, at({}));
  learned.follow_up(at(minutes(20)));
  learned.stop_leading(true, at(minutes(21)));
  EXPECT_FALSE(learned.is_ending(at(minutes(21))));
}

}  // namespace
}  // namespace berth::daemon::learned_test
