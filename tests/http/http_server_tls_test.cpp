#include <gtest/gtest.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <fstream>
#include <future>
#include <mutex>

#include "http/certificates.h"
#include "http/peers.h"

namespace berth::http {
namespace {

using namespace testing;

void name_the_peer(const Request& request, Responder responder) {
  responder.answer(text_response(200, request.peer_name.value_or("nobody") + " " + request.body));
}

class HttpServerTlsTest : public ::testing::Test {
 protected:
  HttpServerTlsTest() {
    authority_.issue("server", at("server.crt"), at("server.key"));
    authority_.issue("kube-scheduler", at("client.crt"), at("client.key"));
  }

  std::string at(const std::string& name) const { return directory_.file(name); }

  ServerOptions options(bool is_mutual, Duration check_period = Duration::zero()) {
    ServerOptions made;
    made.tls =
        ServerTls{at("server.crt"), at("server.key"), is_mutual ? at("ca.crt") : "", check_period};
    made.on_notice = [this](const std::string& message) {
      const std::lock_guard lock(mutex_);
      notices_.push_back(message);
    };
    return made;
  }

  std::unique_ptr<HttpClient> client(const RunningServer& running, bool has_certificate = false,
                                     const std::string& server_name = "") const {
    ClientTls tls{.ca_file = at("ca.crt"), .server_name = server_name};
    if (has_certificate) {
      tls.certificate_file = at("client.crt");
      tls.key_file = at("client.key");
    }
    ClientOptions made{.url = running.url("https")};
    made.timeout = kPatience;
    made.tls = std::move(tls);
    return std::move(HttpClient::create(std::move(made))).value();
  }

  std::vector<std::string> notices() {
    const std::lock_guard lock(mutex_);
    return notices_;
  }

  TemporaryDirectory directory_;
  Authority authority_{"test authority", at("ca.crt")};

