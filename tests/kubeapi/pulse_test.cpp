#include "kubeapi/pulse.h"

#include <gtest/gtest.h>

#include "berth/base/boot_clock.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/rest_client.h"
#include "kubeapi/waiting.h"
#include "support/jumping_clock.h"

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using testing::Call;
using testing::FakeServer;
using testing::Reply;
using testing::until;

TEST(Pulse, API34AServerThatDoesNotAnswerIsSilent) {
  support::JumpingClock clock;
  Pulse pulse(clock);
  clock.advance(20s);
  EXPECT_EQ(pulse.fault(20s), "");
  clock.advance(14s);
  EXPECT_EQ(pulse.fault(20s), "the API server has not answered for 34s");
  EXPECT_EQ(pulse.silence(), Duration(34s));
  pulse.note(0);
  EXPECT_EQ(pulse.silence(), Duration(34s)) << "a request without an answer";
  pulse.note(200);
  EXPECT_EQ(pulse.fault(20s), "");
}

TEST(Pulse, API34AQuietClusterIsNotSilentForAnyTime) {
  support::JumpingClock clock;
  Pulse pulse(clock);
  for (int renewals = 0; renewals < 1000; ++renewals) {
    clock.advance(2s);
    pulse.note(200);
    EXPECT_EQ(pulse.fault(20s), "");
  }
}

TEST(Pulse, API34ARefusalIsAnAnswerAndAFaultOfTheServerIsNone) {
  support::JumpingClock clock;
  Pulse pulse(clock);
  for (const int status : {404, 409, 429}) {
    clock.advance(1s);
    pulse.note(status);
    EXPECT_EQ(pulse.silence(), Duration(0)) << status;
  }
  for (const int status : {500, 502, 503, 504}) {
    clock.advance(1s);
    pulse.note(status);
  }
  EXPECT_EQ(pulse.silence(), Duration(4s));
}

TEST(Pulse, API34AnswersAndEventsOfWatchesCount) {
  FakeServer server([](const Call& call, Reply& reply) {
    if (!call.is_watch()) return void(reply.send(200, "{}"));
    reply.begin_stream();
    reply.line("{}");
    reply.end_stream();
  });
  Access access;
  access.server = server.url();
  auto client = RestClient::create(access);
  ASSERT_TRUE(client);
  const BootClock clock;
  const Pulse& pulse = (*client)->pulse();
  // Silence after this is shorter than the time since then: there was a sign of life.
  const auto wait_a_little = [&] {
    EXPECT_TRUE(until([&] { return pulse.silence() > 1ms; }));
    return clock.now();
  };

  TimePoint since = wait_a_little();
  Request request;
  request.path = "/";
  EXPECT_EQ((*client)->call(request).status, 200);
  EXPECT_LE(pulse.silence(), clock.now() - since);

  since = wait_a_little();
  request.path = "/?watch=true";
  const std::stop_token never;
  int lines = 0;
  const auto response = (*client)->stream(
      request,
      [&](std::string_view) {
        ++lines;
        EXPECT_LE(pulse.silence(), clock.now() - since);
        since = wait_a_little();
      },
      never);
  EXPECT_EQ(lines, 1);
  EXPECT_TRUE(response.error.empty()) << response.error;
  EXPECT_LE(pulse.silence(), clock.now() - since) << "it has ended in good order";
}

}  // namespace
}  // namespace berth::kubeapi
