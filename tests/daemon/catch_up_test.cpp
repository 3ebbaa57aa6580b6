#include "daemon/catch_up.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace berth::daemon {
namespace {

using namespace std::chrono_literals;
using Pods = std::optional<std::vector<ports::PendingPod>>;

// An API server whose answers come when the test says so.
class Server final : public ports::PendingPods {
 public:
  void read(Done done) override { questions.push_back(std::move(done)); }
  void answer(Pods pods) {
    const Done done = std::move(questions.back());
    questions.pop_back();
    done(std::move(pods));
  }
  std::vector<Done> questions;
};

class CatchUpTest : public ::testing::Test {
 protected:
  bool has_ended(std::uint64_t epoch = 7) {
    const CatchUp::Seen seen{[this] { return waiting_; },
                             [this](const std::string& uid) { return waiting_.contains(uid); },
                             [this](const std::string& uid) { return bound_.contains(uid); }};
    return catch_up_.has_ended(epoch, seen, now_);
  }
  static ports::PendingPod waits(const std::string& uid) { return {uid, "berth", ""}; }
  static ports::PendingPod is_bound(const std::string& uid) { return {uid, "berth", "n1"}; }

  Server server_;
  int woken_ = 0;
  std::vector<std::string> lines_;
  CatchUp catch_up_{{&server_,
                     {"berth"},
                     [this] { ++woken_; },
                     [this](const std::string& line) { lines_.push_back(line); }}};
  CatchUp::Time now_;
  std::set<std::string> waiting_{"a", "b"};  // as the watches show it
  std::set<std::string> bound_;
};

TEST_F(CatchUpTest, LEASE9NothingIsDecidedBeforeTheAnswer) {
  EXPECT_FALSE(has_ended());
  EXPECT_TRUE(catch_up_.is_open());
  EXPECT_FALSE(has_ended());
  ASSERT_EQ(server_.questions.size(), 1U);
  server_.answer(std::vector{waits("a"), waits("b")});
  EXPECT_EQ(woken_, 1);
  EXPECT_TRUE(has_ended());
  EXPECT_FALSE(catch_up_.is_open());
  EXPECT_TRUE(lines_.empty());
}

TEST_F(CatchUpTest, LEASE9ABindingThatTheWatchesHaveNotShownIsWaitedFor) {
  EXPECT_FALSE(has_ended());
  server_.answer(std::vector{waits("a"), is_bound("b")});
  EXPECT_FALSE(has_ended());
  waiting_.erase("b");
  EXPECT_FALSE(has_ended()) << "gone, and not yet seen again";
  bound_.insert("b");
  EXPECT_TRUE(has_ended());
}

TEST_F(CatchUpTest, LEASE9SoIsAPodThatTheWatchesHaveNotShownAtAll) {
  EXPECT_FALSE(has_ended());
  server_.answer(std::vector{waits("a"), waits("b"), is_bound("new")});
  EXPECT_FALSE(has_ended());
  bound_.insert("new");
  EXPECT_TRUE(has_ended());
}

// It runs already, or is gone.
TEST_F(CatchUpTest, LEASE9SoIsAPodThatIsNotPendingAnyMore) {
  EXPECT_FALSE(has_ended());
  server_.answer(std::vector{waits("a")});
  EXPECT_FALSE(has_ended());
  waiting_.erase("b");
  EXPECT_TRUE(has_ended());
}

TEST_F(CatchUpTest, LEASE9PodsThatComeLaterAndPodsOfOthersAreNot) {
  EXPECT_FALSE(has_ended());
  waiting_.insert("later");
  server_.answer(std::vector{waits("a"), waits("b"), waits("not seen yet"),
                             ports::PendingPod{"c", "default-scheduler", "n1"}});
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
  server_.answer(std::vector{waits("a"), waits("b")});
  EXPECT_TRUE(has_ended());
}

TEST_F(CatchUpTest, LEASE9ItIsWaitedForTenSeconds) {
  EXPECT_FALSE(has_ended());
  now_ += 9999ms;
  EXPECT_FALSE(has_ended());
  now_ += 1ms;
  EXPECT_TRUE(has_ended());
  EXPECT_EQ(lines_, std::vector<std::string>{"the pending pods could not be read; sessions begin"});
  EXPECT_FALSE(has_ended(8)) << "another term";
  server_.answer(std::vector{waits("a"), is_bound("b")});
  now_ += 10s;
  EXPECT_TRUE(has_ended(8));
  ASSERT_EQ(lines_.size(), 2U);
  EXPECT_EQ(lines_[1],
            "the watches are behind: they have not shown the change of 2 pods within 10s; "
            "sessions begin");
}

TEST_F(CatchUpTest, AnAnswerToAnEarlierTermsQuestionMeansNothing) {
  EXPECT_FALSE(has_ended(7));
  EXPECT_FALSE(has_ended(8));
  ASSERT_EQ(server_.questions.size(), 2U);
  std::swap(server_.questions[0], server_.questions[1]);
  server_.answer(std::vector{waits("a"), waits("b")});
  EXPECT_FALSE(has_ended(8));
  server_.answer(std::vector{waits("a"), waits("b")});
  EXPECT_TRUE(has_ended(8));
}

TEST(CatchUp, WithoutAnotherLeaderNothingIsRead) {
  CatchUp catch_up({nullptr, {"berth"}, [] {}, [](const std::string&) {}});
  EXPECT_TRUE(catch_up.has_ended(1, {}, {}));
}

}  // namespace
}  // namespace berth::daemon
