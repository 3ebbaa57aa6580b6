#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "http/certificates.h"
#include "kubeapi/fake_server.h"
#include "kubeapi/rest_client.h"
#include "kubeapi/transport.h"
#include "kubeapi/waiting.h"

// Unary requests over HTTP/1.1.

namespace berth::kubeapi {
namespace {

using namespace std::chrono_literals;
using http::testing::Authority;
using http::testing::TemporaryDirectory;
using testing::Awaited;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

Access access_to(const FakeServer& server) {
  Access access;
  access.server = server.url();
  return access;
}

std::unique_ptr<RestClient> client_of(Access access) {
  RestOptions options;
  options.qps = 0;
  auto client = RestClient::create(std::move(access), options);
  EXPECT_TRUE(client) << client.error().to_string();
  return std::move(client).value();
}

Request post(const std::string& path) {
  Request request;
  request.method = "POST";
  request.path = path;
  request.body = "{}";
  request.deadline = 20s;
  return request;
}

// Sends as many at once, and returns how many had that status.
int burst(RestClient& client, int count, int status = 200) {
  struct Seen {
    int all = 0;
    int right = 0;
  };
  Awaited<Seen> seen;
  for (int i = 0; i < count; ++i) {
    client.send(post("/" + std::to_string(i)), [&](const Response& response) {
      EXPECT_EQ(response.status, status) << response.error;
      seen.change([&](Seen& now) {
        ++now.all;
        now.right += response.status == status ? 1 : 0;
      });
    });
  }
  EXPECT_TRUE(seen.wait([&](const Seen& now) { return now.all == count; }));
  return seen.get().right;
}

TEST(Calls, API2WritesSucceedAtOnceWhenTheServerIsBack) {
  constexpr int kCalls = 20;
  std::atomic<FakeServer*> first = nullptr;
  auto server = std::make_unique<FakeServer>([&](const Call&, Reply& reply) {
    first.load()->wait_for_calls(kCalls);  // so each has a connection
    reply.send(200, "{}");
  });
  first = server.get();
  const auto client = client_of(access_to(*server));
  ASSERT_EQ(burst(*client, kCalls), kCalls);
  EXPECT_EQ(server->connections(), kCalls);

  const unsigned short port = server->port();
  server.reset();
  FakeServer second([](const Call&, Reply& reply) { reply.send(200, "{}"); }, {}, port);
  EXPECT_EQ(burst(*client, kCalls), kCalls);
  EXPECT_EQ(client->counters().failed, 0U);
}

TEST(Calls, API2AKeptConnectionThatDiesBeforeTheAnswerIsReplaced) {
  std::atomic<int> calls = 0;
  FakeServer server([&](const Call&, Reply& reply) {
    if (++calls == 2) return reply.abort();
    reply.send(200, "{}");
  });
  const auto client = client_of(access_to(server));
  EXPECT_EQ(client->call(post("/a")).status, 200);
  const Response response = client->call(post("/b"));
  EXPECT_EQ(response.status, 200) << response.error;
  const auto seen = server.calls();
  ASSERT_EQ(seen.size(), 3U);
  EXPECT_EQ(seen[1].body, "{}");
  EXPECT_EQ(seen[2].body, "{}");
  EXPECT_EQ(seen[2].target, "/b");
}

TEST(Calls, ANewConnectionThatDiesIsAFailure) {
  FakeServer server([](const Call&, Reply& reply) { reply.abort(); });
  const auto client = client_of(access_to(server));
  const Response response = client->call(post("/"));
  EXPECT_EQ(response.status, 0);
  EXPECT_NE(response.error, "");
  EXPECT_EQ(server.calls().size(), 1U);
}

TEST(Calls, AnAnswerThatBreaksOffIsAFailure) {
  std::atomic<int> calls = 0;
  FakeServer server([&](const Call&, Reply& reply) {
    if (++calls == 1) return void(reply.send(200, "{}"));
    reply.begin_stream();
    reply.chunk("{");
    reply.abort();
  });
  const auto client = client_of(access_to(server));
  EXPECT_EQ(client->call(post("/")).status, 200);
  EXPECT_EQ(client->call(post("/")).status, 0);
  EXPECT_EQ(server.calls().size(), 2U);
}

TEST(Calls, SendMethodsAndBodiesAsTheyAre) {
  FakeServer server([](const Call&, Reply& reply) { reply.send(200, "{}"); });
  Access access = access_to(server);
  access.server += "/prefix/";
  const auto client = client_of(access);
  for (const char* method : {"GET", "POST", "PUT", "PATCH", "DELETE"}) {
    for (const char* body : {"", "{\"a\":1}"}) {
      Request request = post("/x%2Fy?a=%20b");
      request.method = method;
      request.body = body;
      request.urgent = *body == '\0';
      ASSERT_EQ(client->call(request).status, 200);
      const Call call = server.calls().back();
      EXPECT_EQ(call.method, method);
      EXPECT_EQ(call.target, "/prefix/x%2Fy?a=%20b");
      EXPECT_EQ(call.body, body);
      EXPECT_EQ(call.headers.count("expect"), 0U);
      EXPECT_EQ(call.headers.count("content-type"), *body == '\0' ? 0U : 1U);
      EXPECT_EQ(call.headers.at("accept"), "application/json");
    }
  }
}

TEST(Calls, FollowNoRedirection) {
  FakeServer server([](const Call& call, Reply& reply) {
    if (call.path() == "/there") return void(reply.send(200, "{}"));
    reply.send(307, "{}", "Location: /there");
  });
  EXPECT_EQ(client_of(access_to(server))->call(post("/here")).status, 307);
  EXPECT_EQ(server.calls().size(), 1U);
}

// As client-go: the machine itself is asked without a proxy.
TEST(Calls, API35UseTheProxyOfTheEnvironmentForOtherMachines) {
  FakeServer server([](const Call& call, Reply& reply) {
    reply.send(call.method == "CONNECT" ? 403 : 200, "{}");
  });
  for (const char* name : {"http_proxy", "https_proxy"}) {
    setenv(name, server.url().c_str(), 1);
  }
  EXPECT_EQ(client_of(access_to(server))->call(post("/here")).status, 200);
  Access elsewhere;
  elsewhere.server = "https://api.invalid:6443";
  const auto client = client_of(elsewhere);
  EXPECT_EQ(client->call(post("/there")).status, 0);
  const std::stop_token cancel;
  EXPECT_EQ(client->stream(post("/there"), nullptr, cancel).status, 0);
  setenv("no_proxy", ".invalid", 1);
  EXPECT_EQ(client_of(elsewhere)->call(post("/")).status, 0);
  for (const char* name : {"http_proxy", "https_proxy", "no_proxy"}) unsetenv(name);
  const auto calls = server.calls();
  ASSERT_EQ(calls.size(), 3U);
  EXPECT_EQ(calls[0].target, "/here");
  for (std::size_t i = 1; i < 3; ++i) {
    EXPECT_EQ(calls[i].method, "CONNECT");
    EXPECT_EQ(calls[i].target, "api.invalid:6443");
    EXPECT_EQ(calls[i].headers.count("authorization"), 0U);
  }
}

class CallsTls : public ::testing::Test {
 protected:
  testing::Certificate certificate(const std::string& alternatives) {
    authority_.issue("server", directory_.file("crt"), directory_.file("key"), alternatives);
    return {directory_.file("crt"), directory_.file("key")};
  }
  Access access_over_tls(const FakeServer& server) {
    Access access = access_to(server);
    access.ca.file = directory_.file("ca.crt");
    return access;
  }

