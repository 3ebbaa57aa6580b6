// Clients that may be hostile: each is refused, and others are served.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "proxy/proxy_fixture.h"

namespace berth::proxy::hostile_test {
namespace {

using namespace testing;

using Fields = std::vector<std::pair<std::string, std::string>>;

Fields get(const std::string& target, const Fields& more = {}) {
  Fields fields = {
      {":method", "GET"}, {":scheme", "https"}, {":authority", "x"}, {":path", target}};
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

struct Attack {
  const char* name;
  Fields fields;
};

void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

const Attack kAttacks[] = {
    {"TargetEmpty", get("")},
    {"TargetStar", get("*")},
    {"TargetRelative", get("api/v1/pods")},
    {"TargetAbsolute", get("http://elsewhere/api")},
    {"TargetWithBlank", get("/a b")},
    {"TargetWithLine", get("/a\r\nX: y")},
    {"TargetWithNul", get(std::string("/a\0b", 4))},
    {"TargetWithFragment", get("/a#b")},
    {"TargetEscaped", get("/api/v1/%70ods")},
    {"TargetWithSlashes", get("//api/v1/pods")},
    {"TargetEndsInSlash", get("/api/v1/pods/")},
    {"TargetWithDots", get("/api/v1/./pods")},
    {"TargetWithSemicolon", get("/api/v1/pods;x")},
    {"TargetWithEscapedSlash", get("/api/v1%2fpods")},
    {"TargetTwice", get("/a", {{":path", "/b"}})},
    {"MethodConnect", {{":method", "CONNECT"}, {":authority", "x:1"}}},
    {"MethodConnectExtended",
     {{":method", "CONNECT"},
      {":protocol", "websocket"},
      {":scheme", "https"},
      {":authority", "x"},
      {":path", "/"}}},
    {"MethodTrace",
     {{":method", "TRACE"}, {":scheme", "https"}, {":authority", "x"}, {":path", "/"}}},
    {"MethodWithLine",
     {{":method", "GET / HTTP/1.1\r\nX: y\r\n\r\nGET"},
      {":scheme", "https"},
      {":authority", "x"},
      {":path", "/"}}},
    {"MethodSmall",
     {{":method", "get"}, {":scheme", "https"}, {":authority", "x"}, {":path", "/"}}},
    {"NoMethod", {{":scheme", "https"}, {":authority", "x"}, {":path", "/"}}},
    {"NoTarget", {{":method", "GET"}, {":scheme", "https"}, {":authority", "x"}}},
    {"PseudoHeaderLate", get("/", {{"a", "b"}, {":authority", "y"}})},
    {"Upgrade", get("/", {{"upgrade", "websocket"}})},
    {"Connection", get("/", {{"connection", "upgrade"}})},
    {"TransferEncoding", get("/", {{"transfer-encoding", "chunked"}})},
    {"LengthTwice", get("/", {{"content-length", "0"}, {"content-length", "0"}})},
    {"LengthNegative", get("/", {{"content-length", "-1"}})},
    {"LengthWithoutBody", get("/", {{"content-length", "10"}})},
    {"HeaderWithBlank", get("/", {{"a b", "x"}})},
    {"HeaderWithLine", get("/", {{"a", "b\r\nauthorization: Bearer y"}})},
    {"HeaderLarge", get("/", {{"a", std::string(40'000, 'a')}, {"b", std::string(40'000, 'b')}})},
    {"HeadersMany", get("/", Fields(200, {"a", "b"}))},
};

class HostileTest : public ProxyTest {
 protected:
  void start_with(Options made) {
    made.upstream.server = upstream_.url();
    start(std::move(made));
  }

  // Others are served, and upstream has seen nothing else.
  void expect_service() {
    const auto other = client();
    Call& call = other->get("/good");
    EXPECT_TRUE(other->run());
    EXPECT_EQ(call.body, "/good");
    for (const Received& request : upstream_.requests()) {
      EXPECT_TRUE(request.target == "/good" || request.target == "/held") << request.target;
    }
  }

  TestUpstream upstream_{[](const Received& request, Answering& answering) {
    if (request.target == "/held") {
      answering.wait_until_closed();
    } else {
      answering.answer(request.target);
    }
  }};
};

class AttackTest : public HostileTest, public ::testing::WithParamInterface<Attack> {};

TEST_P(AttackTest, IsRefusedAndOthersAreServed) {
  start_with(options(""));
  const auto hostile = client();
  Call& call = hostile->send(GetParam().fields);
  hostile->run_until([&] { return call.is_closed; });
  EXPECT_TRUE(call.is_broken() || call.status == 400 || call.status == 405 || call.status == 431 ||
              hostile->is_over())
      << call.status;
  EXPECT_NE(call.status, 200);
  expect_service();
}

INSTANTIATE_TEST_SUITE_P(Attacks, AttackTest, ::testing::ValuesIn(kAttacks),
                         [](const auto& row) { return std::string(row.param.name); });

TEST_F(HostileTest, ARefusalSaysWhatWasExpected) {
  start_with(options(""));
  const auto hostile = client();
  Call& target = hostile->send(get("/a#b"));
  Call& many = hostile->send(get("/", Fields(200, {"a", "b"})));
  ASSERT_TRUE(hostile->run());
  EXPECT_EQ(target.status, 400);
  EXPECT_NE(target.body.find("malformed target; expected a path and a query"), target.body.npos);
  EXPECT_EQ(many.status, 431);
  EXPECT_EQ(proxy_->counts().malformed, 2U);
}

TEST_F(HostileTest, AClientWithoutOurCertificateIsRefused) {
  start_with(options(""));
  Identity stranger = identity();
  stranger.certificate_file = stranger.key_file = "";
  const http::testing::Authority authority("stranger", file("ca.crt"));
  authority.issue("stranger", file("stranger.crt"), file("stranger.key"));
  for (int i = 0; i < 2; ++i) {
    H2Client client(proxy_->port(), stranger);
    if (client.is_connected()) {  // with TLS 1.3 the client learns it when it reads
      Call& call = client.send(get("/"));
      EXPECT_FALSE(client.run());
      EXPECT_EQ(call.status, 0);
      EXPECT_TRUE(client.is_over());
    }
    stranger.certificate_file = file("stranger.crt");
    stranger.key_file = file("stranger.key");
  }
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.handshakes_failed == 2; }));
  expect_service();
}

