#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kubeapi/rest_client.h"
#include "kubeapi/transport.h"

namespace berth::kubeapi::testing {

struct MadeAnswer {
  int status = 200;
  std::string body;
};

// Answers each request at once, without a server. The function runs on any thread.
class AnsweringTransport final : public Transport {
 public:
  using Answers = std::function<MadeAnswer(const Request&)>;

  explicit AnsweringTransport(Answers answers) : answers_(std::move(answers)) {}

  std::shared_ptr<Exchange> start(const Request& request, Lane,
                                  std::shared_ptr<AnswerSink> sink) override {
    const MadeAnswer answer = answers_(request);
    const auto body = std::make_shared<const std::string>(answer.body);
    AnswerHead head;
    head.status = answer.status;
    head.content_type = "application/json";
    sink->head(head);
    sink->body(*body, [body](bool) {});
    sink->end("");
    return std::make_shared<Ended>();
  }

  const std::string& server() const override { return server_; }

 private:
  struct Ended final : Exchange {
    void cancel() override {}
  };

  const Answers answers_;
  const std::string server_ = "https://test:1";
};

inline std::unique_ptr<RestClient> client_with(AnsweringTransport::Answers answers) {
  RestOptions limits;
  limits.qps = 0;
  return RestClient::over(std::make_unique<AnsweringTransport>(std::move(answers)), limits);
}

}  // namespace berth::kubeapi::testing
