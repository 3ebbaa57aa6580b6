#pragma once

#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "podview/pod_list.h"
#include "podview/pod_stream.h"
#include "podview/samples.h"

namespace berth::podview {

using Stage = ports::Attempts::Stage;

struct Calls final : ports::Attempts {
  Stage of(const std::string& pod_uid) const override {
    ++asked;
    const auto found = stages.find(pod_uid);
    return found == stages.end() ? Stage::none : found->second;
  }
  bool is_quiet(const std::string&) const override { return false; }
  std::map<std::string, Stage> stages;
  mutable int asked = 0;
};

inline ports::ShownPod shown(const std::string& name, const std::string& node,
                             std::uint64_t attempt = 1) {
  return {name, "default", name, node, false, attempt};
}

inline ports::ShownPod hinted(const std::string& name, const std::string& node) {
  ports::ShownPod pod = shown(name, node);
  pod.is_nominated = pod.asks_filter = true;
  return pod;
}

inline std::shared_ptr<const ports::ShownPods> table_of(std::vector<ports::ShownPod> pods) {
  return std::make_shared<const ports::ShownPods>(ports::ShownPods::of(std::move(pods)));
}

// Of a client that lists again: it has all up to the version, and these pods.
inline Memory knowing(const std::vector<ports::ShownPod>& pods, const std::string& version = "") {
  Memory memory;
  memory.former.version = version;
  for (const ports::ShownPod& pod : pods) {
    HeldPod& held = memory.former.pods[pod.name_space + "/" + pod.name];
    held.uid = pod.uid;
    held.node = pod.node;
    held.attempt = pod.attempt;
    held.is_shown = true;
    held.is_nominated = pod.is_nominated;
    held.asks_filter = pod.asks_filter;
  }
  return memory;
}

// One client of the view.
class PodViewTest : public ::testing::Test {
 protected:
  using Texts = testing::Texts;
  using Sample = testing::Sample;

  static std::string event(const std::string& type, const Sample& pod) {
    return testing::event(type, pod);
  }
  static std::string bookmark(const std::string& version, bool ends = false) {
    return testing::bookmark(version, ends);
  }

  // The client's events.
  Texts take(const std::string& bytes) {
    std::string out;
    const Status status = stream_.take(bytes, out);
    EXPECT_TRUE(status) << status.error().to_string();
    return testing::events_of(out);
  }
  Texts take(const std::string& type, const Sample& pod) { return take(event(type, pod)); }
  // VIEW-17: of a frame of the window.
  Texts take_of_all(const std::string& frame) {
    std::string out;
    const Status status = stream_.take_of_all(frame, out);
    EXPECT_TRUE(status) << status.error().to_string();
    return testing::events_of(out);
  }
  Texts follow(std::vector<ports::ShownPod> pods) {
    table_ = table_of(std::move(pods));
    return follow();
  }
  Texts follow() {
    std::string out;
    stream_.follow(table_, out);
    return testing::events_of(out);
  }

  static inline const Managed kManaged{"other", "berth"};

  std::shared_ptr<const ports::ShownPods> table_ = table_of({});
  Calls calls_;
  PodStream stream_ = PodStream::fresh(kManaged, calls_);
};

}  // namespace berth::podview
