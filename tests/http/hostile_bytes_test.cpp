// Requests by chance. The parser takes or refuses each, and reads no further than its bytes.
#include <gtest/gtest.h>

#include <memory>

#include "http/request_parser.h"
#include "support/damage.h"
#include "support/seeds.h"

namespace berth::http {
namespace {

TEST(HostileBytes, AreTakenOrRefused) {
  const std::vector<std::string> good{
      "GET /plan/filter?a=b HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\n\r\n",
      "POST /plan/filter HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\n"
      "Content-Length: 13\r\n\r\n{\"Pod\":\"abc\"}",
      "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "4;a=b\r\nabcd\r\n0\r\nA: b\r\n\r\n"};
  for (const std::uint64_t seed : support::seeds(6'000)) {
    SCOPED_TRACE("BERTH_SEED=" + std::to_string(seed));
    const std::string text = support::Damage(seed).of(good[seed % good.size()]);
    // A copy without room behind it, so that the sanitizer sees a read beyond.
    const std::unique_ptr<char[]> bytes(new char[text.size()]);
    std::copy(text.begin(), text.end(), bytes.get());
    Request request;
    RequestParser parser(request, 1'000, 1'000);
    const char* at = bytes.get();
    const char* const end = at + text.size();
    auto state = parser.feed(at, end);
    if (state == RequestParser::ParseState::header) state = parser.feed(at, end);
    ASSERT_LE(at, end);
    if (state == RequestParser::ParseState::refused) {
      ASSERT_GE(parser.refusal_status(), 400);
    } else if (state == RequestParser::ParseState::done) {
      ASSERT_LE(request.body.size(), text.size());
    }
  }
}

}  // namespace
}  // namespace berth::http
