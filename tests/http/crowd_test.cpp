// More connections than there are slots. Anybody may open them, so they must not keep others out.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <future>

#include "http/peers.h"

namespace berth::http::crowd_test {
namespace {

using namespace testing;

const std::string kGet = "GET /livez HTTP/1.1\r\nHost: x\r\n\r\n";

// Deadlines that no test reaches: only the number of connections counts.
ServerOptions patient(std::size_t max_connections) {
  return {.max_connections = max_connections,
          .header_deadline = 1h,
          .body_deadline = 1h,
          .write_deadline = 1h,
          .idle_timeout = 1h,
          .first_request = 1h,
          .linger = 1h};
}

std::string probe(const RunningServer& running) {
  RawClient kubelet(running.port);
  kubelet.send(kGet);
  return body_of(kubelet.receive_reply());
}

bool wait_for_accepted(const RunningServer& running, std::uint64_t count) {
  std::promise<void> never;
  auto tick = never.get_future();
  const auto start = std::chrono::steady_clock::now();
  while (running.server->counts().connections_accepted < count) {
    if (std::chrono::steady_clock::now() - start > kPatience) return false;
    tick.wait_for(5ms);
  }
  return true;
}

struct Crowd {
  const char* name;
  std::string bytes;  // of each of its members
};

void PrintTo(const Crowd& crowd, std::ostream* out) { *out << crowd.name; }

const Crowd kCrowds[] = {
    {"Silent", ""},
    {"HalfHeader", "GET /livez HTTP/1.1\r\nHo"},
    {"HalfBody", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf"},
    {"Served", kGet},
    {"RefusedAndLingering", "nonsense\r\n\r\n"},
};

class CrowdOfIdlersTest : public ::testing::TestWithParam<Crowd> {};

TEST_P(CrowdOfIdlersTest, KeepsNoProbeOutAndCutsNoRequest) {
  constexpr std::size_t kSlots = 256, kIdlers = 400, kHeld = 5;
  Holder holder;
  RunningServer running(
      [held = holder.handler()](const Request& request, Responder responder) {
        (request.path == "/held" ? held : Handler(echo))(request, std::move(responder));
      },
      patient(kSlots));
  std::vector<RawClient> waiting;
  for (std::size_t i = 0; i < kHeld; ++i) {
    waiting.emplace_back(running.port).send("GET /held HTTP/1.1\r\nHost: x\r\n\r\n");
  }
  ASSERT_TRUE(holder.wait_for(kHeld));

  std::vector<RawClient> idlers;
  for (std::size_t i = 0; i < kIdlers; ++i)
    idlers.emplace_back(running.port).send(GetParam().bytes);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(probe(running), "GET /livez ");
  EXPECT_EQ(running.server->counts().connections_refused, 0U);
  EXPECT_GE(running.server->counts().connections_displaced, kHeld + kIdlers + 1 - kSlots);

  holder.answer_all({.body = "whole"});
  for (RawClient& client : waiting) EXPECT_EQ(body_of(client.receive_reply()), "whole");
}

INSTANTIATE_TEST_SUITE_P(Crowds, CrowdOfIdlersTest, ::testing::ValuesIn(kCrowds),
                         [](const auto& row) { return std::string(row.param.name); });

TEST(CrowdTest, TheConnectionThatIsIdleForLongestGoesFirst) {
  RunningServer running(echo, patient(3));
  RawClient used(running.port);
  RawClient oldest(running.port);
  RawClient younger(running.port);
  ASSERT_TRUE(wait_for_accepted(running, 3));
  used.send(kGet);
  EXPECT_EQ(status_of(used.receive_reply()), 200);
  EXPECT_EQ(probe(running), "GET /livez ");
  EXPECT_EQ(oldest.receive_all(), "");
  for (RawClient* const kept : {&used, &younger}) {
    kept->send(kGet);
    EXPECT_EQ(status_of(kept->receive_reply()), 200);
  }
}

TEST(CrowdTest, AnAnswerThatIsNotReadGivesItsSlotUp) {
  RunningServer running(
      [](const Request& request, Responder responder) {
        if (request.path == "/livez") return echo(request, std::move(responder));
        responder.answer({.body = std::string(32 << 20, 'x')});
      },
      patient(2));
  std::vector<RawClient> deaf;
  for (int i = 0; i < 2; ++i) {
    deaf.emplace_back(running.port).send("GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(status_of(deaf.back().receive_some()), 200);
  }
  EXPECT_EQ(probe(running), "GET /livez ");
  EXPECT_EQ(running.server->counts().connections_displaced, 1U);
}

TEST(CrowdTest, WhenHandlersHaveAllSlotsAFurtherConnectionGets503) {
  Holder holder;
  RunningServer running(holder.handler(), patient(3));
  std::vector<RawClient> crowd;
  for (int i = 0; i < 3; ++i) crowd.emplace_back(running.port).send(kGet);
  ASSERT_TRUE(holder.wait_for(3));
  RawClient extra(running.port);
  EXPECT_EQ(status_of(extra.receive_all()), 503);
  EXPECT_EQ(running.server->counts().connections_refused, 1U);
  holder.answer_all({.body = "whole"});
  for (RawClient& member : crowd) EXPECT_EQ(body_of(member.receive_reply()), "whole");
}

// Peers come and go while others are displaced: nothing is lost, and the server ends.
TEST(CrowdTest, ManyAtOnceAreServedOrClosed) {
  RunningServer running(echo, patient(4));
  std::vector<std::future<int>> callers;
  for (int i = 0; i < 8; ++i) {
    callers.push_back(std::async(std::launch::async, [&] {
      int served = 0;
      for (int call = 0; call < 50; ++call) {
        RawClient client(running.port);
        client.send(kGet);
        const std::string reply = client.receive_reply();
        EXPECT_TRUE(reply.empty() || status_of(reply) == 200 || status_of(reply) == 503) << reply;
        served += status_of(reply) == 200 ? 1 : 0;
      }
      return served;
    }));
  }
  int served = 0;
  for (auto& caller : callers) served += caller.get();
  EXPECT_GT(served, 0);
  EXPECT_EQ(probe(running), "GET /livez ");
  EXPECT_TRUE(running.server->stop(kPatience));
  EXPECT_EQ(running.server->counts().connections_open, 0U);
}

// When descriptors run out the accept loop must neither spin nor give up.
TEST(CrowdTest, RunningOutOfDescriptorsCostsNoProcessorAndPasses) {
  std::promise<std::string> notice;
  ServerOptions options;
  options.on_notice = [&](const std::string& message) { notice.set_value(message); };
  RunningServer running(echo, std::move(options));
  RawClient early(running.port);
  early.send(kGet);
  EXPECT_EQ(status_of(early.receive_reply()), 200);

  rlimit old_limit = {};
  getrlimit(RLIMIT_NOFILE, &old_limit);
  const int highest = dup(0);
  rlimit low = {static_cast<rlim_t>(highest) + 32, old_limit.rlim_max};
  setrlimit(RLIMIT_NOFILE, &low);
  std::vector<int> fillers = {highest};
  for (int filler = dup(0); filler >= 0; filler = dup(0)) fillers.push_back(filler);
  ::close(fillers.back());
  fillers.pop_back();
  RawClient late(running.port);  // takes the last descriptor, so none is left for accept
  late.send(kGet);
  EXPECT_EQ(notice.get_future().get(), "cannot accept connections: Too many open files");

  const std::clock_t before = std::clock();
  std::promise<void> never;
  never.get_future().wait_for(400ms);
  EXPECT_LT(std::clock() - before, CLOCKS_PER_SEC / 5);
  for (const int filler : fillers) ::close(filler);
  setrlimit(RLIMIT_NOFILE, &old_limit);
  EXPECT_EQ(status_of(late.receive_reply()), 200);
}

}  // namespace
}  // namespace berth::http::crowd_test
