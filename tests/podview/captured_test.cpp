#include "podview/captured.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "podview/client.pb.h"
#include "podview/fixture.h"

namespace berth::podview {
namespace {

using nlohmann::json;

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
    Memory memory(format());
    const auto list = filter_list(testing::captured_list(format()), kManaged, {}, calls_, memory);
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

INSTANTIATE_TEST_SUITE_P(Formats, CapturedPodsTest,
                         ::testing::Values(Format::protobuf, Format::json), name_of_format);

TEST_P(CapturedPodsTest, AStreamingListAndItsWatch) {
  ports::ShownPod spread = row("spread", "n4");
  spread.is_nominated = true;
  table_ = table_of({row("terms", "n2"), row("gated", "n3"), row("plain", "n1"), spread});
  stream_ = PodStream::listing(Memory(format()), kManaged, calls_);
  std::string out;
  stream_.follow(table_, out);
  ASSERT_TRUE(stream_.take(testing::captured_stream(format()), out));
  EXPECT_EQ(
      lines(testing::events_of(format(), out)),
      (Texts{"ADDED bound 82 on n9 managed",
             "ADDED terms 82 (zone In a b & metadata.name In n2) others",
             "ADDED plain 82 (metadata.name In n1)", "ADDED spread 82 nominated n4", "BOOKMARK 82",
             "MODIFIED plain 84 (metadata.name In n1)", "MODIFIED plain 85 on n1 managed",
             "MODIFIED terms 86 (zone In a b & metadata.name In n2) others",
             "DELETED terms 87 (zone In a b) others managed", "MODIFIED bound 88 on n9 managed",
             "DELETED bound 89 on n9 managed", "DELETED plain 90 on n1 managed", "BOOKMARK 90"}));
  EXPECT_EQ(stream_.memory().pods.size(), 3u) << "gated, spread and late wait";
}

TEST_P(CapturedPodsTest, AList) {
  Memory memory(format());
  const auto list =
      filter_list(testing::captured_list(format()), kManaged,
                  ports::ShownPods::of({row("terms", "n2"), row("plain", "n1")}), calls_, memory);
  ASSERT_TRUE(list) << list.error().to_string();
  EXPECT_EQ(lines(testing::items_of(format(), *list)),
            (Texts{"bound 82 on n9 managed", "terms 82 (zone In a b & metadata.name In n2) others",
                   "plain 82 (metadata.name In n1)", "list 82"}));
  EXPECT_EQ(memory.version_seen, "82");
}

TEST_P(CapturedPodsTest, BytesOfOthersPassAsTheyCame) {
  const std::string bytes = testing::captured_stream(format());
  PodStream stream = PodStream::fresh(format(), {"default-scheduler"}, calls_);
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    ASSERT_TRUE(stream.take(std::string_view(bytes).substr(at, 7), out));
  }
  EXPECT_EQ(out, bytes);
}

// The one event that shows the pod, without what the view has added.
TEST_P(CapturedPodsTest, NothingElseOfAShownPodChanges) {
  Memory memory(format());
  const std::string list = testing::captured_list(format());
  ASSERT_TRUE(filter_list(list, kManaged, {}, calls_, memory));
  stream_ = PodStream::resumed(std::move(memory), kManaged, calls_);
  for (const char* name : {"plain", "terms", "spread"}) {
    std::string out;
    stream_.follow(table_of({row(name, "n1")}), out);
    stream_.follow(table_of({}), out);
    if (format() == Format::json) {
      json shown = json::parse(out.substr(0, out.find('\n'))).at("object");
      const json items = json::parse(list).at("items");
      for (json item : items) {
        if (item.at("metadata").at("name") != name) continue;
        EXPECT_EQ(shown.at("kind"), "Pod");
        EXPECT_EQ(shown.at("apiVersion"), "v1");
        item.merge_patch({{"kind", "Pod"}, {"apiVersion", "v1"}});
        for (json* each : {&shown, &item}) {
          each->merge_patch({{"spec", {{"affinity", nullptr}}},
                             {"metadata", {{"managedFields", nullptr}, {"resourceVersion", "1"}}}});
        }
        EXPECT_EQ(shown, item) << name;
      }
      continue;
    }
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
