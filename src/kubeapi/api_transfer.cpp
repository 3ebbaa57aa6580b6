#include "kubeapi/api_transfer.h"

#include <utility>

namespace berth::kubeapi {

ApiTransfer::ApiTransfer(const ApiServer& api, Request request, curl::Connections connections)
    : Transfer(*api.server, request.path, connections), api_(api), request_(std::move(request)) {
  add_line("User-Agent: " + api.options.user_agent);
  add_line("Accept: " + std::string(media_type_of(request_.format)));
  if (const std::string token = api.credentials->token(); !token.empty()) {
    add_line("Authorization: Bearer " + token);
  }
  const std::string usual = request_.body.empty() ? "" : "application/json";
  add_line("Content-Type: " + (request_.content_type.empty() ? usual : request_.content_type));
  // API-2: libcurl sends a body in memory again, on another connection, if one that was kept turns
  // out to be closed and nothing of an answer has come. The server may still have carried the
  // request out. A Binding then gets 409, after which ApiWriter looks at the pod; decision 22 has
  // the others.
  set_request(request_.method, request_.body);
}

void ApiTransfer::on_head(int status, curl::Headers headers) {
  head_ = {status, retry_after(curl::value_of(headers, "retry-after")),
           std::string(curl::value_of(headers, "content-type"))};
}

curl::Transfer::Taken ApiTransfer::keep(std::string_view bytes) {
  if (body_.size() + bytes.size() > api_.options.body_max) {
    set_failure("a body of more than " + std::to_string(api_.options.body_max) + " bytes");
    return Taken::never;
  }
  body_ += bytes;
  return Taken::whole;
}

// API-6
Response ApiTransfer::answer(std::string why) {
  if (why.empty() && is_foreign_answer()) {
    why = not_expected(request_.format, head_.content_type, body_);
  }
  Response response;
  if (!why.empty()) {
    response.error = std::move(why);
    return response;
  }
  response.status = head_.status;
  response.body = std::move(body_);
  response.retry_after = head_.retry_after;
  return response;
}

}  // namespace berth::kubeapi
