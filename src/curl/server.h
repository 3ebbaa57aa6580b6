#pragma once

#include <curl/curl.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "curl/failure.h"
#include "curl/tls.h"

namespace berth::curl {

// shared: requests share connections by HTTP/2 if the server offers it, which it says in TLS.
// own: each has one to itself, by HTTP/1.1. One that is given up closes it.
enum class Connections : std::uint8_t { shared, own };

// "https://host:port/prefix".
struct Address {
  std::string scheme;  // "http" or "https"
  std::string host;    // an IPv6 address without brackets
  std::string port;    // the scheme's own if none is given
  std::string prefix;  // without a slash at its end

  std::string authority() const;  // "host:port"
};
Result<Address> parse_address(const std::string& text);

struct ServerOptions {
  std::string address;           // "https://host:port", perhaps with a path in front of all others
  std::string certificate_name;  // the name in its certificate; empty: the host
  bool insecure = false;         // accepts any certificate
  bool has_own_ca = false;       // for messages
  // Asked for each connection, by any thread (API-7).
  std::function<Result<TlsMaterial>()> material;
};

// A server, and how it is reached and trusted. Any thread.
//
// API-35: proxies of the environment (HTTPS_PROXY, NO_PROXY) are used, as by client-go, but never
// for the machine itself.
class Server {
 public:
  static Result<std::unique_ptr<Server>> create(ServerOptions options);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // "https://host:port": for messages.
  const std::string& authority() const { return authority_; }
  // The Host header, where libcurl's own is not the server's; or empty.
  const std::string& host() const { return host_; }
  bool is_tls() const { return authority_.starts_with("https"); }

  // Sets everything but headers, body and callbacks. `target` is sent byte by byte.
  void configure(CURL* easy, std::string_view target, Connections connections) const;
  // Of a new connection.
  Status set_up(ssl_ctx_st* context) const;
  // As explain_failure().
  std::string explain(CURLcode code, std::string_view text, long system_error) const;

 private:
  Server(ServerOptions options, const Address& address);

  const ServerOptions options_;
  const std::shared_ptr<CertificateVerdict> verdict_ = std::make_shared<CertificateVerdict>();
  const std::string name_;  // that the certificate must have
  const std::string authority_;
  std::string base_;  // "https://host:port/"
  const std::string prefix_;
  std::string host_;
  const bool is_loopback_;
  curl_slist* connect_to_ = nullptr;  // the address of a server with another name
};

}  // namespace berth::curl