TEST_F(HostileTest, AClientThatDoesNotOfferHttp2IsRefusedInTheHandshake) {
  start_with(options(""));
  for (const char* protocols : {"", "\x08http/1.1", "\x02h3", "\x08http/1.1\x02h3"}) {
    Identity old = identity();
    old.protocols = protocols;
    EXPECT_FALSE(H2Client(proxy_->port(), old).is_connected()) << protocols;
  }
  Identity both = identity();
  both.protocols = "\x08http/1.1\x02h2";
  EXPECT_TRUE(H2Client(proxy_->port(), both).is_connected());
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.handshakes_failed == 4; }));
  expect_service();
}

TEST_F(HostileTest, AnythingBelowTls13IsRefused) {
  start_with(options(""));
  for (const auto& [version, is_welcome] :
       {std::pair(TLS1_1_VERSION, false), {TLS1_2_VERSION, false}, {TLS1_3_VERSION, true}}) {
    Identity old = identity();
    old.highest_tls = version;
    EXPECT_EQ(H2Client(proxy_->port(), old).is_connected(), is_welcome) << version;
  }
}

TEST_F(HostileTest, AFloodOfPingsEndsTheConnection) {
  start_with(options(""));
  const auto pinging = client();
  for (int i = 0; i < 5000; ++i) pinging->ping();
  EXPECT_FALSE(pinging->run_until([] { return false; }));
  EXPECT_TRUE(pinging->was_sent_away());
  EXPECT_NE(pinging->goaway_error(), 0U);
  expect_service();
}

