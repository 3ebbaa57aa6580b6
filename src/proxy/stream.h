#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "proxy/h2_session.h"
#include "proxy/state.h"
#include "proxy/transfer.h"
#include "proxy/watch_limits.h"

namespace berth::proxy {

// One request of a client, its transfer upstream, and its answer.
//
// The body of a request is collected until it is whole or too long. Then the interceptor is asked
// and the request goes upstream. The answer passes through an exchange, the interceptor's or our
// own, which writes to this reply.
class Stream final : public Reply, public std::enable_shared_from_this<Stream> {
 public:
  Stream(ProxyState& state, H2Session& session, std::int32_t id);
  ~Stream() override;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // From the connection.
  void begin(HeaderBlock block, bool has_body);
  void take_body(std::string_view bytes);
  void end_body();
  std::size_t read(char* into, std::size_t room, bool& is_end);
  // The stream does not exist any more. Its transfer ends at once; settle() follows.
  void close();
  void settle(bool is_delivered);
  bool is_whole() const { return is_end_read_; }  // the end of the answer was read
  bool is_stalled(Steady::time_point now) const;
  void end_dead_watch(Steady::time_point now);
  void cut();  // resets the stream, also while the client has yet to read its end

  // Reply.
  void head(int status, Headers headers) override;
  void body(std::string bytes) override;
  void end() override;
  void abort() override;
  void leave_upstream() override;
  std::size_t queued() const override { return queued_; }
  bool is_full() override;  // true pauses the transfer's answer, too, until resume()

  // From the transfer. on_upstream_done and on_upstream_failure are the last. Within the others the
  // transfer may not be called.
  void on_upstream_head(int status, Headers headers);
  void on_upstream_body(std::string_view bytes);
  void on_upstream_done();
  void on_upstream_failure(const std::string& why);
  void on_body_taken(std::size_t bytes);  // of the request
  // On its connection; false ends the transfer as a failure.
  bool may_be_sent() const { return !state_.interceptor.refusal(request_); }

 private:
  std::size_t collected_most() const;
  void go_upstream(bool is_body_whole);
  bool refuse();
  void drop_transfer();
  bool is_awaiting_body() const;
  bool reads_upstream() const { return !is_over_ && !has_left_upstream_; }

  ProxyState& state_;
  H2Session& session_;  // of its connection
  const std::int32_t id_;
  Request request_;
  std::optional<std::size_t> content_length_;
  std::string collected_;             // of the request's body, before the request goes upstream
  std::size_t kept_bytes_ = 0;        // of the body, in the state's account
  std::size_t already_consumed_ = 0;  // of what upstream has yet to take
  bool is_collecting_ = false;
  bool reads_body_ = false;
  bool is_body_over_ = false;
  std::unique_ptr<Exchange> exchange_;
  std::unique_ptr<Transfer> transfer_;
  std::optional<WatchLimits> limits_;  // of a watch

  std::deque<std::string> queue_;  // of the answer
  std::size_t front_at_ = 0;       // bytes of queue_.front() that were read
  std::size_t queued_ = 0;
  bool is_full_ = false;
  bool has_left_upstream_ = false;
  bool has_head_ = false;
  bool is_over_ = false;     // end() or abort() was called, or the stream is closed
  bool is_ended_ = false;    // by end()
  bool is_waiting_ = false;  // the connection has read all and waits for resume()
  bool is_end_read_ = false;
  bool is_reset_ = false;
  Steady::time_point moved_at_;  // when the client last took or sent something
};

}  // namespace berth::proxy
