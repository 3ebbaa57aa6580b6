#include <gtest/gtest.h>

#include <atomic>
#include <utility>

#include "http/certificates.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/rest_client.h"
#include "kubeapi/waiting.h"
#include "proxy/proxy.h"

// Unary requests over HTTP/2. The server is our proxy.

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using http::testing::Authority;
using http::testing::TemporaryDirectory;
using testing::Awaited;
using testing::FakeServer;
using testing::Reply;

// Answers all but "/held" with the request's body.
class Echo final : public proxy::Interceptor {
 public:
  std::unique_ptr<proxy::Exchange> intercept(proxy::Request&, proxy::Reply&) override {
    return nullptr;
  }
  bool reads_body(const proxy::Request& request) const override {
    return request.target != "/held";
  }
  std::optional<proxy::Answer> answer(const proxy::Request& request,
                                      std::string_view body) override {
    proxy::Answer answer;
    const int status = request.target == "/busy" ? 429 : 200;
    answer.status = status;
    answer.headers = {{"content-type", "application/json"}, {"retry-after", "7"}};
    answer.body = body;
    return answer;
  }
};

class Http2Calls : public ::testing::Test {
 protected:
  Http2Calls() {
    authority_.issue("server", directory_.file("crt"), directory_.file("key"), "IP:127.0.0.1");
    options_.certificate_file = directory_.file("crt");
    options_.key_file = directory_.file("key");
    options_.upstream.server = behind_.url();
    start();
  }

  void start() {
    auto made = proxy::Proxy::create(options_, echo_);
    ASSERT_TRUE(made) << made.error().to_string();
    server_ = std::move(made).value();
    const Status started = server_->start();
    ASSERT_TRUE(started) << started.error().to_string();
    options_.port = server_->port();
  }

  Access access() const {
    Access access;
    access.server = "https://127.0.0.1:" + std::to_string(server_->port());
    access.ca.file = directory_.file("ca.crt");
    return access;
  }

  static std::unique_ptr<RestClient> client_of(const Access& access) {
    RestOptions options;
    options.qps = 0;
    options.max_in_flight = 1000;
    auto client = RestClient::create(access, options);
    EXPECT_TRUE(client) << client.error().to_string();
    return std::move(client).value();
  }

  static Request post(const std::string& path, std::string body = "{}") {
    Request request;
    request.method = "POST";
    request.path = path;
    request.body = std::move(body);
    request.deadline = 20s;
    return request;
  }

  // Sends as many at once, and returns how many were answered as they should be.
  static int burst(RestClient& client, int count) {
    Awaited<std::pair<int, int>> seen;
    for (int i = 0; i < count; ++i) {
      const std::string body = std::to_string(i);
      client.send(post("/x", body), [&seen, body](const Response& response) {
        EXPECT_EQ(response.status, 200) << response.error;
        seen.change([&](std::pair<int, int>& now) {
          ++now.first;
          now.second += response.body == body ? 1 : 0;
        });
      });
    }
    EXPECT_TRUE(seen.wait([&](const std::pair<int, int>& now) { return now.first == count; }));
    return seen.get().second;
  }

  TemporaryDirectory directory_;
  Authority authority_{"ca", directory_.file("ca.crt")};
  FakeServer behind_{[](const testing::Call&, Reply& reply) { reply.wait_until_closed(); }};
  Echo echo_;
  proxy::Options options_;
  std::unique_ptr<proxy::Proxy> server_;
};

TEST_F(Http2Calls, API2ABurstSharesAFewConnections) {
  const auto client = client_of(access());
  EXPECT_EQ(burst(*client, 500), 500);
  EXPECT_LE(server_->counts().connections_accepted, 4U);
  EXPECT_EQ(burst(*client, 500), 500);
  EXPECT_LE(server_->counts().connections_accepted, 4U);
}

TEST_F(Http2Calls, API2AServerThatTakesFewAtOnceGetsAllOfThem) {
  server_->stop();
  options_.max_streams = 5;
  start();
  const auto client = client_of(access());
  EXPECT_EQ(burst(*client, 500), 500);
  EXPECT_LE(server_->counts().connections_accepted, 4U);
}

