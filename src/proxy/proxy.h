#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "berth/base/clock.h"
#include "berth/base/counter.h"
#include "berth/base/result.h"
#include "proxy/exchange.h"

namespace berth::proxy {

// The server that requests are passed to. The proxy presents no certificate to it.
struct Upstream {
  std::string server = {};  // "https://host:port/prefix"
  // The authorities trusted, as a PEM file or as its text; both empty: the system's.
  std::string ca_file = {};
  std::string ca_data = {};
  std::string server_name = {};  // the name in the server's certificate; default: the host
  bool skip_verification = false;
};

struct Options {
  std::string address = "127.0.0.1";  // an IP literal
  std::uint16_t port = 0;             // 0: the system chooses; see port()
  std::string certificate_file = {};  // PEM: the server's chain, leaf first
  std::string key_file = {};
  std::string client_ca_file = {};  // when not empty, clients must present a certificate of this CA
  Upstream upstream = {};
  // True: requests go upstream with the token of set_token(), and with nothing that their own
  // headers say about the caller. Without a token they are refused, for a client to try again.
  bool has_token = false;

  std::size_t max_connections = 64;  // of clients; further ones are closed
  std::uint32_t max_streams = 250;   // of a connection
  std::size_t max_headers = 100;     // of a request
  std::size_t max_header_bytes = 64 << 10;
  std::size_t max_body_bytes = 64 << 20;  // request bodies that are read whole, in all

  // A reply is full when it has queued `full_at` bytes: upstream's answer is not read until fewer
  // than `empty_at` are left. With `max_queued_bytes` in all replies, less makes a reply full.
  std::size_t full_at = 4 << 20;
  std::size_t empty_at = 1 << 20;
  std::size_t max_queued_bytes = 256 << 20;

  // Connections to upstream: of calls, which share them if upstream speaks HTTP/2, and of streams.
  // Requests beyond wait.
  std::size_t max_call_connections = 16;
  std::size_t max_stream_connections = 64;

  Duration handshake_deadline = std::chrono::seconds(10);  // of clients
  Duration idle_timeout = std::chrono::seconds(300);       // of a client's connection
  // How long a client may let a full reply, its own request's body or its socket stand still.
  Duration stall_limit = std::chrono::seconds(30);
  // A watch is taken for dead when it outlives its `timeoutSeconds` by `watch_slack`, or when it
  // has bookmarks and nothing comes for `watch_silence`. An API server sends them about each
  // minute.
  Duration watch_slack = std::chrono::seconds(30);
  Duration watch_silence = std::chrono::seconds(90);
  Duration drain = std::chrono::milliseconds(200);  // how long stop() lets answers finish

  // Called on the proxy's thread with notices for an operator. Not called for mistakes of peers.
  std::function<void(const std::string&)> on_notice = {};
  // Called on the proxy's thread for each request whose token upstream did not take (401). The
  // client gets the answer of an upstream that cannot be reached.
  std::function<void()> on_token_refused = {};
};

struct Counts {
  Counter connections_open;
  Counter connections_accepted;
  Counter connections_refused;  // over max_connections
  Counter handshakes_failed;    // no h2, no certificate, or too late
  Counter floods;               // connections that were closed for too many small frames
  Counter streams_open;
  Counter requests;
  Counter malformed;         // requests that were refused
  Counter intercepted;       // requests with an exchange
  Counter answered_locally;  // by Interceptor::answer
  Counter refused;           // by Interceptor::refusal
  Counter pauses;            // times that a reply became full
  Counter stalled;           // streams and connections cut because the client stood still
  Counter transfers_open;    // requests at upstream
  Counter upstream_failures;
  Counter dead_watches;       // of these, watches without a sign of life
  Counter upstream_connects;  // connections that were tried
};

// A reverse proxy: HTTP/2 over mutual TLS for clients, which may be hostile, and one server behind
// it. It has one thread, on which everything runs that an interceptor or exchange sees.
class Proxy {
 public:
  // Reads the files; does not listen yet. `interceptor` must outlive the proxy.
  static Result<std::unique_ptr<Proxy>> create(Options options, Interceptor& interceptor);

  // Stops.
  virtual ~Proxy() = default;

  // Listens and returns. May be called once.
  virtual Status start() = 0;

  // The port listened on; 0 before start().
  virtual std::uint16_t port() const = 0;

  // The bearer token of all requests from now on; empty: there is none. Any thread.
  virtual void set_token(std::string token) = 0;

  // Runs `task` on the proxy's thread. Any thread. A task that is posted after stop() is dropped.
  virtual void post(std::function<void()> task) = 0;

  // Sends GOAWAY, lets answers finish for a moment, then cuts them. All exchanges are destroyed
  // when it returns. Not from the proxy's thread. Later calls do nothing.
  virtual void stop() = 0;

  virtual Counts counts() const = 0;  // any thread
};

}  // namespace berth::proxy
