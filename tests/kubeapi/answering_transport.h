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

  void start(std::uint64_t, const Request& request, Done done) override { done(answer(request)); }
  void cancel(std::uint64_t, const std::string&) override {}
  Response stream(const Request& request, const OnBytes& on_bytes, std::stop_token) override {
    Response response = answer(request);
    if (response.status != 200) return response;
    const Status taken = on_bytes(std::exchange(response.body, ""));
    if (!taken) response.error = taken.error().message;
    return response;
  }

  const std::string& server() const override { return server_; }

 private:
  Response answer(const Request& request) const {
    MadeAnswer made = answers_(request);
    Response response;
    response.status = made.status;
    response.body = std::move(made.body);
    return response;
  }

  const Answers answers_;
  const std::string server_ = "https://test:1";
};

inline std::unique_ptr<RestClient> client_with(AnsweringTransport::Answers answers) {
  RestOptions limits;
  limits.qps = 0;
  return RestClient::over(std::make_unique<AnsweringTransport>(std::move(answers)), limits);
}

}  // namespace berth::kubeapi::testing