 private:
  std::mutex mutex_;
  std::vector<std::string> notices_;
};

TEST_F(HttpServerTlsTest, CallsAreAnsweredAndTheConnectionIsReused) {
  RunningServer running(name_the_peer, options(false));
  auto caller = client(running);
  for (int i = 0; i < 20; ++i) {
    auto reply = caller->post("/", std::string(50'000, 'x'));
    ASSERT_TRUE(reply) << reply.error().to_string();
    EXPECT_EQ(reply->body, "nobody " + std::string(50'000, 'x'));
  }
  // A call that follows at once may come before the library has taken the connection back.
  EXPECT_LT(running.server->counts().connections_accepted, 10u) << "of 20 calls";
}

TEST_F(HttpServerTlsTest, AClientThatExpectsAnotherNameRefuses) {
  RunningServer running(name_the_peer, options(false));
  EXPECT_TRUE(client(running, false, "berth.test")->get("/"));
  auto reply = client(running, false, "other.test")->get("/");
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "the server's certificate was refused: hostname mismatch");
}

TEST_F(HttpServerTlsTest, WithMutualTlsTheHandlerLearnsThePeersName) {
  RunningServer running(name_the_peer, options(true));
  auto reply = client(running, true)->get("/");
  ASSERT_TRUE(reply) << reply.error().to_string();
  EXPECT_EQ(reply->body, "kube-scheduler ");
}

TEST_F(HttpServerTlsTest, WithoutACertificateOrWithAForeignOneNoHandlerIsReached) {
  RunningServer running(name_the_peer, options(true));
  EXPECT_FALSE(client(running, false)->get("/"));
  const Authority foreign("foreign authority", at("foreign.crt"));
  foreign.issue("kube-scheduler", at("client.crt"), at("client.key"));
  EXPECT_FALSE(client(running, true)->get("/"));
  EXPECT_EQ(running.server->counts().requests, 0u);
}

TEST_F(HttpServerTlsTest, ACertificateMayBeLeftOutButNotAForeignOneShown) {
  ServerOptions made = options(true);
  made.tls->requires_certificate = false;
  RunningServer running(name_the_peer, std::move(made));
  const auto known = client(running, true);
  const auto unknown = client(running, false);
  for (int i = 0; i < 2; ++i) {  // also on a connection that is kept
    auto reply = known->get("/");
    ASSERT_TRUE(reply) << reply.error().to_string();
    EXPECT_EQ(reply->body, "kube-scheduler ");
    auto nameless = unknown->get("/");
    ASSERT_TRUE(nameless) << nameless.error().to_string();
    EXPECT_EQ(nameless->body, "nobody ");
  }
  const Authority foreign("foreign authority", at("foreign.crt"));
  foreign.issue("kube-scheduler", at("client.crt"), at("client.key"));
  EXPECT_FALSE(client(running, true)->get("/"));
}

TEST_F(HttpServerTlsTest, AnythingBelowTls12IsRefused) {
  RunningServer running(name_the_peer, options(false));
  for (const auto& [version, is_welcome] :
       {std::pair(TLS1_1_VERSION, false), {TLS1_2_VERSION, true}, {TLS1_3_VERSION, true}}) {
    SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_security_level(context, 0);
    SSL_CTX_set_min_proto_version(context, version);
    SSL_CTX_set_max_proto_version(context, version);
    BIO* const bio = BIO_new_ssl_connect(context);
    BIO_set_conn_hostname(bio, ("127.0.0.1:" + std::to_string(running.port)).c_str());
    EXPECT_EQ(BIO_do_handshake(bio) == 1, is_welcome) << version;
    BIO_free_all(bio);
    SSL_CTX_free(context);
  }
}

TEST_F(HttpServerTlsTest, ANewCertificateIsServedToNewConnectionsOnly) {
  RunningServer running(name_the_peer, options(true));
  auto early = client(running, true);
  ASSERT_TRUE(early->get("/"));
  const Authority next("next authority", at("ca.crt"));
  next.issue("server", at("server.crt"), at("server.key"));
  next.issue("successor", at("client.crt"), at("client.key"));
  EXPECT_TRUE(early->get("/")) << "a connection is not disturbed";
  EXPECT_EQ(running.server->counts().connections_accepted, 1u);
  auto late = client(running, true)->get("/");
  ASSERT_TRUE(late) << late.error().to_string();
  EXPECT_EQ(late->body, "successor ");
  EXPECT_EQ(notices(),
            std::vector<std::string>{"certificate \"" + at("server.crt") + "\" replaced"});
}

TEST_F(HttpServerTlsTest, ABadCertificateIsReportedOnceAndTheLastGoodOneStays) {
  RunningServer running(name_the_peer, options(false));
  authority_.issue("server", at("good.crt"), at("good.key"));
  std::ofstream(at("server.crt")) << "nonsense";
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client(running)->get("/"));
  ASSERT_EQ(notices().size(), 1u);
  EXPECT_EQ(notices()[0].substr(0, at("server.crt").size() + 19),
            at("server.crt") + ": cannot be loaded:");
  std::filesystem::rename(at("good.crt"), at("server.crt"));  // half of a pair
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(client(running)->get("/"));
  std::filesystem::rename(at("good.key"), at("server.key"));
  EXPECT_TRUE(client(running)->get("/"));
  EXPECT_EQ(notices().size(), 3u) << "no certificate, no matching key, replaced";
  EXPECT_EQ(running.server->counts().certificate_failures, 6u) << "each look at bad files";
}

TEST_F(HttpServerTlsTest, FilesAreLookedAtNoMoreOftenThanAsked) {
  RunningServer running(name_the_peer, options(false, 1h));
  std::filesystem::remove(at("server.crt"));
  EXPECT_TRUE(client(running)->get("/"));
  EXPECT_TRUE(notices().empty());
}

TEST_F(HttpServerTlsTest, AMissingFileStopsTheStart) {
  std::filesystem::remove(at("server.key"));
  const Status started = make_http_server(options(false), name_the_peer)->start();
  ASSERT_FALSE(started);
  EXPECT_EQ(started.error().where, at("server.key"));
}

TEST_F(HttpServerTlsTest, StalledHandshakesTimeOutAndDisturbNobody) {
  ServerOptions made = options(false);
  made.header_deadline = 300ms;
  RunningServer running(name_the_peer, std::move(made));
  std::vector<RawClient> stalled;
  for (int i = 0; i < 100; ++i) {
    stalled.emplace_back(running.port);
    if (i % 2 == 0) stalled.back().send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  }
  EXPECT_TRUE(client(running)->get("/"));
  for (RawClient& connection : stalled) EXPECT_EQ(connection.receive_all(), "");
  EXPECT_EQ(running.server->counts().timeouts, 100u);
}

TEST_F(HttpServerTlsTest, StalledHandshakesKeepNobodyOutAndCutNoKnownClient) {
  ServerOptions made = options(true);
  made.header_deadline = 1h;
  made.max_connections = 5;
  RunningServer running(name_the_peer, std::move(made));
  const auto idle = client(running, true);
  EXPECT_TRUE(idle->get("/"));
  std::vector<RawClient> stalled;
  for (int i = 0; i < 20; ++i) {
    stalled.emplace_back(running.port);
    if (i % 2 == 0) stalled.back().send(std::string("\x16\x03\x01\x02\x00\x01", 6));
  }
  EXPECT_TRUE(client(running, true)->get("/"));
  EXPECT_EQ(running.server->counts().connections_displaced, 17U);
  EXPECT_TRUE(idle->get("/"));
  EXPECT_EQ(running.server->counts().connections_accepted, 22U) << "it is kept";
}

// One thread, so that the server has finished an answer before it accepts a later connection.
TEST_F(HttpServerTlsTest, WithoutACertificateACompleteHandshakeKeepsNoSlot) {
  ServerOptions made = options(true);
  made.tls->requires_certificate = false;
  made.io_threads = 1;
  made.header_deadline = 1h;
  made.max_connections = 3;
  RunningServer running(name_the_peer, std::move(made));
  const auto known = client(running, true);
  const auto stranger = client(running);
  EXPECT_TRUE(known->get("/"));
  EXPECT_TRUE(stranger->get("/"));
  RawClient stalled(running.port);
  EXPECT_TRUE(client(running)->get("/"));
  EXPECT_EQ(running.server->counts().connections_displaced, 1U);
  EXPECT_TRUE(stranger->get("/"));
  EXPECT_EQ(running.server->counts().connections_accepted, 5U) << "its own was cut";
  EXPECT_TRUE(known->get("/"));
  EXPECT_EQ(running.server->counts().connections_accepted, 5U);
}

TEST_F(HttpServerTlsTest, PlainTextOnATlsPortIsClosed) {
  RunningServer running(name_the_peer, options(false));
  RawClient plain(running.port);
  plain.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(status_of(plain.receive_all()), 0);
  EXPECT_EQ(running.server->counts().requests, 0u);
}

// Of a client that reads the reply also if it could not write everything.
std::string reply_to_long_post(std::uint16_t port, std::size_t size) {
  std::signal(SIGPIPE, SIG_IGN);  // the server may have closed
  SSL_CTX* const context = SSL_CTX_new(TLS_client_method());
  BIO* const bio = BIO_new_ssl_connect(context);
  BIO_set_conn_hostname(bio, ("127.0.0.1:" + std::to_string(port)).c_str());
  EXPECT_EQ(BIO_do_handshake(bio), 1);
  const std::string head = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ";
  BIO_puts(bio, (head + std::to_string(size) + "\r\n\r\n").c_str());
  const std::string part(64 << 10, 'x');
  const int whole = static_cast<int>(part.size());
  for (std::size_t sent = 0; sent < size; sent += part.size()) {
    if (BIO_write(bio, part.data(), whole) <= 0) break;
  }
  std::string reply(4096, '\0');
  const int count = BIO_read(bio, reply.data(), static_cast<int>(reply.size()));
  reply.resize(static_cast<std::size_t>(std::max(count, 0)));
  BIO_free_all(bio);
  SSL_CTX_free(context);
  return reply;
}

TEST_F(HttpServerTlsTest, ATooLargeBodyIsRefusedWithAReasonThatArrives) {
  ServerOptions made = options(false);
  made.max_body_bytes = 1000;
  made.linger = 60s;  // a busy machine takes long for 20 MiB under a sanitizer
  RunningServer running(name_the_peer, std::move(made));
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(status_of(reply_to_long_post(running.port, 20 << 20)), 413);
  }
}

TEST_F(HttpServerTlsTest, AClientThatLeavesAHeldRequestIsNoticed) {
  Holder holder;
  RunningServer running(holder.handler(), options(false));
  EXPECT_FALSE(client(running)->post("/", "{}", 200ms));
  EXPECT_TRUE(holder.wait_for_disconnected(1));
  holder.answer_all({});
}

TEST_F(HttpServerTlsTest, StopCutsHeldRequestsToo) {
  Holder holder;
  RunningServer running(holder.handler(), options(false));
  auto caller = client(running);
  auto call = std::async(std::launch::async, [&] { return caller->post("/", "{}"); });
  ASSERT_TRUE(holder.wait_for(1));
  EXPECT_TRUE(running.server->stop(100ms));
  EXPECT_FALSE(call.get());
  EXPECT_EQ(holder.disconnected(), 1u);
}

}  // namespace
}  // namespace berth::http
