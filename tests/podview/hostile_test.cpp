// Bytes that no API server sends. They must be refused by name, or pass; nothing else.
#include <gtest/gtest.h>

#include <random>

#include "podview/captured.h"
#include "podview/fixture.h"
#include "podview/refusal.h"
#include "protobuf/fields.h"
#include "support/damage.h"
#include "support/seeds.h"

namespace berth::podview {
namespace {

class HostilePodsTest : public PodViewTest {
 protected:
  // Everything that the view does with a stream and a list. Errors are as good as none.
  void feed(const std::string& stream_bytes, const std::string& body) {
    PodStream stream = PodStream::fresh(kManaged, calls_);
    std::string out;
    const auto table = table_of({shown("a", "n1"), hinted("b", "n2")});
    (void)stream.take(stream_bytes, out);
    stream.follow(table, out);
    (void)stream.take(stream_bytes, out);
    stream.follow(table_of({}), out);
    for (const std::string_view frame : {std::string_view(stream_bytes), std::string_view(body)}) {
      PodStream joined = PodStream::fresh(kManaged, calls_);
      if (frame.size() >= 4) (void)joined.take_of_all(frame, out);
    }
    (void)std::move(stream).end();
    Memory memory;
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
           testing::error(410, "Expired");
  }
  std::string body() const {
    return testing::list("9",
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

TEST_F(HostilePodsTest, TruncatedBytesDoNoHarm) {
  const std::string bytes = stream_bytes();
  const std::string list = body();
  for (std::size_t size = 0; size < std::max(bytes.size(), list.size()); ++size) {
    feed(bytes.substr(0, size), list.substr(0, size));
    feed(bytes.substr(std::min(size, bytes.size())), list.substr(std::min(size, list.size())));
  }
}

TEST_F(HostilePodsTest, DamageDoesNoHarm) {
  const std::string bytes = stream_bytes();
  const std::string list = body();
  for (const std::uint64_t seed : support::seeds(8'000)) {
    support::Damage damage(seed);
    feed(damage.of(bytes), damage.of(list));
  }
}

TEST_F(HostilePodsTest, ChangedBytesOfAnApiServerDoNoHarm) {
  std::mt19937 random(11);
  const std::string bytes = testing::captured_stream();
  const std::string list = testing::captured_list();
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

TEST_F(HostilePodsTest, AStreamThatCannotBeReadStaysRefused) {
  const std::string bytes("\0\0\0\2\x0a\x09", 6);
  take("ADDED", {.name = "a", .version = "5"});
  const Error error = refusal_of(bytes);
  EXPECT_EQ(error.to_string(),
            "event 2 of a watch of pods, byte 4: malformed protobuf, expected a WatchEvent");
  EXPECT_EQ(refusal_of(bookmark("9")).to_string(), error.to_string());
  EXPECT_EQ(follow({shown("a", "n1")}), Texts{});
}

TEST_F(HostilePodsTest, LargeEventsAreRefusedBeforeTheyAreKept) {
  EXPECT_EQ(refusal_of(std::string("\1\0\0\1", 4)).to_string(),
            "event 1 of a watch of pods: an event of 16777217 bytes, expected at most 16777216");
}

TEST_F(HostilePodsTest, WaitingPodsWithoutNameAreRefused) {
  EXPECT_EQ(refusal_of(event("ADDED", {.name = "", .version = "5"})).to_string(),
            "event 1 of a watch of pods, default/: a pod without name or uid, expected both");
}

TEST_F(HostilePodsTest, TextsAreQuoted) {
  take("ADDED", {.name = "a", .version = "5"});
  take("ADDED", {.name = "hidden", .version = "6\",\"x\":\"\\"});
  std::string out;
  stream_.follow(table_of({shown("a", "n\"1")}), out);
  EXPECT_EQ(testing::events_of(out), Texts{"ADDED a 6\",\"x\":\"\\ (metadata.name In n\"1)"});
}

TEST(HostilePatches, OfKubeSchedulerDoNoHarm) {
  const std::string patch = R"({"status":{"conditions":[{"type":"PodScheduled","status":"False",)"
                            R"("reason":"Unschedulable","message":"0/3 nodes are available"}]}})";
  ASSERT_TRUE(refusal_in(patch));
  for (const std::uint64_t seed : support::seeds(5'000)) {
    (void)refusal_in(support::Damage(seed).of(patch));
  }
}

// It could not be copied with another node.
TEST_F(HostilePodsTest, AWaitingPodWithABadAffinityIsRefused) {
  for (const bool is_bad : {false, true}) {
    const std::string pod = testing::pod_text({.name = "a", .version = "5"});
    std::string spec;
    protobuf::append_field(spec, 18, is_bad ? "\x0a\x09" : "");  // affinity
    std::string raw = pod;
    protobuf::append_field(raw, 2, spec);
    std::string body("k8s\0", 4);
    std::string type;
    protobuf::append_field(type, 2, "PodList");
    std::string items;
    protobuf::append_field(items, 2, raw);
    protobuf::append_field(body, 1, type);
    protobuf::append_field(body, 2, items);
    Memory memory;
    const auto list = filter_list(body, kManaged, {}, calls_, memory);
    ASSERT_EQ(bool(list), !is_bad);
    if (is_bad) {
      EXPECT_EQ(list.error().to_string(),
                "a list of pods, pod default/a: malformed protobuf, expected an affinity");
    }
  }
}

}  // namespace
}  // namespace berth::podview
