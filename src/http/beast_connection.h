#pragma once

#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/basic_waitable_timer.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/wait_traits.hpp>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "http/beast_state.h"
#include "http/request_parser.h"

namespace berth::http {

using Strand = boost::asio::strand<boost::asio::io_context::executor_type>;
using Socket = boost::asio::basic_stream_socket<boost::asio::ip::tcp, Strand>;
using Steady = std::chrono::steady_clock;
using Timer = boost::asio::basic_waitable_timer<Steady, boost::asio::wait_traits<Steady>, Strand>;

// One connection, one request at a time. Everything runs on the strand, except what the mutex
// guards.
//
// handshaking -> reading -> handling -> writing -> reading ... or -> lingering -> closed
//
// A read is outstanding in every state, unless the buffer is full. During an answer, the read
// notices that the peer has gone. Bytes of a pipelined request wait in the buffer.
class Connection : public Responder::Exchange, public std::enable_shared_from_this<Connection> {
 public:
  Connection(std::shared_ptr<ServerState> state, Socket& socket);

  void open();   // any thread; the first call, after ServerState::add
  void drain();  // any thread: close when idle, or after the answer
  void cut();    // any thread: close now

  void answer(Response response) override;
  void on_disconnect(std::function<void()> callback) override;

 protected:
  // The transport; on the strand. Each start_ ends in its on_. A read and a write may run at the
  // same time.
  virtual void start_handshake() = 0;
  virtual void start_read(boost::asio::mutable_buffer into) = 0;
  virtual void start_write(boost::asio::const_buffer bytes) = 0;  // all of them
  virtual void shut_down_sending() = 0;  // sends the peer the end of the stream
  virtual void close_socket() = 0;

  void on_handshake(bool succeeded, std::optional<std::string> peer_name);
  void on_read(const boost::system::error_code& error, std::size_t bytes);
  void on_write(const boost::system::error_code& error);

 private:
  enum class Stage { handshaking, reading, handling, writing, lingering, closed };

  void begin_request(Duration patience);
  void fill();
  void consume();
  void on_header();
  void handle();
  void refuse(int status, std::string_view why);
  void send_answer();
  void render(const Response& response);
  void flush();
  void linger();
  void close();
  // With so much time for it. False: the slot is lost, and this is closed.
  bool enter(Stage stage, Duration patience);

  // Sets a deadline. This costs no timer operation while an earlier one is running.
  void arm(Duration from_now);
  void wait_for_timer();
  void on_timer();
  void on_deadline();

  const std::shared_ptr<ServerState> state_;  // first, and therefore destroyed last
  const Strand strand_;

  Stage stage_ = Stage::handshaking;
  bool in_request_ = false;  // a byte of the current request has come
  bool closing_ = false;     // no further request after this answer
  Request request_;
  std::optional<RequestParser> parser_;

  const std::size_t buffer_bytes_;
  std::unique_ptr<char[]> buffer_;  // uninitialised: an idle connection uses one page of it
  std::size_t begin_ = 0, end_ = 0;
  bool reading_ = false;      // a read is outstanding
  bool input_ended_ = false;  // the peer sends no more

  std::string out_, next_;  // being written; to be written
  bool writing_ = false;

  Timer timer_;
  Steady::time_point deadline_ = Steady::time_point::max();
  Steady::time_point timer_expiry_ = Steady::time_point::max();

  std::mutex mutex_;
  bool pending_ = false;  // handed to the handler, not answered
  bool gone_ = false;     // closed: nothing may be posted any more
  std::optional<Response> answer_;
  std::function<void()> disconnect_callback_;
};

// Also ::ffff:127.0.0.1.
bool is_loopback(const boost::asio::ip::address& address);

std::shared_ptr<Connection> make_plain_connection(std::shared_ptr<ServerState> state,
                                                  Socket socket);

// `context` lives as long as the connection.
std::shared_ptr<Connection> make_tls_connection(std::shared_ptr<ServerState> state, Socket socket,
                                                std::shared_ptr<boost::asio::ssl::context> context);

}  // namespace berth::http
