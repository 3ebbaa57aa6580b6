#include "podview/captured.h"

#include <gtest/gtest.h>

#include "podview/client.pb.h"
#include "podview/fixture.h"

namespace berth::podview {
namespace {

class CapturedPodsTest : public PodViewTest {
 protected:
  // Their contents are not those of a sample.
  static Texts lines(Texts lines) {
    for (std::string& line : lines) {
      if (const auto at = line.find(" damaged"); at != line.npos) line.erase(at);
    }
    return lines;
  }
  std::string uid_of(const std::string& name) {
    Memory memory;
    const auto list = filter_list(testing::captured_list(), kManaged, {}, calls_, memory);
    EXPECT_TRUE(list);
    const auto held = memory.pods.find("default/" + name);
    return held == memory.pods.end() ? "" : held->second.uid;
  }
  ports::ShownPod row(const std::string& name, const std::string& node) {
    ports::ShownPod pod = shown(name, node);
    pod.uid = uid_of(name);
    return pod;
  }
};

TEST_F(CapturedPodsTest, AStreamingListAndItsWatch) {
  ports::ShownPod spread = row("spread", "n4");
  spread.is_nominated = spread.asks_filter = true;
  table_ = table_of({row("terms", "n2"), row("gated", "n3"), row("plain", "n1"), spread});
  stream_ = PodStream::listing(Memory(), kManaged, calls_);
  std::string out;
  stream_.follow(table_, out);
  ASSERT_TRUE(stream_.take(testing::captured_stream(), out));
  EXPECT_EQ(
      lines(testing::events_of(out)),
      (Texts{"ADDED bound 82 on n9 managed",
             "ADDED terms 82 (zone In a b & metadata.name In n2) others",
             "ADDED plain 82 (metadata.name In n1)", "ADDED spread 82 nominated n4 marked",
             "BOOKMARK 82", "MODIFIED plain 84 (metadata.name In n1)",
             "MODIFIED plain 85 on n1 managed",
             "MODIFIED terms 86 (zone In a b & metadata.name In n2) others",
             "DELETED terms 87 (zone In a b) others managed", "MODIFIED bound 88 on n9 managed",
             "DELETED bound 89 on n9 managed", "DELETED plain 90 on n1 managed", "BOOKMARK 90"}));
  EXPECT_EQ(stream_.memory().pods.size(), 3u) << "gated, spread and late wait";
}

TEST_F(CapturedPodsTest, AList) {
  Memory memory;
  const auto list =
      filter_list(testing::captured_list(), kManaged,
                  ports::ShownPods::of({row("terms", "n2"), row("plain", "n1")}), calls_, memory);
  ASSERT_TRUE(list) << list.error().to_string();
  EXPECT_EQ(lines(testing::items_of(*list)),
            (Texts{"bound 82 on n9 managed", "terms 82 (zone In a b & metadata.name In n2) others",
                   "plain 82 (metadata.name In n1)", "list 82"}));
  EXPECT_EQ(memory.version_seen, "82");
}

TEST_F(CapturedPodsTest, BytesOfOthersPassAsTheyCame) {
  const std::string bytes = testing::captured_stream();
  PodStream stream = PodStream::fresh({"default-scheduler"}, calls_);
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    ASSERT_TRUE(stream.take(std::string_view(bytes).substr(at, 7), out));
  }
  EXPECT_EQ(out, bytes);
}

// The one event that shows the pod, without what the view has added.
TEST_F(CapturedPodsTest, NothingElseOfAShownPodChanges) {
  Memory memory;
  const std::string list = testing::captured_list();
  ASSERT_TRUE(filter_list(list, kManaged, {}, calls_, memory));
  stream_ = PodStream::resumed(std::move(memory), kManaged, calls_);
  for (const char* name : {"plain", "terms", "spread"}) {
    std::string out;
    stream_.follow(table_of({row(name, "n1")}), out);
    stream_.follow(table_of({}), out);
    client::WatchEvent event;
    client::Unknown unknown;
    client::PodList pods;
    const auto size =
        static_cast<unsigned char>(out[2]) * 256u + static_cast<unsigned char>(out[3]);
    ASSERT_TRUE(event.ParseFromString(out.substr(4, size)));
    client::Pod shown;
    ASSERT_TRUE(unknown.ParseFromString(event.object().raw().substr(4)));
    ASSERT_TRUE(shown.ParseFromString(unknown.raw()));
    ASSERT_TRUE(unknown.ParseFromString(list.substr(4)));
    ASSERT_TRUE(pods.ParseFromString(unknown.raw()));
    for (client::Pod item : pods.items()) {
      if (item.metadata().name() != name) continue;
      for (client::Pod* each : {&shown, &item}) {
        each->mutable_spec()->clear_affinity();
        each->mutable_metadata()->clear_managed_fields();
        each->mutable_metadata()->set_resource_version("1");
      }
      // Maps have no order.
      EXPECT_EQ(shown.metadata().labels_size(), item.metadata().labels_size());
      for (client::Pod* each : {&shown, &item}) each->mutable_metadata()->clear_labels();
      EXPECT_EQ(shown.SerializeAsString(), item.SerializeAsString()) << name;
    }
  }
}

}  // namespace
}  // namespace berth::podview
