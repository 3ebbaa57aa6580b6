#include "podview/pod_stream.h"

#include <gtest/gtest.h>

#include "podview/fixture.h"

namespace berth::podview {
namespace {

TEST_F(PodViewTest, VIEW1OtherEventsPassAsTheyCame) {
  const std::string bytes =
      event("ADDED", {.name = "a", .version = "5", .node = "n1"}) +
      event("ADDED", {.name = "b", .version = "6", .scheduler = "default-scheduler"}) +
      event("MODIFIED", {.name = "b", .version = "7", .scheduler = "default-scheduler"}) +
      event("DELETED", {.name = "a", .version = "8", .node = "n1"}) + bookmark("9") +
      event("LATER", {.name = "c", .version = "10"}) + testing::error(500, "Internal");
  std::string out;
  ASSERT_TRUE(stream_.take(bytes, out));
  EXPECT_EQ(out, bytes);
  EXPECT_EQ(stream_.version_sent(), "9");
  EXPECT_FALSE(stream_.is_expired());
}

TEST_F(PodViewTest, VIEW2WaitingPodsAreHidden) {
  EXPECT_EQ(take("ADDED", {.name = "a", .version = "5"}), Texts{});
  EXPECT_EQ(take("MODIFIED", {.name = "a", .version = "6"}), Texts{});
  EXPECT_EQ(take("ADDED", {.name = "b", .version = "7", .scheduler = "other"}), Texts{});
  EXPECT_EQ(take("DELETED", {.name = "a", .version = "8"}), Texts{});
  EXPECT_EQ(stream_.version_seen(), "8");
  EXPECT_EQ(stream_.version_sent(), "");
  EXPECT_EQ(stream_.memory().pods.size(), 1u);
}

TEST_F(PodViewTest, VIEW2APodThatWasHiddenPassesOnceItIsBound) {
  take("ADDED", {.name = "a", .version = "5"});
  const std::string bound = event("MODIFIED", {.name = "a", .version = "6", .node = "n1"});
  std::string out;
  ASSERT_TRUE(stream_.take(bound, out));
  EXPECT_EQ(out, bound);
  EXPECT_TRUE(stream_.memory().pods.empty());
  EXPECT_EQ(follow({shown("a", "n1")}), Texts{}) << "it does not wait any more";
}

TEST_F(PodViewTest, VIEW2GatesAndDeletionHideAPodThatIsInTheTable) {
  follow({shown("a", "n1"), shown("b", "n1"), shown("c", "n1")});
  EXPECT_EQ(take("ADDED", {.name = "a", .version = "5", .is_gated = true}), Texts{});
  EXPECT_EQ(take("ADDED", {.name = "b", .version = "6", .is_terminating = true}), Texts{});
  EXPECT_EQ(follow({shown("a", "n1", 2), shown("b", "n1", 2)}), Texts{});
  EXPECT_EQ(take("MODIFIED", {.name = "a", .version = "7"}),
            Texts{"ADDED a 7 (metadata.name In n1)"});
}

TEST_F(PodViewTest, VIEW3AShownPodHasItsNodeAndIsOtherwiseUnchanged) {
  take("ADDED", {.name = "a", .version = "5"});
  take("ADDED", {.name = "b", .version = "6", .has_others = true});
  take("ADDED", {.name = "c", .version = "7", .has_required = true});
  EXPECT_EQ(follow({shown("a", "n1"), shown("b", "n2"), shown("c", "n3")}),
            (Texts{"ADDED a 7 (metadata.name In n1)",  //
                   "ADDED b 7 (metadata.name In n2) others", "ADDED c 7 ()"}));
}

TEST_F(PodViewTest, VIEW3TheNodeBecomesPartOfEachTermOfThePod) {
  take("ADDED", {.name = "a",
                 .version = "5",
                 .has_required = true,
                 .required = {{"zone In a", "disk In ssd"}, {}, {"metadata.name In n9"}},
                 .has_others = true});
  take("ADDED", {.name = "b", .version = "6", .has_required = true, .required = {{}}});
  EXPECT_EQ(follow({shown("a", "n1"), shown("b", "n1")}),
            (Texts{"ADDED a 6 (zone In a & disk In ssd & metadata.name In n1) | "
                   "(metadata.name In n9 & metadata.name In n1) others",
                   "ADDED b 6 ()"}))
      << "an empty term matches nothing";
}

TEST_F(PodViewTest, VIEW3AHintIsANominationInTheCopy) {
  take("ADDED", {.name = "a", .version = "5"});
  take("ADDED", {.name = "b", .version = "6", .nominated = "n7"});
  take("ADDED", {.name = "c", .version = "7", .has_status = false});
  EXPECT_EQ(follow({hinted("a", "n1"), hinted("b", "n2"), hinted("c", "n3")}),
            (Texts{"ADDED a 7 nominated n1 marked", "ADDED b 7 nominated n2 marked",
                   "ADDED c 7 nominated n3 marked"}));
  EXPECT_EQ(take("MODIFIED", {.name = "a", .version = "8"}),
            Texts{"MODIFIED a 8 nominated n1 marked"});
}

TEST_F(PodViewTest, VIEW3ChangesOfAShownPodHaveItsNode) {
  take("ADDED", {.name = "a", .version = "5"});
  follow({shown("a", "n1")});
  EXPECT_EQ(take("MODIFIED", {.name = "a", .version = "6"}),
            Texts{"MODIFIED a 6 (metadata.name In n1)"});
  EXPECT_EQ(take("MODIFIED", {.name = "a", .version = "7", .is_terminating = true}),
            Texts{"MODIFIED a 7 (metadata.name In n1)"});
  EXPECT_EQ(take("MODIFIED", {.name = "a", .version = "8", .node = "n1"}),
            Texts{"MODIFIED a 8 on n1 managed"});
  EXPECT_EQ(follow({}), Texts{}) << "bound pods are nobody's to withdraw";
}

TEST_F(PodViewTest, VIEW4EventsOfOursHaveTheLatestVersion) {
  take("ADDED", {.name = "a", .version = "9"});
  take("ADDED", {.name = "hidden", .version = "10"});
  take(bookmark("12"));
  EXPECT_EQ(follow({shown("a", "n1")}), Texts{"ADDED a 12 (metadata.name In n1)"});
  EXPECT_EQ(take("MODIFIED", {.name = "a", .version = "11"}),
            Texts{"MODIFIED a 12 (metadata.name In n1)"})
      << "upstream went back";
  take("MODIFIED", {.name = "hidden", .version = "100"});
  EXPECT_EQ(follow({}), Texts{"DELETED a 100"});
  EXPECT_EQ(stream_.version_sent(), "100");
}

TEST_F(PodViewTest, VIEW9AWithdrawnPodStillWaits) {
  take("ADDED", {.name = "a", .version = "5"});
  follow({shown("a", "n1")});
  follow({});
  ASSERT_NE(stream_.memory().find("default", "a"), nullptr);
  EXPECT_FALSE(stream_.memory().find("default", "a")->is_shown);
  EXPECT_EQ(stream_.memory().find("default", "b"), nullptr);
}

TEST_F(PodViewTest, VIEW5APodMovesByDeletedAndAdded) {
  take("ADDED", {.name = "a", .version = "5"});
  follow({shown("a", "n1", 1)});
  EXPECT_EQ(follow({shown("a", "n2", 2)}),
            (Texts{"DELETED a 5", "ADDED a 5 (metadata.name In n2)"}));
  EXPECT_EQ(follow({shown("a", "n2", 2)}), Texts{}) << "another table with the same";
  EXPECT_EQ(follow({shown("a", "n2", 3)}),
            (Texts{"DELETED a 5", "ADDED a 5 (metadata.name In n2)"}));
  EXPECT_FALSE(stream_.has_deferred());
}

TEST_F(PodViewTest, VIEW5APodIsAddedAgainWhenNoCallIsOpen) {
  take("ADDED", {.name = "a", .version = "5"});
  follow({shown("a", "n1", 1)});
  calls_.stages["a"] = Stage::open;
  EXPECT_EQ(follow({shown("a", "n2", 2)}), Texts{"DELETED a 5"});
  EXPECT_TRUE(stream_.has_deferred());
  EXPECT_EQ(take("MODIFIED", {.name = "a", .version = "6"}), Texts{});
  EXPECT_EQ(follow(), Texts{});
  calls_.stages["a"] = Stage::none;
  EXPECT_EQ(follow(), Texts{"ADDED a 6 (metadata.name In n2)"});
  EXPECT_FALSE(stream_.has_deferred());
  EXPECT_EQ(follow(), Texts{});
}

TEST_F(PodViewTest, VIEW5NothingIsDeletedWhileItsBindingIsUnderWay) {
  take("ADDED", {.name = "a", .version = "5"});
  take("ADDED", {.name = "b", .version = "6"});
  follow({shown("a", "n1"), shown("b", "n1")});
  calls_.stages = {{"a", Stage::binding}, {"b", Stage::binding}};
  EXPECT_EQ(follow({shown("b", "n2", 2)}), Texts{});
  EXPECT_TRUE(stream_.has_deferred());
  EXPECT_EQ(take("MODIFIED", {.name = "a", .version = "7", .node = "n1"}),
            Texts{"MODIFIED a 7 on n1 managed"});
  calls_.stages["b"] = Stage::open;  // the Binding has failed
  EXPECT_EQ(follow(), Texts{"DELETED b 7"});
  calls_.stages["b"] = Stage::none;
  EXPECT_EQ(follow(), Texts{"ADDED b 7 (metadata.name In n2)"});
  EXPECT_FALSE(stream_.has_deferred());
}

TEST_F(PodViewTest, DeletedShownPodsLeave) {
  take("ADDED", {.name = "a", .version = "5"});
  follow({shown("a", "n1")});
  ASSERT_NE(stream_.memory().find("default", "a"), nullptr);
  EXPECT_TRUE(stream_.memory().find("default", "a")->is_shown);
  EXPECT_EQ(stream_.memory().find("default", "a")->node, "n1");
  EXPECT_EQ(take("DELETED", {.name = "a", .version = "6"}), Texts{"DELETED a 6 managed"});
  EXPECT_EQ(stream_.memory().find("default", "a"), nullptr);
  EXPECT_EQ(follow({}), Texts{});
}

TEST_F(PodViewTest, AnotherPodOfTheSameNameIsNotTheShownOne) {
  take("ADDED", {.name = "a", .version = "5"});
  follow({shown("a", "n1")});
  EXPECT_EQ(take("ADDED", {.name = "a", .version = "6", .uid = "a2"}), Texts{"DELETED a 6"});
  EXPECT_EQ(stream_.memory().pods.size(), 1u);
  EXPECT_EQ(stream_.memory().shown.size(), 0u);
}

TEST_F(PodViewTest, PodsAreAddedInTheOrderOfTheTable) {
  for (const char* name : {"a", "b", "c"}) take("ADDED", {.name = name, .version = "5"});
  EXPECT_EQ(follow({shown("c", "n1"), shown("d", "n1"), shown("a", "n1"), shown("b", "n1")}),
            (Texts{"ADDED c 5 (metadata.name In n1)", "ADDED a 5 (metadata.name In n1)",
                   "ADDED b 5 (metadata.name In n1)"}));
  EXPECT_EQ(take("ADDED", {.name = "d", .version = "6"}), Texts{"ADDED d 6 (metadata.name In n1)"});
}

TEST_F(PodViewTest, CallsOfDeferredPodsAloneAreLookedAtAgain) {
  for (const char* name : {"a", "b", "c"}) take("ADDED", {.name = name, .version = "5"});
  calls_.stages["a"] = Stage::open;
  follow({shown("a", "n1"), shown("b", "n1")});
  follow();
  EXPECT_EQ(calls_.asked, 3) << "two pods, then the deferred one";
  calls_.stages.clear();
  follow();
  EXPECT_EQ(calls_.asked, 4);
  for (int i = 0; i < 10; ++i) follow();
  EXPECT_EQ(calls_.asked, 4);
}

TEST_F(PodViewTest, VIEW6AStreamingListGetsThePodsBeforeItsBookmark) {
  stream_ = PodStream::listing(Memory(), kManaged, calls_);
  EXPECT_EQ(take("ADDED", {.name = "a", .version = "40"}), Texts{});
  EXPECT_EQ(take("ADDED", {.name = "b", .version = "30"}), Texts{});
  EXPECT_EQ(take("ADDED", {.name = "c", .version = "70", .node = "n1"}),
            Texts{"ADDED c 70 on n1 managed"});
  EXPECT_EQ(follow({shown("b", "n1"), shown("a", "n2")}), Texts{});
  EXPECT_EQ(take(bookmark("31")), Texts{"BOOKMARK 31"}) << "not the end";
  EXPECT_EQ(stream_.version_sent(), "");
  EXPECT_FALSE(stream_.is_synced());
  EXPECT_EQ(take(bookmark("60", true)), (Texts{"ADDED b 60 (metadata.name In n1)",
                                               "ADDED a 60 (metadata.name In n2)", "BOOKMARK 60"}));
  EXPECT_TRUE(stream_.is_synced());
  EXPECT_EQ(stream_.version_sent(), "60");
  EXPECT_EQ(follow({shown("b", "n1")}), Texts{"DELETED a 60"});
}

TEST_F(PodViewTest, VIEW6AStreamingListWithoutItsBookmarkMustBeginAgain) {
  stream_ = PodStream::listing(Memory(), kManaged, calls_);
  follow({shown("a", "n1")});
  take("ADDED", {.name = "a", .version = "40"});
  EXPECT_FALSE(std::move(stream_).end().can_resume());
}

// A changed item of a list wakes nobody, and order is lost in it.
TEST_F(PodViewTest, VIEW6AStreamingListHasNoPodsThatMoved) {
  for (const char* name : {"a", "b", "c", "d"}) take("ADDED", {.name = name, .version = "5"});
  follow({shown("a", "n1"), shown("b", "n1"), shown("c", "n1"), shown("d", "n1")});
  calls_.stages["d"] = Stage::binding;
  stream_ = PodStream::listing(Memory::listing_again(std::move(stream_).end()), kManaged, calls_);
  follow({shown("new", "n1"), shown("b", "n2", 2), shown("a", "n1")});
  for (const char* name : {"a", "b", "c", "d", "new"})
    take("ADDED", {.name = name, .version = "6"});
  EXPECT_EQ(
      take(bookmark("9", true)),
      (Texts{"ADDED new 9 (metadata.name In n1)", "ADDED a 9 (metadata.name In n1)",
             "ADDED d 9 (metadata.name In n1)", "BOOKMARK 9", "ADDED b 9 (metadata.name In n2)"}));
  EXPECT_TRUE(stream_.has_deferred()) << "d is to leave once its Binding has failed";
  EXPECT_TRUE(stream_.memory().former.pods.empty());
  calls_.stages.clear();
  EXPECT_EQ(follow({shown("a", "n1")}), (Texts{"DELETED b 9", "DELETED d 9", "DELETED new 9"}));
}

TEST_F(PodViewTest, VIEW6AnUnknownClientGetsThePodsAfterTheBookmark) {
  stream_ = PodStream::listing(knowing({}, "8"), kManaged, calls_);
  follow({shown("b", "n1"), shown("a", "n2")});
  for (const char* name : {"a", "b"}) take("ADDED", {.name = name, .version = "6"});
  EXPECT_EQ(take(bookmark("9", true)), (Texts{"BOOKMARK 9", "ADDED b 9 (metadata.name In n1)",
                                              "ADDED a 9 (metadata.name In n2)"}));
}

TEST_F(PodViewTest, VIEW6AListThatBrokeOffChangesNothingOfWhatTheClientKnew) {
  take("ADDED", {.name = "a", .version = "5"});
  follow({shown("a", "n1")});
  Memory memory = std::move(stream_).end();
  for (int i = 0; i < 3; ++i) {
    stream_ = PodStream::listing(Memory::listing_again(std::move(memory)), kManaged, calls_);
    follow({shown("a", "n2", 2)});
    take("ADDED", {.name = "a", .version = "6"});
    memory = std::move(stream_).end();
    EXPECT_FALSE(memory.can_resume());
  }
  stream_ = PodStream::listing(Memory::listing_again(std::move(memory)), kManaged, calls_);
  follow();
  take("ADDED", {.name = "a", .version = "6"});
  EXPECT_EQ(take(bookmark("9", true)), (Texts{"BOOKMARK 9", "ADDED a 9 (metadata.name In n2)"}));
}

TEST_F(PodViewTest, VIEW14AStreamingListLeavesOutWhatHasChangedSinceTheVersionOfTheClient) {
  Memory memory = knowing({shown("d", "n1"), shown("e", "n1")}, "9");
  stream_ = PodStream::listing(std::move(memory), kManaged, calls_);
  follow({shown("g", "n1")});
  EXPECT_EQ(take("ADDED", {.name = "a", .version = "8", .node = "n1"}).size(), 1u);
  EXPECT_EQ(take("ADDED", {.name = "b", .version = "10", .node = "n1"}), Texts{});
  EXPECT_EQ(take("ADDED", {.name = "c", .version = "11", .scheduler = "x"}), Texts{});
  EXPECT_EQ(take("ADDED", {.name = "d", .version = "12", .node = "n1"}).size(), 1u)
      << "the client knows it";
  EXPECT_EQ(take("ADDED", {.name = "e", .version = "12", .uid = "new", .node = "n1"}), Texts{});
  EXPECT_EQ(take("ADDED", {.name = "g", .version = "8"}), Texts{});
  EXPECT_EQ(take("MODIFIED", {.name = "b", .version = "14", .node = "n1"}), Texts{});
  EXPECT_EQ(take("DELETED", {.name = "c", .version = "15", .scheduler = "x"}), Texts{});
  EXPECT_EQ(take(bookmark("20", true)),
            (Texts{"BOOKMARK 20", "ADDED b 20 on n1", "ADDED e 20 on n1",
                   "ADDED g 20 (metadata.name In n1)"}));
  EXPECT_EQ(take("MODIFIED", {.name = "b", .version = "21", .node = "n1"}),
            Texts{"MODIFIED b 21 on n1 managed"});
}

// The client would list without a version, and say nothing of what it has.
TEST_F(PodViewTest, VIEW15AListThatNamesAVersionDoesNotGetTheErrorOfUpstream) {
  for (const char* version : {"9", ""}) {
    stream_ = PodStream::listing(knowing({}, version), kManaged, calls_);
    take("ADDED", {.name = "a", .version = "5", .node = "n1"});
    const bool is_named = *version != '\0';
    EXPECT_EQ(take(testing::error(504, "Timeout")), is_named ? Texts{} : Texts{"ERROR 504"});
    EXPECT_EQ(stream_.has_failed(), is_named);
  }
  stream_ = PodStream::listing(knowing({}, "9"), kManaged, calls_);
  take(bookmark("10", true));
  EXPECT_EQ(take(testing::error(410, "Expired")), Texts{"ERROR 410"});
  EXPECT_FALSE(stream_.has_failed())
      << "the watch after the list: the client lists from version 10";
}

TEST_F(PodViewTest, VIEW7AWatchThatGoesOnGetsTheDifferenceFirst) {
  for (const char* name : {"a", "b", "c", "d"}) take("ADDED", {.name = name, .version = "5"});
  follow({shown("a", "n1"), shown("b", "n1"), shown("d", "n1")});
  take("MODIFIED", {.name = "c", .version = "8"});
  EXPECT_EQ(stream_.version_sent(), "5");
  Memory memory = std::move(stream_).end();
  ASSERT_TRUE(memory.can_resume());
  EXPECT_EQ(memory.version_sent, "5");
  EXPECT_EQ(memory.version_seen, "8");
  stream_ = PodStream::resumed(std::move(memory), kManaged, calls_);
  EXPECT_EQ(stream_.version_sent(), "5");
  EXPECT_EQ(follow({shown("c", "n3"), shown("a", "n1"), shown("b", "n2", 2)}),
            (Texts{"DELETED b 8", "DELETED d 8", "ADDED c 8 (metadata.name In n3)",
                   "ADDED b 8 (metadata.name In n2)"}));
  EXPECT_EQ(take("MODIFIED", {.name = "a", .version = "9"}),
            Texts{"MODIFIED a 9 (metadata.name In n1)"});
}

TEST_F(PodViewTest, VIEW7AWatchThatGoesOnWithoutATableHasNoWaitingPods) {
  take("ADDED", {.name = "a", .version = "5"});
  follow({shown("a", "n1")});
  stream_ = PodStream::resumed(std::move(stream_).end(), kManaged, calls_);
  table_ = nullptr;
  EXPECT_EQ(follow(), Texts{"DELETED a 5"});
}

TEST_F(PodViewTest, VIEW7AWatchThatEndsWithinAnEventGoesOnBeforeThatEvent) {
  take("ADDED", {.name = "a", .version = "5", .node = "n1"});
  const std::string whole = event("ADDED", {.name = "b", .version = "6", .node = "n1"});
  EXPECT_EQ(take(whole.substr(0, whole.size() / 2)), Texts{});
  const Memory memory = std::move(stream_).end();
  EXPECT_TRUE(memory.can_resume());
  EXPECT_EQ(memory.version_seen, "5");
}

TEST_F(PodViewTest, VIEW7AfterAnExpiredWatchTheClientMustList) {
  take("ADDED", {.name = "a", .version = "5"});
  EXPECT_EQ(take(expired_event()), Texts{"ERROR 410"});
  EXPECT_TRUE(stream_.is_expired());
  EXPECT_EQ(follow({shown("a", "n1")}), Texts{});
  EXPECT_FALSE(std::move(stream_).end().can_resume());
}

TEST_F(PodViewTest, VIEW7AnErrorExpiresByItsCodeOrItsReason) {
  take(testing::error(429, "TooManyRequests"));
  EXPECT_FALSE(stream_.is_expired());
  for (const auto& error :
       {testing::error(410, ""), testing::error(0, "Gone"), testing::error(504, "Expired")}) {
    stream_ = PodStream::fresh(kManaged, calls_);
    take(error);
    EXPECT_TRUE(stream_.is_expired());
  }
}

TEST_F(PodViewTest, VIEW10AnEmptyTableTakesAllWaitingPodsOutOfSight) {
  for (const char* name : {"a", "b"}) take("ADDED", {.name = name, .version = "5"});
  take("ADDED", {.name = "c", .version = "6", .node = "n1"});
  follow({shown("a", "n1"), shown("b", "n1")});
  EXPECT_EQ(follow({}), (Texts{"DELETED a 6", "DELETED b 6"}));
}

TEST_F(PodViewTest, BytesMayBeCutAnywhere) {
  const std::string bytes =
      event("ADDED", {.name = "a", .version = "5"}) +
      event("ADDED",
            {.name = "b", .version = "6", .has_required = true, .required = {{"z In a"}}}) +
      event("ADDED", {.name = "c", .version = "7", .node = "n1"}) +
      event("MODIFIED", {.name = "a", .version = "8", .node = "n1"}) + bookmark("9", true);
  const auto table = table_of({shown("a", "n1"), shown("b", "n2")});
  const Texts expected{"ADDED a 5 (metadata.name In n1)",
                       "ADDED b 6 (z In a & metadata.name In n2)", "ADDED c 7 on n1 managed",
                       "MODIFIED a 8 on n1 managed", "BOOKMARK 9"};
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    PodStream stream = PodStream::fresh(kManaged, calls_);
    std::string out;
    stream.follow(table, out);
    ASSERT_TRUE(stream.take(bytes.substr(0, cut), out));
    ASSERT_TRUE(stream.take(bytes.substr(cut), out));
    ASSERT_EQ(testing::events_of(out), expected) << "cut at " << cut;
  }
  std::string out;
  stream_.follow(table, out);
  for (const char byte : bytes) ASSERT_TRUE(stream_.take({&byte, 1}, out));
  EXPECT_EQ(testing::events_of(out), expected);
}

}  // namespace
}  // namespace berth::podview
