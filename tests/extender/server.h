#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "extender/service.h"
#include "extender/support.h"
#include "http/http_client.h"
#include "http/http_server.h"
#include "http/router.h"

namespace berth::extender::test {

// The verbs behind a real server on a free port of loopback.
class ServerTest : public ::testing::Test {
 protected:
  explicit ServerTest(bool binds_at_once = true) : binder_(binds_at_once) {}

  void SetUp() override {
    service_.add_routes(router_);
    http::ServerOptions options;
    options.max_body_bytes = 8 << 20;
    server_ = http::make_http_server(options, router_.handler());
    const Status started = server_->start();
    ASSERT_TRUE(started) << started.error().to_string();
    client_ = make_client();
  }
  void TearDown() override {
    barrier_.shutdown();
    EXPECT_TRUE(server_->stop(std::chrono::seconds(60)));
    EXPECT_EQ(router_.failures(), 0u);
  }

  void publish(const PlanBuilder& plan) { plan_.store(plan.build()); }

  std::unique_ptr<http::HttpClient> make_client() const {
    http::ClientOptions options;
    options.url = "http://127.0.0.1:" + std::to_string(server_->port());
    options.timeout = std::chrono::seconds(60);
    auto client = http::HttpClient::create(options);
    EXPECT_TRUE(client);
    return *std::move(client);
  }
  http::Reply post(std::string_view path, std::string_view body) {
    auto reply = client_->post(path, body);
    EXPECT_TRUE(reply) << reply.error().to_string();
    return reply ? *std::move(reply) : http::Reply{};
  }

  ports::Published<ports::PlanTable> plan_{PlanBuilder().build()};
  RecordingBinder binder_;
  RecordingEvents events_;
  SystemClock clock_;
  Moves moves_;
  GangBarrier barrier_{{}, plan_, moves_, binder_, events_};
  AttemptLog attempts_{barrier_, clock_};
  Service service_{plan_, barrier_, events_, clock_, moves_, attempts_};
  http::Router router_;
  std::unique_ptr<http::HttpServer> server_;
  std::unique_ptr<http::HttpClient> client_;
};

// Gives other threads their turn until `is_so`, for 30 seconds at most.
inline bool eventually(const std::function<bool()>& is_so) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!is_so()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

}  // namespace berth::extender::test
