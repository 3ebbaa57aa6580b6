#include "ports/watch_tap.h"

#include <gtest/gtest.h>

#include "kubeapi/follower.h"

namespace berth::kubeapi {
namespace {

using testing::Follower;
using testing::kThings;

// Keeps "list 7", and of an event its version and type.
struct Tap final : ports::WatchTap {
  void listed(std::string_view version) override {
    calls.push_back("list " + std::string(version));
  }
  void event(std::string_view version, std::string_view frame) override {
    const std::size_t type = frame.find(R"("type":")") + 8;
    calls.push_back(std::string(version) + " " +
                    std::string(frame.substr(type, frame.find('"', type) - type)));
  }
  std::vector<std::string> calls;
};

TEST(Reflector, VIEW17ATapGetsEachListAndAllThatFollows) {
  for (const bool is_streaming : {false, true}) {
    Follower follower;
    Tap tap;
    follower.kind.tap = &tap;
    follower.options.streaming_list = is_streaming;
    if (is_streaming) follower.api.offer_streaming_lists();
    for (const char* name : {"t0", "t1", "t2"}) follower.api.put(kThings, name);
    follower.run();
    follower.api.put(kThings, "new");
    follower.api.put(kThings, "t0");
    follower.api.erase(kThings, "t1");
    follower.api.bookmark(kThings);
    follower.run();
    follower.say(R"({"type":"OTHER","object":{"metadata":{"resourceVersion":"106"}}})");
    follower.api.put(kThings, "t2");
    follower.run();
    follower.api.set_version(50);
    follower.api.put(kThings, "t2");
    follower.run();
    // Neither an unknown type nor a version that goes back is passed on.
    const std::vector<std::string> expected{"list 103",    "104 ADDED",    "105 MODIFIED",
                                            "106 DELETED", "106 BOOKMARK", "107 MODIFIED",
                                            "list 51"};
    EXPECT_EQ(tap.calls, expected) << is_streaming;
  }
}

}  // namespace
}  // namespace berth::kubeapi
