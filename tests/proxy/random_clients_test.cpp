// Clients that open, reset, pause and leave at random. Answers are right, and nothing is left over.
#include <algorithm>
#include <random>

#include "proxy/proxy_fixture.h"

namespace berth::proxy {
namespace {

using namespace testing;

const std::string kLarge = numbers(600'000);

void serve(const Received& request, Answering& answering) {
  const std::string& target = request.target;
  if (target == "/short") answering.answer("short " + request.body);
  if (target == "/large") answering.answer(kLarge);
  if (target == "/broken") {
    answering.send("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\nhalf");
    answering.reset();
  }
  if (target == "/silent") answering.wait_until_closed();
  if (target == "/endless") {
    answering.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const std::string chunk = "1000\r\n" + std::string(4096, 'x') + "\r\n";
    while (answering.send(chunk)) {
    }
    answering.close();
  }
}

class RandomClientsTest : public ProxyTest, public ::testing::WithParamInterface<unsigned> {
 protected:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_);
  }

  struct Pending {
    Call* call = nullptr;
    std::string expected = {};  // the body; only if `must_end`
    bool must_end = false;
  };

  Pending open(H2Client& client) {
    const std::string body = numbers(below(4) == 0 ? below(200'000) : below(200));
    switch (below(7)) {
      case 0:
        return {&client.get("/short"), "short ", true};
      case 1:
        return {&client.post("/short", body), "short " + body, true};
      case 2:
        return {&client.get("/large"), kLarge, true};
      case 3:
        return {&client.get("/broken")};
      case 4:
        return {&client.get("/silent")};
      case 5:
        return {&client.post("/silent", body)};
      default:
        return {&client.get("/endless")};
    }
  }

  void act(H2Client& client, Pending& pending) {
    if (pending.call->is_closed) return;
    if (!pending.call->reads) {
      client.read_on(*pending.call);
    } else if (below(2) == 0) {
      pending.call->reads = false;
    } else {
      client.reset(*pending.call);
      pending.must_end = false;
    }
  }

  void play(H2Client& client) {
    std::vector<Pending> all;
    for (int i = 0; i < 120; ++i) {
      if (all.empty() || below(2) == 0) {
        all.push_back(open(client));
      } else {
        act(client, all[below(all.size())]);
      }
      std::size_t steps = below(4);
      client.run_until([&] { return steps-- == 0; });
      ASSERT_FALSE(client.is_over());
    }
    for (const Pending& each : all) {
      if (each.call->is_closed) continue;
      if (!each.call->reads) client.read_on(*each.call);
      if (!each.must_end && each.call->status != 502) client.reset(*each.call);
    }
    for (const Pending& each : all) {
      ASSERT_TRUE(client.run_until([&] { return each.call->is_closed; }));
      if (each.must_end) {
        EXPECT_TRUE(each.call->is_answer() && each.call->body == each.expected);
      }
    }
  }

  std::mt19937 random_{GetParam()};
};

TEST_P(RandomClientsTest, GetRightAnswersAndLeaveNothing) {
  TestUpstream upstream(serve);
  Options made = options(upstream.url());
  made.full_at = 128 << 10;
  made.empty_at = 32 << 10;
  start(made);
  for (int i = 0; i < 3; ++i) {
    const auto caller = client(below(2) == 0 ? 20'000 : 1 << 20);
    play(*caller);
    if (HasFatalFailure()) return;
    // Some calls stay open, and end with the connection.
    for (int j = 0; j < 10; ++j) open(*caller);
    std::size_t steps = below(4);
    caller->run_until([&] { return steps-- == 0; });
  }
  EXPECT_TRUE(eventually([](const Counts& counts) {
    return counts.connections_open == 0 && counts.streams_open == 0 && counts.transfers_open == 0;
  }));
  EXPECT_EQ(proxy_->counts().stalled, 0U);
  EXPECT_EQ(proxy_->counts().floods, 0U);
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomClientsTest, ::testing::Range(1U, 9U));

}  // namespace
}  // namespace berth::proxy
