// The memory that a list of all pods takes.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "apiview/fakes.h"
#include "apiview/pod_interceptor.h"
#include "apiview/pod_list_exchange.h"
#include "podview/samples.h"

namespace berth::apiview {
namespace {

constexpr std::size_t kMiB = 1 << 20;

// Takes what it gets, without a copy.
struct Taker final : proxy::Reply {
  void head(int code, proxy::Headers) override { status = code; }
  void body(std::string text) override {
    size += text.size();
    pieces.push_back(std::move(text));
  }
  void end() override { has_ended = true; }
  void abort() override {}
  std::size_t queued() const override { return size; }
  bool is_full() override { return false; }
  void leave_upstream() override {}

  int status = 0;
  std::size_t size = 0;
  std::vector<std::string> pieces;
  bool has_ended = false;
};

using testing::NoCalls;
using testing::NoEvents;

class PodListMemoryTest : public ::testing::Test {
 protected:
  struct Open {
    std::unique_ptr<Taker> client = std::make_unique<Taker>();
    std::unique_ptr<proxy::Exchange> exchange;
  };

  Open get() {
    Open open;
    proxy::Request request{
        "GET", "/api/v1/pods?limit=500", {{"accept", "application/vnd.kubernetes.protobuf"}}};
    open.exchange = interceptor_.intercept(request, *open.client);
    open.exchange->on_head(200, {{"content-type", "application/vnd.kubernetes.protobuf"}});
    return open;
  }

  // Pods of 1 MiB; the first one waits.
  static void send(int pods, proxy::Exchange& to) {
    podview::testing::Sample pod{.name = "p", .version = "5", .node = "", .phase = ""};
    pod.phase.assign(kMiB, 'x');
    std::vector<podview::testing::Sample> all(static_cast<std::size_t>(pods), pod);
    for (std::size_t i = 1; i < all.size(); ++i) all[i].node = "n1";
    const std::string body = podview::testing::list("9", all);
    for (std::size_t at = 0; at < body.size(); at += 16 << 10) {
      to.on_body(std::string_view(body).substr(at, 16 << 10));
    }
  }

  ports::Published<ports::ShownPods> shown_{std::make_shared<const ports::ShownPods>()};
  NoCalls calls_;
  NoEvents events_;
  std::vector<std::string> complaints_;
  PodInterceptor interceptor_{{{"berth"},
                               shown_,
                               calls_,
                               events_,
                               [](const std::string&) {},
                               [this](const std::string& text) { complaints_.push_back(text); },
                               80 * kMiB}};
};

TEST_F(PodListMemoryTest, ALargeListIsNotCopiedAsItGrows) {
  const std::string piece(64 << 10, 'x');
  std::string body;
  while (body.size() <= 16 * kMiB) append_to_list(piece, 80 * kMiB, body);
  const char* const place = body.data();
  while (body.size() < 80 * kMiB) append_to_list(piece, 80 * kMiB, body);
  EXPECT_EQ(body.data(), place);
}

TEST_F(PodListMemoryTest, AListIsSentWithoutThePodsThatWait) {
  constexpr int kPods = 20;
  Open list = get();
  send(kPods, *list.exchange);
  list.exchange->on_end();
  ASSERT_TRUE(list.client->has_ended);
  EXPECT_GT(list.client->size, (kPods - 1) * kMiB);
  EXPECT_LT(list.client->size, kPods * kMiB);
}

TEST_F(PodListMemoryTest, ListsThatAreTooLargeTogetherAreRefused) {
  Open first = get();
  send(50, *first.exchange);
  {
    Open second = get();
    send(50, *second.exchange);
    EXPECT_EQ(second.client->status, 502);
    EXPECT_EQ(complaints_.size(), 1u);
    second.exchange->on_end();
    EXPECT_EQ(complaints_.size(), 1u);
  }
  first.exchange->on_end();
  EXPECT_EQ(first.client->status, 200);
  first.exchange.reset();
  Open third = get();
  send(50, *third.exchange);
  third.exchange->on_end();
  EXPECT_EQ(third.client->status, 200);
}

}  // namespace
}  // namespace berth::apiview
