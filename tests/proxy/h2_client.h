#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "proxy/exchange.h"

struct nghttp2_session;
struct ssl_ctx_st;
struct ssl_st;

namespace berth::proxy::testing {

using namespace std::chrono_literals;

inline constexpr auto kPatience = 60s;  // the longest wait of a test

// How a client introduces itself. Empty files are not used.
struct Identity {
  std::string ca_file;
  std::string certificate_file = {};
  std::string key_file = {};
  std::string protocols = "\x02h2";  // ALPN; empty: none
  int highest_tls = 0;               // 0: as the library likes
};

// A request of a client and its answer, so far.
struct Call {
  std::int32_t id = 0;
  int status = 0;
  Headers headers = {};
  std::string body = {};
  bool is_ended = false;   // the answer is whole
  bool is_closed = false;  // the stream does not exist any more
  std::uint32_t error = 0;
  bool reads = true;  // false: the client grants no more room for the answer
  std::string to_send = {};
  bool is_sent_whole = true;  // after to_send, the request is whole
  bool is_answer() const { return is_ended && is_closed && error == 0; }
  bool is_broken() const { return is_closed && !(is_ended && error == 0); }
  std::string header(std::string_view name) const;
};

// An HTTP/2 client that does as the test says, also what no good client does. It runs on the test's
// thread, within run_until().
class H2Client {
 public:
  H2Client(std::uint16_t port, const Identity& identity, std::uint32_t stream_window = 1 << 20);
  ~H2Client();
  H2Client(const H2Client&) = delete;
  H2Client& operator=(const H2Client&) = delete;

  bool is_connected() const { return session_ != nullptr; }  // the handshake went well
  bool is_over() const { return is_over_; }                  // the peer has closed
  bool was_sent_away() const { return has_goaway_; }
  std::uint32_t goaway_error() const { return goaway_error_; }
  std::uint32_t max_streams() const;  // as the peer allows

  // Fields in order, pseudo-headers included. The reference stays valid.
  Call& send(const std::vector<std::pair<std::string, std::string>>& fields, std::string body = {},
             bool has_body = false, bool is_whole = true);
  Call& get(const std::string& target, const Headers& headers = {});
  Call& post(const std::string& target, std::string body, const Headers& headers = {});
  void add_body(Call& call, std::string_view bytes, bool is_whole);
  void reset(Call& call);
  void read_on(Call& call);  // after reads was false
  void ping();

  // Exchanges bytes until `is_true`. False: the connection is over, or it took too long.
  bool run_until(const std::function<bool()>& is_true);
  // All calls have an answer.
  bool run();

 private:
  friend struct ClientCallbacks;

  bool connect(std::uint16_t port, const Identity& identity);
  void begin_session(std::uint32_t stream_window);
  bool step();
  bool flush();

  int socket_ = -1;
  ssl_ctx_st* context_ = nullptr;
  ssl_st* tls_ = nullptr;
  nghttp2_session* session_ = nullptr;
  std::map<std::int32_t, std::unique_ptr<Call>> calls_;
  std::string out_;
  bool is_over_ = false;
  bool has_goaway_ = false;
  std::uint32_t goaway_error_ = 0;
};

}  // namespace berth::proxy::testing
