#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>

#include "kubeapi/api_transfer.h"
#include "kubeapi/transport.h"

namespace berth::kubeapi {

// One stream, by libcurl on the caller's thread. It has an HTTP/1.1 connection to itself, which
// libcurl does not read while the caller handles bytes. So TCP holds the server back (API-1).
class Stream final : public ApiTransfer {
 public:
  Stream(const ApiServer& api, const Request& request, const Transport::OnBytes& on_bytes,
         std::stop_token stop);

  // Once. `multi` has no other transfer.
  Response run(CURLM* multi);

  void on_done(CURLcode) override {}

 private:
  void on_head(int status, curl::Headers headers) override;
  Taken on_body(std::string_view bytes) override;
  std::string read(CURLM* multi);

  const Transport::OnBytes& on_bytes_;
  const std::stop_token stop_;
  bool is_read_ = false;   // by the caller: a success in the expected format
  bool has_news_ = false;  // since the last look
  bool is_silent_ = false;
  std::chrono::steady_clock::time_point head_at_;
};

}  // namespace berth::kubeapi
