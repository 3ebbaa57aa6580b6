#include <gtest/gtest.h>

#include "podview/fixture.h"

namespace berth::podview {
namespace {

// VIEW-17: frames of berthd's own watch.

TEST_F(PodViewTest, VIEW17APodThatHasEndedIsDeletedForAClientThatSelectsOthers) {
  EXPECT_EQ(take_of_all(event("ADDED", {.name = "a", .version = "5", .node = "n1"})),
            Texts{"ADDED a 5 on n1 managed"});
  const Sample changed{.name = "a", .version = "6", .node = "n1", .phase = "Running"};
  EXPECT_EQ(take_of_all(event("MODIFIED", changed)), Texts{"MODIFIED a 6 on n1 managed"});
  for (const char* phase : {"Succeeded", "Failed"}) {
    const Sample ended{.name = "a", .version = "7", .node = "n1", .phase = phase};
    EXPECT_EQ(take_of_all(event("MODIFIED", ended)), Texts{"DELETED a 7 on n1 managed"});
    EXPECT_EQ(take_of_all(event("MODIFIED", ended)), Texts{}) << "it comes once";
    EXPECT_EQ(take_of_all(event("DELETED", ended)), Texts{});
    EXPECT_TRUE(stream_.memory().ended.empty());
  }
  EXPECT_EQ(
      take_of_all(event("DELETED", {.name = "z", .version = "7", .node = "n1", .phase = "Failed"})),
      Texts{})
      << "the client has no pod that had ended before";
  EXPECT_EQ(stream_.version_seen(), "7");
  EXPECT_EQ(stream_.version_sent(), "7");
  EXPECT_EQ(take(event("MODIFIED", {.name = "b", .version = "8", .node = "n1", .phase = "Failed"})),
            Texts{"MODIFIED b 8 on n1 managed"})
      << "upstream knows what the client selects";
}

TEST_F(PodViewTest, VIEW17FramesOfTheWindowPassAsTheyCame) {
  const Texts frames{event("ADDED", {.name = "a", .version = "5", .node = "n1"}),
                     event("MODIFIED", {.name = "b", .version = "6", .scheduler = "x"}),
                     event("DELETED", {.name = "a", .version = "7", .node = "n1"}), bookmark("9")};
  for (const std::string& frame : frames) {
    std::string out;
    ASSERT_TRUE(stream_.take_of_all(frame, out));
    EXPECT_EQ(out, frame);
  }
  EXPECT_EQ(stream_.version_sent(), "9");
}

TEST_F(PodViewTest, VIEW17AWaitingPodThatHasEndedIsForgotten) {
  for (const char* name : {"a", "b"}) {
    EXPECT_EQ(take_of_all(event("ADDED", {.name = name, .version = "5"})), Texts{});
  }
  EXPECT_EQ(follow({shown("a", "n1")}), Texts{"ADDED a 5 (metadata.name In n1)"});
  EXPECT_EQ(take_of_all(event("MODIFIED", {.name = "a", .version = "6"})),
            Texts{"MODIFIED a 6 (metadata.name In n1)"});
  EXPECT_EQ(take_of_all(event("MODIFIED", {.name = "a", .version = "7", .phase = "Failed"})),
            Texts{"DELETED a 7 managed"});
  EXPECT_EQ(take_of_all(event("MODIFIED", {.name = "b", .version = "8", .phase = "Failed"})),
            Texts{})
      << "it was hidden";
  EXPECT_TRUE(stream_.memory().pods.empty());
  EXPECT_TRUE(stream_.memory().shown.empty());
  EXPECT_EQ(take_of_all(event("DELETED", {.name = "a", .version = "9", .phase = "Failed"})),
            Texts{});
  EXPECT_EQ(follow({shown("a", "n1", 2), shown("b", "n1")}), Texts{});
  EXPECT_EQ(stream_.version_seen(), "9");
}

TEST_F(PodViewTest, VIEW17AnotherPodUnderTheNameOfAShownOneThatHasEnded) {
  take_of_all(event("ADDED", {.name = "a", .version = "5"}));
  follow({shown("a", "n1")});
  const Sample other{.name = "a", .version = "6", .uid = "new", .node = "n2", .phase = "Succeeded"};
  EXPECT_EQ(take_of_all(event("ADDED", other)),
            (Texts{"DELETED a 6", "DELETED a 6 on n2 managed"}));
  EXPECT_TRUE(stream_.memory().pods.empty());
}

TEST_F(PodViewTest, VIEW17TheWindowGoesOnAfterAnEventThatUpstreamHasCut) {
  take(bookmark("4"));
  const std::string frame = event("ADDED", {.name = "a", .version = "5", .node = "n1"});
  take(frame.substr(0, frame.size() / 2));
  stream_.leave_upstream();
  EXPECT_EQ(take_of_all(frame), Texts{"ADDED a 5 on n1 managed"});
}

TEST_F(PodViewTest, VIEW17AStreamThatHasLeftTheWindowExpires) {
  take(bookmark("4"));
  std::string out;
  stream_.expire(out);
  EXPECT_EQ(testing::events_of(out), Texts{"ERROR 410"});
  EXPECT_TRUE(stream_.is_expired());
  EXPECT_EQ(follow({shown("a", "n1")}), Texts{});
  EXPECT_FALSE(std::move(stream_).end().can_resume());
}

}  // namespace
}  // namespace berth::podview
