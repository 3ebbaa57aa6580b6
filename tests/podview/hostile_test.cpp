// Bytes that no API server sends. They must be refused by name, or pass; nothing else.
#include <gtest/gtest.h>

#include <random>

#include "podview/captured.h"
#include "podview/fixture.h"
#include "podview/refusal.h"
#include "support/damage.h"
#include "support/seeds.h"

namespace berth::podview {
namespace {

class HostilePodsTest : public PodViewTest {
 protected:
  // Everything that the view does with a stream and a list. Errors are as good as none.
  void feed(const std::string& stream_bytes, const std::string& body) {
    PodStream stream = PodStream::fresh(format(), kManaged, calls_);
    std::string out;
    const auto table = table_of({shown("a", "n1"), hinted("b", "n2")});
    (void)stream.take(stream_bytes, out);
    stream.follow(table, out);
    (void)stream.take(stream_bytes, out);
    stream.follow(table_of({}), out);
    (void)std::move(stream).end();
    Memory memory(format());
    (void)filter_list(body, kManaged, *table, calls_, memory);
  }

  std::string stream_bytes() const {
    return event("ADDED", {.name = "a",
                           .version = "5",
                           .has_required = true,
                           .required = {{"zone In a"}, {}},
                           .has_others = true}) +
           event("MODIFIED", {.name = "b", .version = "6", .nominated = "n9"}) +
           event("ADDED", {.name = "c", .version = "7", .is_gated = true, .is_terminating = true}) +
           event("DELETED", {.name = "b", .version = "8"}) + bookmark("9", true) +
           testing::error(format(), 410, "Expired");
  }
  std::string body() const {
    return testing::list(format(), "9",
                         {{.name = "a", .version = "5", .has_required = true, .required = {{}}},
                          {.name = "b", .version = "6"},
                          {.name = "c", .version = "7", .node = "n1"}});
  }

