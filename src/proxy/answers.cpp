#include "proxy/answers.h"

#include <utility>

#include "berth/base/printable.h"
#include "berth/base/text.h"

namespace berth::proxy {
namespace {

std::string_view reason_of(int code) {
  constexpr std::pair<int, std::string_view> kReasons[] = {{400, "BadRequest"},
                                                           {405, "MethodNotAllowed"},
                                                           {406, "NotAcceptable"},
                                                           {410, "Expired"},
                                                           {413, "RequestEntityTooLarge"},
                                                           {429, "TooManyRequests"},
                                                           {431, "RequestHeaderFieldsTooLarge"}};
  for (const auto& [each, reason] : kReasons) {
    if (each == code) return reason;
  }
  return "ServiceUnavailable";
}

}  // namespace

Answer status_answer(int code, std::string_view message) {
  return {code,
          {{"content-type", "application/json"}},
          R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)" +
              json_string(printable(message)) + R"(,"reason":")" + std::string(reason_of(code)) +
              R"(","code":)" + std::to_string(code) + "}\n"};
}

Answer unreachable_answer(bool is_watch, std::string_view why) {
  constexpr int kTooMany = 429;
  constexpr int kBadGateway = 502;
  return status_answer(is_watch ? kTooMany : kBadGateway,
                       "the server behind the view does not answer: " + std::string(why));
}

Answer no_token_answer(bool is_watch) {
  constexpr int kTooMany = 429;
  constexpr int kUnavailable = 503;
  Answer answer = status_answer(is_watch ? kTooMany : kUnavailable,
                                "the view has no token of kube-scheduler's account");
  answer.headers.push_back({"retry-after", "1"});
  return answer;
}

void send(Answer answer, Reply& reply) {
  answer.headers.push_back({"content-length", std::to_string(answer.body.size())});
  reply.head(answer.status, std::move(answer.headers));
  reply.body(std::move(answer.body));
  reply.end();
}

}  // namespace berth::proxy
