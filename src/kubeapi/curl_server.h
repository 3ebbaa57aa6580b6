#pragma once

#include <memory>
#include <string>

#include "kubeapi/credentials.h"
#include "kubeapi/failure.h"
#include "kubeapi/request.h"

struct curl_slist;
struct ssl_ctx_st;

namespace berth::kubeapi {

// The server of libcurl's calls, and the identity for it. Any thread.
class CurlServer {
 public:
  CurlServer(std::shared_ptr<Credentials> credentials, std::string user_agent,
             bool shares_connections);
  ~CurlServer();
  CurlServer(const CurlServer&) = delete;
  CurlServer& operator=(const CurlServer&) = delete;

  // Calls share connections if the server speaks HTTP/2, which it says in TLS.
  bool may_share() const { return may_share_; }

  // Sets everything but headers, body and callbacks. `easy` is a CURL*.
  void configure(void* easy, const Request& request) const;
  // The header lines of a request. The caller frees them.
  curl_slist* headers(const Request& request) const;
  // Of a new connection.
  Status set_up(ssl_ctx_st* context) const;

  // The error of a call with that CURLcode. `text` is libcurl's, perhaps empty, and `system_error`
  // an errno or 0.
  std::string explain(int code, const std::string& text, long system_error) const;

 private:
  const std::shared_ptr<Credentials> credentials_;
  const std::string user_agent_;
  const bool may_share_;
  const std::shared_ptr<CertificateVerdict> verdict_ = std::make_shared<CertificateVerdict>();
  std::string base_;    // "https://host:port/"
  std::string prefix_;  // "/prefix", or empty
  std::string host_;    // the Host header, where libcurl's own is not the server's; or empty
  curl_slist* connect_to_ = nullptr;  // the address of a server with another name
};

}  // namespace berth::kubeapi
