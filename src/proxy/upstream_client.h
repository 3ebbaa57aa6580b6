#pragma once

#include <memory>
#include <string>
#include <vector>

#include "berth/base/result.h"
#include "proxy/curl_pool.h"
#include "proxy/proxy.h"
#include "proxy/state.h"

struct curl_slist;

namespace berth::proxy {

// The server behind the proxy, and the connections to it.
//
// Calls have short answers and share connections by HTTP/2: a hundred of them need one. Streams
// have answers of any length and a client that may read slowly: each has an HTTP/1.1 connection to
// itself, so that TCP holds back its own sender and no other.
class UpstreamClient {
 public:
  static Result<std::unique_ptr<UpstreamClient>> create(ProxyState& state);
  ~UpstreamClient();
  UpstreamClient(const UpstreamClient&) = delete;
  UpstreamClient& operator=(const UpstreamClient&) = delete;

  // Sets server, target, TLS and HTTP version of a request. `easy` is a CURL*.
  void configure(void* easy, const std::string& target, bool is_call) const;

  CurlPool& choose_pool(bool is_call);  // for the next request
  ProxyState& state() { return state_; }

  // The Host header, where libcurl's own is not the server's; or empty.
  const std::string& host() const { return host_; }
  const std::string& server() const { return state_.options.upstream.server; }

 private:
  explicit UpstreamClient(ProxyState& state);
  Status read_server();

  ProxyState& state_;
  std::string base_;    // "https://host:port/"
  std::string prefix_;  // "/prefix", or empty
  std::string host_;
  curl_slist* connect_to_ = nullptr;  // the address of a server with another name
  std::vector<std::unique_ptr<CurlPool>> calls_;
  CurlPool streams_;
};

}  // namespace berth::proxy
