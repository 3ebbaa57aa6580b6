#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "berth/base/result.h"
#include "http/http_client.h"

struct ssl_ctx_st;
struct ssl_st;

namespace berth::http {

using Deadline = std::chrono::steady_clock::time_point;

// The settings and the TLS context with which a client opens all its connections.
class ClientTarget {
 public:
  static Result<std::unique_ptr<ClientTarget>> create(const ClientOptions& options);
  ~ClientTarget();
  ClientTarget(const ClientTarget&) = delete;
  ClientTarget& operator=(const ClientTarget&) = delete;

  // Ends every wait on any stream of this target with an error, now and later.
  void abort();

  const std::string& authority() const { return authority_; }

 private:
  friend class ClientStream;
  ClientTarget() = default;

  std::string url_, authority_, host_, port_, server_name_;
  int abort_event_ = -1;
  ssl_ctx_st* tls_ = nullptr;  // null: plain
};

// One blocking connection whose every wait has a deadline. One thread at a time.
class ClientStream {
 public:
  // `target` must outlive the stream.
  static Result<std::unique_ptr<ClientStream>> connect(const ClientTarget& target,
                                                       Deadline deadline);
  ~ClientStream();
  ClientStream(const ClientStream&) = delete;
  ClientStream& operator=(const ClientStream&) = delete;

  // Writes all bytes, or returns an error. `written` counts the bytes sent before it.
  Status write(std::string_view bytes, Deadline deadline, std::size_t& written);

  // Reads some bytes; 0 if the peer has ended the stream.
  Result<std::size_t> read(char* into, std::size_t room, Deadline deadline);

  // True if an idle connection can still carry a call.
  bool is_usable();

 private:
  ClientStream(const ClientTarget& target, int socket) : target_(target), socket_(socket) {}

  Status await_connected(Deadline deadline);
  Status handshake(Deadline deadline);
  Status wait(short events, Deadline deadline);
  Error failure(std::string_view what) const;

  const ClientTarget& target_;
  int socket_;
  ssl_st* tls_ = nullptr;
};

}  // namespace berth::http
