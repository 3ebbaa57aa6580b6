#pragma once

#include <boost/asio/ssl/context.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "http/http_server.h"

namespace berth::http {

// A server's TLS context: TLS 1.2 or newer, and a certificate of the given authority from clients
// if there is one. Sessions of verified clients can be resumed only under this name. An Error names
// the file.
Result<std::shared_ptr<boost::asio::ssl::context>> make_server_context(const ServerTls& options,
                                                                       std::string_view name);

// The server's TLS context, rebuilt after a change of one of its files. Single-threaded.
class TlsCredentials {
 public:
  using Notice = std::function<void(const std::string&)>;

  static Result<std::unique_ptr<TlsCredentials>> load(ServerTls options, Notice notice);

  // The context for a new connection. Looks at the files at most once per check period. While they
  // cannot be loaded, the last good context stays; each new cause is reported once.
  std::shared_ptr<boost::asio::ssl::context> current();

  std::uint64_t failures() const { return failures_; }  // looks at files that cannot be loaded
  std::uint64_t expires() const;  // the end of the certificate in use, in seconds since 1970

 private:
  TlsCredentials(ServerTls options, Notice notice);

  std::string fingerprint() const;

  const ServerTls options_;
  const Notice notice_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  std::string fingerprint_;  // of the files last loaded
  std::uint64_t failures_ = 0;
  std::string failure_;  // why they cannot be loaded now; empty when they can
  std::chrono::steady_clock::time_point checked_;
};

}  // namespace berth::http
