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
    return out ? testing::items_of(format(), *out) : Texts{};
  }
  std::string list(const std::string& version, const std::vector<Sample>& pods,
                   const std::string& continuation = "") const {
    return testing::list(format(), version, pods, continuation);
  }

  Memory memory_{format()};
};

INSTANTIATE_TEST_SUITE_P(Formats, PodListTest, ::testing::Values(Format::protobuf, Format::json),
                         name_of_format);

TEST_P(PodListTest, VIEW1AListWithoutWaitingPodsPassesAsItCame) {
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

TEST_P(PodListTest, VIEW2AListHasNoHiddenPods) {
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

TEST_P(PodListTest, VIEW4ShownPodsComeLastWithTheVersionOfTheList) {
  EXPECT_EQ(
      filter(list("9",
                  {{.name = "a", .version = "3"},
                   {.name = "b", .version = "4"},
                   {.name = "c", .version = "5", .node = "n1"},
                   {.name = "d", .version = "6", .has_required = true, .required = {{"z In a"}}}}),
             {shown("d", "n2"), hinted("a", "n1")}),
      (Texts{"c 5 on n1 managed", "d 9 (z In a & metadata.name In n2)", "a 9 nominated n1",
             "list 9"}));
}

TEST_P(PodListTest, VIEW7TheWatchThatFollowsKnowsWhatTheListHad) {
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

TEST_P(PodListTest, VIEW6AListHasNoPodsThatMoved) {
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

TEST_P(PodListTest, VIEW5AListHasNoPodsWhoseFormerAttemptIsOpen) {
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

TEST_P(PodListTest, VIEW6AnUnknownClientGetsThePodsAfterTheList) {
  memory_ = Memory::listing_unknown(format());
  EXPECT_EQ(filter(list("9", {{.name = "a", .version = "5"}}), {shown("a", "n1")}),
            Texts{"list 9"});
  stream_ = PodStream::resumed(std::move(memory_), kManaged, calls_);
  EXPECT_EQ(follow({shown("a", "n1")}), Texts{"ADDED a 9 (metadata.name In n1)"});
}

TEST_P(PodListTest, PagesAddUp) {
  EXPECT_EQ(filter(list("9", {{.name = "a", .version = "3"}}, "token"), {shown("a", "n1")}),
            (Texts{"a 9 (metadata.name In n1)", "list 9"}));
  EXPECT_FALSE(memory_.is_whole);
  EXPECT_EQ(filter(list("9", {{.name = "b", .version = "4"}}), {shown("a", "n1")}),
            Texts{"list 9"});
  EXPECT_TRUE(memory_.is_whole);
  EXPECT_EQ(memory_.pods.size(), 2u);
  EXPECT_EQ(memory_.shown.size(), 1u);
}

TEST_P(PodListTest, OtherListsPassAsTheyCame) {
  const std::string body = format() == Format::json
                               ? R"({"kind":"Table","rows":[]})"
                               : std::string("k8s\0\x0a\x07\x12\x05Table\x12\x02xx", 17);
  const auto out = filter_list(body, kManaged, {}, calls_, memory_);
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(*out, body);
  EXPECT_FALSE(memory_.is_whole);
}

// An API server writes the metadata first; nothing promises that.
TEST(PodListJsonTest, TheVersionMayComeLast) {
  const std::string body =
      R"({"kind":"PodList","items" : [ {"metadata":{"uid":"a","name":"a","namespace":"default"},)"
      R"("spec":{"schedulerName":"berth"}} , {"metadata":{}} ],)"
      R"("metadata":{"resourceVersion":"9"}} )";
  Memory memory(Format::json);
  const auto out =
      filter_list(body, {"berth"}, ports::ShownPods::of({shown("a", "n1")}), Calls(), memory);
  ASSERT_TRUE(out) << out.error().to_string();
  EXPECT_EQ(
      *out,
      R"({"kind":"PodList","items" : [{"metadata":{}},{"kind":"Pod","apiVersion":"v1",)"
      R"("metadata":{"resourceVersion":"9","uid":"a","name":"a","namespace":"default"},"spec":)"
      R"({"affinity":{"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
      R"({"nodeSelectorTerms":[{"matchFields":[{"key":"metadata.name","operator":"In",)"
      R"("values":["n1"]}]}]}}},"schedulerName":"berth"}}],"metadata":{"resourceVersion":"9"}} )");
}

}  // namespace
}  // namespace berth::podview
