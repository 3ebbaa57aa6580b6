#include "http/beast_connection.h"

#include <algorithm>
#include <boost/asio/dispatch.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/post.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/status.hpp>
#include <cstring>
#include <utility>

namespace berth::http {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReadBytes = 64 << 10;

constexpr Duration kForever = Duration::max();

// Larger buffers, left by one large request, are freed.
constexpr std::size_t kKeptBytes = std::size_t{1} << 20;

void append_header(std::string& to, std::string_view name, std::string_view value) {
  to.append(name).append(": ").append(value).append("\r\n");
}

bool has_header(const Response& response, const std::string& name) {
  return std::any_of(response.headers.begin(), response.headers.end(),
                     [&](const auto& each) { return boost::beast::iequals(each.first, name); });
}

// The standard phrase of a status code ("Not Found"), or "Unknown".
std::string_view reason_phrase(int status) {
  namespace beast_http = boost::beast::http;
  const beast_http::status known = beast_http::int_to_status(static_cast<unsigned>(status));
  if (known == beast_http::status::unknown) return "Unknown";
  const auto phrase = beast_http::obsolete_reason(known);
  return {phrase.data(), phrase.size()};
}

void release_if_large(std::string& text) {
  text.clear();
  if (text.capacity() > kKeptBytes) text = std::string();
}

}  // namespace

bool is_loopback(const asio::ip::address& address) {
  const bool is_mapped = address.is_v6() && address.to_v6().is_v4_mapped();
  if (!is_mapped) return address.is_loopback();
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
}

// Our own address counts, and not the peer's: a proxy in this pod may ask for anybody.
Connection::Connection(std::shared_ptr<ServerState> state, Socket& socket)
    : state_(std::move(state)),
      strand_(socket.get_executor()),
      buffer_bytes_(std::max(kReadBytes, 2 * state_->options.max_header_bytes)),
      buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes_)),
      timer_(strand_) {
  boost::system::error_code failed;
  const auto asked_at = socket.local_endpoint(failed);
  request_.is_local = !failed && is_loopback(asked_at.address());
  request_.is_encrypted = state_->options.tls.has_value();
}

void Connection::open() {
  asio::dispatch(strand_, [self = shared_from_this()] {
    if (self->stage_ == Stage::closed) return;  // the server stopped in between
    self->arm(self->state_->options.header_deadline);
    self->start_handshake();
  });
}

void Connection::on_handshake(bool succeeded, std::optional<std::string> peer_name) {
  if (stage_ == Stage::closed) return;
  if (!succeeded) {
    close();
    return;
  }
  request_.peer_name = std::move(peer_name);
  begin_request(state_->options.first_request);
}

void Connection::begin_request(Duration patience) {
  if (!enter(Stage::reading, patience)) return;
  in_request_ = false;
  request_.method.clear();
  release_if_large(request_.body);
  parser_.emplace(request_, state_->options.max_header_bytes, state_->options.max_body_bytes);
  if (begin_ < end_) {
    consume();
  } else if (input_ended_ || state_->is_draining()) {
    close();
  } else {
    fill();
  }
}

// Starts a read, unless one is outstanding, no input can come, or the buffer is full.
void Connection::fill() {
  if (reading_ || input_ended_) return;
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (end_ == buffer_bytes_) return;
  reading_ = true;
  start_read(asio::buffer(buffer_.get() + end_, buffer_bytes_ - end_));
}

void Connection::on_read(const boost::system::error_code& error, std::size_t bytes) {
  reading_ = false;
  if (stage_ == Stage::closed) return;
  if (error) {
    // A peer that ends its side during its request counts as gone: a client with a passed deadline
    // looks the same. An answer already under way is still delivered.
    input_ended_ = true;
    if (error != asio::error::eof || stage_ != Stage::writing) close();
    return;
  }
  end_ += bytes;
  switch (stage_) {
    case Stage::reading:
      consume();
      break;
    case Stage::lingering:
      begin_ = end_ = 0;
      fill();
      break;
    default:
      fill();
      break;
  }
}

