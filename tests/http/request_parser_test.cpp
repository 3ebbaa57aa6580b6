#include "http/request_parser.h"

#include <gtest/gtest.h>

namespace berth::http {
namespace {

using State = RequestParser::ParseState;

constexpr std::size_t kMost = 200;

// As a connection feeds it, from pieces of that size.
State read(const std::string& bytes, std::size_t piece, Request& request) {
  RequestParser parser(request, kMost, kMost);
  std::string buffer;
  State state = State::need_more;
  for (std::size_t at = 0; at < bytes.size() && state == State::need_more; at += piece) {
    buffer += bytes.substr(at, piece);
    do {
      const char* begin = buffer.data();
      state = parser.feed(begin, buffer.data() + buffer.size());
      buffer.erase(0, static_cast<std::size_t>(begin - buffer.data()));
    } while (state == State::header);
  }
  return state;
}

std::string header_of(std::size_t size, std::size_t path) {
  std::string header = "GET /" + std::string(path, 'p') + " HTTP/1.1\r\nHost: x\r\nA: ";
  return header + std::string(size - header.size() - 4, 'a') + "\r\n\r\n";
}

// Found by fuzzing.
TEST(RequestParser, TakesAsLongAHeaderInOnePieceAsInMany) {
  for (const std::size_t path : {1UL, 50UL, 150UL}) {
    for (const std::size_t piece : {1UL, 7UL, 100UL, kMost, 2 * kMost}) {
      SCOPED_TRACE(std::to_string(path) + " in pieces of " + std::to_string(piece));
      Request request;
      EXPECT_EQ(read(header_of(kMost, path), piece, request), State::done);
      EXPECT_EQ(request.path.size(), path + 1);
      EXPECT_EQ(read(header_of(kMost + 1, path), piece, request), State::refused);
      EXPECT_EQ(read(header_of(kMost + 40, path), piece, request), State::refused);
    }
  }
}

TEST(RequestParser, KeepsTheHeadersOfOneRequestOnly) {
  Request request;
  const std::string first =
      "GET /page/ HTTP/1.1\r\nHost: h:1\r\nIf-None-Match: \"a\"\r\nAccept-Encoding: gzip\r\n\r\n";
  EXPECT_EQ(read(first, 7, request), State::done);
  EXPECT_EQ(request.host, "h:1");
  EXPECT_EQ(request.if_none_match, "\"a\"");
  EXPECT_EQ(request.accept_encoding, "gzip");
  EXPECT_EQ(read("GET / HTTP/1.1\r\nHost: x\r\n\r\n", 7, request), State::done);
  EXPECT_EQ(request.host, "x");
  EXPECT_EQ(request.if_none_match + request.accept_encoding, "");
}

}  // namespace
}  // namespace berth::http
