#include "podview/pod_list.h"

#include <gtest/gtest.h>

#include "podview/fixture.h"

namespace berth::podview {
namespace {

class PodListTest : public PodViewTest {
 protected:
  Texts filter(const std::string& body, std::vector<ports::ShownPod> pods) {
    const auto out =
        filter_list(body, kManaged, ports::ShownPods::of(std::move(pods)), calls_, memory_);
    EXPECT_TRUE(out) << out.error().to_string();
    return out ? testing::items_of(*out) : Texts{};
  }
  std::string list(const std::string& version, const std::vector<Sample>& pods,
                   const std::string& continuation = "") const {
    return testing::list(version, pods, continuation);
  }

  Memory memory_;
};

TEST_F(PodListTest, VIEW1AListWithoutWaitingPodsPassesAsItCame) {
  for (const auto& pods :
       std::vector<std::vector<Sample>>{{},
                                        {{.name = "a", .version = "5", .node = "n1"},
                                         {.name = "b", .version = "6", .scheduler = "x"}}}) {
    const std::string body = list("9", pods);
    const auto out = filter_list(body, kManaged, {}, calls_, memory_);
    ASSERT_TRUE(out);
    EXPECT_EQ(*out, body);
  }
  EXPECT_EQ(memory_.version_seen, "9");
  EXPECT_EQ(memory_.version_sent, "9");
}

TEST_F(PodListTest, VIEW2AListHasNoHiddenPods) {
  EXPECT_EQ(filter(list("9", {{.name = "a", .version = "3"},
                              {.name = "b", .version = "4", .node = "n1"},
                              {.name = "c", .version = "5", .node = "n1"},
                              {.name = "d", .version = "6"},
                              {.name = "e", .version = "7", .is_gated = true},
                              {.name = "f", .version = "8", .node = "n2"},
                              {.name = "g", .version = "8", .is_terminating = true}}),
                   {shown("e", "n1"), shown("g", "n1")}),
            (Texts{"b 4 on n1 managed", "c 5 on n1 managed", "f 8 on n2 managed", "list 9"}));
  EXPECT_EQ(filter(list("10", {{.name = "a", .version = "3"}}), {}), Texts{"list 10"});
}

TEST_F(PodListTest, VIEW4ShownPodsComeLastWithTheVersionOfTheList) {
  EXPECT_EQ(
      filter(list("9",
                  {{.name = "a", .version = "3"},
                   {.name = "b", .version = "4"},
                   {.name = "c", .version = "5", .node = "n1"},
                   {.name = "d", .version = "6", .has_required = true, .required = {{"z In a"}}}}),
             {shown("d", "n2"), hinted("a", "n1")}),
      (Texts{"c 5 on n1 managed", "d 9 (z In a & metadata.name In n2)", "a 9 nominated n1 marked",
             "list 9"}));
}

TEST_F(PodListTest, VIEW19AMarkedPodKeepsItsContainersAndItsAffinity) {
  const Sample pod{.name = "a",
                   .version = "5",
                   .has_required = true,
                   .required = {{"zone In a"}},
                   .has_init_container = true};
  ports::ShownPod as = shown("a", "n1");
  as.asks_filter = true;
  EXPECT_EQ(filter(list("9", {pod}), {as}),
            (Texts{"a 9 (zone In a & metadata.name In n1) marked init", "list 9"}));
}

TEST_F(PodListTest, VIEW7TheWatchThatFollowsKnowsWhatTheListHad) {
  filter(list("9", {{.name = "a", .version = "3"},
                    {.name = "b", .version = "4"},
                    {.name = "c", .version = "5"}}),
         {shown("a", "n1"), shown("b", "n1")});
  ASSERT_TRUE(memory_.is_whole);
  stream_ = PodStream::resumed(std::move(memory_), kManaged, calls_);
  EXPECT_EQ(
      follow({shown("c", "n3"), shown("a", "n1"), shown("b", "n2", 2)}),
      (Texts{"DELETED b 9", "ADDED c 9 (metadata.name In n3)", "ADDED b 9 (metadata.name In n2)"}));
}

TEST_F(PodListTest, VIEW6AListHasNoPodsThatMoved) {
  for (const char* name : {"a", "b", "c"}) take("ADDED", {.name = name, .version = "5"});
  follow({shown("a", "n1"), shown("b", "n1"), shown("c", "n1")});
  calls_.stages["c"] = Stage::binding;
  memory_ = Memory::listing_again(std::move(stream_).end());
  EXPECT_EQ(filter(list("9", {{.name = "a", .version = "5"}}, "token"), {shown("a", "n2", 2)}),
            Texts{"list 9"});
  EXPECT_EQ(filter(list("9", {{.name = "b", .version = "5"}, {.name = "c", .version = "5"}}),
                   {shown("a", "n2", 2), shown("b", "n1")}),
            (Texts{"b 9 (metadata.name In n1)", "c 9 (metadata.name In n1)", "list 9"}));
  stream_ = PodStream::resumed(std::move(memory_), kManaged, calls_);
  EXPECT_EQ(follow({shown("a", "n2", 2), shown("b", "n1")}),
            Texts{"ADDED a 9 (metadata.name In n2)"});
}

TEST_F(PodListTest, VIEW5AListHasNoPodsWhoseFormerAttemptIsOpen) {
  for (const char* name : {"a", "b"}) take("ADDED", {.name = name, .version = "5"});
  follow({shown("a", "n1"), shown("b", "n1")});
  calls_.stages["a"] = Stage::open;
  calls_.stages["b"] = Stage::open;
  follow({shown("b", "n1")});
  const std::vector<ports::ShownPod> table = {shown("a", "n2", 2), shown("b", "n1")};
  EXPECT_EQ(follow(table), Texts{});
  memory_ = Memory::listing_again(std::move(stream_).end());
  EXPECT_EQ(
      filter(list("9", {{.name = "a", .version = "5"}, {.name = "b", .version = "5"}}), table),
      (Texts{"b 9 (metadata.name In n1)", "list 9"}))
      << "the client knows b, so nothing changes for it";
  stream_ = PodStream::resumed(std::move(memory_), kManaged, calls_);
  EXPECT_EQ(follow(table), Texts{});
  EXPECT_TRUE(stream_.has_deferred());
  calls_.stages["a"] = Stage::none;
  EXPECT_EQ(follow(), Texts{"ADDED a 9 (metadata.name In n2)"});
}

TEST_F(PodListTest, VIEW6AnUnknownClientGetsThePodsAfterTheList) {
  memory_.former.version = "8";
  EXPECT_EQ(filter(list("9", {{.name = "a", .version = "5"}}), {shown("a", "n1")}),
            Texts{"list 9"});
  stream_ = PodStream::resumed(std::move(memory_), kManaged, calls_);
  EXPECT_EQ(follow({shown("a", "n1")}), Texts{"ADDED a 9 (metadata.name In n1)"});
}

// kube-scheduler's store is by name: `e` may be another pod than the one that it has.
TEST_F(PodListTest, VIEW14AListLeavesOutWhatHasChangedSinceTheVersionOfTheClient) {
  memory_ = knowing({shown("d", "n1"), shown("e", "n1")}, "99");
  EXPECT_EQ(filter(list("200", {{.name = "a", .version = "98", .node = "n1"},
                                {.name = "b", .version = "100", .node = "n1"},
                                {.name = "c", .version = "101", .scheduler = "x"},
                                {.name = "d", .version = "102", .node = "n1"},
                                {.name = "e", .version = "103", .uid = "new", .node = "n2"},
                                {.name = "f", .version = "99", .scheduler = "x"},
                                {.name = "g", .version = "104"},
                                {.name = "h", .version = "9", .scheduler = "x"}}),
                   {shown("g", "n1")}),
            (Texts{"a 98 on n1 managed", "d 102 on n1 managed", "f 99 managed", "h 9 managed",
                   "list 200"}));
  stream_ = PodStream::resumed(std::move(memory_), kManaged, calls_);
  EXPECT_EQ(follow({shown("g", "n1")}),
            (Texts{"ADDED b 200 on n1", "ADDED c 200", "ADDED e 200 on n2",
                   "ADDED g 200 (metadata.name In n1)"}));
  EXPECT_EQ(stream_.version_sent(), "200");
  EXPECT_TRUE(stream_.memory().left_out.empty());
}

TEST_F(PodListTest, VIEW14WhatIsLeftOutComesBeforeAnyOtherEvent) {
  memory_.former.version = "7";
  EXPECT_EQ(filter(list("9", {{.name = "a", .version = "8", .node = "n1"}}, "token"), {}),
            Texts{"list 9"});
  EXPECT_EQ(filter(list("9", {{.name = "b", .version = "9", .node = "n1"}}), {}), Texts{"list 9"});
  stream_ = PodStream::resumed(std::move(memory_), kManaged, calls_);
  EXPECT_EQ(take("DELETED", {.name = "a", .version = "10", .node = "n1"}),
            (Texts{"ADDED a 9 on n1", "ADDED b 9 on n1", "DELETED a 10 on n1 managed"}));
}

TEST_F(PodListTest, VIEW14NothingIsLeftOutForAClientThatNamesNoVersion) {
  for (const char* version : {"", "not a number"}) {
    memory_ = Memory();
    memory_.former.version = version;
    const std::string body = list("9", {{.name = "a", .version = "8", .node = "n1"}});
    EXPECT_EQ(filter_list(body, kManaged, {}, calls_, memory_).value(), body) << version;
  }
}

// The name may be that of a bound pod which the client has.
TEST_F(PodListTest, VIEW14AWaitingPodThatTheClientDoesNotKnowComesAfterTheList) {
  memory_ = knowing({shown("a", "n1")}, "9");
  EXPECT_EQ(filter(list("9", {{.name = "a", .version = "5"}, {.name = "b", .version = "6"}}),
                   {shown("b", "n2"), shown("a", "n1")}),
            (Texts{"a 9 (metadata.name In n1)", "list 9"}));
  stream_ = PodStream::resumed(std::move(memory_), kManaged, calls_);
  EXPECT_EQ(follow({shown("b", "n2"), shown("a", "n1")}), Texts{"ADDED b 9 (metadata.name In n2)"});
}

TEST_F(PodListTest, PagesAddUp) {
  EXPECT_EQ(filter(list("9", {{.name = "a", .version = "3"}}, "token"), {shown("a", "n1")}),
            (Texts{"a 9 (metadata.name In n1)", "list 9"}));
  EXPECT_FALSE(memory_.is_whole);
  EXPECT_EQ(filter(list("9", {{.name = "b", .version = "4"}}), {shown("a", "n1")}),
            Texts{"list 9"});
  EXPECT_TRUE(memory_.is_whole);
  EXPECT_EQ(memory_.pods.size(), 2u);
  EXPECT_EQ(memory_.shown.size(), 1u);
}

TEST_F(PodListTest, OtherListsPassAsTheyCame) {
  const std::string body("k8s\0\x0a\x07\x12\x05Table\x12\x02xx", 17);
  const auto out = filter_list(body, kManaged, {}, calls_, memory_);
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(*out, body);
  EXPECT_FALSE(memory_.is_whole);
}

}  // namespace
}  // namespace berth::podview
