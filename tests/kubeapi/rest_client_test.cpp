#include "kubeapi/rest_client.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "http/certificates.h"
#include "kubeapi/fake_server.h"

namespace berth::kubeapi::rest_client_test {
namespace {

using namespace std::chrono_literals;
using http::testing::Authority;
using http::testing::TemporaryDirectory;
using testing::Call;
using testing::FakeServer;
using testing::Reply;

std::unique_ptr<RestClient> client_of(const FakeServer& server, RestOptions options = {}) {
  Access access;
  access.server = server.url();
  auto client = RestClient::create(access, options);
  EXPECT_TRUE(client) << client.error().to_string();
  return std::move(client).value();
}

Request get(const std::string& path) {
  Request request;
  request.path = path;
  request.deadline = 20s;
  return request;
}

TEST(RestClient, SendsWhatItIsGiven) {
  FakeServer server([](const Call&, Reply& reply) { reply.send(201, "made"); });
  const auto client = client_of(server);
  Request request = get("/api/v1/namespaces/a/pods/b/binding?x=%2F");
  request.method = "POST";
  request.content_type = "application/merge-patch+json";
  request.body = "{}";
  const Response response = client->call(request);
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, "made");
  const Call call = server.calls().at(0);
  EXPECT_EQ(call.method, "POST");
  EXPECT_EQ(call.target, request.path);
  EXPECT_EQ(call.body, "{}");
  EXPECT_EQ(call.headers.at("content-type"), "application/merge-patch+json");
  EXPECT_EQ(call.headers.at("user-agent"), "berth");
}

TEST(RestClient, HandsOnRefusalsWithTheirAdvice) {
  FakeServer server([](const Call&, Reply& reply) {
    reply.send(429, R"({"kind":"Status","message":"too many"})", "Retry-After: 7");
  });
  const auto client = client_of(server);
  const Response response = client->call(get("/"));
  EXPECT_EQ(response.status, 429);
  EXPECT_EQ(response.retry_after, Duration(7s));
  EXPECT_EQ(response.to_string(), "status 429: too many");
  EXPECT_TRUE(is_retryable(response));
  EXPECT_EQ(client->counters().throttled, 1U);
}

TEST(RestClient, API6SurvivesAServerThatIsNotThere) {
  std::unique_ptr<RestClient> client;
  {
    FakeServer server([](const Call&, Reply&) {});
    client = client_of(server);
  }
  const Response response = client->call(get("/"));
  EXPECT_EQ(response.status, 0);
  EXPECT_NE(response.error, "");
  EXPECT_TRUE(is_retryable(response));
}

TEST(RestClient, API11AnswersAtTheDeadlineAndGivesTheConnectionUp) {
  FakeServer server([](const Call&, Reply& reply) { reply.wait_until_closed(); });
  const auto client = client_of(server);
  Request request = get("/slow");
  request.deadline = 50ms;
  const Response response = client->call(request);
  EXPECT_EQ(response.status, 0);
  EXPECT_EQ(response.error, server.url() + ": no answer within 50ms");
}

TEST(RestClient, API11KeepsADeadlineThatIsFedByteByByte) {
  FakeServer server([](const Call&, Reply& reply) {
    reply.begin_stream();
    while (reply.is_open() && reply.chunk("x")) std::this_thread::yield();
  });
  RestOptions options;
  options.body_max = std::size_t{1} << 40;
  const auto client = client_of(server, options);
  Request request = get("/");
  request.deadline = 100ms;
  EXPECT_EQ(client->call(request).error, server.url() + ": no answer within 100ms");
}

TEST(RestClient, RefusesABodyThatIsTooLarge) {
  FakeServer server([](const Call&, Reply& reply) { reply.send(200, std::string(100'000, 'x')); });
  RestOptions options;
  options.body_max = 1000;
  EXPECT_EQ(client_of(server, options)->call(get("/")).status, 0);
}

TEST(RestClient, AnswersEverythingExactlyOnceWhenStopped) {
  FakeServer server([](const Call&, Reply& reply) { reply.wait_until_closed(); });
  RestOptions options;
  options.max_in_flight = 2;
  const auto client = client_of(server, options);
  std::atomic<int> answers = 0;
  const auto count = [&](const Response& response) {
    EXPECT_EQ(response.status, 0);
    ++answers;
  };
  for (int i = 0; i < 10; ++i) client->send(get("/"), count);
  ASSERT_TRUE(server.wait_for_calls(2));
  client->stop();
  EXPECT_EQ(answers, 10);
  client->send(get("/"), count);
  EXPECT_EQ(answers, 11);
}

TEST(RestClient, API7SendsTheRotatedToken) {
  const TemporaryDirectory directory;
  const auto write = [&](const std::string& token) {
    std::ofstream(directory.file("new")) << token << "\n";
    std::filesystem::rename(directory.file("new"), directory.file("token"));
  };
  write("first");
  FakeServer server([](const Call&, Reply& reply) { reply.send(200, ""); });
  Access access;
  access.server = server.url();
  access.token.file = directory.file("token");
  const auto client = RestClient::create(access);
  ASSERT_TRUE(client);
  (void)(*client)->call(get("/"));
  write("second");
  (void)(*client)->call(get("/"));
  std::filesystem::remove(directory.file("token"));
  (void)(*client)->call(get("/"));
  const std::vector<Call> calls = server.calls();
  EXPECT_EQ(calls.at(0).headers.at("authorization"), "Bearer first");
  EXPECT_EQ(calls.at(1).headers.at("authorization"), "Bearer second");
  EXPECT_EQ(calls.at(2).headers.at("authorization"), "Bearer second");
}

TEST(RestClient, EncodesPartsOfUrls) {
  EXPECT_EQ(url_encoded("a/b=c d~é"), "a%2Fb%3Dc%20d~%C3%A9");
}

class RestClientTls : public ::testing::Test {
 protected:
  Response call_with(const std::string& alternatives, const std::string& server_name = {},
                     bool foreign_ca = false, bool insecure = false,
                     const std::string& host = "127.0.0.1") {
    const Authority other("other", directory_.file("other.crt"));
    authority_.issue(host, directory_.file("crt"), directory_.file("key"), alternatives);
    FakeServer server([](const Call&, Reply& reply) { reply.send(200, "ok"); },
                      {directory_.file("crt"), directory_.file("key")});
    Access access;
    access.server = server.url(host);
    access.ca.file = directory_.file(foreign_ca ? "other.crt" : "ca.crt");
    access.tls_server_name = server_name;
    access.insecure = insecure;
    const auto client = RestClient::create(access);
    EXPECT_TRUE(client);
    return (*client)->call(get("/"));
  }

  TemporaryDirectory directory_;
  Authority authority_{"ca", directory_.file("ca.crt")};
};

TEST_F(RestClientTls, API4AcceptsAnAddressAmongTheAlternativeNames) {
  const Response response = call_with("IP:127.0.0.1");
  EXPECT_EQ(response.status, 200) << response.error;
}

TEST_F(RestClientTls, API4AcceptsTheGivenServerName) {
  const Response response = call_with("DNS:kubernetes", "kubernetes");
  EXPECT_EQ(response.status, 200) << response.error;
}

TEST_F(RestClientTls, API4RefusesAnotherName) {
  EXPECT_EQ(call_with("DNS:elsewhere").status, 0);
  EXPECT_EQ(call_with("DNS:elsewhere", "kubernetes").status, 0);
}

TEST_F(RestClientTls, API4RefusesACommonNameWithoutAlternatives) {
  EXPECT_EQ(call_with("").status, 0);
}

// "localhost" often has two addresses, and nothing listens at the first. The library then opens
// another connection, which must be checked, too.
TEST_F(RestClientTls, API4HoldsForEachAddressOfAName) {
  const auto call_localhost = [&](const std::string& alternatives) {
    return call_with(alternatives, "", false, false, "localhost");
  };
  EXPECT_EQ(call_localhost("DNS:localhost").status, 200);
  EXPECT_EQ(call_localhost("DNS:elsewhere").status, 0);
  EXPECT_EQ(call_localhost("").status, 0);
}

TEST_F(RestClientTls, API3RefusesAForeignAuthority) {
  EXPECT_EQ(call_with("IP:127.0.0.1", "", true).status, 0);
}

TEST_F(RestClientTls, AcceptsAnythingOnlyIfConfigured) {
  EXPECT_EQ(call_with("DNS:elsewhere", "", true, true).status, 200);
}

TEST_F(RestClientTls, RefusesKeysThatDoNotFit) {
  authority_.issue("a", directory_.file("a.crt"), directory_.file("a.key"));
  authority_.issue("b", directory_.file("b.crt"), directory_.file("b.key"));
  Access access;
  access.server = "https://127.0.0.1:1";
  access.ca.file = directory_.file("ca.crt");
  access.client_certificate.file = directory_.file("a.crt");
  access.client_key.file = directory_.file("b.key");
  const auto client = RestClient::create(access);
  ASSERT_FALSE(client);
  EXPECT_NE(client.error().to_string().find("b.key: this key does not belong"), std::string::npos);
  access.client_key.file = directory_.file("a.key");
  EXPECT_TRUE(RestClient::create(access));
  access.ca.file = directory_.file("a.key");
  EXPECT_FALSE(RestClient::create(access));
}

TEST(RestClient, API2KeepsWatchesAndRequestsApart) {
  FakeServer server([](const Call& call, Reply& reply) {
    if (call.path() == "/unary") return void(reply.send(200, "ok"));
    reply.begin_stream();
    reply.end_stream();
  });
  const auto client = client_of(server);
  const std::stop_token cancel;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client->call(get("/unary")).status, 200);
    EXPECT_EQ(client
                  ->stream(
                      get("/watch"), [](std::string_view) {}, cancel)
                  .error,
              "");
  }
  EXPECT_GE(server.connections(), 2);
}

TEST(Process, API5HidesTheSystemsAuthoritiesFromTheLibrary) {
  prepare_process();
  EXPECT_STREQ(std::getenv("SSL_CERT_FILE"), "/nonexistent");
  EXPECT_STREQ(std::getenv("SSL_CERT_DIR"), "/nonexistent");
}

}  // namespace
}  // namespace berth::kubeapi::rest_client_test