TEST_F(Http2Calls, HandOnHeadsAndLargeBodies) {
  const auto client = client_of(access());
  const Response busy = client->call(post("/busy"));
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(busy.retry_after, Duration(7s));
  const std::string large(300'000, 'x');
  EXPECT_TRUE(client->call(post("/", large)).body == large);
}

TEST_F(Http2Calls, API2WritesSucceedAtOnceWhenTheServerIsBack) {
  const auto client = client_of(access());
  ASSERT_EQ(burst(*client, 200), 200);
  server_.reset();
  start();
  EXPECT_EQ(burst(*client, 200), 200);
  EXPECT_EQ(client->counters().failed, 0U);
}

TEST_F(Http2Calls, API2AConnectionWithoutAnswersIsGivenUpAtTheDeadline) {
  const auto client = client_of(access());
  ASSERT_EQ(client->call(post("/")).status, 200);
  Request held = post("/held");
  held.deadline = 50ms;
  EXPECT_EQ(client->call(held).status, 0);
  EXPECT_EQ(client->call(post("/")).status, 200);
  EXPECT_EQ(server_->counts().connections_accepted, 2U);
}

TEST_F(Http2Calls, API2AConnectionWithAnswersStaysWhenOneCallIsGivenUp) {
  const auto client = client_of(access());
  Awaited<int> ended;
  Request held = post("/held");
  held.deadline = 500ms;
  client->send(held, [&](const Response& response) {
    EXPECT_EQ(response.status, 0);
    ended.set(1);
  });
  ASSERT_TRUE(behind_.wait_for_calls(1));
  EXPECT_EQ(client->call(post("/")).status, 200);
  ASSERT_TRUE(ended.wait([](int count) { return count == 1; }));
  EXPECT_EQ(client->call(post("/")).status, 200);
  EXPECT_EQ(server_->counts().connections_accepted, 1U);
}

TEST_F(Http2Calls, API11NoCallIsStuckBehindThoseThatAreGivenUp) {
  server_->stop();
  options_.max_streams = 5;
  start();
  const auto client = client_of(access());
  constexpr int kEach = 60;
  Awaited<int> ended;
  for (int i = 0; i < kEach; ++i) {
    Request held = post("/held");
    held.deadline = std::chrono::milliseconds(5 + i % 20);
    client->send(held, [&](const Response& response) {
      EXPECT_EQ(response.status, 0);
      ended.change([](int& count) { ++count; });
    });
    // Those on a connection that is broken may fail. None waits for its own deadline.
    client->send(post("/"), [&](const Response& response) {
      EXPECT_EQ(response.error.find("no answer within"), std::string::npos) << response.error;
      ended.change([](int& count) { ++count; });
    });
  }
  EXPECT_TRUE(ended.wait([](int count) { return count == 2 * kEach; }));
}

TEST_F(Http2Calls, API10UrgentRequestsShareNoConnection) {
  const auto client = client_of(access());
  ASSERT_EQ(client->call(post("/")).status, 200);
  Request urgent = post("/");
  urgent.urgent = true;
  // They ask for HTTP/1.1, which this server refuses in the handshake. It counts that after it has
  // sent the refusal.
  EXPECT_EQ(client->call(urgent).status, 0);
  EXPECT_TRUE(testing::until([&] { return server_->counts().handshakes_failed == 1U; }));
}

TEST_F(Http2Calls, API7PresentTheClientsCertificate) {
  server_->stop();
  options_.client_ca_file = directory_.file("ca.crt");
  start();
  Access access = this->access();
  EXPECT_EQ(client_of(access)->call(post("/")).status, 0);
  authority_.issue("user", directory_.file("user.crt"), directory_.file("user.key"));
  access.client_certificate.file = directory_.file("user.crt");
  access.client_key.file = directory_.file("user.key");
  const Response response = client_of(access)->call(post("/"));
  EXPECT_EQ(response.status, 200) << response.error;
}

TEST_F(Http2Calls, AStopAnswersThoseUnderWay) {
  const auto client = client_of(access());
  std::atomic<int> answers = 0;
  for (int i = 0; i < 10; ++i) {
    client->send(post("/held"), [&](const Response& response) {
      EXPECT_EQ(response.status, 0);
      ++answers;
    });
  }
  ASSERT_TRUE(behind_.wait_for_calls(4));  // the proxy lets no more pass at once
  client->stop();
  EXPECT_EQ(answers, 10);
}

}  // namespace
}  // namespace berth::kubeapi
