#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "kubeapi/fake_server.h"
#include "kubeapi/line_splitter.h"
#include "kubeapi/rest_client.h"
#include "kubeapi/waiting.h"

namespace berth::kubeapi::line_stream_test {
namespace {

using namespace std::chrono_literals;
using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

std::unique_ptr<RestClient> client_of(const FakeServer& server, RestOptions options = {}) {
  Access access;
  access.server = server.url();
  return std::move(*RestClient::create(access, options));
}

Request watch() {
  Request request;
  request.path = "/watch";
  request.deadline = 20s;
  request.idle_timeout = 20s;
  return request;
}

TEST(Lines, AreCutWhereverThePartsEnd) {
  const std::string text = "one\ntwo\r\n\nthree\nrest";
  for (std::size_t size = 1; size <= text.size(); ++size) {
    std::vector<std::string> lines;
    LineSplitter splitter(100);
    for (std::size_t at = 0; at < text.size(); at += size) {
      ASSERT_TRUE(splitter.feed(std::string_view(text).substr(at, size),
                                [&](std::string_view line) { lines.emplace_back(line); }));
    }
    EXPECT_EQ(lines, (std::vector<std::string>{"one", "two", "three"})) << size;
  }
}

TEST(Stream, API1GivesFullLinesOnTheCallersThread) {
  FakeServer server([](const Call&, Reply& reply) {
    reply.begin_stream();
    reply.chunk("a\nb");
    reply.chunk("c\nhalf");
    reply.end_stream();
  });
  const auto client = client_of(server);
  const std::stop_token cancel;
  std::vector<std::string> lines;
  const auto here = std::this_thread::get_id();
  const Response response = client->stream(
      watch(),
      [&](std::string_view line) {
        EXPECT_EQ(std::this_thread::get_id(), here);
        lines.emplace_back(line);
      },
      cancel);
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(response.error, "");
  EXPECT_EQ(lines, (std::vector<std::string>{"a", "bc"}));
}

TEST(Stream, DistinguishesAnAbortFromAnEnd) {
  FakeServer server([](const Call&, Reply& reply) {
    reply.begin_stream();
    reply.chunk("a\nhal");
    reply.abort();
  });
  const auto client = client_of(server);
  const std::stop_token cancel;
  const Response response = client->stream(
      watch(), [](std::string_view) {}, cancel);
  EXPECT_TRUE(response.status == 200 || response.status == 0);
  EXPECT_NE(response.error, "");
}

TEST(Stream, GivesUpWhenNothingComes) {
  FakeServer server([](const Call&, Reply& reply) {
    reply.begin_stream();
    reply.chunk("a\n");
    reply.wait_until_closed();
  });
  const auto client = client_of(server);
  const std::stop_token cancel;
  Request request = watch();
  request.idle_timeout = 50ms;
  EXPECT_EQ(client
                ->stream(
                    request, [](std::string_view) {}, cancel)
                .error,
            server.url() + ": no byte within 50ms");
}

TEST(Stream, GivesUpWhenThereIsNoHead) {
  FakeServer server([](const Call&, Reply& reply) { reply.wait_until_closed(); });
  const auto client = client_of(server);
  const std::stop_token cancel;
  Request request = watch();
  request.deadline = 50ms;
  const Response response = client->stream(
      request, [](std::string_view) {}, cancel);
  EXPECT_EQ(response.status, 0);
  EXPECT_EQ(response.error, server.url() + ": no answer within 50ms");
}

TEST(Stream, IsCancelledFromAnotherThread) {
  FakeServer server([](const Call&, Reply& reply) {
    reply.begin_stream();
    reply.chunk("a\n");
    reply.wait_until_closed();
  });
  const auto client = client_of(server);
  std::stop_source cancel;
  Awaited<bool> has_begun;
  std::thread other([&] {
    EXPECT_TRUE(has_begun.wait([](bool begun) { return begun; }));
    cancel.request_stop();
  });
  const Response response = client->stream(
      watch(), [&](std::string_view) { has_begun.set(true); }, cancel.get_token());
  EXPECT_EQ(response.error, "cancelled");
  other.join();
}

TEST(Stream, EndsWhenTheClientIsStopped) {
  FakeServer server([](const Call&, Reply& reply) {
    reply.begin_stream();
    reply.wait_until_closed();
  });
  const auto client = client_of(server);
  std::thread other([&] {
    EXPECT_TRUE(server.wait_for_calls(1));
    client->stop();
  });
  const std::stop_token cancel;
  EXPECT_EQ(client
                ->stream(
                    watch(), [](std::string_view) {}, cancel)
                .error,
            "the client was stopped");
  other.join();
}

TEST(Stream, HandsOnAnotherStatusWithItsBody) {
  FakeServer server(
      [](const Call&, Reply& reply) { reply.send(429, "wait\nhere", "Retry-After: 3"); });
  const auto client = client_of(server);
  const std::stop_token cancel;
  int lines = 0;
  const Response response = client->stream(
      watch(), [&](std::string_view) { ++lines; }, cancel);
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.body, "wait\nhere");
  EXPECT_EQ(response.retry_after, Duration(3s));
  EXPECT_EQ(lines, 0);
}

TEST(Stream, RefusesALineWithoutEnd) {
  FakeServer server([](const Call&, Reply& reply) {
    reply.begin_stream();
    while (reply.chunk(std::string(10'000, 'x'))) {
    }
  });
  RestOptions options;
  options.line_max = 100'000;
  const auto client = client_of(server, options);
  const std::stop_token cancel;
  EXPECT_EQ(client
                ->stream(
                    watch(), [](std::string_view) {}, cancel)
                .error,
            server.url() + ": a line of more than 100000 bytes");
}

TEST(Stream, API1SlownessHoldsBackTheServer) {
  constexpr std::size_t kChunk = 64 * 1024;
  constexpr std::size_t kFlood = 2000;  // 128 MB, far more than sockets hold
  std::atomic<std::size_t> sent = 0;
  FakeServer server([&](const Call&, Reply& reply) {
    reply.begin_stream();
    const std::string line(kChunk - 1, 'x');
    for (std::size_t i = 0; i < kFlood && reply.line(line); ++i) ++sent;
    reply.end_stream();
  });
  const auto client = client_of(server);
  const std::stop_token cancel;
  std::size_t taken = 0;
  const Response response = client->stream(
      watch(),
      [&](std::string_view) {
        // Bytes that were sent and not read fit into the socket buffers.
        ++taken;
        EXPECT_LT(sent, taken + 400);
      },
      cancel);
  EXPECT_EQ(response.error, "");
  EXPECT_EQ(taken, kFlood);
}

TEST(Stream, OutlivesItsIdleTimeoutWhileTheReaderIsSlow) {
  FakeServer server([](const Call& call, Reply& reply) {
    reply.begin_stream();
    if (call.path() == "/stall") return reply.wait_until_closed();
    reply.chunk("a\n");
    reply.chunk("b\n");
    reply.end_stream();
  });
  const auto client = client_of(server);
  const std::stop_token cancel;
  Request request = watch();
  request.idle_timeout = 50ms;
  Request stall = request;
  stall.path = "/stall";
  int lines = 0;
  const Response response = client->stream(
      request,
      [&](std::string_view) {
        ++lines;
        // Waits as long as it takes to end another stream.
        EXPECT_NE(client
                      ->stream(
                          stall, [](std::string_view) {}, cancel)
                      .error,
                  "");
      },
      cancel);
  EXPECT_EQ(response.error, "");
  EXPECT_EQ(lines, 2);
}

}  // namespace
}  // namespace berth::kubeapi::line_stream_test
