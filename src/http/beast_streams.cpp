#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "http/beast_connection.h"

// The two transports of a connection: a socket, and TLS over a socket.
namespace berth::http {
namespace {

namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

void prepare(Socket& socket) {
  ErrorCode ignored;
  socket.set_option(asio::ip::tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
}

class PlainConnection final : public Connection {
 public:
  PlainConnection(std::shared_ptr<ServerState> state, Socket socket)
      : Connection(std::move(state), socket), socket_(std::move(socket)) {
    prepare(socket_);
  }

 private:
  std::shared_ptr<PlainConnection> self() {
    return std::static_pointer_cast<PlainConnection>(shared_from_this());
  }

  void start_handshake() override { on_handshake(true, std::nullopt); }

  void start_read(asio::mutable_buffer into) override {
    socket_.async_read_some(into, [self = self()](const ErrorCode& error, std::size_t bytes) {
      self->on_read(error, bytes);
    });
  }

  void start_write(asio::const_buffer bytes) override {
    asio::async_write(socket_, bytes, [self = self()](const ErrorCode& error, std::size_t) {
      self->on_write(error);
    });
  }

  void shut_down_sending() override {
    ErrorCode ignored;
    socket_.shutdown(Socket::shutdown_send, ignored);
  }

  void close_socket() override {
    ErrorCode ignored;
    socket_.close(ignored);
  }

  Socket socket_;
};

class TlsConnection final : public Connection {
 public:
  TlsConnection(std::shared_ptr<ServerState> state, Socket socket,
                std::shared_ptr<asio::ssl::context> context)
      : Connection(std::move(state), socket),
        context_(std::move(context)),
        stream_(std::move(socket), *context_) {
    prepare(stream_.next_layer());
  }

 private:
  std::shared_ptr<TlsConnection> self() {
    return std::static_pointer_cast<TlsConnection>(shared_from_this());
  }

  void start_handshake() override {
    const auto done = [self = self()](const ErrorCode& error) {
      self->on_handshake(!error, error ? std::nullopt : self->peer_name());
    };
    stream_.async_handshake(asio::ssl::stream_base::server, done);
  }

  std::optional<std::string> peer_name() {
    X509* const certificate = SSL_get1_peer_certificate(stream_.native_handle());
    if (certificate == nullptr) return std::nullopt;
    char name[256];
    const int length = X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName,
                                                 name, sizeof name);
    X509_free(certificate);
    if (length < 0) return std::string();
    return std::string(name, static_cast<std::size_t>(length));
  }

  void start_read(asio::mutable_buffer into) override {
    stream_.async_read_some(into, [self = self()](const ErrorCode& error, std::size_t bytes) {
      self->on_read(error, bytes);
    });
  }

  void start_write(asio::const_buffer bytes) override {
    asio::async_write(stream_, bytes, [self = self()](const ErrorCode& error, std::size_t) {
      self->on_write(error);
    });
  }

  void shut_down_sending() override {
    stream_.async_shutdown([self = self()](const ErrorCode&) {});
  }

  void close_socket() override {
    ErrorCode ignored;
    stream_.next_layer().close(ignored);
  }

  std::shared_ptr<asio::ssl::context> context_;
  asio::ssl::stream<Socket> stream_;
};

}  // namespace

std::shared_ptr<Connection> make_plain_connection(std::shared_ptr<ServerState> state,
                                                  Socket socket) {
  return std::make_shared<PlainConnection>(std::move(state), std::move(socket));
}

std::shared_ptr<Connection> make_tls_connection(std::shared_ptr<ServerState> state, Socket socket,
                                                std::shared_ptr<asio::ssl::context> context) {
  return std::make_shared<TlsConnection>(std::move(state), std::move(socket), std::move(context));
}

}  // namespace berth::http
