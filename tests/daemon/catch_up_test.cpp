#include "daemon/catch_up.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace berth::daemon {
namespace {

using namespace std::chrono_literals;
using Uids = std::set<std::string>;

// An API server whose answers come when the test says so.
class Server final : public ports::StartingPods {
 public:
  void read(Done done) override { questions.push_back(std::move(done)); }
  void answer(std::optional<Uids> uids) {
    const Done done = std::move(questions.back());
    questions.pop_back();
    done(std::move(uids));
  }
  std::vector<Done> questions;
};

class CatchUpTest : public ::testing::Test {
 protected:
  bool has_ended(std::uint64_t epoch = 7) {
    return catch_up_.has_ended(
        epoch, [this](const std::string& uid) { return bound_.contains(uid); }, now_);
  }

  Server server_;
  int woken_ = 0;
  ports::Behind behind_;
  int doubted_ = 0;
  Duration within_{};     // of the last doubt
  Duration asked_for_{};  // what is behind
  std::vector<std::string> lines_;
  CatchUp catch_up_{{&server_, [this] { ++woken_; },
                     [this](const std::string& line) { lines_.push_back(line); },
                     [this](Duration within) {
                       asked_for_ = within;
                       return behind_;
                     },
                     [this](Duration within) {
                       ++doubted_;
                       within_ = within;
                     }}};
  TimePoint now_;
  Uids bound_{"a", "b"};  // as the watches show it
};

TEST_F(CatchUpTest, LEASE9NothingIsDecidedBeforeTheAnswer) {
  EXPECT_FALSE(has_ended());
  EXPECT_TRUE(catch_up_.is_open());
  EXPECT_FALSE(has_ended());
  ASSERT_EQ(server_.questions.size(), 1U);
  server_.answer(Uids{"a"});
  EXPECT_EQ(woken_, 1);
  EXPECT_EQ(doubted_, 1);
  EXPECT_TRUE(has_ended());
  EXPECT_FALSE(catch_up_.is_open());
  EXPECT_TRUE(lines_.empty());
}

TEST_F(CatchUpTest, LEASE9ABindingThatTheWatchesHaveNotShownIsWaitedFor) {
  EXPECT_FALSE(has_ended());
  server_.answer(Uids{"a", "c", "d"});
  EXPECT_FALSE(has_ended());
  bound_.insert("d");
  EXPECT_FALSE(has_ended());
  bound_.insert("c");
  EXPECT_TRUE(has_ended());
}

TEST_F(CatchUpTest, LEASE9APodThatHasGoneIsWaitedForUntilTheNextAnswer) {
  EXPECT_FALSE(has_ended());
  server_.answer(Uids{"a", "c", "d"});
  EXPECT_FALSE(has_ended());
  now_ += 500ms;
  EXPECT_FALSE(has_ended());
  server_.answer(std::nullopt);
  EXPECT_FALSE(has_ended()) << "no answer says nothing";
  now_ += 500ms;
  EXPECT_FALSE(has_ended());
  server_.answer(Uids{"c", "e"});
  EXPECT_FALSE(has_ended()) << "c is there still";
  bound_.insert("c");
  EXPECT_TRUE(has_ended()) << "pods that came to be bound since do not count";
}

TEST_F(CatchUpTest, LEASE9AKindThatIsListedAgainIsWaitedFor) {
  behind_.optional = {"namespaces"};
  EXPECT_FALSE(has_ended());
  server_.answer(Uids{});
  EXPECT_FALSE(has_ended());
  behind_ = {};
  EXPECT_TRUE(has_ended());
}

// While one answer of two is lost, all kinds are never without a fault at one time.
TEST_F(CatchUpTest, LEASE9AKindHasToProveItselfOnce) {
  behind_.required = {"pods"};
  EXPECT_FALSE(has_ended());
  EXPECT_EQ(within_, 0s);
  server_.answer(Uids{"a"});
  now_ += 3s;
  EXPECT_FALSE(has_ended());
  EXPECT_EQ(within_, 3s);
  EXPECT_EQ(asked_for_, 3s);
  EXPECT_EQ(doubted_, 2);
  now_ += 20s;
  EXPECT_FALSE(has_ended());
  EXPECT_EQ(asked_for_, 10s) << "what was seen then is old";
  behind_ = {};
  EXPECT_TRUE(has_ended());
}

TEST_F(CatchUpTest, LEASE9WhilePodsAreMissingNoProofWasEnough) {
  behind_.required = {"pods"};
  EXPECT_FALSE(has_ended());
  server_.answer(Uids{"a", "c"});
  now_ += 9s;
  EXPECT_FALSE(has_ended());
  EXPECT_EQ(within_, 0s);
  EXPECT_EQ(asked_for_, 0s);
  now_ += 1s;
  EXPECT_FALSE(has_ended());
  EXPECT_EQ(asked_for_, 10s) << "they are waited for no longer";
  behind_ = {};
  EXPECT_TRUE(has_ended());
}

TEST_F(CatchUpTest, LEASE9AListThatDoesNotEndIsWaitedForTenSeconds) {
  behind_.optional = {"namespaces", "limits"};
  EXPECT_FALSE(has_ended());
  server_.answer(Uids{});
  EXPECT_FALSE(has_ended());
  now_ += 10s;
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(lines_, std::vector<std::string>{"namespaces, limits could not be listed or watched "
                                             "again within 10s; sessions begin"});
}

TEST_F(CatchUpTest, LEASE9RequiredKindsAreWaitedForWithoutLimit) {
  behind_ = {.required = {"pods"}, .optional = {"namespaces"}};
  EXPECT_FALSE(has_ended());
  server_.answer(Uids{});
  for (int i = 0; i < 3; ++i) {
    now_ += 10s;
    EXPECT_FALSE(has_ended());
  }
  EXPECT_EQ(lines_,
            std::vector<std::string>{"pods could not be listed or watched again within 10s; no "
                                     "session begins before that"});
  behind_ = {};
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(lines_.size(), 1U);
}

// It has ended since.
TEST_F(CatchUpTest, LEASE9APodThatTheWatchesHaveShownOnceIsNotMissing) {
  EXPECT_FALSE(has_ended());
  server_.answer(Uids{"a", "c"});
  EXPECT_FALSE(has_ended());
  bound_ = {"c"};
  EXPECT_TRUE(has_ended());
}

TEST_F(CatchUpTest, LEASE9AQuestionWithoutAnAnswerIsAskedAgain) {
  EXPECT_FALSE(has_ended());
  server_.answer(std::nullopt);
  EXPECT_FALSE(has_ended());
  EXPECT_TRUE(server_.questions.empty()) << "not at once";
  now_ += 500ms;
  EXPECT_FALSE(has_ended());
  ASSERT_EQ(server_.questions.size(), 1U);
  server_.answer(Uids{});
  EXPECT_TRUE(has_ended());
}

TEST_F(CatchUpTest, LEASE9ItIsWaitedForTenSeconds) {
  EXPECT_FALSE(has_ended());
  now_ += 9999ms;
  EXPECT_FALSE(has_ended());
  now_ += 1ms;
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(lines_, std::vector<std::string>{
                        "the pods that were just bound could not be read; sessions begin"});
  EXPECT_FALSE(has_ended(8)) << "another term";
  server_.answer(Uids{"a", "c", "d"});
  now_ += 10s;
  EXPECT_TRUE(has_ended(8));
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_EQ(lines_[1],
            "the watches are behind: they have not shown the binding of 2 pods within 10s; "
            "sessions begin");
}

TEST_F(CatchUpTest, LEASE9AnAnswerToAnEarlierTermsQuestionMeansNothing) {
  EXPECT_FALSE(has_ended(7));
  EXPECT_FALSE(has_ended(8));
  ASSERT_EQ(server_.questions.size(), 2U);
  std::swap(server_.questions[0], server_.questions[1]);
  server_.answer(Uids{});
  EXPECT_FALSE(has_ended(8));
  server_.answer(Uids{});
  EXPECT_TRUE(has_ended(8));
}

TEST(CatchUp, LEASE9WithoutAnotherLeaderNothingIsRead) {
  CatchUp catch_up({nullptr, [] {}, [](const std::string&) {}});
  EXPECT_TRUE(catch_up.has_ended(1, {}, {}));
}

}  // namespace
}  // namespace berth::daemon
