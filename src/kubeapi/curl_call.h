#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kubeapi/curl_server.h"
#include "kubeapi/curl_sockets.h"
#include "kubeapi/transport.h"

namespace berth::kubeapi {

// One request by libcurl and its answer. Any thread makes it; then it belongs to one.
class CurlCall {
 public:
  CurlCall(std::uint64_t id, std::shared_ptr<const CurlServer> server, CurlSockets& sockets,
           const ports::Leadership* leadership, const Request& request,
           std::shared_ptr<AnswerSink> sink);
  ~CurlCall();
  CurlCall(const CurlCall&) = delete;
  CurlCall& operator=(const CurlCall&) = delete;

  std::uint64_t id() const { return id_; }
  void* easy() const { return easy_; }  // CURL*
  bool uses_http2() const;
  // LEASE-4
  bool may_go_on() const { return !term_ || term_->holds(); }

  // The connection is broken if it is shared and has brought no answer since the call began.
  void break_silent_connection();

  // One of these ends the sink's answer. `code` is a CURLcode.
  void finish(int code);
  void drop(const std::string& error) { sink_->end(error); }

 private:
  friend struct CurlCallbacks;

  void begin_answer();
  bool take_body(std::string_view bytes);
  void set_body();
  int local_port() const;

  const std::uint64_t id_;
  const std::shared_ptr<const CurlServer> server_;
  CurlSockets& sockets_;
  const std::optional<ports::Term> term_;  // that it needs
  const std::shared_ptr<AnswerSink> sink_;
  const std::string method_;
  const std::string body_;
  const CurlSockets::Time began_ = std::chrono::steady_clock::now();
  void* const easy_;
  curl_slist* lines_ = nullptr;
  std::array<char, 256> failure_ = {};  // CURL_ERROR_SIZE
  std::string own_failure_;             // not libcurl's
  bool has_head_ = false;
};

}  // namespace berth::kubeapi