void Connection::consume() {
  if (!in_request_) {
    if (!enter(Stage::reading, state_->options.header_deadline)) return;
    in_request_ = true;
  }
  for (;;) {
    const char* at = buffer_.get() + begin_;
    const RequestParser::ParseState progress = parser_->feed(at, buffer_.get() + end_);
    begin_ = static_cast<std::size_t>(at - buffer_.get());
    switch (progress) {
      case RequestParser::ParseState::need_more:
        fill();
        if (reading_) return;
        // The buffer is full: a chunk header or a trailer does not end.
        input_ended_ ? close() : refuse(400, "chunk header too long");
        return;
      case RequestParser::ParseState::header:
        on_header();
        break;
      case RequestParser::ParseState::done:
        handle();
        return;
      case RequestParser::ParseState::refused:
        refuse(parser_->refusal_status(), parser_->refusal());
        return;
    }
  }
}

void Connection::on_header() {
  const ServerOptions& options = state_->options;
  arm(state_->is_draining() ? options.linger : options.body_deadline);
  if (parser_->expects_continue() && begin_ == end_) {
    next_ += "HTTP/1.1 100 Continue\r\n\r\n";
    flush();
  }
}

void Connection::handle() {
  if (!enter(Stage::handling, kForever)) return;
  closing_ = !parser_->is_keep_alive();
  fill();
  {
    const std::lock_guard lock(mutex_);
    pending_ = true;
  }
  ++state_->counts.requests;
  try {
    state_->handler(request_, Responder(shared_from_this()));
  } catch (const std::exception& failure) {
    ++state_->counts.handler_failures;
    state_->notice("handler of \"" + request_.path + "\" failed: " + failure.what());
  } catch (...) {
    ++state_->counts.handler_failures;
    state_->notice("handler of \"" + request_.path + "\" failed");
  }
  if (input_ended_ && stage_ == Stage::handling) close();
}

void Connection::refuse(int status, std::string_view why) {
  if (!enter(Stage::writing, state_->options.write_deadline)) return;
  ++state_->counts.malformed;
  closing_ = true;
  render(text_response(status, why));
  fill();
  flush();
}

void Connection::answer(Response response) {
  std::function<void()> callback;  // destroyed without the lock, since it may own anything
  {
    const std::lock_guard lock(mutex_);
    callback = std::exchange(disconnect_callback_, nullptr);
    pending_ = false;
    if (gone_) return;
    answer_.emplace(std::move(response));
    if (!strand_.running_in_this_thread()) {
      // Under the lock, because once gone_ is set the context may have no thread left.
      asio::post(strand_, [self = shared_from_this()] { self->send_answer(); });
      return;
    }
  }
  send_answer();
}

void Connection::on_disconnect(std::function<void()> callback) {
  {
    const std::lock_guard lock(mutex_);
    if (!gone_) {
      std::swap(disconnect_callback_, callback);
      return;
    }
  }
  if (callback) callback();
}

void Connection::send_answer() {
  if (stage_ == Stage::closed) return;
  if (!enter(Stage::writing, state_->options.write_deadline)) return;
  Response response;
  {
    const std::lock_guard lock(mutex_);
    response = std::move(*answer_);
    answer_.reset();
  }
  closing_ = closing_ || response.closes || state_->is_draining();
  render(response);
  flush();
}

// Renders header and body as one piece, for one write.
void Connection::render(const Response& response) {
  const bool old = parser_->is_http_1_0();
  next_.reserve(next_.size() + response.body.size() + 256);
  next_.append("HTTP/1.1 ").append(std::to_string(response.status)).append(" ");
  next_.append(reason_phrase(response.status)).append("\r\n");
  if (!response.content_type.empty()) {
    append_header(next_, "Content-Type", response.content_type);
  }
  for (const auto& [name, value] : response.headers) append_header(next_, name, value);
  for (const auto& [name, value] : state_->options.headers) {
    if (!has_header(response, name)) append_header(next_, name, value);
  }
  if (closing_) next_.append("Connection: close\r\n");
  if (old && !closing_) next_.append("Connection: keep-alive\r\n");
  next_.append("Content-Length: ").append(std::to_string(response.body.size()));
  next_.append("\r\n\r\n");
  if (request_.method != "HEAD") next_.append(response.body);
}