  Error refusal_of(const std::string& bytes) {
    std::string out;
    const Status status = stream_.take(bytes, out);
    return status ? Error{"taken", ""} : status.error();
  }
};

INSTANTIATE_TEST_SUITE_P(Formats, HostilePodsTest,
                         ::testing::Values(Format::protobuf, Format::json), name_of_format);

TEST_P(HostilePodsTest, TruncatedBytesDoNoHarm) {
  const std::string bytes = stream_bytes();
  const std::string list = body();
  for (std::size_t size = 0; size < std::max(bytes.size(), list.size()); ++size) {
    feed(bytes.substr(0, size), list.substr(0, size));
    feed(bytes.substr(std::min(size, bytes.size())), list.substr(std::min(size, list.size())));
  }
}

TEST_P(HostilePodsTest, DamageDoesNoHarm) {
  const std::string bytes = stream_bytes();
  const std::string list = body();
  for (const std::uint64_t seed : support::seeds(8'000)) {
    support::Damage damage(seed);
    feed(damage.of(bytes), damage.of(list));
  }
}

TEST_P(HostilePodsTest, ChangedBytesOfAnApiServerDoNoHarm) {
  std::mt19937 random(11);
  const std::string bytes = testing::captured_stream(format());
  const std::string list = testing::captured_list(format());
  for (int round = 0; round < 500; ++round) {
    std::string changed = bytes.substr(0, round % 3 == 0 ? random() % bytes.size() : bytes.size());
    std::string changed_list = list.substr(0, changed.size());
    for (int i = 0; i < 3; ++i) {
      changed[random() % changed.size()] = static_cast<char>(random() % 256);
      changed_list[random() % changed_list.size()] = static_cast<char>(random() % 256);
    }
    feed(changed + bytes, changed_list);
  }
}

TEST_P(HostilePodsTest, AStreamThatCannotBeReadStaysRefused) {
  const std::string bytes = format() == Format::json ? "{\"type\":\"ADDED\",\"object\":{]}\n"
                                                     : std::string("\0\0\0\2\x0a\x09", 6);
  take("ADDED", {.name = "a", .version = "5"});
  const Error error = refusal_of(bytes);
  EXPECT_EQ(error.to_string(),
            format() == Format::json
                ? "event 2 of a watch of pods, byte 26: not valid JSON: expected a string"
                : "event 2 of a watch of pods, byte 4: malformed protobuf, expected a WatchEvent");
  EXPECT_EQ(refusal_of(bookmark("9")).to_string(), error.to_string());
  EXPECT_EQ(follow({shown("a", "n1")}), Texts{});
}

TEST_P(HostilePodsTest, LargeEventsAreRefusedBeforeTheyAreKept) {
  if (format() == Format::protobuf) {
    EXPECT_EQ(refusal_of(std::string("\1\0\0\1", 4)).to_string(),
              "event 1 of a watch of pods: an event of 16777217 bytes, expected at most 16777216");
    return;
  }
  const std::string piece(1 << 20, ' ');
  std::string out;
  for (int i = 0; i < 31; ++i) ASSERT_TRUE(stream_.take(piece, out));
  EXPECT_EQ(
      refusal_of(piece).to_string(),
      "event 1 of a watch of pods: an event without an end, expected one within 33554432 bytes");
}

TEST_P(HostilePodsTest, WaitingPodsWithoutNameAreRefused) {
  EXPECT_EQ(refusal_of(event("ADDED", {.name = "", .version = "5"})).to_string(),
            "event 1 of a watch of pods, default/: a pod without name or uid, expected both");
}

TEST_P(HostilePodsTest, TextsAreQuoted) {
  take("ADDED", {.name = "a", .version = "5"});
  take("ADDED", {.name = "hidden", .version = "6\",\"x\":\"\\"});
  std::string out;
  stream_.follow(table_of({shown("a", "n\"1")}), out);
  EXPECT_EQ(testing::events_of(format(), out),
            Texts{"ADDED a 6\",\"x\":\"\\ (metadata.name In n\"1)"});
}

TEST(HostileJsonPodsTest, DamagedPatchesOfKubeSchedulerDoNoHarm) {
  const std::string patch = R"({"status":{"conditions":[{"type":"PodScheduled","status":"False",)"
                            R"("reason":"Unschedulable","message":"0/3 nodes are available"}]}})";
  ASSERT_TRUE(refusal_in(patch));
  for (const std::uint64_t seed : support::seeds(5'000)) {
    (void)refusal_in(support::Damage(seed).of(patch));
  }
}

TEST(HostileJsonPodsTest, AListHasItemsOnce) {
  const std::string waiting =
      R"({"metadata":{"name":"a","uid":"a"},"spec":{"schedulerName":"berth"}})";
  const std::string body = R"({"kind":"PodList","items":[{"metadata":{}}],"items":[)" + waiting;
  Memory memory(Format::json);
  const auto out = filter_list(body + "]}", {"berth"}, {}, Calls(), memory);
  ASSERT_FALSE(out);
  EXPECT_EQ(out.error().to_string(),
            "a list of pods, byte 52: not valid JSON: \"items\" stands there twice");
}

TEST(HostileJsonPodsTest, NestingAndBadAffinityAreRefused) {
  const std::string head = R"({"type":"ADDED","object":{"metadata":{"name":"a","uid":"a"},)"
                           R"("spec":{"schedulerName":"berth","affinity":)";
  Calls calls;
  for (const std::string& affinity :
       {std::string(200, '[') + std::string(200, ']'), std::string("7"), std::string("{nonsense}"),
        "{\"x\":" + std::string(200, '[') + std::string(200, ']') + "}",
        std::string(R"({"nodeAffinity":7})"),
        std::string(R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":7}})"),
        std::string(R"({"nodeAffinity":{"requiredDuringSchedulingIgnoredDuringExecution":)"
                    R"({"nodeSelectorTerms":[7]}}})")}) {
    PodStream stream = PodStream::fresh(Format::json, {"berth"}, calls);
    std::string out;
    EXPECT_FALSE(stream.take(head + affinity + "}}}\n", out)) << affinity;
    EXPECT_EQ(out, "");
  }
  for (const char* affinity : {"null", "{}", R"({"nodeAffinity":null})"}) {
    PodStream stream = PodStream::fresh(Format::json, {"berth"}, calls);
    std::string out;
    stream.follow(table_of({{"a", "", "a", "n1"}}), out);
    EXPECT_TRUE(stream.take(head + affinity + "}}}\n", out)) << affinity;
    EXPECT_NE(
        out.find(R"("matchFields":[{"key":"metadata.name","operator":"In","values":["n1"]}])"),
        out.npos);
  }
}

}  // namespace
}  // namespace berth::podview
