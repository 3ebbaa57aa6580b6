#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "berth/base/clock.h"
#include "berth/base/counter.h"
#include "berth/base/result.h"
#include "http/message.h"

namespace berth::http {

// PEM files. New connections notice a changed file. A file that cannot be loaded leaves the last
// good set in use.
struct ServerTls {
  std::string certificate_file;  // the chain, leaf first
  std::string key_file;
  std::string client_ca_file = {};  // when not empty, peers must present a certificate of this CA
  Duration check_period = std::chrono::seconds(1);  // the least time between two looks at the files
  // False: a peer may come without one, and has no `peer_name` then. One of another CA is refused.
  bool requires_certificate = true;
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // an IP literal, v4 or v6; "::" serves both
  std::uint16_t port = 0;             // 0: the system chooses; see port()
  std::size_t io_threads = 2;

  std::size_t max_header_bytes = 16 << 10;  // request line and headers; more is 414 or 431
  std::size_t max_body_bytes = 64 << 20;    // more is 413, before it is read
  // A further connection takes the slot of the one whose wait or request began first, else of the
  // one whose answer began first. Bytes of a request do not renew its turn: a slow sender is no
  // better than a silent one. Peers without a client certificate lose their slots before those with
  // one. If handlers have all slots, the connection gets 503 (with TLS, a bare close).
  std::size_t max_connections = 16'384;

  Duration header_deadline = std::chrono::seconds(10);  // first byte to last; also TLS handshakes
  Duration body_deadline = std::chrono::seconds(30);
  Duration write_deadline = std::chrono::seconds(30);
  // Longer than the 90 s of Go's client, so that the client closes an idle connection first.
  Duration idle_timeout = std::chrono::seconds(300);
  Duration first_request = std::chrono::seconds(300);  // until the first byte of the first request
  Duration linger = std::chrono::seconds(1);  // how long a refused peer may take to read the answer

  std::optional<ServerTls> tls = {};

  // Headers of each answer, refusals included; an answer's own of the same name comes instead.
  std::vector<std::pair<std::string, std::string>> headers = {};

  // Called on an I/O thread with notices for an operator: a certificate that was replaced or cannot
  // be loaded, no more descriptors, a handler that threw. Not called for mistakes of peers.
  std::function<void(const std::string& message)> on_notice = {};
};

struct ServerCounts {
  Counter connections_open;
  Counter connections_accepted;
  Counter connections_refused;    // over max_connections, with a handler in each
  Counter connections_displaced;  // closed for a newer one, over max_connections
  Counter requests;               // requests that reached the handler
  Counter malformed;              // refused before the handler
  Counter timeouts;               // handshake, header, body and write deadlines missed
  Counter disconnects;            // peers that left before their answer
  Counter handler_failures;       // exceptions that left the handler
  Counter certificate_failures;   // looks at changed TLS files that could not be loaded
  Counter certificate_expires;    // the one in use, in seconds since 1970; 0: without TLS
};

// An HTTP/1.1 server for peers that may be hostile. It answers the requests of one connection in
// order, each in one write with a Content-Length. A waiting request costs a connection and no
// thread.
class HttpServer {
 public:
  // Stops at once.
  virtual ~HttpServer() = default;

  // Listens and returns. May be called once.
  virtual Status start() = 0;

  // The port listened on; 0 before start().
  virtual std::uint16_t port() const = 0;

  // Stops accepting, closes idle connections, and lets pending answers finish within `deadline`.
  // Then it cuts the rest. Must not be called from a handler. An Error means that a handler did not
  // return; its thread is left behind and the process should exit. Later calls do nothing.
  virtual Status stop(Duration deadline) = 0;

  // Any thread.
  virtual ServerCounts counts() const = 0;
};

std::unique_ptr<HttpServer> make_http_server(ServerOptions options, Handler handler);

}  // namespace berth::http
