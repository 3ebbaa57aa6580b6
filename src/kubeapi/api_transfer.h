#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "curl/transfer.h"
#include "kubeapi/answer.h"
#include "kubeapi/credentials.h"
#include "kubeapi/rest_client.h"

namespace berth::kubeapi {

// The API server, and the identity for it. Any thread.
struct ApiServer {
  std::unique_ptr<curl::Server> server;
  std::shared_ptr<Credentials> credentials;
  RestOptions options;
};

// A request to the API server, and its answer so far.
class ApiTransfer : public curl::Transfer {
 public:
  ApiTransfer(const ApiServer& api, Request request, curl::Connections connections);

 protected:
  void on_head(int status, curl::Headers headers) override;
  Taken keep(std::string_view bytes);  // unless the body is too large
  bool is_foreign_answer() const { return is_foreign(head_, request_.format); }
  // The whole answer. `why` it has none, or empty.
  Response answer(std::string why);

  const ApiServer& api_;
  const Request request_;
  AnswerHead head_;

 private:
  std::string body_;
};

}  // namespace berth::kubeapi
