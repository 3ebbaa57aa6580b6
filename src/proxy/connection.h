#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "proxy/h2_session.h"
#include "proxy/state.h"
#include "proxy/stream.h"

namespace berth::proxy {

// A client's connection: TLS over a socket, an HTTP/2 session, and its streams.
class Connection final : public H2Events, public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::ip::tcp::socket;

  Connection(ProxyState& state, Socket socket, std::shared_ptr<boost::asio::ssl::context> tls);
  ~Connection() override;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  void open();
  void drain();  // GOAWAY; closes when the last stream has ended
  void close();
  bool is_closed() const { return is_closed_; }
  bool is_greeted() const { return is_greeted_; }  // the client has sent a frame

  // Cuts off streams that stand still, and the connection if it does, is idle or late.
  void sweep(Steady::time_point now);

 private:
  // H2Events.
  void on_header(std::int32_t stream, HeaderBlock block, bool has_body) override;
  void on_body(std::int32_t stream, std::string_view bytes) override;
  void on_body_end(std::int32_t stream) override;
  void on_stream_close(std::int32_t stream, std::uint32_t error) override;
  void on_output() override { write_soon(); }
  void on_frame(bool is_burden) override;
  std::size_t read_answer(std::int32_t stream, char* into, std::size_t room, bool& is_end) override;

  void on_handshake(const boost::system::error_code& error);
  void read();
  void on_read(const boost::system::error_code& error, std::size_t bytes);
  void write();
  void write_soon();
  void on_write(const boost::system::error_code& error);
  void settle_written(bool is_delivered);
  void end_badly();
  Stream* find(std::int32_t stream) const;

  ProxyState& state_;
  const std::shared_ptr<boost::asio::ssl::context> tls_;
  boost::asio::ssl::stream<Socket> socket_;
  H2Session session_;
  std::unordered_map<std::int32_t, std::shared_ptr<Stream>> streams_;
  // Streams whose last bytes are in the write that is under way.
  std::vector<std::shared_ptr<Stream>> being_written_;
  std::unique_ptr<char[]> in_;
  std::string out_;
  const Steady::time_point opened_at_;
  Steady::time_point used_at_;
  Steady::time_point write_began_at_;
  double burden_ = 0;  // small frames, less those that time has forgiven
  Steady::time_point burden_at_;
  bool is_greeted_ = false;
  bool is_reading_ = false;
  bool is_writing_ = false;
  bool is_write_posted_ = false;
  bool is_flood_ = false;
  bool is_ending_ = false;  // closes after the next write
  bool is_closed_ = false;
};

}  // namespace berth::proxy
