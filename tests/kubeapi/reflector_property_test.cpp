#include <gtest/gtest.h>

#include <random>

#include "kubeapi/follower.h"
#include "kubeapi/reflector.h"
#include "support/seeds.h"

// In the end, a reflector has handed on the objects of the server, whatever happened before:
// API-12, API-13 and API-14 together.

namespace berth::kubeapi {
namespace {

using testing::Call;
using testing::error_line;
using testing::Follower;
using testing::kThings;
using Answer = Follower::Answer;

std::optional<Answer> fault_of(std::mt19937_64& random, const Call& call) {
  switch (random() % 12) {
    case 0:
      return Answer{{.status = 500}};
    case 1:
      return Answer{{.status = 429}};
    case 2:
      return Answer{{.error = "broken off"}};
    case 3:
      if (!call.is_watch()) return Answer{{.status = 200, .body = R"({"items":[{"metadata":)"}};
      return Answer{.lines = {error_line(410)}};
    case 4:
      return Answer{.response = {.status = 200, .error = "broken off"},
                    .lines = {R"({"type":"DELETED","object":{"metadata":{"name":"t1"})"}};
    default:
      return std::nullopt;
  }
}

void follow_through_faults(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Follower follower;
  follower.options.page_size = 3;
  follower.options.seed = random();
  follower.options.streaming_list = random() % 2 == 0;
  if (random() % 2 == 0) follower.api.offer_streaming_lists();
  for (int i = 0; i < 10; ++i) follower.api.put(kThings, "t" + std::to_string(i));
  follower.fault = [&](const Call& call) { return fault_of(random, call); };
  for (int step = 0; step < 60; ++step) {
    const std::string name = "t" + std::to_string(random() % 15);
    switch (random() % 8) {
      case 0:
        follower.api.compact();
        break;
      case 1:
      case 2:
        follower.api.erase(kThings, name);
        break;
      case 3:
        follower.run(0);
        follower.say(error_line(random() % 2 == 0 ? 410 : 500));
        break;
      default:
        follower.api.put(kThings, name);
    }
    follower.run(static_cast<int>(random() % 3));
  }
  follower.fault = nullptr;
  follower.run();
  ASSERT_TRUE(follower.agrees());
  EXPECT_TRUE(follower.reflector->is_synced());
  follower.clock.advance(std::chrono::seconds(1));
  follower.end_watch();
  EXPECT_FALSE(follower.reflector->is_behind());
}

TEST(Reflector, EndsUpWithWhatTheServerHoldsWhateverHappens) {
  for (const std::uint64_t seed : support::seeds(300)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    follow_through_faults(seed);
  }
}

}  // namespace
}  // namespace berth::kubeapi