TEST_F(HostileTest, AFloodOfResetsEndsTheConnection) {
  start_with(options(""));
  const auto resetting = client();
  std::uint64_t sent = 0;
  while (sent < 5000 && !resetting->is_over()) {
    std::vector<Call*> calls;
    for (int i = 0; i < 100; ++i) calls.push_back(&resetting->send(get("/held")));
    sent += calls.size();
    resetting->run_until([&] { return proxy_->counts().requests >= sent; });
    for (Call* call : calls) resetting->reset(*call);
    resetting->run_until([&] { return calls.back()->is_closed; });
  }
  EXPECT_TRUE(resetting->was_sent_away());
  EXPECT_NE(resetting->goaway_error(), 0U);
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.transfers_open == 0; }));
  expect_service();
}

int raw_connection(std::uint16_t port) {
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval limit = {std::chrono::seconds(kPatience).count(), 0};
  setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  EXPECT_EQ(::connect(made, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return made;
}

TEST_F(HostileTest, HandshakesThatStandStillTimeOut) {
  Options made = options("");
  made.handshake_deadline = 300ms;
  start_with(made);
  std::array<int, 20> sockets = {};
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    sockets[i] = raw_connection(proxy_->port());
    const std::size_t size = i % 2 == 0 ? 6 : 0;
    EXPECT_EQ(::send(sockets[i], "\x16\x03\x01\x02\x00\x01", size, MSG_NOSIGNAL),
              static_cast<ssize_t>(size));
  }
  expect_service();
  for (const int each : sockets) {
    char byte = 0;
    EXPECT_EQ(::recv(each, &byte, 1, 0), 0);
    ::close(each);
  }
  EXPECT_TRUE(eventually([](const Counts& counts) { return counts.handshakes_failed == 20; }));
}

TEST_F(HostileTest, StrangersWhoFinishNoHandshakeDoNotKeepClientsOut) {
  Options made = options("");
  made.max_connections = 3;
  start_with(made);
  std::array<int, 10> sockets = {};
  for (int& each : sockets) each = raw_connection(proxy_->port());
  ASSERT_TRUE(eventually([](const Counts& counts) { return counts.connections_accepted == 10; }));
  expect_service();
  for (const int each : sockets) ::close(each);
}

TEST_F(HostileTest, PlainTextIsClosed) {
  start_with(options(""));
  const int plain = raw_connection(proxy_->port());
  const std::string text = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  EXPECT_EQ(::send(plain, text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
  std::array<char, 1000> bytes = {};
  std::string all;
  for (ssize_t size = 1; size > 0;) {
    size = ::recv(plain, bytes.data(), bytes.size(), 0);
    if (size > 0) all.append(bytes.data(), static_cast<std::size_t>(size));
  }
  ::close(plain);
  EXPECT_EQ(all.find("HTTP"), std::string::npos);
  expect_service();
}

TEST_F(HostileTest, AnIdleConnectionIsClosedInGoodOrder) {
  Options made = options("");
  made.idle_timeout = 200ms;
  start_with(made);
  const auto idle = client();
  idle->send(get("/good"));
  ASSERT_TRUE(idle->run());
  EXPECT_FALSE(idle->run_until([] { return false; }));
  EXPECT_TRUE(idle->was_sent_away());
  EXPECT_EQ(idle->goaway_error(), 0U);
}

TEST_F(HostileTest, BodiesThatAreKeptAreBoundedInAll) {
  Options made = options("");
  made.max_body_bytes = 100'000;
  start_with(made);
  const auto hostile = client();
  std::vector<Call*> calls;
  for (int i = 0; i < 4; ++i) {
    calls.push_back(&hostile->post("/never", numbers(50'000)));
    calls.back()->is_sent_whole = false;
  }
  ASSERT_TRUE(hostile->run_until([&] {
    return std::count_if(calls.begin(), calls.end(),
                         [](const Call* call) { return call->status == 503; }) >= 2;
  }));
  for (Call* call : calls) hostile->reset(*call);
  ASSERT_TRUE(hostile->run_until([&] {
    return std::all_of(calls.begin(), calls.end(),
                       [](const Call* call) { return call->is_closed; });
  }));
  Call& later = hostile->post("/good", numbers(50'000));
  ASSERT_TRUE(hostile->run_until([&] { return later.is_answer(); }));
  EXPECT_EQ(later.status, 200) << "what was kept has been freed";
}

}  // namespace
}  // namespace berth::proxy::hostile_test
