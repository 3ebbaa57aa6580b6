// Hostile input from the network. Each row is sent to a live server, which must name the error,
// close the connection, and keep serving others.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <future>

#include "http/peers.h"
#include "http/request_parser.h"

namespace berth::http {
namespace {

using namespace testing;

struct Attack {
  const char* name;
  std::string bytes;
  int status;
};

void PrintTo(const Attack& attack, std::ostream* out) { *out << attack.name; }

std::string post(const std::string& headers, const std::string& body = "") {
  return "POST / HTTP/1.1\r\nHost: x\r\n" + headers + "\r\n" + body;
}

std::string chunked(const std::string& body) {
  return post("Transfer-Encoding: chunked\r\n", body);
}

std::string get(const std::string& headers) { return "GET / HTTP/1.1\r\n" + headers + "\r\n"; }

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

const std::string kLong(200'000, 'a');

const Attack kAttacks[] = {
    {"ChunkSizeMinusOne", chunked("-1\r\nabc\r\n"), 400},
    {"ChunkSizeVeryNegative", chunked("-80000000\r\nabc\r\n"), 400},
    {"ChunkSizeNoHex", chunked("zz\r\nabc\r\n"), 400},
    {"ChunkSizeEmpty", chunked("\r\nabc\r\n"), 400},
    {"ChunkSizeOverflow", chunked("fffffffffffffffff\r\nabc\r\n"), 400},
    {"ChunkSizeHuge", chunked("7fffffffffffffff\r\nabc\r\n"), 413},
    {"ChunkSizeLargest", chunked("ffffffffffffffff\r\nabc\r\n"), 413},
    {"Chunk200MB", chunked("C800000\r\nabc"), 413},
    {"ChunkWithoutEnd", chunked("3\r\nabcdef\r\n"), 400},
    {"ChunkHeaderWithoutEnd", chunked("3;" + kLong), 400},
    {"ChunkExtensionMalformed", chunked("3;=;\r\nabc\r\n0\r\n\r\n"), 400},
    {"TrailerWithoutEnd", chunked("0\r\n" + repeated("a: b\r\n", 40'000)), 400},
    {"TrailerMalformed", chunked("0\r\nno colon\r\n\r\n"), 400},
    {"Length200MB", post("Content-Length: 209715200\r\n", "abc"), 413},
    {"LengthNegative", post("Content-Length: -1\r\n", "abc"), 400},
    {"LengthSigned", post("Content-Length: +3\r\n", "abc"), 400},
    {"LengthNoNumber", post("Content-Length: abc\r\n", "abc"), 400},
    {"LengthEmpty", post("Content-Length: \r\n", "abc"), 400},
    {"LengthHex", post("Content-Length: 0x3\r\n", "abc"), 400},
    {"LengthOverflow", post("Content-Length: 99999999999999999999\r\n", "abc"), 400},
    {"LengthWrapsToThree", post("Content-Length: 18446744073709551619\r\n", "abc"), 400},
    {"LengthListDiffers", post("Content-Length: 3, 4\r\n", "abcd"), 400},
    {"LengthsDiffer", post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"), 400},
    {"LengthThenChunked", post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
     400},
    {"ChunkedThenLength", post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "0\r\n\r\n"),
     400},
    {"EncodingUnknown", post("Transfer-Encoding: gzip\r\n", "abc"), 400},
    {"EncodingBeforeChunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 400},
    {"EncodingAfterChunked", post("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), 400},
    {"EncodingTwice",
     post("Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"), 400},
    {"NoLength", post(""), 411},
    {"Version9", "GET / HTTP/9.9\r\nHost: x\r\n\r\n", 400},
    {"Version2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400},
    {"Version09", "GET /\r\n\r\n", 400},
    {"NoHost", get(""), 400},
    {"TwoHosts", get("Host: x\r\nHost: y\r\n"), 400},
    {"Garbage", std::string("\x00\xff\x13\x37 \r\n\r\n", 9), 400},
    {"TlsHello", std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 \r\n\r\n", 16), 400},
    {"HeaderHuge", get("Host: x\r\nA: " + kLong + "\r\n"), 431},
    {"HeadersMany", get("Host: x\r\n" + repeated("a: b\r\n", 30'000)), 431},
    {"TargetHuge", "GET /" + kLong + " HTTP/1.1\r\nHost: x\r\n\r\n", 414},
    {"MethodHuge", kLong + " / HTTP/1.1\r\nHost: x\r\n\r\n", 414},
    {"HeaderWithoutColon", get("Host: x\r\nabc\r\n"), 400},
    {"HeaderNameWithSpace", get("Host: x\r\na b: c\r\n"), 400},
    {"HeaderSpaceBeforeColon", get("Host: x\r\nContent-Length : 3\r\n"), 400},
    {"HeaderWithNul", get(std::string("Host: x\r\nA: b\0c\r\n", 17)), 400},
    {"TargetRelative", "GET foo HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"TargetAbsolute", "GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"TargetAuthority", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"ExpectationUnknown", post("Expect: miracles\r\nContent-Length: 3\r\n", "abc"), 417},
};

class HostileClientTest : public ::testing::TestWithParam<Attack> {};

TEST_P(HostileClientTest, IsRefusedAndOthersAreServed) {
  std::atomic<int> handled = 0;
  RunningServer running([&](const Request& request, Responder responder) {
    ++handled;
    echo(request, std::move(responder));
  });
  RawClient hostile(running.port);
  hostile.send(GetParam().bytes);
  const std::string reply = hostile.receive_reply();
  EXPECT_EQ(status_of(reply), GetParam().status) << reply;
  EXPECT_NE(reply.find("Connection: close\r\n"), std::string::npos);
  EXPECT_NE(body_of(reply), "");
  EXPECT_EQ(handled, 0);
  auto other = running.client()->get("/");
  ASSERT_TRUE(other) << other.error().to_string();
  EXPECT_EQ(other->status, 200);
  hostile.end_sending();
  EXPECT_EQ(hostile.receive_all(), "") << "closed, and nothing taken for a second request";
  EXPECT_EQ(running.server->counts().malformed, 1u);
}

// The same bytes, one at a time, must have the same effect.
TEST_P(HostileClientTest, IsRefusedAlsoInSmallPieces) {
  RunningServer running(echo);
  RawClient hostile(running.port);
  const std::string_view bytes = GetParam().bytes;
  for (std::size_t at = 0; at < bytes.size(); at += at < 300 ? 1 : 997) {
    hostile.send(bytes.substr(at, at < 300 ? 1 : 997));
  }
  EXPECT_EQ(status_of(hostile.receive_reply()), GetParam().status);
}

INSTANTIATE_TEST_SUITE_P(Attacks, HostileClientTest, ::testing::ValuesIn(kAttacks),
                         [](const auto& row) { return std::string(row.param.name); });

// A body that ends with its first chunk, in two pieces, wherever it is cut.
TEST(RequestParserTest, TakesTheLastChunkInAnyPieces) {
  for (const std::string body : {"0\r\n\r\n", "0\r\nno colon\r\n\r\n", "0;a=b\r\nT: 1\r\n\r\n"}) {
    const std::string bytes = chunked(body);
    const auto outcome_of = [&](std::size_t cut) {
      Request request;
      RequestParser parser(request, 8192, 8192);
      const char* at = bytes.data();
      auto progress = RequestParser::ParseState::need_more;
      for (const std::size_t end : {bytes.size() - body.size(), cut, cut + 1, bytes.size()}) {
        do {
          progress = parser.feed(at, bytes.data() + std::min(end, bytes.size()));
        } while (progress == RequestParser::ParseState::header);
      }
      return progress;
    };
    const auto whole = outcome_of(bytes.size());
    EXPECT_NE(whole, RequestParser::ParseState::need_more);
    for (std::size_t cut = bytes.size() - body.size(); cut < bytes.size(); ++cut) {
      EXPECT_EQ(outcome_of(cut), whole) << body << " cut at " << cut;
    }
  }
}

struct Oddity {
  const char* name;
  std::string bytes;
  std::string body;
};

void PrintTo(const Oddity& oddity, std::ostream* out) { *out << oddity.name; }

const Oddity kOddities[] = {
    {"ChunkExtensions", chunked("3;a=b;c=\"d e\"\r\nabc\r\n0;z\r\n\r\n"), "POST / abc"},
    {"ChunksAndTrailer", chunked("1\r\na\r\n00A\r\n0123456789\r\n0\r\nX-T: 1\r\n\r\n"),
     "POST / a0123456789"},
    {"LengthsAgree", post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"), "POST / abc"},
    {"EmptyBody", post("Content-Length: 0\r\n"), "POST / "},
    {"EncodingInCapitals", post("TRANSFER-ENCODING: Chunked\r\n", "0\r\n\r\n"), "POST / "},
};

class OddClientTest : public ::testing::TestWithParam<Oddity> {};

TEST_P(OddClientTest, IsLegalAndServed) {
  RunningServer running(echo);
  RawClient client(running.port);
  for (int i = 0; i < 2; ++i) {
    client.send(GetParam().bytes);
    EXPECT_EQ(body_of(client.receive_reply()), GetParam().body);
  }
}

INSTANTIATE_TEST_SUITE_P(Oddities, OddClientTest, ::testing::ValuesIn(kOddities),
                         [](const auto& row) { return std::string(row.param.name); });

std::size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::size_t size = 0, resident = 0;
  statm >> size >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(HostileBodyTest, TwoHundredMegabytesAreRefusedWithoutBeingKept) {
  RunningServer running(echo, {.max_body_bytes = 1 << 20});
  const std::size_t before = resident_bytes();
  const std::string megabyte(1 << 20, 'x');
  const std::string chunk = "100000\r\n" + megabyte + "\r\n";
  RawClient announced(running.port);
  announced.send(post("Content-Length: 209715200\r\n"));
  for (int i = 0; i < 200; ++i) announced.send(megabyte);
  EXPECT_EQ(status_of(announced.receive_reply()), 413);
  RawClient creeping(running.port);
  creeping.send(chunked(""));
  for (int i = 0; i < 200; ++i) creeping.send(chunk);
  EXPECT_EQ(status_of(creeping.receive_reply()), 413);
  EXPECT_LT(resident_bytes(), before + (std::size_t{64} << 20));
}

TEST(SlowClientTest, HalfSentRequestsTimeOutAndDisturbNobody) {
  RunningServer running(echo, {.header_deadline = 300ms, .body_deadline = 300ms});
  std::vector<RawClient> slow;
  for (int i = 0; i < 100; ++i) {
    slow.emplace_back(running.port).send("POST / HTTP/1.1\r\nHo");
    slow.emplace_back(running.port).send(post("Content-Length: 10\r\n", "half"));
    slow.emplace_back(running.port).send(chunked("a\r\nhalf"));
  }
  auto client = running.client();
  for (int i = 0; i < 20; ++i) {
    auto reply = client->get("/");
    ASSERT_TRUE(reply) << reply.error().to_string();
    EXPECT_EQ(reply->status, 200);
  }
  for (RawClient& connection : slow) EXPECT_EQ(status_of(connection.receive_all()), 408);
  EXPECT_EQ(running.server->counts().timeouts, 300u);
}

TEST(SlowClientTest, ADripOfBytesDoesNotExtendTheDeadline) {
  RunningServer running(echo, {.header_deadline = 300ms});
  RawClient dripping(running.port);
  const auto start = std::chrono::steady_clock::now();
  std::promise<void> never;
  auto tick = never.get_future();
  dripping.send("GET / HTTP/1.1\r\nHost: x\r\n");
  while (running.server->counts().timeouts == 0 &&
         std::chrono::steady_clock::now() - start < kPatience) {
    dripping.send("a: b\r\n");
    tick.wait_for(20ms);
  }
  EXPECT_EQ(status_of(dripping.receive_all()), 408);
  EXPECT_EQ(running.server->counts().timeouts, 1u);
}

TEST(SlowClientTest, AnAnswerThatIsNotReadIsGivenUp) {
  RunningServer running(
      [](const Request&, Responder responder) {
        responder.answer({.body = std::string(32 << 20, 'x')});
      },
      {.write_deadline = 200ms});
  RawClient deaf(running.port);
  deaf.send(get("Host: x\r\n"));
  std::promise<void> never;
  auto tick = never.get_future();
  const auto start = std::chrono::steady_clock::now();
  while (running.server->counts().connections_open > 0 || running.server->counts().requests == 0) {
    ASSERT_LT(std::chrono::steady_clock::now() - start, kPatience);
    tick.wait_for(10ms);
  }
  EXPECT_EQ(running.server->counts().timeouts, 1u);
}

}  // namespace
}  // namespace berth::http
