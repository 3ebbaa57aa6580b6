#include "proxy/connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/write.hpp>
#include <utility>

namespace berth::proxy {
namespace {

namespace asio = boost::asio;

constexpr std::size_t kReadBytes = 64 << 10;
constexpr std::size_t kWriteBytes = 256 << 10;

// Error codes of HTTP/2.
constexpr std::uint32_t kNoError = 0;
constexpr std::uint32_t kProtocolError = 1;
constexpr std::uint32_t kEnhanceYourCalm = 11;

// Small frames that a client may send at once, and each second.
constexpr double kBurdenMost = 800;
constexpr double kBurdenPerSecond = 200;

}  // namespace

Connection::Connection(ProxyState& state, Socket socket, std::shared_ptr<asio::ssl::context> tls)
    : state_(state),
      tls_(std::move(tls)),
      socket_(std::move(socket), *tls_),
      session_(state.options, *this),
      in_(std::make_unique_for_overwrite<char[]>(kReadBytes)),
      opened_at_(Steady::now()),
      used_at_(opened_at_),
      burden_at_(opened_at_) {
  boost::system::error_code ignored;
  socket_.next_layer().set_option(asio::ip::tcp::no_delay(true), ignored);
  socket_.next_layer().set_option(asio::socket_base::keep_alive(true), ignored);
  ++state_.counts.connections_open;
}

Connection::~Connection() { --state_.counts.connections_open; }

void Connection::open() {
  socket_.async_handshake(asio::ssl::stream_base::server,
                          [self = shared_from_this()](const boost::system::error_code& error) {
                            self->on_handshake(error);
                          });
}

void Connection::on_handshake(const boost::system::error_code& error) {
  if (is_closed_) return;
  if (error) {
    ++state_.counts.handshakes_failed;
    close();
    return;
  }
  write();  // our settings
  read();
}

void Connection::read() {
  if (is_reading_ || is_closed_ || is_ending_) return;
  // A client that makes us answer faster than it reads waits for the write that is under way.
  if (is_writing_ && session_.has_long_queue()) return;
  is_reading_ = true;
  socket_.async_read_some(
      asio::buffer(in_.get(), kReadBytes),
      [self = shared_from_this()](const boost::system::error_code& error, std::size_t bytes) {
        self->on_read(error, bytes);
      });
}

void Connection::on_read(const boost::system::error_code& error, std::size_t bytes) {
  is_reading_ = false;
  if (is_closed_) return;
  if (error) {
    close();
    return;
  }
  if (!session_.receive({in_.get(), bytes}) || is_flood_) {
    end_badly();
    return;
  }
  write();
  read();
}

// The client gets the reason, as far as it reads it.
void Connection::end_badly() {
  if (is_flood_) ++state_.counts.floods;
  session_.go_away(is_flood_ ? kEnhanceYourCalm : kProtocolError);
  is_ending_ = true;
  write();
}

void Connection::write_soon() {
  if (is_write_posted_ || is_writing_ || is_closed_) return;
  is_write_posted_ = true;
  asio::post(state_.context, [self = shared_from_this()] {
    self->is_write_posted_ = false;
    self->write();
  });
}

void Connection::write() {
  if (is_writing_ || is_closed_) return;
  out_.clear();
  const bool is_sound = session_.send(out_, kWriteBytes);
  if (out_.empty()) {
    settle_written(true);
    if (!is_sound || is_ending_ || session_.is_over()) close();
    return;
  }
  is_writing_ = true;
  write_began_at_ = Steady::now();
  asio::async_write(socket_, asio::buffer(out_),
                    [self = shared_from_this()](const boost::system::error_code& error,
                                                std::size_t) { self->on_write(error); });
}

void Connection::on_write(const boost::system::error_code& error) {
  is_writing_ = false;
  if (is_closed_) return;
  if (error) {
    close();
    return;
  }
  settle_written(true);
  write();
  read();
}

void Connection::settle_written(bool is_delivered) {
  for (const auto& stream : std::exchange(being_written_, {})) stream->settle(is_delivered);
}

void Connection::drain() {
  if (is_closed_) return;
  session_.go_away(kNoError);
  write_soon();
}

void Connection::close() {
  if (is_closed_) return;
  is_closed_ = true;
  boost::system::error_code ignored;
  socket_.next_layer().close(ignored);
  settle_written(false);
  for (const auto& [id, stream] : std::exchange(streams_, {})) {
    stream->close();
    stream->settle(false);
  }
}

void Connection::sweep(Steady::time_point now) {
  if (is_closed_) return;
  const Options& options = state_.options;
  if (is_writing_ && now - write_began_at_ > options.stall_limit) {
    ++state_.counts.stalled;
    close();
    return;
  }
  if (!is_greeted_ && now - opened_at_ > options.handshake_deadline) {
    ++state_.counts.handshakes_failed;
    close();
    return;
  }
  if (is_greeted_ && streams_.empty() && now - used_at_ > options.idle_timeout) {
    is_ending_ = true;
    session_.go_away(kNoError);
    write_soon();
    return;
  }
  for (const auto& [id, stream] : streams_) {
    stream->end_dead_watch(now);
    if (!stream->is_stalled(now)) continue;
    ++state_.counts.stalled;
    stream->cut();
  }
}

Stream* Connection::find(std::int32_t stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() ? nullptr : found->second.get();
}

void Connection::on_header(std::int32_t stream, HeaderBlock block, bool has_body) {
  const auto made = std::make_shared<Stream>(state_, session_, stream);
  streams_[stream] = made;
  used_at_ = Steady::now();
  made->begin(std::move(block), has_body);
}

void Connection::on_body(std::int32_t stream, std::string_view bytes) {
  if (Stream* const found = find(stream)) found->take_body(bytes);
}

void Connection::on_body_end(std::int32_t stream) {
  if (Stream* const found = find(stream)) found->end_body();
}

void Connection::on_stream_close(std::int32_t stream, std::uint32_t error) {
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return;
  const std::shared_ptr<Stream> closed = std::move(found->second);
  streams_.erase(found);
  used_at_ = Steady::now();
  closed->close();
  if (error == kNoError && closed->is_whole()) {
    being_written_.push_back(closed);
  } else {
    closed->settle(false);
  }
}

void Connection::on_frame(bool is_burden) {
  is_greeted_ = true;
  if (!is_burden) return;
  const Steady::time_point now = Steady::now();
  const double seconds = std::chrono::duration<double>(now - burden_at_).count();
  burden_at_ = now;
  burden_ = std::max(0.0, burden_ - seconds * kBurdenPerSecond) + 1;
  is_flood_ = is_flood_ || burden_ > kBurdenMost;
}

std::size_t Connection::read_answer(std::int32_t stream, char* into, std::size_t room,
                                    bool& is_end) {
  Stream* const found = find(stream);
  return found == nullptr ? 0 : found->read(into, room, is_end);
}

}  // namespace berth::proxy
