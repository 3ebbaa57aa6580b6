#include "ports/watch_tap.h"

#include <gtest/gtest.h>

#include "kubeapi/follower.h"

namespace berth::kubeapi {
namespace {

using testing::Awaited;
using testing::Follower;
using testing::kThings;

// Keeps "list 7", and of an event its version and type.
struct Tap final : ports::WatchTap {
  void listed(std::string_view version) override { add("list " + std::string(version)); }
  void event(std::string_view version, std::string_view frame) override {
    const std::size_t type = frame.find(R"("type":")") + 8;
    add(std::string(version) + " " + std::string(frame.substr(type, frame.find('"', type) - type)));
  }
  void add(std::string call) {
    calls.change([&](auto& all) { all.push_back(std::move(call)); });
  }
  Awaited<std::vector<std::string>> calls;
};

TEST(Reflector, VIEW17ATapGetsEachListAndAllThatFollows) {
  using Calls = std::vector<std::string>;
  for (const bool is_streaming : {false, true}) {
    Follower follower;
    Tap tap;
    follower.kind.tap = &tap;
    follower.options.streaming_list = is_streaming;
    if (is_streaming) follower.api.offer_streaming_lists();
    for (const char* name : {"t0", "t1", "t2"}) follower.api.put(kThings, name);
    follower.start();
    ASSERT_TRUE(follower.api.wait_for_watch(kThings));
    follower.api.put(kThings, "new");
    follower.api.put(kThings, "t0");
    follower.api.erase(kThings, "t1");
    follower.api.bookmark(kThings);
    const Calls expected{"list 103", "104 ADDED", "105 MODIFIED", "106 DELETED", "106 BOOKMARK"};
    EXPECT_TRUE(tap.calls.wait([&](const Calls& all) { return all == expected; })) << is_streaming;
    follower.api.say(kThings,
                     R"({"type":"OTHER","object":{"metadata":{"resourceVersion":"106"}}})");
    follower.api.put(kThings, "t2");
    EXPECT_TRUE(tap.calls.wait([](const Calls& all) { return all.back() == "107 MODIFIED"; }));
    follower.api.set_version(50);
    follower.api.put(kThings, "t2");
    EXPECT_TRUE(tap.calls.wait([](const Calls& all) { return all.back() == "list 51"; }));
    EXPECT_EQ(tap.calls.get().size(), 7U)
        << "neither an unknown type nor a version that goes back is passed on";
    follower.reflector.reset();
  }
}

}  // namespace
}  // namespace berth::kubeapi