  TemporaryDirectory directory_;
  Authority authority_{"ca", directory_.file("ca.crt")};
};

TEST_F(CallsTls, HaveAConnectionEachIfTheServerHasNoHttp2) {
  constexpr int kCalls = 20;
  std::atomic<FakeServer*> itself = nullptr;
  FakeServer server(
      [&](const Call& call, Reply& reply) {
        if (call.path() != "/first") itself.load()->wait_for_calls(kCalls + 1);
        reply.send(200, "{}");
      },
      certificate("IP:127.0.0.1"));
  itself = &server;
  const auto client = client_of(access_over_tls(server));
  ASSERT_EQ(client->call(post("/first")).status, 200);
  EXPECT_EQ(burst(*client, kCalls), kCalls);
  EXPECT_EQ(server.connections(), kCalls);
}

TEST_F(CallsTls, ManyThatBeginTogetherAreAllAnsweredWithoutHttp2) {
  FakeServer server([](const Call&, Reply& reply) { reply.send(200, "{}"); },
                    certificate("IP:127.0.0.1"));
  EXPECT_EQ(burst(*client_of(access_over_tls(server)), 200), 200);
}

TEST_F(CallsTls, API4AskTheServersHostUnderTheNameOfItsCertificate) {
  FakeServer server([](const Call&, Reply& reply) { reply.send(200, "{}"); },
                    certificate("DNS:kubernetes"));
  Access access = access_over_tls(server);
  access.tls_server_name = "kubernetes";
  const auto client = client_of(access);
  EXPECT_EQ(client->call(post("/")).status, 200);
  EXPECT_EQ(server.calls().at(0).headers.at("host"), server.url().substr(8));
}

// The ends of one request of a transport.
using Ends = Awaited<std::vector<Response>>;

Transport::Done noted_in(Ends& ends) {
  return [&ends](Response response) {
    ends.change([&](auto& all) { all.push_back(std::move(response)); });
  };
}

std::unique_ptr<Transport> transport_to(const FakeServer& server, RestOptions options = {}) {
  auto credentials = Credentials::open(access_to(server));
  EXPECT_TRUE(credentials);
  auto transport = Transport::create(*credentials, options);
  EXPECT_TRUE(transport);
  return std::move(transport).value();
}

TEST(CallsOfATransport, EndOnceWhenTheyAreCancelledOrItIsDestroyed) {
  FakeServer server([](const Call&, Reply& reply) { reply.wait_until_closed(); });
  auto transport = transport_to(server);
  std::vector<Ends> ends(40);
  for (std::size_t i = 0; i < 40; ++i) {
    Request request = post("/");
    request.urgent = i % 4 == 0;
    transport->start(i, request, noted_in(ends[i]));
    if (i == 20) {
      ASSERT_TRUE(server.wait_for_calls(10));
    }
  }
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    threads.emplace_back([&, i] {
      for (std::size_t at = i; at < 20; ++at) transport->cancel(at, "cancelled");
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t i = 0; i < 20; ++i) {
    EXPECT_TRUE(ends[i].wait([](const auto& all) { return !all.empty(); }));
  }
  EXPECT_EQ(ends[0].get().at(0).error, "cancelled");
  EXPECT_TRUE(ends[30].get().empty());
  transport.reset();
  for (const Ends& each : ends) EXPECT_EQ(each.get().size(), 1U);
}

TEST(CallsOfATransport, EndWhenTheirBodyIsTooLarge) {
  FakeServer server([](const Call&, Reply& reply) { reply.send(200, std::string(200'000, 'x')); });
  RestOptions options;
  options.body_max = 1000;
  const auto transport = transport_to(server, options);
  Ends ends;
  transport->start(1, post("/"), noted_in(ends));
  ASSERT_TRUE(ends.wait([](const auto& all) { return !all.empty(); }));
  EXPECT_EQ(ends.get()[0].error, "a body of more than 1000 bytes");
}

}  // namespace
}  // namespace berth::kubeapi