void Connection::flush() {
  if (writing_ || next_.empty()) return;
  std::swap(out_, next_);
  writing_ = true;
  start_write(asio::buffer(out_));
}

void Connection::on_write(const boost::system::error_code& error) {
  writing_ = false;
  release_if_large(out_);
  if (stage_ == Stage::closed) return;
  if (error) {
    close();
  } else if (!next_.empty()) {
    flush();
  } else if (stage_ == Stage::writing) {
    closing_ ? linger() : begin_request(state_->options.idle_timeout);
  }
}

// Closing a socket with unread input resets the connection and may destroy the answer. So the peer
// gets a moment to read it and to close first. Its input is dropped meanwhile.
void Connection::linger() {
  if (!enter(Stage::lingering, state_->options.linger)) return;
  begin_ = end_ = 0;
  if (input_ended_) {
    close();
    return;
  }
  shut_down_sending();
  fill();
}

bool Connection::enter(Stage stage, Duration patience) {
  using Phase = ServerState::Phase;
  Phase phase = request_.peer_name ? Phase::receiving : Phase::receiving_from_stranger;
  if (stage == Stage::handling) phase = Phase::handling;
  if (stage == Stage::writing) phase = Phase::answering;
  if (!state_->enter(this, phase)) {
    close();
    return false;
  }
  stage_ = stage;
  arm(patience);
  return true;
}

void Connection::drain() {
  asio::post(strand_, [self = shared_from_this()] {
    if (self->stage_ == Stage::reading && self->in_request_) {
      self->arm(self->state_->options.linger);
    } else if (self->stage_ == Stage::reading || self->stage_ == Stage::handshaking) {
      self->close();
    }
  });
}

void Connection::cut() {
  asio::post(strand_, [self = shared_from_this()] { self->close(); });
}

void Connection::close() {
  if (stage_ == Stage::closed) return;
  stage_ = Stage::closed;
  timer_.cancel();
  close_socket();
  std::function<void()> callback;
  bool was_pending = false;
  {
    const std::lock_guard lock(mutex_);
    gone_ = true;
    was_pending = std::exchange(pending_, false);
    callback = std::exchange(disconnect_callback_, nullptr);
  }
  if (was_pending) ++state_->counts.disconnects;
  try {
    if (callback) callback();
  } catch (...) {
    ++state_->counts.handler_failures;
    state_->notice("disconnect callback failed");
  }
  state_->remove(this);
}

void Connection::arm(Duration from_now) {
  deadline_ = from_now == kForever
                  ? Steady::time_point::max()
                  : Steady::now() + std::chrono::duration_cast<Steady::duration>(from_now);
  if (deadline_ < timer_expiry_) wait_for_timer();
}

void Connection::wait_for_timer() {
  timer_expiry_ = deadline_;
  timer_.expires_at(deadline_);
  timer_.async_wait([self = shared_from_this()](const boost::system::error_code& error) {
    if (!error) self->on_timer();
  });
}

void Connection::on_timer() {
  timer_expiry_ = Steady::time_point::max();
  if (stage_ == Stage::closed || deadline_ == Steady::time_point::max()) return;
  if (Steady::now() < deadline_) {
    wait_for_timer();
  } else {
    on_deadline();
  }
}

void Connection::on_deadline() {
  arm(kForever);
  const bool idle = stage_ == Stage::reading && !in_request_;
  if (!idle && stage_ != Stage::lingering) {
    ++state_->counts.timeouts;
  }
  if (stage_ == Stage::reading && in_request_) {
    refuse(408, "the request did not arrive in time");
  } else {
    close();
  }
}

}  // namespace berth::http
