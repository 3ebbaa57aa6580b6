#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <random>

#include "kubeapi/follower.h"
#include "kubeapi/reflector.h"

// In the end, a reflector has handed on the objects of the server, whatever happened before:
// API-12, API-13 and API-14 together.

namespace berth::kubeapi {
namespace {

using testing::Call;
using testing::error_line;
using testing::Follower;
using testing::kThings;
using testing::Reply;

bool play_fault(std::mt19937_64& random, const Call& call, Reply& reply) {
  switch (random() % 12) {
    case 0:
      return reply.send(500, "no"), true;
    case 1:
      return reply.send(429, "wait"), true;
    case 2:
      return reply.abort(), true;
    case 3:
      if (!call.is_watch()) return reply.send(200, R"({"items":[{"metadata":)"), true;
      reply.begin_stream();
      reply.line(error_line(410));
      return true;
    case 4:
      reply.begin_stream();
      reply.chunk(R"({"type":"DELETED","object":{"metadata":{"name":"t1","uid":"uid-2"})");
      reply.abort();
      return true;
    default:
      return false;
  }
}

TEST(Reflector, EndsUpWithWhatTheServerHoldsWhateverHappens) {
  const std::uint64_t seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 10; ++round) {
    std::mutex mutex;
    std::mt19937_64 faults(random());
    std::atomic<bool> is_calm = false;
    Follower follower;
    follower.options.page_size = 3;
    follower.options.seed = random();
    follower.options.streaming_list = round % 2 == 0;
    if (round % 4 == 0) follower.api.offer_streaming_lists();
    for (int i = 0; i < 10; ++i) follower.api.put(kThings, "t" + std::to_string(i));
    follower.api.intercept([&](const Call& call, Reply& reply) {
      const std::lock_guard lock(mutex);
      return !is_calm && play_fault(faults, call, reply);
    });
    follower.start();
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
          follower.api.say(kThings, error_line(random() % 2 == 0 ? 410 : 500));
          break;
        default:
          follower.api.put(kThings, name);
      }
    }
    is_calm = true;
    ASSERT_TRUE(follower.agrees()) << "round " << round;
  }
}

}  // namespace
}  // namespace berth::kubeapi
